"""What a run owes an outcome for: its planned units, and the attempts each of them may make."""

from collections.abc import Iterator, Mapping

from benchmarks.results.facts import UnitKey
from benchmarks.results.run_description import RunDescription


class Planned:
    """The plan of a run. A unit is named by its first attempt: ``("t-1", 1)``.

    Under `avg` a unit is one attempt; under `pass` it is a task with up to `k` attempts, each made only if
    none before it succeeded.

    Args:
        description: The run.

    Raises:
        ValueError: A unit is planned twice.
    """

    def __init__(self, description: RunDescription) -> None:
        self.attempts: Mapping[UnitKey, str] = description.attempts
        """Every attempt that may have a record, with its category: ``{("t-1", 1): "2"}``."""
        self._n_tries = description.k if description.strategy == "pass" else 1
        self._first = {task_id: first for task_id, first, _ in description.planned}
        n_planned = len(description.planned)
        if len(self.attempts) != n_planned * self._n_tries:
            raise ValueError(f"{n_planned} units are planned, but some twice: plan each unit once")

    def units(self) -> Iterator[tuple[UnitKey, ...]]:
        """The attempts of each unit, in the order they are made in."""
        for attempt in self.attempts:
            if self.unit_of(attempt) == attempt:
                yield self.tries_of(attempt)

    def unit_of(self, attempt: UnitKey) -> UnitKey:
        """The unit that a planned attempt belongs to."""
        return attempt if self._n_tries == 1 else (attempt[0], self._first[attempt[0]])

    def tries_of(self, unit: UnitKey) -> tuple[UnitKey, ...]:
        """The attempts of one unit, in the order they are made in."""
        task_id, first = unit
        return tuple((task_id, number) for number in range(first, first + self._n_tries))
