"""The run moment: fixtures from task to judgment."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext
from typing import TypeVar

import pytest
import pytest_asyncio

from benchmarks.clients import scorers_beside
from benchmarks.coming import Coming
from benchmarks.examination import Examination
from benchmarks.examiner import Examiner
from benchmarks.made_before import MadeBefore
from benchmarks.output import routed_output
from benchmarks.plan import Unit
from benchmarks.redaction import Redactor
from benchmarks.results.record import Record
from benchmarks.results.spool import Place, Spool
from benchmarks.run import Run, Session, redactor_key, run_key, session_key, unit_key
from benchmarks.task import Task
from benchmarks.tries import Bench, TimeLimits
from harnesses.attempt import Attempt, AttemptUnavailableError
from harnesses.harness import Harness
from judges.judge import Judge, Judgment

examination_key = pytest.StashKey[Examination]()
examiner_key = pytest.StashKey[Examiner]()
made_before_key = pytest.StashKey[MadeBefore]()

Result = TypeVar("Result")


@pytest.fixture
def task(unit: Unit) -> Task:
    """The task of this item (function scope)."""
    return unit.task


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def examiner(
    request: pytest.FixtureRequest,
    harness_of: object,  # noqa: ARG001 - asked for so that no client is closed before its last attempt ended
    judge_of: object,  # noqa: ARG001 - as above
) -> AsyncIterator[Examiner]:
    """Starts attempts ahead of pytest's pointer (session scope, one for each process)."""
    session = request.config.stash[session_key]
    spools = {key: Spool(run.files.spool(session.process)) for key, run in session.runs.items()}

    def write(run: Run, record: Record) -> Place:
        return spools[run.key].append(record)

    made_before = request.config.stash[made_before_key] = MadeBefore(session.runs)
    made = Examiner(
        share=session.share,
        stop_mark=session.stop_mark,
        write=write,
        made_before=made_before.records_of,
    )
    request.config.stash[examiner_key] = made
    with nullcontext() if request.config.option.capture == "no" else routed_output():
        yield made
        await made.aclose()
    for spool in spools.values():
        spool.close()


@pytest.fixture(scope="session")
def coming(request: pytest.FixtureRequest) -> Coming:
    """Knows which items this process runs next (session scope, one for each process)."""
    return Coming(request.config)


def _limits(session: Session) -> TimeLimits:
    execution = session.configuration.execution
    stretch = execution.timeout_multiplier
    run_s, judge_s = execution.run_timeout_seconds, execution.evaluation_timeout_seconds
    return TimeLimits(
        run_s=None if run_s is None else run_s * stretch,
        judge_s=None if judge_s is None else judge_s * stretch,
    )


@pytest_asyncio.fixture(loop_scope="session")
async def examination(
    request: pytest.FixtureRequest, examiner: Examiner, coming: Coming, harness: Harness, judge: Judge
) -> Examination:
    """This item's examination, at its end; started if it was not already (function scope)."""
    item = request.node
    run, unit = item.stash[run_key], item.stash[unit_key]
    session = request.config.stash[session_key]
    bench = Bench(
        run=run,
        harness=harness,
        judges=(judge, *scorers_beside(run, judge)),
        limits=_limits(session),
        redactor=Redactor(session.configuration.secrets, show_ground_truth=False),
        to_judge=request.config.stash[made_before_key].to_judge,
    )
    examiner.start([unit], bench)
    found = examiner.find(unit)
    if found is None:
        pytest.skip(f"not started: {stop_line(request.config)}")
    item.stash[examination_key] = found
    has_ended = False
    while not has_ended:
        ahead = coming.after(item, at_most=examiner.room)
        examiner.start([other.stash[unit_key] for other in ahead], bench)
        has_ended = await found.ended(within_s=coming.look_again_s)
    return found


def stop_line(config: pytest.Config) -> str:
    """Why nothing more is started in this session."""
    return config.stash[session_key].stop_mark.line() or "the session ends"


# Waiting is done in `examination` alone: a fixture or a test that waits costs a turn of the loop's runner.


@pytest.fixture
def attempt(request: pytest.FixtureRequest, examination: Examination) -> Attempt:
    """What the harness made of this item's prompt (function scope); its trouble is this item's ERROR.

    Under `pass`, in the try that decides.
    """
    return _result(examination.attempt, request.config)


@pytest.fixture
def judgment(
    request: pytest.FixtureRequest,
    examination: Examination,
    attempt: Attempt,  # noqa: ARG001 - asked for so that a failed attempt, not its judgment, is the ERROR
    task: Task,
) -> Judgment:
    """The primary judge's judgment on this item's answer (function scope).

    Under `pass`, on that of the try that decides.
    """
    if not task.scored:
        pytest.skip("unscored: this subset keeps its ground truths; the answer is recorded")
    return _result(examination.judgment, request.config)


def _result(future: "asyncio.Future[Result]", config: pytest.Config) -> Result:
    """What an examination came to, or a skip where it could not be made or the session stopped before.

    Raises:
        AttemptFailedError, JudgeFailedError: Its trouble.
        asyncio.CancelledError: It was cancelled, and no stop line says why.
    """
    if future.cancelled() and config.stash[session_key].stop_mark.line() is not None:
        pytest.skip(f"not started: {stop_line(config)}")
    try:
        return future.result()
    except AttemptUnavailableError as error:
        pytest.skip(config.stash[redactor_key].mask_keys(str(error)))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Leave the item, and stop the session once, with one line, after a refusal for good (every process).

    An examination that still runs is cancelled, e.g. after a time-out plugin failed the item; one that was
    started ahead of an item which pytest then skipped takes no room any more. At a spent budget pytest goes
    on: items that finished ahead are told, the others are skipped; but a worker elsewhere, which keeps a
    budget of its own, must not skip what others can still afford.
    """
    examiner = item.config.stash.get(examiner_key, None)
    if unit_key in item.stash and examiner is not None:
        examiner.release(item.stash[unit_key])
    if run_key in item.stash and not item.session.shouldstop:
        mark = item.config.stash[session_key].stop_mark
        line = mark.line()
        goes_on = mark.is_budget and item.stash[run_key].scratch is None
        if line is not None and not goes_on:
            item.session.shouldstop = item.config.stash[redactor_key].mask_keys(line)
