"""What a dead worker had finished ahead of its pointer: its items go to others, its records with them."""

from collections.abc import Mapping

from benchmarks.examiner import ExaminationKey, key_of
from benchmarks.plan import Unit
from benchmarks.results.record import Record
from benchmarks.results.spool import Place, places_in
from benchmarks.run import Run


class Salvage:
    """Finds the record of an attempt that was made by a worker which died before it could report it.

    The controller names the dead in a file before it deals their items anew (`benchmarks/scheduling.py`).

    Args:
        runs: The runs of this session, by key.
    """

    def __init__(self, runs: Mapping[str, Run]) -> None:
        self._runs = runs
        self._read: set[tuple[str, str]] = set()
        self._places: dict[ExaminationKey, Place] = {}

    def record_of(self, unit: Unit) -> Record | None:
        """The finished record of a unit, ``None`` if no dead worker left one."""
        run = self._runs.get(unit.run)
        if run is None or run.directory is None:
            return None
        if run.files.dead.exists():
            for process in run.files.dead.read_text(encoding="utf-8").split():
                self._take_over(unit.run, run, process)
        place = self._places.pop(key_of(unit), None)
        return None if place is None else place.read()

    def _take_over(self, key: str, run: Run, process: str) -> None:
        """Note what lies where in the spool of a dead worker, once. Most of it was reported, and stays."""
        if (key, process) in self._read:
            return
        self._read.add((key, process))
        for (task_id, attempt), place in places_in(run.files.spool(process)):
            self._places[key, task_id, attempt] = place
