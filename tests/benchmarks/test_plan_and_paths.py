"""Which benchmarks are asked for, what is planned, and the mark that stops every process."""

from pathlib import Path

import pytest

from benchmarks.paths import HERE, benchmarks_on
from benchmarks.plan import read_plan, units, write_plan
from benchmarks.stop_mark import StopMark
from benchmarks.task import Task

TASK = Task(task_id="t-1", question="Who?", ground_truth="Ada", category="2", marks=("level2",))


@pytest.mark.parametrize(
    "argument",
    [
        "benchmarks",
        "benchmarks/gaia",
        "benchmarks/gaia/test_gaia.py",
        "benchmarks/gaia/test_gaia.py::test_gaia[t]",
        ".",
    ],
)
def test_a_path_on_under_or_above_the_folder_asks_for_the_benchmark(argument: str) -> None:
    assert benchmarks_on([argument], names=["gaia"], invoked_in=HERE.parent) == ["gaia"]


@pytest.mark.parametrize("argument", ["tests", "benchmarks/results", "benchmarks/gaia2"])
def test_another_path_asks_for_nothing(argument: str) -> None:
    assert benchmarks_on([argument], names=["gaia"], invoked_in=HERE.parent) == []


def test_one_attempt_keeps_the_task_id_and_several_are_numbered() -> None:
    assert [unit.unit_id for unit in units([TASK], k=1)] == ["t-1"]
    assert [unit.unit_id for unit in units([TASK], k=2)] == ["t-1-attempt1", "t-1-attempt2"]


def test_under_pass_a_task_is_one_unit_that_keeps_its_id_and_may_be_tried_k_times() -> None:
    (unit,) = units([TASK], k=3, strategy="pass")
    assert (unit.unit_id, unit.attempt, unit.n_attempts, unit.n_tries) == ("t-1", 1, 1, 3)


@pytest.mark.parametrize("strategy", ["avg", "pass"])
def test_one_attempt_is_the_same_under_both_strategies(strategy: str) -> None:
    assert units([TASK], k=1, strategy=strategy) == units([TASK], k=1)


def test_a_unit_knows_the_run_it_belongs_to() -> None:
    assert [unit.run for unit in units([TASK], k=2, run="sealqa longseal")] == ["sealqa longseal"] * 2


def test_the_plan_comes_back_as_it_was_written(tmp_path: Path) -> None:
    odd = Task(
        task_id="t-2", question="\u2028 \U0001f40b", ground_truth='"', category="1", attachments=("/a/b.txt",)
    )
    write_plan(tmp_path / "a" / "tasks.jsonl", [TASK, odd])
    assert read_plan(tmp_path / "a" / "tasks.jsonl") == (TASK, odd)


def test_a_task_shows_nothing_but_its_id() -> None:
    assert repr(TASK) == "Task('t-1')"


def test_the_first_stop_line_stays_and_every_process_sees_it(tmp_path: Path) -> None:
    here, there = StopMark(tmp_path / "stop"), StopMark(tmp_path / "stop")
    assert there.line() is None
    here.set("the key is refused")
    there.set("another line")
    assert [here.line(), there.line()] == ["the key is refused"] * 2


def test_a_disk_that_is_not_shared_stops_this_process_all_the_same(tmp_path: Path) -> None:
    mark = StopMark(tmp_path / "not there" / "stop")
    mark.set("the key is refused")
    assert mark.line() == "the key is refused"
