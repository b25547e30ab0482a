"""Invented runs to compare, told by one letter for each attempt."""

from typing import Any

from results_scene import run

from benchmarks.results.comparing.comparison import Comparison, Comparisons, compare
from benchmarks.results.comparing.evidence import Evidence
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


def outcomes(letters: str) -> dict[str, list[str | None]]:
    """The outcomes of t-00, t-01, … as in metrics.json.

    One letter for each task, or one word with a letter for each attempt; "-" alone was not planned, "." is an
    attempt that was not made: ``outcomes("ci-r")``, ``outcomes("cci - c..")``.
    """
    words = letters.split() if " " in letters else letters
    return {
        f"t-{n:02}": [None if letter == "." else OUTCOMES[letter].value for letter in word]
        for n, word in enumerate(words)
        if word != "-"
    }


def ended(letters: str, **changes: Any) -> dict[str, Any]:
    """The metrics of a run whose attempts ended so; `k` is the length of the longest word."""
    ends = outcomes(letters)
    k = max((len(of_task) for of_task in ends.values()), default=1)
    described = run(tuple(ends), **{"k": k, **changes}).to_json()
    return {**described, "format": 2, "outcomes_by_task": ends, "volatile": {"run": described["run"]}}


def flipped(n_improved: int, n_regressed: int, n_still: int = 3) -> tuple[str, str]:
    """The letters of BASE and NEW with so many flips."""
    still = "c" * n_still
    return "i" * n_improved + "c" * n_regressed + still, "c" * n_improved + "i" * n_regressed + still


def compared(base: str, *news: str, alpha: float = 0.05, **changes: Any) -> Comparisons:
    """The comparison of runs that ended so."""
    return compare(ended(base, **changes), [ended(new, **changes) for new in news], alpha=alpha)


def evidence(comparison: Comparison) -> Evidence:
    """What was found, where it was compared."""
    assert comparison.evidence is not None
    return comparison.evidence
