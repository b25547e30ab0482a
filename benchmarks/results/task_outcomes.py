"""The outcomes of a run, task by task: what reducers work on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmarks.results.facts import AttemptFacts, UnitKey, no_record
from benchmarks.results.record import Outcome
from benchmarks.results.run_description import RunDescription


@dataclass(frozen=True, kw_only=True)
class TaskOutcomes:
    """How the attempts at one task ended.

    `attempts` has a place for each of the run's `k` attempts, the first one first; ``None`` where an attempt
    was not planned or, under `pass`, not needed any more.
    """

    task_id: str
    category: str
    attempts: tuple[AttemptFacts | None, ...]

    @cached_property
    def outcomes(self) -> tuple[Outcome | None, ...]:
        """The outcome of each attempt."""
        return tuple(None if facts is None else facts.outcome for facts in self.attempts)

    @cached_property
    def seen(self) -> tuple[bool | None, ...]:
        """What reducers see of each attempt: whether it is correct, ``None`` where it was not evaluated."""
        return tuple(
            outcome is Outcome.CORRECT if outcome is not None and outcome.is_evaluated else None
            for outcome in self.outcomes
        )

    @property
    def made(self) -> list[AttemptFacts]:
        """The attempts that count, in their order."""
        return [facts for facts in self.attempts if facts is not None]


def task_outcomes(description: RunDescription, facts: Iterable[AttemptFacts]) -> list[TaskOutcomes]:
    """The outcomes of each planned task, in plan order; an attempt without facts is unavailable.

    Raises:
        RuntimeError: Facts of an attempt that was not planned, or twice of one: a fault of the recorder.
    """
    planned = description.attempts
    by_attempt = _by_attempt(planned, facts)
    numbers: dict[str, list[int]] = {}
    for task_id, number in planned:
        numbers.setdefault(task_id, []).append(number)
    ends_at_success = description.strategy == "pass"
    return [
        TaskOutcomes(
            task_id=task_id,
            category=planned[task_id, planned_numbers[0]],
            attempts=_in_places(
                [by_attempt.get((task_id, n)) or no_record(task_id, n) for n in planned_numbers],
                k=description.k,
                ends_at_success=ends_at_success,
            ),
        )
        for task_id, planned_numbers in numbers.items()
    ]


def unit_facts(description: RunDescription, tasks: Sequence[TaskOutcomes]) -> list[AttemptFacts]:
    """What decides each planned unit: its attempt or, under `pass`, the one that gives the task its end."""
    if description.strategy == "pass":
        return [_deciding(task.made) for task in tasks]
    return [facts for task in tasks for facts in task.made]


def _by_attempt(planned: Iterable[UnitKey], facts: Iterable[AttemptFacts]) -> dict[UnitKey, AttemptFacts]:
    known = set(planned)
    found: dict[UnitKey, AttemptFacts] = {}
    for row in facts:
        if row.key not in known or row.key in found:
            reason = "came twice" if row.key in found else "was not planned"
            raise RuntimeError(f"internal error: unit {row.key!r} {reason}; please report it with run.json")
        found[row.key] = row
    return found


def _in_places(
    attempts: Sequence[AttemptFacts], *, k: int, ends_at_success: bool
) -> tuple[AttemptFacts | None, ...]:
    """Each attempt at its place. Under `pass` a success ends the task: what is left of it counts nowhere."""
    places: list[AttemptFacts | None] = [None] * k
    has_success = any(facts.outcome is Outcome.CORRECT for facts in attempts)
    for facts in attempts:
        is_needless = ends_at_success and has_success and facts.outcome is Outcome.UNAVAILABLE
        if not is_needless:
            places[facts.attempt - 1] = facts
        if ends_at_success and facts.outcome is Outcome.CORRECT:
            break
    return tuple(places)


def _deciding(made: Sequence[AttemptFacts]) -> AttemptFacts:
    """The first success; else what stands in the way of a verdict, an error first; else the last."""
    ends: tuple[Callable[[Outcome], bool], ...] = (
        lambda outcome: outcome is Outcome.CORRECT,
        lambda outcome: outcome.is_error,
        lambda outcome: not outcome.is_evaluated,
    )
    for is_such in ends:
        for facts in made:
            if is_such(facts.outcome):
                return facts
    return made[-1]
