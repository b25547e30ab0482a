"""Invented runs to compare, told by one letter for each task."""

from typing import Any

from results_scene import run

from benchmarks.results.comparison import ComparedRun, Comparison, Comparisons, Evidence, compare
from benchmarks.results.record import Outcome

OUTCOMES = {
    "c": Outcome.CORRECT,
    "i": Outcome.INCORRECT,
    "n": Outcome.NOT_ATTEMPTED,
    "r": Outcome.RUN_ERROR,
    "j": Outcome.JUDGE_ERROR,
    "u": Outcome.UNAVAILABLE,
    "s": Outcome.UNSCORED,
}


def outcomes(letters: str) -> dict[str, Outcome]:
    """The outcomes of t-00, t-01, …, one letter each; "-" was not planned: ``outcomes("ci-r")``."""
    return {f"t-{n:02}": OUTCOMES[letter] for n, letter in enumerate(letters) if letter != "-"}


def ended(letters: str, **changes: Any) -> ComparedRun:
    """A run whose tasks ended so."""
    ends = outcomes(letters)
    return ComparedRun(description=run(tuple(ends), **changes), outcomes=ends)


def flipped(n_improved: int, n_regressed: int, n_still: int = 3) -> tuple[str, str]:
    """The letters of BASE and NEW with so many flips."""
    still = "c" * n_still
    return "i" * n_improved + "c" * n_regressed + still, "c" * n_improved + "i" * n_regressed + still


def compared(base: str, *news: str, alpha: float = 0.05) -> Comparisons:
    """The comparison of runs that ended so."""
    return compare(ended(base), [ended(new) for new in news], alpha=alpha)


def evidence(comparison: Comparison) -> Evidence:
    """What was found, where it was compared."""
    assert comparison.evidence is not None
    return comparison.evidence
