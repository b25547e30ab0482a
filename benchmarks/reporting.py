"""The report moment: the record goes on each report, and the report says only what may be public."""

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.redaction import Redactor
from benchmarks.results.record import Outcome, Record
from benchmarks.run import Run, redactor_key, run_key, unit_key
from benchmarks.running import examination_key, stop_line
from benchmarks.task import Task

TEAR_DOWN_ATTRIBUTE = "benchmark_tear_down"
"""The attribute of a failed tear-down's report that carries its traceback, as text."""
RECORD_ATTRIBUTE = "benchmark_record"
"""The attribute of a report that carries the record, as a line of JSON: one text crosses to the controller
many times faster than the values in it."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the record on the report and say only what may be public (in the process that ran the item)."""
    report = yield
    if run_key not in item.stash:
        return report
    redactor = item.config.stash[redactor_key]
    # What pytest captured while this item waited is the output of whichever attempts ran then.
    report.sections = []
    if report.when == "setup" and report.passed:
        # What it took is how long this item waited for whichever attempts ran; its own time is the call's.
        report.duration = 0.0
    if report.when == "teardown" and report.failed:
        _hide_tear_down(report, redactor)
    if not _is_last_word(report):
        return report
    record = None
    if examination_key in item.stash:
        record = item.stash[examination_key].record
        # Items live to the end of the session; trajectories need not.
        del item.stash[examination_key]
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
        cause, private = stop_line(item.config), {}
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
    setattr(report, RECORD_ATTRIBUTE, record.line)
    # On the item too: JUnit reads the properties of the tear-down's report, which is made after this one.
    item.user_properties.extend(_properties(record, run))
    report.user_properties = list(item.user_properties)
    seconds = [record.timing.get("run_s"), record.timing.get("judge_s")]
    report.duration = sum(second for second in seconds if second is not None)
    redactor = item.config.stash[redactor_key]
    output = record.private.get("output")
    if redactor.show_ground_truth and isinstance(output, str):
        report.sections = [("Captured output of the attempt", redactor.output(output, task))]
    if report.failed:
        report.longrepr = _failure(record, task, redactor, file=run.files.detail(record.task_id))


def _hide_tear_down(report: pytest.TestReport, redactor: Redactor) -> None:
    """Say that a tear-down failed without showing frames, which hold the task; the traceback goes private."""
    setattr(report, TEAR_DOWN_ATTRIBUTE, redactor.mask_keys(str(report.longrepr)))
    report.longrepr = "the tear-down failed; the traceback is in details/_tear_down.txt"


def _properties(record: Record, run: Run) -> list[tuple[str, object]]:
    return [
        (run.benchmark.breakdown, record.category),
        ("outcome", str(record.outcome)),
        ("verdict", _primary(record).get("grade", "")),
        ("attempt", record.attempt),
    ]


def _primary(record: Record) -> Mapping[str, Any]:
    """What the primary judge said; empty where it gave no verdict."""
    return record.scoring.get(record.primary or "", {})


def _failure(record: Record, task: Task, redactor: Redactor, *, file: Path) -> str:
    """A few lines for a failed item: id, verdict or trouble, stop reason, answer; no prose of a judge."""
    if record.outcome.is_evaluated:
        scoring = _primary(record)
        verdict = f"verdict {scoring.get('grade')} ({scoring.get('label')})"
        lines = [
            f"{record.task_id}: {verdict}, stop reason {record.stop_reason}",
            f"answer: {redactor.answer(record, task)}",
        ]
    else:
        trouble = str(record.outcome).replace("_", " ")
        lines = [f"{record.task_id}: {trouble}: {redactor.line(record.cause or '', task)}"]
    return "\n".join([*lines, f"record: {file}"])
