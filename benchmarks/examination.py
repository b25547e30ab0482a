"""An examination: one attempt on its way from prompt to record."""

import asyncio
import hashlib
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.benchmark import DatasetError
from benchmarks.folders import Folders
from benchmarks.output import own_output
from benchmarks.plan import Unit
from benchmarks.recording import NOTHING, Clerk, Graded
from benchmarks.redaction import Redactor
from benchmarks.remaking import attempt_of, judgment_of
from benchmarks.results.record import Record
from benchmarks.run import Run
from harnesses.attempt import Attempt, AttemptFailedError, Prompt
from harnesses.harness import Harness
from judges.answer_reader import Answer, read_answer, read_whole_text
from judges.judge import Judge, JudgeFailedError, Judgment, no_answer


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Time limits in seconds; ``None`` means no limit.

    After `run_s` a harness asks for its answer; one that has not ended `run_grace_s` later is cut off.
    """

    run_s: float | None
    judge_s: float | None
    run_grace_s: float = 300.0


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What every examination of one run needs: the clients, primary judge first, and the rules."""

    run: Run
    harness: Harness
    judges: tuple[Judge, ...]
    limits: Limits
    redactor: Redactor


@dataclass(frozen=True, kw_only=True)
class _End:
    """What an examination came to; an error in place of what it ended, no judgment on an unscored attempt."""

    record: Record
    attempt: Attempt | BaseException
    judgment: Judgment | BaseException | None


