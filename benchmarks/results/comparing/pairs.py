"""The pairs of two runs: their values side by side, task by task."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from benchmarks.results.record import Outcome

NOT_PLANNED = "not_planned"
"""Why a task that a run does not know is not measured in it, or one of whose attempts it left out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskResult:
    """How a task ended in a run.

    `value`, 0 to 1: the share of its attempts that are correct or, under `pass`, whether any is. `lacks`
    tells why it is not measured, e.g. ``("judge_error", "run_error")``: an attempt has no verdict, so that
    the value may be too low. Empty where it is measured.
    """

    value: Fraction
    lacks: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPair:
    """A task in both runs."""

    task_id: str
    base: TaskResult
    new: TaskResult


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Two runs, BASE and NEW, over the tasks planned in either, sorted by id.

    Every value is a multiple of 1 / `scale`; 1 where a task is correct or not and nothing between.
    """

    each: tuple[TaskPair, ...]
    scale: int

    @property
    def n(self) -> int:
        """Number of paired tasks."""
        return len(self.each)

    @cached_property
    def changes(self) -> tuple[int, ...]:
        """NEW's value minus BASE's, task by task, in 1 / `scale`: one for each attempt lost or won."""
        return tuple(int((pair.new.value - pair.base.value) * self.scale) for pair in self.each)

    @property
    def improved(self) -> tuple[str, ...]:
        """The tasks whose value rose."""
        return tuple(pair.task_id for pair, change in zip(self.each, self.changes, strict=True) if change > 0)

    @property
    def regressed(self) -> tuple[str, ...]:
        """The tasks whose value fell."""
        return tuple(pair.task_id for pair, change in zip(self.each, self.changes, strict=True) if change < 0)

    @property
    def accuracy_base(self) -> Fraction:
        """The mean value in BASE, exact, 0 to 1; of one pair or more."""
        return self._mean([pair.base.value for pair in self.each])

    @property
    def accuracy_new(self) -> Fraction:
        """The mean value in NEW, exact, 0 to 1; of one pair or more."""
        return self._mean([pair.new.value for pair in self.each])

    @property
    def difference(self) -> Fraction:
        """The accuracy of NEW minus that of BASE, exact, -1 to 1; of one pair or more."""
        return Fraction(sum(self.changes), self.n * self.scale)

    @property
    def measured_in_base(self) -> "Pairs":
        """The pairs whose task is measured in BASE: there its want of verdicts favours nobody."""
        return self._where(lambda pair: not pair.base.lacks)

    @property
    def measured_in_both(self) -> "Pairs":
        """The pairs whose task is measured in both runs."""
        return self._where(lambda pair: not pair.base.lacks and not pair.new.lacks)

    @property
    def n_flips_not_measured(self) -> int:
        """Number of tasks that rose or fell and are not measured in one of the runs."""
        flips = zip(self.each, self.changes, strict=True)
        return sum(change != 0 and bool(pair.base.lacks or pair.new.lacks) for pair, change in flips)

    @property
    def lacking_in_base(self) -> Mapping[str, tuple[str, ...]]:
        """The tasks not measured in BASE, by reason: ``{"not_planned": ("t-9",), "run_error": ("t-4",)}``."""
        return _by_reason((pair.task_id, pair.base.lacks) for pair in self.each)

    @property
    def lacking_in_new(self) -> Mapping[str, tuple[str, ...]]:
        """The tasks not measured in NEW, by reason."""
        return _by_reason((pair.task_id, pair.new.lacks) for pair in self.each)

    def _where(self, is_meant: Callable[[TaskPair], bool]) -> "Pairs":
        return replace(self, each=tuple(pair for pair in self.each if is_meant(pair)))

    def _mean(self, values: Sequence[Fraction]) -> Fraction:
        return sum(values, Fraction(0)) / self.n


_ABSENT = TaskResult(value=Fraction(0), lacks=(NOT_PLANNED,))


def pair(base: Mapping[str, Any], new: Mapping[str, Any]) -> Pairs:
    """Lay the values of two runs side by side.

    Args:
        base: With `k`, `strategy` and `outcomes_by_task` as in metrics.json.
        new: As `base`. A task that one of them does not know is worth 0 in it, and not measured.
    """
    in_base, in_new = results_of(base), results_of(new)
    return Pairs(
        each=tuple(
            TaskPair(task_id=task_id, base=in_base.get(task_id, _ABSENT), new=in_new.get(task_id, _ABSENT))
            for task_id in sorted({*in_base, *in_new})
        ),
        scale=lcm(_scale(base), _scale(new)),
    )


def results_of(metrics: Mapping[str, Any]) -> dict[str, TaskResult]:
    """How each planned task of a run ended: ``{"t-1": TaskResult(value=Fraction(2, 3), lacks=())}``."""
    read = _passed if metrics["strategy"] == "pass" else _averaged
    return {
        task_id: read(outcomes, metrics["k"]) for task_id, outcomes in metrics["outcomes_by_task"].items()
    }


def _scale(metrics: Mapping[str, Any]) -> int:
    k: int = metrics["k"]
    return 1 if metrics["strategy"] == "pass" else k


def _averaged(outcomes: Sequence[str | None], k: int) -> TaskResult:
    return TaskResult(value=Fraction(_n_correct(outcomes), k), lacks=_lacks(outcomes, NOT_PLANNED))


def _passed(outcomes: Sequence[str | None], _: int) -> TaskResult:
    if _n_correct(outcomes):
        return TaskResult(value=Fraction(1), lacks=())
    return TaskResult(value=Fraction(0), lacks=_lacks(outcomes, Outcome.UNAVAILABLE.value))


def _n_correct(outcomes: Sequence[str | None]) -> int:
    return sum(outcome == Outcome.CORRECT for outcome in outcomes)


def _lacks(outcomes: Sequence[str | None], where_none: str) -> tuple[str, ...]:
    reasons = {
        where_none if outcome is None else str(outcome)
        for outcome in outcomes
        if outcome is None or not Outcome(outcome).is_evaluated
    }
    return tuple(sorted(reasons))


def _by_reason(lacking: Iterable[tuple[str, tuple[str, ...]]]) -> Mapping[str, tuple[str, ...]]:
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for task_id, reasons in lacking:
        for reason in reasons:
            by_reason[reason].append(task_id)
    return {reason: tuple(by_reason[reason]) for reason in sorted(by_reason)}
