"""Asks the model once, without tools."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Gt
from typing_extensions import Doc

from harnesses.attempt import Attempt, AttemptFailedError, ModelStep, Prompt, StopReason
from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.errors import EndpointError, OutOfTimeError
from harnesses.endpoint.http import Sleep, Transport
from harnesses.endpoint.messages import Completion, TokenUsage
from harnesses.endpoint.network import DIRECT, Network
from harnesses.endpoint.retrying import Retries
from harnesses.endpoint.spec import EndpointSpec
from harnesses.final_message import hidden_answer_fault, stop_reason_of
from harnesses.prompt_template import first_messages, template_faults


@dataclass(frozen=True, kw_only=True)
class OpenAIChatParams:
    """How the one request is made.

    Raises:
        ValueError: `agent_prompt` has no place for the question.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    system_prompt: Annotated[
        str | None,
        Doc(
            "First message; may hold `{problem_statement}` and the benchmark's own word: `{level}` for GAIA, "
            "`{topic}` for SealQA. Null: none is sent."
        ),
    ] = None
    agent_prompt: Annotated[
        str | None,
        Doc(
            "Template of the question, with `{problem_statement}` and, if wanted, the benchmark's own word: "
            "`{level}` for GAIA, `{topic}` for SealQA; other braces stand. Null: the question alone."
        ),
    ] = None
    max_retry: Annotated[int, Ge(0), Doc("Times a failed request is sent again.")] = 10
    retry_interval: Annotated[
        float, Ge(0), Doc("Seconds before the first retry; doubles up to 60 s, with jitter.")
    ] = 5.0
    request_timeout: Annotated[float, Gt(0), Doc("Seconds one HTTP request may take.")] = 2000.0

    def __post_init__(self) -> None:
        if faults := template_faults("agent_prompt", self.agent_prompt):
            raise ValueError(faults[0])

    def missing(self) -> list[str]:
        """Nothing: this harness needs the model's endpoint alone."""
        return []


class OpenAIChat:
    """One completion is the attempt; the model's own params decide how it is made.

    Args:
        params: How the request is made.
        model: The endpoint under test.
        network: The transport and the pace of requests.
        transport: Stands in for the network's in tests; ``None`` takes that.
        sleep: Waits between retries; ``None`` as the network does.
        clock: Tells seconds that only grow.
    """

    name: ClassVar[str] = "openai_chat"
    readable_suffixes: ClassVar[frozenset[str]] = frozenset()
    searches: ClassVar[bool] = False
    asks_model: ClassVar[bool] = True
    Params: ClassVar[type[OpenAIChatParams]] = OpenAIChatParams

    def __init__(
        self,
        params: OpenAIChatParams,
        *,
        model: EndpointSpec,
        network: Network = DIRECT,
        transport: Transport | None = None,
        sleep: Sleep | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._params = params
        self._clock = clock
        self._client = EndpointClient(
            model,
            retries=Retries(max_retries=params.max_retry, interval_s=params.retry_interval),
            request_timeout_s=params.request_timeout,
            network=network,
            transport=transport,
            sleep=sleep,
            clock=clock,
        )

    async def run(self, prompt: Prompt) -> Attempt:
        """The model's reply to `prompt`.

        Raises:
            AttemptFailedError: The endpoint failed, the time budget ended first, or the reply holds
                reasoning and no text.
        """
        params, started = self._params, self._clock()
        messages = first_messages(
            prompt, system_prompt=params.system_prompt, agent_prompt=params.agent_prompt
        )
        try:
            completion = await self._client.complete(messages, timeout_s=prompt.time_budget_s)
        except EndpointError as error:
            # From None: the frames behind it hold the question.
            raise _failed(error, prompt, self._clock() - started) from None
        attempt = _attempt(completion, self._clock() - started)
        if fault := hidden_answer_fault(completion, model_id=self._client.spec.id):
            partial = replace(attempt, final_message=None, stop_reason=StopReason.ERROR)
            raise AttemptFailedError(fault, partial=partial)
        return attempt

    async def aclose(self) -> None:
        """Give back connections."""
        await self._client.aclose()


def _attempt(completion: Completion, duration_s: float) -> Attempt:
    step = ModelStep(
        message=completion.message,
        finish_reason=completion.finish_reason,
        usage=completion.usage,
        duration_s=completion.duration_s,
    )
    return Attempt(
        final_message=completion.message,
        finish_reason=completion.finish_reason,
        stop_reason=stop_reason_of(completion),
        trajectory=(step,),
        usage={"model": completion.usage},
        duration_s=duration_s,
        meta={"completion": dict(completion.evidence())},
    )


def _failed(error: EndpointError, prompt: Prompt, duration_s: float) -> AttemptFailedError:
    line = str(error)
    if isinstance(error, OutOfTimeError):
        line = (
            f"no answer within the time budget of {prompt.time_budget_s:g} s; raise run_timeout_seconds "
            f"({error})"
        )
    partial = Attempt(
        final_message=None,
        finish_reason=None,
        stop_reason=StopReason.ERROR,
        usage={"model": TokenUsage(n_requests=error.n_requests)},
        duration_s=duration_s,
        meta={"completion": {"status": error.status, "n_requests": error.n_requests}},
    )
    return AttemptFailedError(line, partial=partial, detail=error.detail, stops_run=error.stops_run)
