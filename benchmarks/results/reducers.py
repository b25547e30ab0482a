"""Reducers: from the outcomes of a group of attempts to the numbers of one series."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.results.record import Outcome
from benchmarks.results.statistics import wilson_interval


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How many units of a group ended how.

    `evaluated` is the sum of the three verdicts above it, `total` that of `evaluated` and the three below it.
    """

    correct: int
    incorrect: int
    not_attempted: int
    evaluated: int
    error: int
    unavailable: int
    unscored: int
    total: int


def count(outcomes: Iterable[Outcome]) -> Counts:
    """The counts of a group of units."""
    by_outcome = Counter(outcomes)
    return Counts(
        correct=by_outcome[Outcome.CORRECT],
        incorrect=by_outcome[Outcome.INCORRECT],
        not_attempted=by_outcome[Outcome.NOT_ATTEMPTED],
        evaluated=sum(n for outcome, n in by_outcome.items() if outcome.is_evaluated),
        error=sum(n for outcome, n in by_outcome.items() if outcome.is_error),
        unavailable=by_outcome[Outcome.UNAVAILABLE],
        unscored=by_outcome[Outcome.UNSCORED],
        total=by_outcome.total(),
    )


def native(counts: Counts) -> dict[str, Any]:
    """The numbers of one attempt per task: ``{"value": 0.5, "value_over_planned": 0.4, "counts": {…}, …}``.

    `value` is correct over evaluated. `value_given_attempted` is correct over correct and incorrect; ``None``
    when nothing was attempted. `value_over_planned` is correct over planned: what is not correct counts 0;
    ``None`` when a unit is unscored. All are ``None`` when nothing was evaluated.
    """
    measured = counts.evaluated > 0
    attempted = counts.correct + counts.incorrect
    interval = wilson_interval(counts.correct, counts.evaluated)
    return {
        "value": counts.correct / counts.evaluated if measured else None,
        "value_given_attempted": counts.correct / attempted if attempted else None,
        "value_over_planned": counts.correct / counts.total if measured and not counts.unscored else None,
        "counts": asdict(counts),
        "interval_95": None if interval is None else list(interval),
        "interval_method": "wilson",
        "flags": _flags(counts),
    }


def native_by_category(outcomes: Iterable[tuple[str, Outcome]]) -> Mapping[str, dict[str, Any]]:
    """The numbers of each category: ``{"1": {"value": 0.5, …}, "2": {…}}``."""
    groups: defaultdict[str, list[Outcome]] = defaultdict(list)
    for category, outcome in outcomes:
        groups[category].append(outcome)
    return {category: native(count(groups[category])) for category in sorted(groups)}


def _flags(counts: Counts) -> list[str]:
    if counts.evaluated == 0:
        return []
    if counts.correct == 0:
        return ["all_zero"]
    return ["all_one"] if counts.correct == counts.evaluated else []
