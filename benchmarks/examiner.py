"""The examiner: starts attempts and their judgments ahead of pytest's pointer.

pytest runs one item after another, and a run waits for models. So while one item waits, the examiner has the
attempts of the coming items under way on the same event loop. At most `share` are in flight; the window
of attempts that may have been started (in flight, or finished and waiting for their item) is wider, so that
one slow task does not hold back the others.
"""

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.examination import Bench, Examination
from benchmarks.plan import Unit
from benchmarks.results.record import Record
from benchmarks.run import Run
from benchmarks.stop_mark import StopMark

_WINDOW = 4
"""How many times its share the examiner looks ahead: the attempts behind the slowest one of `share` must have
somewhere to go. At once the share, four times it were enough for log-normal latencies."""

ExaminationKey = tuple[str, str, int]
"""Benchmark, task id, attempt: what names an examination within a session."""


def key_of(unit: Unit, run: Run) -> ExaminationKey:
    """What names a unit within a session."""
    return run.choice.name, unit.task.task_id, unit.attempt


class Examiner:
    """Starts examinations in pytest's order and keeps at most `share` of them in flight.

    `write` is given each record the moment it exists, before any item sees it.
    """

    def __init__(self, *, share: int, stop_mark: StopMark, write: Callable[[Run, Record], None]) -> None:
        self._share = share
        self._stop_mark = stop_mark
        self._write = write
        self._slots = asyncio.Semaphore(share)
        self._tasks: dict[ExaminationKey, tuple[Examination, asyncio.Task[None]]] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="agent-benchmarks-"))
        self._numbers = itertools.count(1)
        self._is_stopped = False

    @property
    def window(self) -> int:
        """How many coming units may be started ahead, at least 0; none where only one may be in flight."""
        return 0 if self._share == 1 else self._share * _WINDOW

    def start(self, coming: Iterable[Unit], bench: Bench) -> None:
        """Start the examinations of `coming` units of one run that have not been started, in their order."""
        for unit in coming:
            key = key_of(unit, bench.run)
            if key in self._tasks or self._is_stopped or self._stop_mark.line() is not None:
                continue
            examination = Examination(unit, bench, folder=self._folder / str(next(self._numbers)))
            task = asyncio.create_task(self._examine(examination, bench.run))
            task.add_done_callback(_abandoner(examination))
            self._tasks[key] = examination, task

    def find(self, unit: Unit, run: Run) -> Examination | None:
        """The examination of a unit, ``None`` if it was never started."""
        found = self._tasks.get(key_of(unit, run))
        return None if found is None else found[0]

    def release(self, unit: Unit, run: Run) -> None:
        """Forget a unit whose item is done, and cancel its examination if it still runs."""
        found = self._tasks.pop(key_of(unit, run), None)
        if found is not None:
            found[1].cancel()

    def stop(self) -> None:
        """Start nothing more and cancel what is in flight; no record is written from here on."""
        self._is_stopped = True
        for _, task in self._tasks.values():
            task.cancel()

    async def aclose(self) -> None:
        """Stop, wait until everything has ended, and remove the attempts' folders."""
        self.stop()
        await asyncio.gather(*(task for _, task in self._tasks.values()), return_exceptions=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _examine(self, examination: Examination, run: Run) -> None:
        async with self._slots:
            if self._is_stopped or self._stop_mark.line() is not None:
                return
            record = await examination.run()
            if not self._is_stopped:
                self._write(run, record)
            if examination.stops_run is not None:
                self._stop_mark.set(examination.stops_run)


def _abandoner(examination: Examination) -> Callable[[asyncio.Task[None]], None]:
    """Whoever waits for an examination must not wait for ever once its task has ended in any way."""

    def end(task: asyncio.Task[None]) -> None:
        examination.abandon(None if task.cancelled() else task.exception())

    return end
