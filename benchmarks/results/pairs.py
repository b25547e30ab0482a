"""The pairs of two runs: their outcomes side by side, task by task."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.results.facts import AttemptFacts
from benchmarks.results.record import Outcome
from benchmarks.results.run_description import RunDescription

NOT_PLANNED = "not_planned"
"""Why a task has no verdict in a run that does not know it."""


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Two runs, BASE and NEW, over the tasks planned in either; all ids sorted.

    A task counts as correct or not. `improved` went from not correct to correct, `regressed` the other way.
    `base_without_verdict` and `new_without_verdict` name the tasks that count as not correct though no
    verdict says so, by reason: ``{"not_planned": ("t-9",), "run_error": ("t-4",)}``.
    """

    n_both: int
    n_neither: int
    improved: tuple[str, ...]
    regressed: tuple[str, ...]
    base_without_verdict: Mapping[str, tuple[str, ...]]
    new_without_verdict: Mapping[str, tuple[str, ...]]

    @property
    def n(self) -> int:
        """Number of paired tasks."""
        return self.n_both + self.n_neither + len(self.improved) + len(self.regressed)

    @property
    def n_base_correct(self) -> int:
        """Number of tasks that are correct in BASE."""
        return self.n_both + len(self.regressed)

    @property
    def n_new_correct(self) -> int:
        """Number of tasks that are correct in NEW."""
        return self.n_both + len(self.improved)

    @property
    def n_with_verdicts(self) -> int:
        """Number of tasks with a verdict in both runs."""
        return self.n - len(self._lacking)

    @property
    def n_improved_with_verdicts(self) -> int:
        """Number of improved tasks with a verdict in both runs; the others are no change of the model."""
        return len(set(self.improved) - self._lacking)

    @property
    def n_regressed_with_verdicts(self) -> int:
        """Number of regressed tasks with a verdict in both runs; the others are no change of the model."""
        return len(set(self.regressed) - self._lacking)

    @property
    def n_flips_without_verdict(self) -> int:
        """Number of flips, either way, that come from a task without a verdict in one run."""
        return len({*self.improved, *self.regressed} & self._lacking)

    @property
    def _lacking(self) -> set[str]:
        by_reason = (*self.base_without_verdict.values(), *self.new_without_verdict.values())
        return {task_id for task_ids in by_reason for task_id in task_ids}


def outcomes_of(description: RunDescription, facts: Iterable[AttemptFacts]) -> Mapping[str, Outcome]:
    """How each planned task ended, ``{"t-1": Outcome.CORRECT}``; one without facts is unavailable.

    For runs with one attempt per task.
    """
    found = {row.task_id: row.outcome for row in facts}
    return {task_id: found.get(task_id, Outcome.UNAVAILABLE) for task_id, _, _ in description.planned}


def pair(base: Mapping[str, Outcome], new: Mapping[str, Outcome]) -> Pairs:
    """Lay the outcomes of two runs side by side."""
    task_ids = sorted({*base, *new})
    by_kind: defaultdict[tuple[bool, bool], list[str]] = defaultdict(list)
    for task_id in task_ids:
        by_kind[base.get(task_id) is Outcome.CORRECT, new.get(task_id) is Outcome.CORRECT].append(task_id)
    return Pairs(
        n_both=len(by_kind[True, True]),
        n_neither=len(by_kind[False, False]),
        improved=tuple(by_kind[False, True]),
        regressed=tuple(by_kind[True, False]),
        base_without_verdict=_without_verdict(base, task_ids),
        new_without_verdict=_without_verdict(new, task_ids),
    )


def _without_verdict(run: Mapping[str, Outcome], task_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for task_id in task_ids:
        outcome = run.get(task_id)
        if outcome is None:
            by_reason[NOT_PLANNED].append(task_id)
        elif not outcome.is_evaluated:
            by_reason[outcome.value].append(task_id)
    return {reason: tuple(by_reason[reason]) for reason in sorted(by_reason)}
