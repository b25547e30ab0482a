"""The run moment: fixtures from task to judgment, and the report of each item."""

import asyncio
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import pytest_asyncio

from benchmarks.clients import scorers_beside
from benchmarks.coming import coming_items
from benchmarks.examination import Bench, Examination, Limits
from benchmarks.examiner import Examiner
from benchmarks.plan import Unit
from benchmarks.redaction import Redactor
from benchmarks.results.record import Outcome, Record
from benchmarks.results.spool import Spool
from benchmarks.run import Run, Session, redactor_key, run_key, session_key, unit_key
from benchmarks.task import Task
from harnesses.attempt import Attempt
from harnesses.harness import Harness
from judges.judge import Judge, Judgment

examination_key = pytest.StashKey[Examination]()
examiner_key = pytest.StashKey[Examiner]()

Result = TypeVar("Result")

_VERDICTS = {Outcome.CORRECT: "A", Outcome.INCORRECT: "B", Outcome.NOT_ATTEMPTED: "C"}


@pytest.fixture
def task(unit: Unit) -> Task:
    """The task of this item (function scope)."""
    return unit.task


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def examiner(request: pytest.FixtureRequest) -> AsyncIterator[Examiner]:
    """Starts attempts ahead of pytest's pointer (session scope, one for each process)."""
    session = request.config.stash[session_key]
    spools = {name: Spool(run.files.spool(session.process)) for name, run in session.runs.items()}

    def write(run: Run, record: Record) -> None:
        spools[run.choice.name].append(record)

    made = Examiner(share=session.share, stop_mark=session.stop_mark, write=write)
    request.config.stash[examiner_key] = made
    yield made
    await made.aclose()
    for spool in spools.values():
        spool.close()


def _limits(session: Session) -> Limits:
    execution = session.configuration.execution
    stretch = execution.timeout_multiplier
    run_s, judge_s = execution.run_timeout_seconds, execution.evaluation_timeout_seconds
    return Limits(
        run_s=None if run_s is None else run_s * stretch,
        judge_s=None if judge_s is None else judge_s * stretch,
    )


@pytest_asyncio.fixture(loop_scope="session")
async def examination(
    request: pytest.FixtureRequest, examiner: Examiner, harness: Harness, judge: Judge
) -> AsyncIterator[Examination]:
    """This item's examination, started if it was not already (function scope).

    Leaving the item cancels an examination that still runs, e.g. after a time-out plugin failed the item.
    """
    item = request.node
    run, unit = item.stash[run_key], item.stash[unit_key]
    session = request.config.stash[session_key]
    bench = Bench(
        run=run,
        harness=harness,
        judges=(judge, *scorers_beside(run, judge)),
        limits=_limits(session),
        redactor=Redactor(session.configuration.secrets, show_ground_truth=False),
    )
    coming = coming_items(item, at_most=examiner.window)
    units = (other.stash[unit_key] for other in coming if other.stash.get(run_key, None) is run)
    examiner.start(units, bench)
    found = examiner.find(unit, run)
    if found is None:
        pytest.skip(f"not started: {_stop_line(request.config)}")
    item.stash[examination_key] = found
    yield found
    examiner.release(unit, run)


def _stop_line(config: pytest.Config) -> str:
    return config.stash[session_key].stop_mark.line() or "the session ends"


@pytest_asyncio.fixture(loop_scope="session")
async def attempt(request: pytest.FixtureRequest, examination: Examination) -> Attempt:
    """What the harness made of this item's prompt (function scope); its trouble is this item's ERROR."""
    return await _result(examination.attempt, request.config)


async def _result(future: "asyncio.Future[Result]", config: pytest.Config) -> Result:
    """What an examination comes to, or a skip where the session stopped before it was started."""
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        if future.cancelled() and config.stash[session_key].stop_mark.line() is not None:
            pytest.skip(f"not started: {_stop_line(config)}")
        # An interrupt; or a time-out plugin has ended the item, and nobody waits for this coroutine any more.
        raise


