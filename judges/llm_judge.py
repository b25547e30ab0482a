"""A model as judge: it compares the answer with the ground truth and says A, B or C."""

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from harnesses.endpoint.errors import EndpointError
from harnesses.endpoint.messages import Completion, TokenUsage
from harnesses.endpoint.spec import EndpointSpec
from judges.judge import JudgeFailedError, Judgment
from judges.prompts.prompt import JudgePrompt
from judges.verdict import JudgeProtocol, UnreadableVerdictError, Verdict
from judges.visible_text import cleaned

if TYPE_CHECKING:
    from harnesses.endpoint.client import EndpointClient
    from harnesses.endpoint.network import Network

_N_ASKED = 3
"""Requests for one verdict: an unreadable reply is asked again twice."""
_TOKEN_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_WHOLE_LETTERS = frozenset({"A", "B"})
"""Replies that no label begins with, so that a cut one is whole all the same."""


@dataclass
class _Inquiry:
    """What came back so far while one answer is judged."""

    replies: list[str] = field(default_factory=list[str])
    evidence: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    usage: TokenUsage = field(default_factory=TokenUsage)
    duration_s: float = 0.0

    def add(self, completion: Completion, *, limits: Mapping[str, int], unreadable: str | None) -> None:
        """Keep one reply; `unreadable` says why it holds no verdict, ``None`` if it does."""
        self.replies.append(cleaned(completion.text))
        self.evidence.append(
            {
                **completion.evidence(),
                "call": len(self.replies),
                "token_limit": dict(limits),
                "unreadable": unreadable,
            }
        )
        self.usage += completion.usage
        self.duration_s += completion.duration_s


class LLMJudge:
    """Grades with a model, by the letters A, B and C; `protocol` (GAIA's) says what each of them means.

    The three strings are cleaned, and verdict-shaped text in the answer is neutralised, before they are put
    into the prompt. After a reply without a readable verdict the judge is asked again, twice, each time with
    twice the token limit if the reply was cut.

    Args:
        spec: The judge's own endpoint; nothing is borrowed from the model under test.
        prompt: What the judge is told; a prompt of this protocol.
        client: Asks the judge and stays open; ``None`` makes one for `spec`, which `aclose` closes.
        network: How a client made here reaches the judge; ``None``: as it is.

    Raises:
        ValueError: Prompt and protocol do not fit.
    """

    evaluation_type: ClassVar[str] = "llm_judge"
    protocol: ClassVar[JudgeProtocol] = "gaia"
    is_scorer: ClassVar[bool] = False

    def __init__(
        self,
        spec: EndpointSpec,
        prompt: JudgePrompt,
        *,
        client: "EndpointClient | None" = None,
        network: "Network | None" = None,
    ) -> None:
        if prompt.protocol != self.protocol:
            raise ValueError(
                f"prompt {prompt.source!r} is for {prompt.protocol!r} and cannot serve {self.protocol!r}"
            )
        # A process that asks no judge loads no client.
        from harnesses.endpoint.client import EndpointClient
        from harnesses.endpoint.network import DIRECT

        self._spec = spec
        self._prompt = prompt
        self._client = client or EndpointClient(spec, network=network or DIRECT, role="judge")
        self._owns_client = client is None

    async def grade(self, question: str, ground_truth: str, answer: str) -> Judgment:
        """The judgment on one answer.

        Raises:
            JudgeFailedError: The endpoint failed, or three replies held no readable verdict.
        """
        # Here, as the parser below: their patterns take longer to compile than the rest of ours to start.
        from judges.neutralise import neutralise

        text = self._prompt.render(cleaned(question), cleaned(ground_truth), neutralise(cleaned(answer)))
        inquiry = _Inquiry()
        limits = _token_limits(self._spec.params)
        for _ in range(_N_ASKED):
            completion = await self._ask(text, limits, inquiry)
            verdict = _verdict_or_reason(completion, self.protocol, limits)
            inquiry.add(completion, limits=limits, unreadable=verdict if isinstance(verdict, str) else None)
            if not isinstance(verdict, str):
                return self._judgment(verdict, inquiry)
            if _is_cut(completion):
                limits = {key: 2 * limit for key, limit in limits.items()}
        last = inquiry.evidence[-1]["unreadable"]
        raise self._failed(f"no verdict in {_N_ASKED} replies; the last: {last}", inquiry)

    async def aclose(self) -> None:
        """Give back the connections of a client this judge made."""
        if self._owns_client:
            await self._client.aclose()

    async def _ask(self, text: str, limits: Mapping[str, int], inquiry: _Inquiry) -> Completion:
        try:
            return await self._client.complete([{"role": "user", "content": text}], overrides=limits)
        except EndpointError as error:
            inquiry.usage += TokenUsage(n_requests=error.n_requests)
            inquiry.evidence.append(
                {
                    "status": error.status,
                    "error": type(error).__name__,
                    "n_requests": error.n_requests,
                    "call": len(inquiry.replies) + 1,
                }
            )
            failed = self._failed(str(error), inquiry, detail=error.detail, stops_run=error.stops_run)
            raise failed from error

    def _judgment(self, verdict: Verdict, inquiry: _Inquiry) -> Judgment:
        return Judgment(
            verdict=verdict,
            evaluation_type=self.evaluation_type,
            raw_response=inquiry.replies[-1],
            judge_model=self._spec.id,
            prompt_digest=self._prompt.digest,
            usage=inquiry.usage,
            duration_s=inquiry.duration_s,
            evidence=tuple(inquiry.evidence),
        )

    def _failed(
        self, what: str, inquiry: _Inquiry, *, detail: str = "", stops_run: bool = False
    ) -> JudgeFailedError:
        replies = [f"reply {number}: {reply!r}" for number, reply in enumerate(inquiry.replies, 1)]
        return JudgeFailedError(
            f"judge {self._spec.id!r}: {what}",
            detail="\n".join([*replies, *filter(None, [detail])]),
            usage=inquiry.usage,
            evidence=tuple(inquiry.evidence),
            stops_run=stops_run,
        )


def _token_limits(params: Mapping[str, Any]) -> dict[str, int]:
    """The limits the user set on a reply, e.g. ``{"max_tokens": 256}``."""
    return {key: limit for key in _TOKEN_LIMITS if isinstance(limit := params.get(key), int)}


def _is_cut(completion: Completion) -> bool:
    return completion.finish_reason == "length"


def _verdict_or_reason(
    completion: Completion, protocol: JudgeProtocol, limits: Mapping[str, int]
) -> Verdict | str:
    """The verdict of a reply, or why it holds none and what to do about it, in public words."""
    from judges.verdict_parser import parse_verdict

    text = completion.text
    if _is_cut(completion) and text.strip() not in _WHOLE_LETTERS:
        # The last word may be unfinished: "C" of "CORRECT".
        text = text.rstrip(string.ascii_letters)
    try:
        return parse_verdict(text, protocol)
    except UnreadableVerdictError as error:
        why = str(error)
    if _is_cut(completion):
        named = " and ".join(f"{key} {limit}" for key, limit in limits.items())
        limit = f"{named} of judge_model.params" if named else "the server's own limit"
        return f"truncation at {limit} before a verdict; set a larger max_tokens in judge_model.params"
    if completion.finish_reason == "content_filter":
        return "withheld by its content filter; try another judge_model"
    if completion.has_reasoning and not text.strip():
        return "empty content beside reasoning; check the reasoning parser of the judge's server"
    return f"{why}; try another judge_model or judge_prompt (the replies are in details/)"
