"""What need not be made again: attempts of the run that is resumed, and what a dead worker had finished."""

from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.plan import Unit
from benchmarks.results.record import Record
from benchmarks.results.spool import Place, places_in
from benchmarks.run import Run

_Key = tuple[str, str, int]
"""Run, task id, attempt."""


class MadeBefore:
    """Finds the records of attempts that this process need not make.

    Some were taken over from another run when the session was opened (`benchmarks/parents.py`). Others were
    made by a worker which died before it could report them: the controller names the dead in a file before
    it deals their items anew (`benchmarks/scheduling.py`).

    Args:
        runs: The runs of this session, by key.
    """

    def __init__(self, runs: Mapping[str, Run]) -> None:
        self._runs = runs
        self._read: set[Path] = set()
        self._places: dict[_Key, Place] = {}
        self._to_judge: dict[_Key, Place] = {}

    def records_of(self, unit: Unit) -> tuple[Record, ...]:
        """The finished records of a unit's tries, in their order; none if all of it is still to be made."""
        run = self._runs.get(unit.run)
        if run is None or run.directory is None:
            return ()
        files = run.files
        self._look_into(files.made_before, unit.run, self._places)
        if files.dead.exists():
            for process in files.dead.read_text(encoding="utf-8").split():
                self._look_into(files.spool(process), unit.run, self._places)
        tries = range(unit.attempt, unit.attempt + unit.n_tries)
        places = [self._places.pop((unit.run, unit.task.task_id, number), None) for number in tries]
        found = [place.read() for place in places if place is not None]
        return tuple(record for record in found if record is not None)

    def to_judge(self, run: str, task_id: str, attempt: int) -> Record | None:
        """The record of an attempt that was made before and is only to be judged; ``None``: make it.

        Args:
            run: The key of its run.
            task_id: The task.
            attempt: Its number, from 1.
        """
        known = self._runs.get(run)
        if known is None or known.directory is None:
            return None
        self._look_into(known.files.to_judge, run, self._to_judge)
        place = self._to_judge.get((run, task_id, attempt))
        return None if place is None else place.read()

    def _look_into(self, path: Path, run: str, places: dict[_Key, Place]) -> None:
        """Note what lies where in a file of records, once. Most of a spool was reported, and stays there."""
        if path in self._read:
            return
        self._read.add(path)
        for (task_id, attempt), place in places_in(path):
            places[run, task_id, attempt] = place


ToJudge = Callable[[str, str, int], Record | None]
"""`MadeBefore.to_judge`."""


def nothing_to_judge(_run: str, _task_id: str, _attempt: int) -> Record | None:
    """Of a session that neither resumes nor judges again."""
    return None
