"""A try: one attempt at a task, on its way from prompt to record."""

import asyncio
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.benchmark import DatasetError
from benchmarks.folders import Folders
from benchmarks.made_before import ToJudge, nothing_to_judge
from benchmarks.output import own_output
from benchmarks.plan import prompt_digest
from benchmarks.recording import NOTHING, Clerk, Graded
from benchmarks.redaction import Redactor
from benchmarks.remaking import attempt_of, judged_again, judgment_of
from benchmarks.results.record import Outcome, Record
from benchmarks.run import Run
from benchmarks.task import Task
from harnesses.attempt import Attempt, AttemptFailedError, AttemptUnavailableError, Prompt, prompt_id_of
from harnesses.endpoint.scope import Scope, current_scope
from harnesses.harness import Harness
from judges.answer_reader import Answer, read_answer, read_whole_text
from judges.judge import Judge, JudgeFailedError, Judgment, no_answer


@dataclass(frozen=True, kw_only=True)
class TimeLimits:
    """Time limits in seconds; ``None`` means no limit.

    After `run_s` a harness asks for its answer; one that has not ended `run_grace_s` later is cut off.
    """

    run_s: float | None
    judge_s: float | None
    run_grace_s: float = 300.0


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What every examination of one run needs: the clients, primary judge first, and the rules.

    `to_judge` finds attempts that were made before and are only to be judged.
    """

    run: Run
    harness: Harness
    judges: tuple[Judge, ...]
    limits: TimeLimits
    redactor: Redactor
    to_judge: ToJudge = nothing_to_judge


@dataclass(frozen=True, kw_only=True)
class End:
    """What a try came to; an error in place of what it ended, no judgment on an unscored attempt."""

    record: Record
    attempt: Attempt | BaseException
    judgment: Judgment | BaseException | None

    @classmethod
    def made_before(cls, record: Record) -> "End":
        """The end that a record made before tells of, by this process or an earlier one."""
        if record.outcome is Outcome.UNAVAILABLE:
            error = AttemptUnavailableError(record.cause or "")
            return cls(record=record, attempt=error, judgment=error)
        return cls(record=record, attempt=attempt_of(record), judgment=judgment_of(record))

    @property
    def refusal(self) -> AttemptFailedError | JudgeFailedError | None:
        """The trouble after which no other attempt can succeed, e.g. a refused key; ``None`` without one."""
        for error in (self.attempt, self.judgment):
            if isinstance(error, AttemptFailedError | JudgeFailedError) and error.stops_run:
                return error
        return None


class Try:
    """One attempt at a task, from prompt to record.

    Args:
        task: What is asked.
        number: The attempt's number, from 1.
        bench: The clients and the rules.
        folders: Where it gets the folder it works in.
    """

    def __init__(self, task: Task, number: int, bench: Bench, *, folders: Folders) -> None:
        self._task = task
        self._number = number
        self._bench = bench
        self._folders = folders
        self._prompt_digest: str | None = None
        self._recorded = bench.to_judge(bench.run.key, task.task_id, number)
        # A judgment made alone has a tape of its own: it must not take the place of the attempt's.
        unit = f"{task.task_id}-attempt{number}{'' if self._recorded is None else '-judged'}"
        self._scope = Scope(name=f"{bench.run.folder_name}/{unit}")

    async def run(self) -> End:
        """Attempt, read, judge; what came of it. Any trouble is an end; being cancelled leaves none.

        An attempt that was made before is judged only, and one that erred then has erred.
        """
        if self._recorded is not None and self._recorded.outcome is Outcome.RUN_ERROR:
            return End.made_before(replace(self._recorded, reused=True))
        clerk = Clerk(self._task, self._number, started_at=time.time(), redactor=self._bench.redactor)
        in_scope = current_scope.set(self._scope)
        try:
            with own_output() as output:
                try:
                    end = await self._examine(clerk)
                except Exception as error:  # noqa: BLE001 - a harness's odd attempt may break the record of it
                    end = End(record=clerk.run_error(error, run_s=0.0), attempt=error, judgment=error)
        finally:
            current_scope.reset(in_scope)
        record = clerk.with_output(end.record, str(output))
        if self._recorded is not None:
            return replace(end, record=judged_again(record, self._recorded))
        return replace(end, record=replace(record, prompt_digest=self._prompt_digest))

    async def _examine(self, clerk: Clerk) -> End:
        started = time.perf_counter()
        try:
            attempt = await self._ask() if self._recorded is None else _given_back(self._recorded)
            answer = read_answer(attempt.final_message or {}, attempt.finish_reason)
        except BaseException as error:
            if _ends_us(error):
                raise
            return self._without_attempt(error, clerk, run_s=time.perf_counter() - started)
        run_s, started = time.perf_counter() - started, time.perf_counter()
        if not self._task.scored:
            return End(record=clerk.unscored(attempt, answer, run_s=run_s), attempt=attempt, judgment=None)
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
            return End(record=record, attempt=attempt, judgment=error)
        judge_s = time.perf_counter() - started
        record = clerk.judged([graded, *beside], attempt, answer, run_s=run_s, judge_s=judge_s)
        return End(record=record, attempt=attempt, judgment=graded.judgment)

    def _without_attempt(self, error: BaseException, clerk: Clerk, *, run_s: float) -> End:
        """The end of a try that brought no attempt.

        However a harness tells it: one that was not allowed to go on has not failed.
        """
        partial = error.partial if isinstance(error, AttemptFailedError) else NOTHING
        if self._scope.withheld:
            error = AttemptUnavailableError(self._scope.withheld[0])
        if isinstance(error, AttemptUnavailableError):
            self._prompt_digest = None
            record = clerk.unavailable(str(error), partial=partial, run_s=run_s)
        else:
            record = clerk.run_error(error, run_s=run_s)
        return End(record=record, attempt=error, judgment=error)

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
            if self._scope.withheld:
                # What a harness makes of a request that was not sent is no answer of its own.
                raise AttemptFailedError(self._scope.withheld[0], partial=attempt)
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
        task, run = self._task, self._bench.run
        text = run.benchmark.prompt_text(task, run.choice.params)
        attachments = tuple(_staged(Path(source), folder) for source in task.attachments)
        self._prompt_digest = prompt_digest(text, attachments)
        return Prompt(
            prompt_id=prompt_id_of(task.task_id),
            attempt=self._number,
            text=text,
            folder=folder,
            attachments=attachments,
            fields={run.benchmark.breakdown: task.category},
            time_budget_s=self._bench.limits.run_s,
        )

    async def _grade(self, judge: Judge, attempt: Attempt, answer: Answer) -> Graded:
        task, run = self._task, self._bench.run
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


def _given_back(recorded: Record) -> Attempt:
    """The attempt that was made before."""
    attempt = attempt_of(recorded)
    if isinstance(attempt, AttemptFailedError):
        raise attempt
    return attempt


def _staged(attachment: Path, folder: Path) -> Path:
    """The attachment, copied into the attempt's own folder."""
    try:
        return Path(shutil.copy2(attachment, folder))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DatasetError(
            f"the attachment {attachment.name!r} cannot be read ({reason}); it must lie at the same path on "
            "every machine that has a worker"
        ) from error


def _ends_us(error: BaseException) -> bool:
    """Whether `error` means that this examination shall end, and is no trouble of a harness or a judge.

    A harness may raise anything, `pytest.skip` and a `CancelledError` of its own making included: all that is
    a run error. Only our own cancellation and an interrupt pass.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit)