class Examination:
    """One attempt from prompt to record.

    `attempt` and `judgment` are futures; both carry the trouble that ended them. At the end both are done:
    what there never is, such as a judgment on an unscored attempt, is cancelled.
    `record` is there as soon as the attempt ended in any outcome; a cancelled one leaves none. `stops_run` is
    the line of a refusal after which no other attempt can succeed, ``None`` otherwise.
    """

    def __init__(self, unit: Unit, bench: Bench, *, folders: Folders) -> None:
        loop = asyncio.get_running_loop()
        self.unit = unit
        self.attempt: asyncio.Future[Attempt] = loop.create_future()
        self.judgment: asyncio.Future[Judgment] = loop.create_future()
        self.record: Record | None = None
        self.stops_run: str | None = None
        self._bench = bench
        self._folders = folders
        for future in (self.attempt, self.judgment):
            # An attempt nobody waits for any more must not be reported as an exception never retrieved.
            future.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def run(self) -> Record:
        """Attempt, read, judge; the record of it. Who waits hears of the end once there is a record."""
        clerk = Clerk(
            self.unit.task, self.unit.attempt, started_at=time.time(), redactor=self._bench.redactor
        )
        with own_output() as output:
            try:
                end = await self._examine(clerk)
            except Exception as error:  # noqa: BLE001 - a harness's odd attempt may break the record of it
                end = _End(record=clerk.run_error(error, run_s=0.0), attempt=error, judgment=error)
        self.record = clerk.with_output(end.record, str(output))
        self._tell(end)
        return self.record

    async def ended(self) -> None:
        """Wait for its end, whatever that is. Who waits may go away; the examination goes on."""
        await asyncio.wait((self.attempt, self.judgment))

    def settle(self, record: Record) -> None:
        """End with a record that was made before: nothing is asked."""
        self.record = record
        attempt, judgment = attempt_of(record), judgment_of(record)
        self._tell(_End(record=record, attempt=attempt, judgment=judgment))

    def abandon(self, error: BaseException | None = None) -> None:
        """Let go of whoever still waits: nothing more will come. `error` is a fault of ours that ended it."""
        for future in (self.attempt, self.judgment):
            if not future.done():
                if error is None:
                    future.cancel()
                else:
                    future.set_exception(_told(error))

    def _tell(self, end: "_End") -> None:
        for error in (end.attempt, end.judgment):
            if isinstance(error, AttemptFailedError | JudgeFailedError) and error.stops_run:
                self.stops_run = self._bench.redactor.line(str(error), self.unit.task)
        if isinstance(end.attempt, BaseException):
            self.attempt.set_exception(_told(end.attempt))
        else:
            self.attempt.set_result(end.attempt)
        if isinstance(end.judgment, BaseException):
            self.judgment.set_exception(_told(end.judgment))
        elif end.judgment is not None:
            self.judgment.set_result(end.judgment)
        self.abandon()

    async def _examine(self, clerk: Clerk) -> "_End":
        started = time.perf_counter()
        try:
            attempt = await self._ask()
            answer = read_answer(attempt.final_message or {}, attempt.finish_reason)
        except BaseException as error:
            if _ends_us(error):
                raise
            record = clerk.run_error(error, run_s=time.perf_counter() - started)
            return _End(record=record, attempt=error, judgment=error)
        run_s, started = time.perf_counter() - started, time.perf_counter()
        if not self.unit.task.scored:
            return _End(record=clerk.unscored(attempt, answer, run_s=run_s), attempt=attempt, judgment=None)
        primary, *scorers = self._bench.judges
        beside: list[Graded] = []
        try:
            beside += [await self._grade(scorer, attempt, answer) for scorer in scorers]
            graded = await self._grade(primary, attempt, answer)
        except BaseException as error:
            if _ends_us(error):
                raise
            judge_s = time.perf_counter() - started
            record = clerk.judge_error(error, beside, attempt, answer, run_s=run_s, judge_s=judge_s)
            return _End(record=record, attempt=attempt, judgment=error)
        judge_s = time.perf_counter() - started
        record = clerk.judged([graded, *beside], attempt, answer, run_s=run_s, judge_s=judge_s)
        return _End(record=record, attempt=attempt, judgment=graded.judgment)

    async def _ask(self) -> Attempt:
        limits = self._bench.limits
        limit_s = None if limits.run_s is None else limits.run_s + limits.run_grace_s
        limit = asyncio.timeout(limit_s)
        folder, is_left = self._folders.take(), False
        try:
            prompt = self._prompt(folder)
            async with limit:
                attempt = await self._bench.harness.run(prompt)
            is_left = True
        except DatasetError as error:
            raise AttemptFailedError(str(error), partial=NOTHING) from error
        except TimeoutError as error:
            if not limit.expired():
                raise
            line = f"the attempt did not end within {limit_s} s; raise run_timeout_seconds"
            raise AttemptFailedError(line, partial=NOTHING, detail=repr(error)) from error
        else:
            return attempt
        finally:
            self._folders.give_back(folder, is_left=is_left)

    def _prompt(self, folder: Path) -> Prompt:
        task, run = self.unit.task, self._bench.run
        return Prompt(
            prompt_id=hashlib.sha256(task.task_id.encode()).hexdigest()[:16],
            attempt=self.unit.attempt,
            text=run.benchmark.prompt_text(task, run.choice.params),
            folder=folder,
            attachments=tuple(Path(shutil.copy2(source, folder)) for source in task.attachments),
            fields={run.benchmark.breakdown: task.category},
            time_budget_s=self._bench.limits.run_s,
        )

    async def _grade(self, judge: Judge, attempt: Attempt, answer: Answer) -> Graded:
        task, run = self.unit.task, self._bench.run
        if not judge.is_scorer and run.benchmark.judges_whole_text(run.choice.params):
            answer = read_whole_text(attempt.final_message or {}, attempt.finish_reason)
        if answer.text is None:
            return Graded(judgment=no_answer(judge.evaluation_type), model_answer=None)
        limit = asyncio.timeout(self._bench.limits.judge_s)
        try:
            async with limit:
                judgment = await judge.grade(task.question, task.ground_truth, answer.text)
        except TimeoutError as error:
            if not limit.expired():
                raise
            line = f"no judgment within {self._bench.limits.judge_s} s; raise evaluation_timeout_seconds"
            raise JudgeFailedError(line) from error
        return Graded(judgment=judgment, model_answer=answer.text)


def _ends_us(error: BaseException) -> bool:
    """Whether `error` means that this examination shall end, and is no trouble of a harness or a judge.

    A harness may raise anything, `pytest.skip` and a `CancelledError` of its own making included: all that is
    a run error. Only our own cancellation and an interrupt pass.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit)


def _told(error: BaseException) -> Exception:
    """`error` as something that makes an item err: pytest would take some of them for a skip or an exit."""
    if isinstance(error, AttemptFailedError | JudgeFailedError):
        return error
    return AttemptFailedError(f"unexpected {type(error).__name__}", partial=NOTHING, detail=repr(error))
