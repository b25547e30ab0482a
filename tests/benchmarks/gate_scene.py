"""Invented numbers to hold against gates, and runs to hold against a baseline."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from results_scene import run

from benchmarks.results.comparing.comparison import Comparison, held_against
from benchmarks.results.estimate import Estimate, Spread
from benchmarks.results.gates.exit_codes import GateResult
from benchmarks.results.gates.gate import judge_gates
from benchmarks.results.metrics import card_of
from benchmarks.results.series import Counts, Series

Part = tuple[int, ...]
"""How many tasks of a level are correct, how many were evaluated, and maybe how many were planned."""


def series(
    correct: int, evaluated: int, total: int | None = None, *, levels: Mapping[str, Part] | None = None
) -> Series:
    """A headline with one attempt per task; what is planned and was not evaluated is an error."""
    planned = evaluated if total is None else total
    n_correct = Fraction(correct)
    spread = Spread(n=evaluated, total=n_correct, total_of_squares=n_correct, is_binary=True)
    groups = ((Fraction(1), spread),) if evaluated else ()
    parts = {level: series(*part) for level, part in (levels or {}).items()}
    return Series(
        name="correct.native@1",
        estimate=Estimate(groups=groups),
        value_over_planned=Fraction(correct, planned or 1),
        value_given_attempted=None,
        counts=Counts(
            correct=correct,
            incorrect=evaluated - correct,
            not_attempted=0,
            evaluated=evaluated,
            error=planned - evaluated,
            unavailable=0,
            unscored=0,
            total=planned,
        ),
        breakdown={"level": parts} if parts else {},
    )


def means_of_three(*shares: Fraction) -> Series:
    """A headline over the means of three attempts at each task."""
    counts = {"correct": None, "incorrect": None, "not_attempted": None}
    return Series(
        name="correct.avg@3",
        estimate=Estimate(groups=((Fraction(1), Spread.of(shares, is_binary=False)),)),
        value_over_planned=None,
        value_given_attempted=None,
        counts=Counts(**counts, evaluated=len(shares), error=0, unavailable=0, unscored=0, total=len(shares)),
    )


def asked(**gates: Any) -> dict[str, Any]:
    """Gates as a run's description has them; `min_accuracy` may be one number, `level1` to `level3` known."""
    least = gates.get("min_accuracy")
    by_scope = {"overall": least} if isinstance(least, float) else least
    nothing = dict.fromkeys(("min_coverage", "max_errors", "max_regression", "baseline", "primary"))
    return {
        **nothing,
        "baseline_anyway": False,
        "policy": "point",
        "scopes": {"level1": "1", "level2": "2", "level3": "3"},
        **gates,
        "min_accuracy": by_scope,
    }


def judged(
    headline: Series,
    *,
    n_errors: int | None = None,
    stopped: str | None = None,
    partial: tuple[str, ...] = (),
    comparison: Comparison | None = None,
    **gates: Any,
) -> GateResult:
    """What the gates decide; every task that was not evaluated is an error."""
    return judge_gates(
        headline,
        asked(**gates),
        breakdown="level",
        n_errors=headline.counts.error if n_errors is None else n_errors,
        stopped=stopped,
        partial=partial,
        comparison=comparison,
    )


def metrics(letters: str, **changes: Any) -> dict[str, Any]:
    """What a comparison reads of a run whose tasks ended so: "c" correct, "i" incorrect, "r" a run error."""
    names = {"c": "correct", "i": "incorrect", "r": "run_error"}
    return {
        **card_of(run([f"t-{n:03}" for n in range(len(letters))], **changes)),
        "outcomes_by_task": {f"t-{n:03}": [names[letter]] for n, letter in enumerate(letters)},
        "volatile": {"run": "base"},
    }


def against(base: str, new: str, *, override: bool = False, **changes: Any) -> Comparison:
    """The comparison of two runs whose tasks ended so; `changes` are those of the new one's description."""
    return held_against(metrics(base), metrics(new, **changes), override=override)


def flipped(n_improved: int, n_regressed: int, n_still: int = 0) -> Comparison:
    """A comparison with so many flips, and so many tasks that are correct in both runs."""
    still = "c" * n_still
    return against("i" * n_improved + "c" * n_regressed + still, "c" * n_improved + "i" * n_regressed + still)
