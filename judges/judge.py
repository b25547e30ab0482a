"""The protocol of the middle floor: three strings go in, a judgment comes out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from harnesses.endpoint.messages import TokenUsage
from judges.verdict import NO_ANSWER, Verdict


@dataclass(frozen=True, kw_only=True)
class Judgment:
    """What a judge made of one answer.

    `evaluation_type` is the public name of the method (`llm_judge`, `gaia_official`).
    `raw_response` is the judge's whole reply, ``None`` for a scorer or when no judge was asked.
    `judge_model` and `prompt_digest` (SHA-256, hex) say what graded; ``None`` for a scorer.
    `usage` and `duration_s` (seconds) are those of all calls together, nothing for a scorer.
    `evidence` has one entry for each judge call: ``[{"status": 200, "finish_reason": "stop", …}]``.
    """

    verdict: Verdict
    evaluation_type: str
    raw_response: str | None = None
    judge_model: str | None = None
    prompt_digest: str | None = None
    usage: TokenUsage = field(default_factory=TokenUsage)
    duration_s: float = 0.0
    evidence: tuple[Mapping[str, Any], ...] = ()

    def must_be_correct(self) -> None:
        """Pass for verdict A.

        Raises:
            NotCorrectError: Any other verdict.
        """
        if not self.verdict.is_correct:
            raise NotCorrectError(self.verdict)


class NotCorrectError(AssertionError):
    """The verdict is not A; the report of the item tells the rest."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(f"verdict {verdict.letter} ({verdict.label})")
        self.verdict = verdict


class JudgeFailedError(Exception):
    """No verdict could be had: a judge error, never a wrong answer.

    Args:
        line: One public line (what happened, the rule, the remedy).
        detail: The replies that could not be read; for private records only.
        usage: Tokens spent all the same.
        evidence: One entry for each judge call, as in `Judgment`.
        stops_run: True when no other answer can be judged either, e.g. a refused key.
    """

    def __init__(
        self,
        line: str,
        *,
        detail: str = "",
        usage: TokenUsage | None = None,
        evidence: tuple[Mapping[str, Any], ...] = (),
        stops_run: bool = False,
    ) -> None:
        super().__init__(line)
        self.detail = detail
        self.usage = usage or TokenUsage()
        self.evidence = evidence
        self.stops_run = stops_run


class Judge(Protocol):
    """Grades answers.

    `evaluation_type` names the method in records. `is_scorer` is True for a judge without a model: it costs
    nothing and always gets the answer read from the final message.
    """

    evaluation_type: ClassVar[str]
    is_scorer: ClassVar[bool]

    async def grade(self, question: str, ground_truth: str, answer: str) -> Judgment:
        """The judgment on one answer.

        Raises:
            JudgeFailedError: The judge could not be reached or read.
        """
        ...

    async def aclose(self) -> None:
        """Give back connections."""
        ...


def no_answer(evaluation_type: str) -> Judgment:
    """The judgment on an attempt without an answer: verdict C, no judge asked."""
    return Judgment(verdict=NO_ANSWER, evaluation_type=evaluation_type)
