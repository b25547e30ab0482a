"""The report moment: records go on each report, and the report says only what may be public."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.plan import Unit
from benchmarks.redaction import Redactor
from benchmarks.results.record import Outcome, Record
from benchmarks.run import Run, redactor_key, run_key, unit_key
from benchmarks.running import examination_key, stop_line

TEAR_DOWN_ATTRIBUTE = "benchmark_tear_down"
"""The attribute of a failed tear-down's report that carries its traceback, as text."""
RECORDS_ATTRIBUTE = "benchmark_records"
"""The attribute of a report that carries the records of its item's tries, each as a line of JSON: one text
crosses to the controller many times faster than the values in it."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the records on the report and say only what may be public (in the process that ran the item)."""
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
    records: tuple[Record, ...] = ()
    deciding, next_try = None, None
    if examination_key in item.stash:
        examination = item.stash[examination_key]
        records, deciding, next_try = examination.records, examination.record, examination.next_try
        # Items live to the end of the session; trajectories need not.
        del item.stash[examination_key]
    if deciding is None:
        deciding = _record_without_attempt(item, report, call, next_try or item.stash[unit_key].attempt)
        records = (*records, deciding)
    elif next_try is not None:
        records = (*records, _not_started(item, next_try))
    _dress(report, records, deciding, item)
    return report


def _is_last_word(report: pytest.TestReport) -> bool:
    return report.when == "call" or (report.when == "setup" and not report.passed)


def _not_started(item: pytest.Item, attempt: int) -> Record:
    """The record of an attempt that nobody starts any more."""
    task = item.stash[unit_key].task
    return Record(
        task_id=task.task_id,
        attempt=attempt,
        category=task.category,
        ground_truth=task.ground_truth,
        outcome=Outcome.UNAVAILABLE,
        cause=stop_line(item.config),
    )


def _record_without_attempt(
    item: pytest.Item, report: pytest.TestReport, call: pytest.CallInfo[None], attempt: int
) -> Record:
    """The record of an item whose set-up ended before its attempt did: never started, or trouble of ours."""
    if report.skipped:
        return _not_started(item, attempt)
    redactor = item.config.stash[redactor_key]
    kind = redactor.line(_kind_of(call), item.stash[unit_key].task)
    reason = "" if call.excinfo is None else call.excinfo.exconly()
    return replace(
        _not_started(item, attempt),
        outcome=Outcome.RUN_ERROR,
        cause=f"{kind} in the item's set-up; see this task's file under details/",
        private={
            "traceback": redactor.mask_keys(str(report.longrepr)),
            "reason": redactor.mask_keys(reason),
        },
    )


def _kind_of(call: pytest.CallInfo[None]) -> str:
    """The type of what went wrong; of `pytest.fail`, which a time-out plugin uses, also its text."""
    if call.excinfo is None:
        return "unknown trouble"
    if isinstance(call.excinfo.value, pytest.fail.Exception):
        return call.excinfo.exconly()
    return call.excinfo.typename


def _dress(report: pytest.TestReport, records: Sequence[Record], deciding: Record, item: pytest.Item) -> None:
    run, unit = item.stash[run_key], item.stash[unit_key]
    setattr(report, RECORDS_ATTRIBUTE, [record.line for record in records])
    # On the item too: JUnit reads the properties of the tear-down's report, which is made after this one.
    item.user_properties.extend(_properties(records, deciding, run))
    report.user_properties = list(item.user_properties)
    report.duration = sum(_seconds(records, part) or 0.0 for part in ("run_s", "judge_s"))
    redactor = item.config.stash[redactor_key]
    if redactor.show_ground_truth:
        report.sections = [section for record in records for section in _outputs(record, unit, redactor)]
    if report.failed:
        report.longrepr = _failure(deciding, unit, redactor, file=run.detail_path(unit.task.task_id))


def _outputs(record: Record, unit: Unit, redactor: Redactor) -> list[tuple[str, str]]:
    output = record.private.get("output")
    if not isinstance(output, str):
        return []
    which = "the attempt" if unit.n_tries == 1 else f"attempt {record.attempt}"
    return [(f"Captured output of {which}", redactor.output(output, unit.task))]


def _hide_tear_down(report: pytest.TestReport, redactor: Redactor) -> None:
    """Say that a tear-down failed without showing frames, which hold the task; the traceback goes private."""
    setattr(report, TEAR_DOWN_ATTRIBUTE, redactor.mask_keys(str(report.longrepr)))
    report.longrepr = "the tear-down failed; the traceback is in details/_tear_down.txt"


def _properties(records: Sequence[Record], deciding: Record, run: Run) -> list[tuple[str, object]]:
    """What tables of items show: of the try that decides; tokens and seconds are those of all tries.

    What is unknown is left out. `reused` stands alone: True, or not there.
    """
    known: dict[str, object] = {
        run.benchmark.breakdown: deciding.category,
        "outcome": str(deciding.outcome),
        "verdict": _primary(deciding).get("grade", ""),
        "attempt": deciding.attempt,
        "stop_reason": deciding.stop_reason,
        "input_tokens": _tokens(records, "input_tokens"),
        "output_tokens": _tokens(records, "output_tokens"),
        "run_s": _seconds(records, "run_s"),
        "judge_s": _seconds(records, "judge_s"),
        "reused": deciding.reused or None,
    }
    return [(name, value) for name, value in known.items() if value is not None]


def _tokens(records: Sequence[Record], name: str) -> int | None:
    """What model, tools and judge used together; ``None`` where nobody told."""
    told = [used.get(name) for record in records for used in record.usage.values()]
    known = [n for n in told if n is not None]
    return sum(known) if known else None


def _seconds(records: Sequence[Record], part: str) -> float | None:
    known = [seconds for record in records if (seconds := record.timing.get(part)) is not None]
    return round(sum(known), 3) if known else None


def _primary(record: Record) -> Mapping[str, Any]:
    """What the primary judge said; empty where it gave no verdict."""
    return record.scoring.get(record.primary or "", {})


def _failure(record: Record, unit: Unit, redactor: Redactor, *, file: Path) -> str:
    """Four lines for a failed item: id, verdict, answer, reason; no prose of a judge, which tells the truth.

    With `--show-ground-truth` question and ground truth stand below them. The public reason of a wrong
    answer is how its attempt ended, that of trouble its cause.
    """
    task, n_in_all = unit.task, max(unit.n_attempts, unit.n_tries)
    name = task.task_id if n_in_all == 1 else f"{task.task_id}, attempt {record.attempt} of {n_in_all}"
    if record.outcome.is_evaluated:
        scoring = _primary(record)
        verdict = f"{scoring.get('grade')} ({scoring.get('label')})"
        # Where there was no answer to grade, nobody was asked.
        graded = "" if scoring.get("model_answer") is None else f", graded by {record.primary}"
        reason = f"stop reason {record.stop_reason}{graded}"
    else:
        verdict = f"none ({str(record.outcome).replace('_', ' ')})"
        reason = redactor.line(record.cause or "unknown", task)
    lines = [
        name,
        f"verdict: {verdict}",
        f"answer: {redactor.answer(record, task)}",
        f"reason: {reason}; record: {file}",
    ]
    if redactor.show_ground_truth:
        lines += [
            f"question: {redactor.line(task.question, task)}",
            f"ground truth: {redactor.line(task.ground_truth, task)}",
        ]
    return "\n".join(lines)
