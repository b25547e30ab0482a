"""Containment of the ground truth in the answer, with no model: a diagnostic, never a fair score.

Rule of the GAIA module of mcpbr: strip, lower, equality or containment. How it misleads: `docs/judges.md`.
"""

from typing import Any, ClassVar

from judges.judge import Judgment
from judges.verdict import CORRECT, INCORRECT


class Contains:
    """Scores by containment: verdict A if the answer contains the ground truth, else B."""

    evaluation_type: ClassVar[str] = "contains"
    is_scorer: ClassVar[bool] = True

    async def grade(self, question: str, ground_truth: str, answer: str) -> Judgment:  # noqa: ARG002  # Judge's
        """The judgment on one answer; the question does not matter."""
        verdict = CORRECT if is_contained(answer, ground_truth) else INCORRECT
        return Judgment(verdict=verdict, evaluation_type=self.evaluation_type)

    async def aclose(self) -> None:
        """Nothing to give back."""


def is_contained(answer: Any, ground_truth: Any) -> bool:
    """Whether `ground_truth` occurs in `answer`, outer whitespace and letter case aside; never the other way.

    Args:
        answer: Any JSON value; a number counts as its text, any other type contains nothing.
        ground_truth: Likewise; blank text is contained in nothing.
    """
    given, wanted = _as_text(answer), _as_text(ground_truth)
    return bool(wanted) and wanted in given


def _as_text(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        return str(value).strip().lower() if is_number or isinstance(value, str) else ""
    except ValueError:  # an integer with thousands of digits
        return ""
