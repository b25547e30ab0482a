"""What a dead worker had finished ahead of its pointer: its items go to others, its records with them."""

from collections.abc import Mapping

from benchmarks.plan import Unit
from benchmarks.results.record import Record
from benchmarks.results.spool import Place, places_in
from benchmarks.run import Run


class Salvage:
    """Finds the records of attempts that were made by a worker which died before it could report them.

    The controller names the dead in a file before it deals their items anew (`benchmarks/scheduling.py`).

    Args:
        runs: The runs of this session, by key.
    """

    def __init__(self, runs: Mapping[str, Run]) -> None:
        self._runs = runs
        self._read: set[tuple[str, str]] = set()
        self._places: dict[tuple[str, str, int], Place] = {}

    def records_of(self, unit: Unit) -> tuple[Record, ...]:
        """The finished records of a unit's tries, in their order; none if no dead worker left one."""
        run = self._runs.get(unit.run)
        if run is None or run.directory is None:
            return ()
        if run.files.dead.exists():
            for process in run.files.dead.read_text(encoding="utf-8").split():
                self._take_over(unit.run, run, process)
        tries = range(unit.attempt, unit.attempt + unit.n_tries)
        places = [self._places.pop((unit.run, unit.task.task_id, number), None) for number in tries]
        found = [place.read() for place in places if place is not None]
        return tuple(record for record in found if record is not None)

    def _take_over(self, key: str, run: Run, process: str) -> None:
        """Note what lies where in the spool of a dead worker, once. Most of it was reported, and stays."""
        if (key, process) in self._read:
            return
        self._read.add((key, process))
        for (task_id, attempt), place in places_in(run.files.spool(process)):
            self._places[key, task_id, attempt] = place