@pytest_asyncio.fixture(loop_scope="session")
async def judgment(
    request: pytest.FixtureRequest,
    examination: Examination,
    attempt: Attempt,  # noqa: ARG001 - asked for so that a failed attempt, not its judgment, is the ERROR
    task: Task,
) -> Judgment:
    """The primary judge's judgment on this item's answer (function scope)."""
    if not task.scored:
        pytest.skip("unscored: this subset keeps its ground truths; the answer is recorded")
    return await _result(examination.judgment, request.config)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the record on the report and say only what may be public (in the process that ran the item)."""
    report = yield
    if run_key not in item.stash:
        return report
    redactor = item.config.stash[redactor_key]
    report.sections = [
        (name, redactor.mask_keys(text)) for name, text in report.sections if redactor.show_ground_truth
    ]
    if report.when == "teardown" and report.failed:
        _hide_tear_down(report, redactor)
    if not _is_last_word(report):
        return report
    examination = item.stash.get(examination_key, None)
    record = None if examination is None else examination.record
    if record is None:
        record = _record_without_attempt(item, report, call)
    _dress(report, record, item)
    return report


def _is_last_word(report: pytest.TestReport) -> bool:
    return report.when == "call" or (report.when == "setup" and not report.passed)


def _record_without_attempt(
    item: pytest.Item, report: pytest.TestReport, call: pytest.CallInfo[None]
) -> Record:
    """The record of an item whose set-up ended before an attempt did: never started, or trouble of ours."""
    unit, redactor = item.stash[unit_key], item.config.stash[redactor_key]
    reason = "" if call.excinfo is None else call.excinfo.exconly()
    if report.skipped:
        cause, private = _stop_line(item.config), {}
    else:
        kind = redactor.line(_kind_of(call), unit.task)
        cause = f"{kind} in the item's set-up; see this task's file under details/"
        traceback = redactor.mask_keys(str(report.longrepr))
        private = {"traceback": traceback, "reason": redactor.mask_keys(reason)}
    return Record(
        task_id=unit.task.task_id,
        attempt=unit.attempt,
        category=unit.task.category,
        ground_truth=unit.task.ground_truth,
        outcome=Outcome.UNAVAILABLE if report.skipped else Outcome.RUN_ERROR,
        cause=cause,
        private=private,
    )


def _kind_of(call: pytest.CallInfo[None]) -> str:
    """The type of what went wrong; of `pytest.fail`, which a time-out plugin uses, also its text."""
    if call.excinfo is None:
        return "unknown trouble"
    if isinstance(call.excinfo.value, pytest.fail.Exception):
        return call.excinfo.exconly()
    return call.excinfo.typename


def _dress(report: pytest.TestReport, record: Record, item: pytest.Item) -> None:
    run, task = item.stash[run_key], item.stash[unit_key].task
    setattr(report, RECORD_ATTRIBUTE, record.to_json())
    # On the item too: JUnit reads the properties of the tear-down's report, which is made after this one.
    item.user_properties.extend(_properties(record, run))
    report.user_properties = list(item.user_properties)
    seconds = [record.timing.get("run_s"), record.timing.get("judge_s")]
    report.duration = sum(second for second in seconds if second is not None)
    if report.failed:
        redactor = item.config.stash[redactor_key]
        report.longrepr = _failure(record, task, redactor, file=run.files.detail(record.task_id))


def _hide_tear_down(report: pytest.TestReport, redactor: Redactor) -> None:
    """Say that a tear-down failed without showing frames, which hold the task; the traceback goes private."""
    setattr(report, TEAR_DOWN_ATTRIBUTE, redactor.mask_keys(str(report.longrepr)))
    report.longrepr = "the tear-down failed; the traceback is in details/_tear_down.txt"


TEAR_DOWN_ATTRIBUTE = "benchmark_tear_down"
"""The attribute of a failed tear-down's report that carries its traceback, as text."""
RECORD_ATTRIBUTE = "benchmark_record"
"""The attribute of a report that carries the record, as plain JSON values."""


def _properties(record: Record, run: Run) -> list[tuple[str, object]]:
    return [
        (run.benchmark.breakdown, record.category),
        ("outcome", str(record.outcome)),
        ("verdict", _VERDICTS.get(record.outcome, "")),
        ("attempt", record.attempt),
    ]


def _failure(record: Record, task: Task, redactor: Redactor, *, file: Path) -> str:
    """A few lines for a failed item: id, verdict or trouble, stop reason, answer; no prose of a judge."""
    if record.outcome.is_evaluated:
        scoring: Any = record.scoring.get(record.primary or "", {})
        verdict = f"verdict {scoring.get('grade')} ({scoring.get('label')})"
        lines = [
            f"{record.task_id}: {verdict}, stop reason {record.stop_reason}",
            f"answer: {redactor.answer(record, task)}",
        ]
    else:
        trouble = str(record.outcome).replace("_", " ")
        lines = [f"{record.task_id}: {trouble}: {redactor.line(record.cause or '', task)}"]
    return "\n".join([*lines, f"record: {file}"])


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Stop the session once, with one line, after an endpoint or tool refused for good (every process)."""
    if run_key in item.stash and not item.session.shouldstop:
        line = item.config.stash[session_key].stop_mark.line()
        if line is not None:
            item.session.shouldstop = item.config.stash[redactor_key].mask_keys(line)
