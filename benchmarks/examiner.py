"""The examiner: starts attempts and their judgments ahead of pytest's pointer.

pytest runs one item after another, and a run waits for models. So while one item waits, the examiner has the
attempts of the coming items under way on the same event loop. At most `share` are in flight; the window
of attempts that may have been started (in flight, or finished and waiting for their item) is wider, so that
one slow task does not hold back the others.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.examination import Examination
from benchmarks.folders import Folders
from benchmarks.plan import Unit
from benchmarks.results.record import Record
from benchmarks.results.spool import Place
from benchmarks.run import Run
from benchmarks.shares import WINDOW
from benchmarks.stop_mark import StopMark
from benchmarks.tries import Bench

_MOST_HELD = 128
"""Finished examinations that are kept whole for their items; those beyond lie in the spool until then."""

ExaminationKey = tuple[str, str, int]
"""Run, task id, first attempt: what names an examination within a session."""


def examination_key(unit: Unit) -> ExaminationKey:
    """What names a unit within a session."""
    return unit.run, unit.task.task_id, unit.attempt


def _none_made(_: Unit) -> Sequence[Record]:
    return ()


@dataclass(frozen=True, kw_only=True)
class _Started:
    """An examination and the task it runs in, ``None`` where records made before stand in for it.

    `is_resumed`: some of its records were made before, by this process or another.
    """

    examination: Examination
    task: asyncio.Task[None] | None
    is_resumed: bool


class Examiner:
    """Starts examinations in pytest's order and keeps at most `share` of them in flight, each with one try.

    Args:
        share: Attempts in flight at most, at least 1.
        stop_mark: Once it is set, nothing more is started: no examination, and no other try of one. What had
            finished before is found all the same.
        write: Is given each record the moment it exists, before any item sees it; tells where it lies.
        made_before: The records of a unit that need not be made again; mostly none.
    """

    def __init__(
        self,
        *,
        share: int,
        stop_mark: StopMark,
        write: Callable[[Run, Record], Place],
        made_before: Callable[[Unit], Sequence[Record]] = _none_made,
    ) -> None:
        self._share = share
        self._stop_mark = stop_mark
        self._write = write
        self._made_before = made_before
        self._slots = asyncio.Semaphore(share)
        self._started: dict[ExaminationKey, _Started] = {}
        self._held: set[ExaminationKey] = set()
        self._put_away: dict[ExaminationKey, tuple[Place, ...]] = {}
        self._folders = Folders()
        self._is_stopped = False
        self.n_in_flight = 0
        """Units whose attempts are being made or judged now, at most `share`."""
        self.n_finished = 0
        """Units that came to their end, in all; some of them wait for their item."""

    @property
    def room(self) -> int:
        """How many more units may be started ahead, at least 0; none where only one may be in flight."""
        n_ahead = len(self._started) + len(self._put_away)
        return 0 if self._share == 1 else max(0, self._share * WINDOW - n_ahead)

    def start(self, units: Iterable[Unit], bench: Bench) -> None:
        """Start the examinations of `units` of one run, in their order; one that was started goes on."""
        for unit in units:
            key = examination_key(unit)
            if key in self._started or self._is_stopped:
                continue
            before = self._records_of(unit)
            if self._is_over() and not before:
                continue
            examination, task = Examination(unit, bench, folders=self._folders, before=before), None
            if self._is_over():
                examination.abandon()
            elif examination.next_try is not None:
                task = asyncio.create_task(self._examine(examination, bench.run))
                task.add_done_callback(_abandoner(examination))
            self._started[key] = _Started(examination=examination, task=task, is_resumed=bool(before))

    def find(self, unit: Unit) -> Examination | None:
        """The examination of a unit, ``None`` if it was never started."""
        found = self._started.get(examination_key(unit))
        return None if found is None else found.examination

    def release(self, unit: Unit) -> None:
        """Forget a unit whose item is done, and cancel its examination if it still runs."""
        key = examination_key(unit)
        self._held.discard(key)
        self._put_away.pop(key, None)
        found = self._started.pop(key, None)
        if found is not None and found.task is not None:
            found.task.cancel()

    def stop(self) -> None:
        """Start nothing more and cancel what is in flight; no record is written from here on."""
        self._is_stopped = True
        for task in self._tasks():
            task.cancel()

    async def aclose(self) -> None:
        """Stop, wait until everything has ended, and remove the attempts' folders."""
        self.stop()
        await asyncio.gather(*self._tasks(), return_exceptions=True)
        self._folders.close()

    def _is_over(self) -> bool:
        return self._is_stopped or self._stop_mark.line() is not None

    def _records_of(self, unit: Unit) -> Sequence[Record]:
        """The records of a unit that was put away, or made by processes that are no more."""
        places = self._put_away.pop(examination_key(unit), ())
        records = [record for place in places if (record := place.read()) is not None]
        return records or self._made_before(unit)

    def _hold(self, key: ExaminationKey, places: tuple[Place, ...]) -> None:
        """Keep a finished examination for its item: whole, or only where its records lie."""
        started = self._started.get(key)
        if started is None:
            return
        if len(self._held) < _MOST_HELD or started.is_resumed:
            self._held.add(key)
        else:
            del self._started[key]
            self._put_away[key] = places

    def _tasks(self) -> list[asyncio.Task[None]]:
        return [started.task for started in self._started.values() if started.task is not None]

    async def _examine(self, examination: Examination, run: Run) -> None:
        async with self._slots:
            self.n_in_flight += 1
            try:
                await self._make_tries(examination, run)
            finally:
                self.n_in_flight -= 1

    async def _make_tries(self, examination: Examination, run: Run) -> None:
        places: list[Place] = []
        while examination.next_try is not None and not self._is_over():
            record = await examination.make_try()
            if examination.stops_run is not None:
                self._stop_mark.set(examination.stops_run)
            if not self._is_stopped:
                places.append(self._write(run, record))
        if examination.next_try is None and not self._is_stopped:
            self.n_finished += 1
            self._hold(examination_key(examination.unit), tuple(places))


def _abandoner(examination: Examination) -> Callable[[asyncio.Task[None]], None]:
    """Whoever waits for an examination must not wait for ever once its task has ended in any way."""

    def end(task: asyncio.Task[None]) -> None:
        examination.abandon(None if task.cancelled() else task.exception())

    return end
