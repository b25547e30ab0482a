"""What a dead worker had finished is found by whoever takes over its items."""

from dataclasses import replace
from pathlib import Path

import pytest
from examiner_scene import made_run, made_tasks
from results_scene import record

from benchmarks.made_before import MadeBefore
from benchmarks.plan import Unit
from benchmarks.results.files import write_whole
from benchmarks.results.record import Record
from benchmarks.results.spool import Spool
from benchmarks.run import Run

(TASK,) = made_tasks(1)
ID = TASK.task_id


def run_in(folder: Path, *, dead: str = "") -> Run:
    run = replace(made_run((TASK,)), directory=folder)
    if dead:
        write_whole(run.files.dead, dead)
    return run


def spool(run: Run, process: str, *records: Record) -> None:
    made = Spool(run.files.spool(process))
    for each in records:
        made.append(each)
    made.close()


def found(run: Run, unit: Unit) -> list[int]:
    """The numbers of the attempts that are found of `unit`."""
    return [each.attempt for each in MadeBefore({"gaia": run}).records_of(unit)]


def test_all_tries_of_a_task_are_found_whichever_of_the_dead_made_them(tmp_path: Path) -> None:
    run = run_in(tmp_path, dead="gw1\ngw0\n")
    spool(run, "gw0", record(ID, "incorrect"), record("another"))
    spool(run, "gw1", record(ID, "run_error", attempt=2))
    assert found(run, Unit(task=TASK, n_tries=3, run="gaia")) == [1, 2]


@pytest.mark.parametrize(("attempt", "numbers"), [(1, []), (2, [2])])
def test_under_avg_an_item_gets_the_record_of_its_own_attempt(
    tmp_path: Path, attempt: int, numbers: list[int]
) -> None:
    run = run_in(tmp_path, dead="gw0\n")
    spool(run, "gw0", record(ID, attempt=2))
    assert found(run, Unit(task=TASK, attempt=attempt, n_attempts=2, run="gaia")) == numbers


def test_what_a_worker_made_that_still_lives_is_its_own(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    spool(run, "gw0", record(ID))
    assert found(run, Unit(task=TASK, run="gaia")) == []


def test_a_record_that_was_taken_over_is_not_found_again(tmp_path: Path) -> None:
    run = run_in(tmp_path, dead="gw0\n")
    spool(run, "gw0", record(ID))
    before, unit = MadeBefore({"gaia": run}), Unit(task=TASK, run="gaia")
    assert [len(before.records_of(unit)) for _ in range(2)] == [1, 0]


def test_a_spool_that_was_taken_away_meanwhile_costs_only_its_records(tmp_path: Path) -> None:
    run = run_in(tmp_path, dead="gw0\n")
    spool(run, "gw0", record(ID))
    before, unit = MadeBefore({"gaia": run}), Unit(task=TASK, n_tries=2, run="gaia")
    other = Unit(task=replace(TASK, task_id="t-9"), run="gaia")
    assert before.records_of(other) == ()
    run.files.spool("gw0").unlink()
    assert before.records_of(unit) == ()


def test_a_run_that_is_not_ours_or_writes_nothing_leaves_nothing(tmp_path: Path) -> None:
    assert found(run_in(tmp_path), Unit(task=TASK, run="sealqa")) == []
    assert found(made_run((TASK,)), Unit(task=TASK, run="gaia")) == []
