"""The quasi-exact match of the GAIA leaderboard, with no model.

Rule from the scorer published beside the leaderboard (Mialon et al., arXiv 2311.12983; `scorer.py` of the
Space `gaia-benchmark/leaderboard`), written anew. Which branch is taken depends on the ground truth alone.
Where the published copies crash on a JSON type, there is no match.
"""

import re
import string
from typing import Any, ClassVar

from judges.judge import Judgment
from judges.verdict import CORRECT, INCORRECT

_SEPARATOR = re.compile(r"[,;]")
_NUMBER_DECORATION = str.maketrans("", "", "$%,")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


class GaiaOfficial:
    """Scores like the GAIA leaderboard: verdict A for a quasi-exact match, else B."""

    evaluation_type: ClassVar[str] = "gaia_official"
    is_scorer: ClassVar[bool] = True

    async def grade(self, question: str, ground_truth: str, answer: str) -> Judgment:  # noqa: ARG002  # Judge's
        """The judgment on one answer; the question does not matter."""
        verdict = CORRECT if is_match(answer, ground_truth) else INCORRECT
        return Judgment(verdict=verdict, evaluation_type=self.evaluation_type)

    async def aclose(self) -> None:
        """Nothing to give back."""


def is_match(answer: Any, ground_truth: Any) -> bool:
    """Whether the leaderboard would count `answer` as `ground_truth`.

    Number (the ground truth parses as a float): ``$ % ,`` are deleted from the answer and both compared
    exactly; an answer that is no number reads as infinity. List (a comma or semicolon in the ground truth):
    both are split at ``,`` and ``;`` and compared item by item, items that are no numbers without whitespace
    and in lower case. String: both without whitespace and ASCII punctuation, in lower case.

    Args:
        answer: Any JSON value; ``None`` never matches.
        ground_truth: Any JSON value; a list, an object or ``None`` is matched by nothing.
    """
    if answer is None:
        return False
    number = _as_float(ground_truth)
    if number is not None:
        return _number_in(answer) == number
    if not isinstance(ground_truth, str) or not isinstance(answer, str):
        return False
    if _SEPARATOR.search(ground_truth):
        return _is_same_list(answer, ground_truth)
    return _plain(answer).translate(_PUNCTUATION) == _plain(ground_truth).translate(_PUNCTUATION)


def _is_same_list(answer: str, ground_truth: str) -> bool:
    given, wanted = _SEPARATOR.split(answer), _SEPARATOR.split(ground_truth)
    return len(given) == len(wanted) and all(map(_is_same_item, given, wanted))


def _is_same_item(given: str, wanted: str) -> bool:
    number = _as_float(wanted)
    return _plain(given) == _plain(wanted) if number is None else _number_in(given) == number


def _as_float(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _number_in(answer: Any) -> float:
    """The number an answer gives; infinity if it gives none."""
    try:
        return float(str(answer).translate(_NUMBER_DECORATION))
    except ValueError:  # from float(), or from str() of an integer with thousands of digits
        return float("inf")


def _plain(text: str) -> str:
    return re.sub(r"\s", "", text).lower()
