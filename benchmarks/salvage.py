"""What a dead worker had finished ahead of its pointer: its items go to others, its records with them."""

from collections.abc import Mapping

from benchmarks.plan import Unit
from benchmarks.results.record import Outcome, Record
from benchmarks.results.spool import read_spool
from benchmarks.run import Run

_UnitKey = tuple[str, str, int]


class Salvage:
    """Finds the record of an attempt that was made by a worker which died before it could report it.

    The controller names the dead in a file before it deals their items anew (`benchmarks/scheduling.py`).

    Args:
        runs: The runs of this session, by key.
    """

    def __init__(self, runs: Mapping[str, Run]) -> None:
        self._runs = runs
        self._read: set[tuple[str, str]] = set()
        self._records: dict[_UnitKey, Record] = {}

    def record_of(self, unit: Unit) -> Record | None:
        """The finished record of a unit, ``None`` if no dead worker left one."""
        run = self._runs.get(unit.run)
        if run is None or run.directory is None:
            return None
        if run.files.ended.exists():
            for process in run.files.ended.read_text(encoding="utf-8").split():
                self._take_over(unit.run, run, process)
        return self._records.get((unit.run, unit.task.task_id, unit.attempt))

    def _take_over(self, key: str, run: Run, process: str) -> None:
        """Read the spool of a dead worker, once."""
        if (key, process) in self._read:
            return
        self._read.add((key, process))
        for record in read_spool(run.files.spool(process)):
            if record.outcome is not Outcome.UNAVAILABLE:
                self._records[key, record.task_id, record.attempt] = record
