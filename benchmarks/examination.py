"""An examination: what one pytest item waits for, one try or, under `pass`, several until a success."""

import asyncio
from collections.abc import Iterable

from benchmarks.folders import Folders
from benchmarks.plan import Unit
from benchmarks.recording import NOTHING
from benchmarks.results.record import Outcome, Record
from benchmarks.tries import Bench, End, Try
from harnesses.attempt import Attempt, AttemptFailedError, AttemptUnavailableError
from judges.judge import JudgeFailedError, Judgment


class Examination:
    """The tries of one unit, one after another, and which of them decides.

    The first success decides; without one the first error, so that trouble is never told as a wrong answer;
    else one that could not be made; else the last. `attempt` and `judgment` are futures of what the deciding
    try came to; both carry the trouble that ended them. At the end both are done: what there never is, such
    as a judgment on an unscored attempt, is cancelled. `record` is that of the deciding try, ``None`` until
    there is one. `stops_run` is the line of a refusal after which no other attempt can succeed, ``None``
    otherwise.

    Args:
        unit: What is examined.
        bench: The clients and the rules.
        folders: Where each try gets the folder it works in.
        before: Records of tries that were made before: those are not made again.
    """

    def __init__(self, unit: Unit, bench: Bench, *, folders: Folders, before: Iterable[Record] = ()) -> None:
        loop = asyncio.get_running_loop()
        self.unit = unit
        self.attempt: asyncio.Future[Attempt] = loop.create_future()
        self.judgment: asyncio.Future[Judgment] = loop.create_future()
        self.record: Record | None = None
        self.stops_run: str | None = None
        self._bench = bench
        self._folders = folders
        self._ends = {record.attempt: End.made_before(record) for record in before}
        for future in (self.attempt, self.judgment):
            # An attempt nobody waits for any more must not be reported as an exception never retrieved.
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
        if self.next_try is None:
            self._close()

    @property
    def next_try(self) -> int | None:
        """The number of the attempt to make next; ``None`` after a success, a refusal or the last one.

        Where one could not be made, the next ones cannot either.
        """
        if self.stops_run is not None or self._first(Outcome.CORRECT, Outcome.UNAVAILABLE) is not None:
            return None
        numbers = range(self.unit.attempt, self.unit.attempt + self.unit.n_tries)
        return next((number for number in numbers if number not in self._ends), None)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of all tries that ended, in the order of their numbers."""
        return tuple(end.record for end in self._in_order())

    async def make_try(self) -> Record:
        """Make the next try; its record. Who waits hears of the end once no other try is to come.

        Raises:
            ValueError: No other try is to come.
        """
        number = self.next_try
        if number is None:
            raise ValueError(f"the examination of {self.unit.unit_id!r} is closed: ask `next_try` first")
        end = await Try(self.unit.task, number, self._bench, folders=self._folders).run()
        self._ends[number] = end
        if (refusal := end.refusal) is not None:
            self.stops_run = self._bench.redactor.line(str(refusal), self.unit.task)
        if self.next_try is None:
            self._close()
        return end.record

    async def ended(self, *, within_s: float | None = None) -> bool:
        """Wait for its end, whatever that is, at most `within_s` seconds; whether it came.

        Who waits may go away; the examination goes on.
        """
        _, waiting = await asyncio.wait((self.attempt, self.judgment), timeout=within_s)
        return not waiting

    def abandon(self, error: BaseException | None = None) -> None:
        """Let go of whoever still waits: nothing more will come. `error` is a fault of ours that ended it.

        A try that erred is told all the same: however the tries after it had ended, only a success could have
        made up for it.
        """
        if self.record is None and error is None and self._first_error() is not None:
            self._close()
        for future in (self.attempt, self.judgment):
            if not future.done():
                if error is None:
                    future.cancel()
                else:
                    future.set_exception(_told(error))

    def _close(self) -> None:
        """Tell of the deciding try."""
        end = self._first(Outcome.CORRECT) or self._first_error() or self._first(Outcome.UNAVAILABLE)
        end = end or self._in_order()[-1]
        self.record = end.record
        if isinstance(end.attempt, BaseException):
            self.attempt.set_exception(_told(end.attempt))
        else:
            self.attempt.set_result(end.attempt)
        if isinstance(end.judgment, BaseException):
            self.judgment.set_exception(_told(end.judgment))
        elif end.judgment is not None:
            self.judgment.set_result(end.judgment)
        self.abandon()

    def _in_order(self) -> list[End]:
        return [self._ends[number] for number in sorted(self._ends)]

    def _first(self, *outcomes: Outcome) -> End | None:
        return next((end for end in self._in_order() if end.record.outcome in outcomes), None)

    def _first_error(self) -> End | None:
        return self._first(Outcome.RUN_ERROR, Outcome.JUDGE_ERROR)


def _told(error: BaseException) -> Exception:
    """`error` as something that makes an item err: pytest would take some of them for a skip or an exit."""
    if isinstance(error, AttemptFailedError | AttemptUnavailableError | JudgeFailedError):
        return error
    return AttemptFailedError(f"unexpected {type(error).__name__}", partial=NOTHING, detail=repr(error))
