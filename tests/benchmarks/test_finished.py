"""A run directory gives back what was finished in it, however the run ended."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from results_scene import noon, record, run, unhurried

from benchmarks.results.details import Entry, entry_of, record_of
from benchmarks.results.files import RunFiles, RunFilesError, write_whole
from benchmarks.results.finished import FinishedAttempts
from benchmarks.results.record import Outcome, Record
from benchmarks.results.recorder import Recorder
from benchmarks.results.run_description import RunDescription
from benchmarks.results.spool import Spool


def recorded(
    folder: Path, *records: Record, ended: bool = True, description: RunDescription | None = None
) -> Recorder:
    recorder = Recorder(folder, description or run(), now=noon)
    for each in records:
        recorder.add(each)
    if ended:
        recorder.finish()
    return recorder


def spooled(path: Path, *records: Record) -> None:
    spool = Spool(path)
    for each in records:
        spool.append(each)
    spool.close()


def found(folder: Path) -> dict[tuple[str, int], Outcome]:
    return FinishedAttempts(folder).outcomes()


plain_values = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@unhurried
@given(
    outcome=some.sampled_from([outcome for outcome in Outcome if outcome is not Outcome.UNAVAILABLE]),
    answer=some.none() | some.text(max_size=20),
    meta=some.dictionaries(some.text(max_size=5), plain_values, max_size=3),
    private=some.dictionaries(some.text(max_size=5), plain_values, max_size=3),
)
def test_a_detail_gives_back_the_record_it_was_made_of(
    outcome: Outcome, answer: str | None, meta: dict[str, Any], private: dict[str, Any]
) -> None:
    made = record(outcome=outcome, final_answer=answer, harness_meta=meta, private=private)
    entry: Entry = entry_of(made)
    detail = {"task_id": "t-1", "category": "1", "ground_truth": made.ground_truth}
    back = record_of(detail, 1, entry)
    assert entry_of(back) == entry
    kept = ("task_id", "attempt", "outcome", "final_answer", "trajectory", "usage", "timing", "harness_meta")
    assert [back.to_json()[name] for name in kept] == [made.to_json()[name] for name in kept]
    assert back.primary == made.primary


def test_details_and_spools_are_read_and_the_evaluated_one_wins(tmp_path: Path) -> None:
    files = RunFiles(root=tmp_path)
    recorded(tmp_path, record("t-1"), record("t-2", "run_error"), ended=False)
    spooled(files.spool("gw0"), record("t-2", "incorrect"), record("t-3", "judge_error"))
    spooled(files.spool("gw1"), record("t-1", "incorrect"), record("t-3", "run_error"))
    assert found(tmp_path) == {
        ("t-1", 1): Outcome.CORRECT,
        ("t-2", 1): Outcome.INCORRECT,
        ("t-3", 1): Outcome.JUDGE_ERROR,
    }
    records = list(FinishedAttempts(tmp_path).records())
    assert [(one.task_id, one.outcome) for one in records] == [
        ("t-1", "correct"),
        ("t-2", "incorrect"),
        ("t-3", "judge_error"),
    ]


def test_what_finished_ahead_and_was_never_reached_is_found(tmp_path: Path) -> None:
    recorder = recorded(tmp_path, record("t-1"), ended=False)
    spooled(RunFiles(root=tmp_path).spool("main"), record("t-2"))
    recorder.finish("interrupted")
    RunFiles(root=tmp_path).spool("main").unlink()
    assert found(tmp_path) == {("t-1", 1): Outcome.CORRECT, ("t-2", 1): Outcome.CORRECT}


def test_what_the_run_had_taken_over_itself_is_found_though_it_was_never_reached(tmp_path: Path) -> None:
    recorder = recorded(tmp_path, ended=False)
    spooled(RunFiles(root=tmp_path).made_before, replace(record("t-2"), reused=True))
    recorder.finish("interrupted")
    assert found(tmp_path) == {("t-2", 1): Outcome.CORRECT}


def test_an_answer_that_was_only_to_be_judged_is_one_without_a_judgment(tmp_path: Path) -> None:
    recorder = recorded(tmp_path, record("t-1"), ended=False)
    to_judge = RunFiles(root=tmp_path).to_judge
    spooled(to_judge, record("t-1", "judge_error"), record("t-2"), record("t-3", "run_error"))
    recorder.finish("interrupted")
    assert found(tmp_path) == {
        ("t-1", 1): Outcome.CORRECT,
        ("t-2", 1): Outcome.JUDGE_ERROR,
        ("t-3", 1): Outcome.RUN_ERROR,
    }
    _, answered, _ = FinishedAttempts(tmp_path).records()
    assert (answered.outcome, answered.scoring) == ("judge_error", {})
    assert answered.final_answer == record().final_answer


def test_crashes_differing_records_and_what_never_started_are_not_found(tmp_path: Path) -> None:
    recorder = recorded(tmp_path, record("t-2"), record("t-2", "incorrect"), ended=False)
    recorder.add_crash("t-1", 1, "the worker process ended")
    spooled(RunFiles(root=tmp_path).spool("main"), record("t-2"))
    recorder.finish("interrupted")
    assert found(tmp_path) == {}


def test_a_record_that_nobody_planned_is_not_found(tmp_path: Path) -> None:
    recorded(tmp_path, record("stranger"), record("t-1", attempt=7), ended=False)
    spooled(RunFiles(root=tmp_path).spool("gw0"), record("stranger"))
    assert found(tmp_path) == {}


def test_a_half_written_record_is_not_found(tmp_path: Path) -> None:
    recorded(tmp_path, ended=False)
    line = record("t-1").line
    write_whole(RunFiles(root=tmp_path).spool("gw0"), line[: len(line) // 2])
    assert found(tmp_path) == {}


@pytest.mark.parametrize(
    "broken", ["{", '{"attempts": {"1": null}}', '{"attempts": {"1": {"outcome": "correct"}}}']
)
def test_a_broken_detail_is_one_line(tmp_path: Path, broken: str) -> None:
    recorded(tmp_path, record("t-1"))
    write_whole(RunFiles(root=tmp_path).detail("t-1"), broken)
    with pytest.raises(RunFilesError, match=r"t-1\.json' .*restore the file"):
        list(FinishedAttempts(tmp_path).records())


def tries(*outcomes: str) -> Sequence[Record]:
    return [record("t-1", outcome, attempt=number) for number, outcome in enumerate(outcomes, 1)]


def test_the_tries_of_a_task_are_one_unit_under_pass(tmp_path: Path) -> None:
    recorded(tmp_path, *tries("incorrect", "correct"), description=run(k=3, strategy="pass"))
    finished = FinishedAttempts(tmp_path)
    assert finished.tries_of(("t-1", 2)) == (("t-1", 1), ("t-1", 2), ("t-1", 3))
