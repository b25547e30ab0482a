"""Merging: a run in shards and the same run undivided come to the same; no better answer can be picked."""

import itertools
import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from merging_scene import (
    described,
    detail,
    made,
    made_of,
    metrics_of,
    shard,
    stable,
    task,
    tried,
    undivided,
    until_success,
)
from results_scene import files_of, unhurried

from benchmarks.attachments import n_unopened
from benchmarks.results.merging.merge import merge
from benchmarks.results.merging.repeats import Tries, settle
from benchmarks.results.record import Record
from benchmarks.task import Task

OUTCOMES = ("correct", "incorrect", "not_attempted", "run_error", "judge_error")
few = settings(unhurried, max_examples=12)


@st.composite
def runs_in_shards(draw: st.DrawFn) -> tuple[list[Task], dict[str, Any], list[Record], list[list[Record]]]:
    """Tasks, how they are tried, all records of a run, and the same records dealt to three shards."""
    tasks = [task(number) for number in range(draw(st.integers(1, 6)))]
    k, strategy = draw(st.sampled_from([(1, "avg"), (3, "avg"), (3, "pass")]))
    records: list[Record] = []
    shards: list[list[Record]] = [[], [], []]
    for each in tasks:
        outcomes: list[str] = draw(st.lists(st.sampled_from(OUTCOMES), min_size=k, max_size=k))
        tries = until_success(outcomes) if strategy == "pass" else outcomes
        made_here = [tried(each.task_id, number, one) for number, one in enumerate(tries, start=1)]
        # A unit is dealt whole: under `pass` it is the task, else the attempt.
        place = draw(st.integers(0, 2))
        for one in made_here:
            shards[place if strategy == "pass" else draw(st.integers(0, 2))].append(one)
        records += made_here
    return tasks, {"k": k, "strategy": strategy}, records, shards


def units_of(records: Sequence[Record], strategy: str) -> list[tuple[str, int]]:
    """The units that those records belong to."""
    firsts = [(one.task_id, 1 if strategy == "pass" else one.attempt) for one in records]
    return list(dict.fromkeys(firsts))


@few
@given(runs_in_shards(), st.permutations(range(3)))
def test_a_run_in_shards_merged_is_the_undivided_run(
    scene: tuple[list[Task], dict[str, Any], list[Record], list[list[Record]]], order: Sequence[int]
) -> None:
    tasks, how, records, dealt = scene
    whole = undivided(tasks, **how, gates={"min_accuracy": {"level1": 0.5}, "scopes": {"level1": "1"}})
    with tempfile.TemporaryDirectory() as folder:
        one = made(Path(folder) / "whole", whole, tasks, records)
        shards = [
            made(
                Path(folder) / f"shard-{number}",
                shard(whole, tasks, units_of(dealt[number], whole.strategy), word=f"-k {number}"),
                tasks,
                dealt[number],
            )
            for number in range(3)
            if dealt[number]
        ]
        arguments = [shards[place] for place in order if place < len(shards)]
        merged = merge(arguments, Path(folder) / "merged")
        assert stable(metrics_of(merged.files.root)) == stable(metrics_of(one))
        assert merged.lines == ()


@st.composite
def repeated_runs(draw: st.DrawFn) -> list[dict[str, tuple[str, float]]]:
    """Three runs over the same tasks: by task, how it ended and when it was started."""
    ends = st.tuples(st.sampled_from(OUTCOMES), st.sampled_from([10.0, 20.0, 30.0]))
    return [draw(st.dictionaries(st.sampled_from(["t-0", "t-1", "t-2"]), ends)) for _ in range(3)]


def leave_three(folder: Path, ends: Sequence[dict[str, tuple[str, float]]]) -> list[Path]:
    tasks = [task(number) for number in range(3)]
    return [
        made(
            folder / f"run-{number}",
            undivided(tasks),
            tasks,
            [tried(i, 1, outcome, started_at=moment) for i, (outcome, moment) in run.items()],
        )
        for number, run in enumerate(ends)
    ]


@few
@given(repeated_runs(), st.permutations(range(3)))
def test_the_order_of_the_arguments_changes_no_byte(
    ends: list[dict[str, tuple[str, float]]], order: Sequence[int]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = leave_three(folder, ends)
        merge(runs, folder / "a" / "merged")
        merge([runs[place] for place in order], folder / "b" / "merged")
        assert files_of(folder / "a") == files_of(folder / "b")


@few
@given(repeated_runs())
def test_merging_step_by_step_comes_to_the_same_as_merging_at_once(
    ends: list[dict[str, tuple[str, float]]],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first, second, third = leave_three(folder, ends)
        merge([second, third], folder / "two")
        at_once = merge([first, second, third], folder / "at once" / "merged")
        by_steps = merge([first, folder / "two"], folder / "by steps" / "merged")
        assert stable(at_once.metrics) == stable(by_steps.metrics)
        assert files_of(folder / "at once" / "merged" / "details") == files_of(
            folder / "by steps" / "merged" / "details"
        )


@few
@given(repeated_runs())
def test_a_run_merged_with_itself_copied_is_the_same_run(ends: list[dict[str, tuple[str, float]]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone, *_ = leave_three(folder, ends)
        (again, *_) = leave_three(folder / "copy", ends)
        merged = merge([alone, again], folder / "merged")
        assert stable(metrics_of(merged.files.root)) == stable(metrics_of(alone))
        assert merged.lines == ()


def entry(outcome: str, started_at: float | None = 1.0, **more: Any) -> dict[str, Any]:
    return {"outcome": outcome, "timing": {"started_at": started_at}, **more}


def one(outcome: str, started_at: float | None = 1.0, **more: Any) -> Tries:
    return {"1": entry(outcome, started_at, **more)}


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param(one("incorrect", 1.0), one("correct", 2.0), id="the wrong answer that came first"),
        pytest.param(one("correct", 1.0), one("incorrect", 2.0), id="the right answer that came first"),
        pytest.param(one("incorrect", 2.0), one("run_error", 1.0), id="a verdict, not an error"),
        pytest.param(one("not_attempted", 2.0), one("judge_error", 1.0), id="a verdict, not a judge's error"),
        pytest.param(one("run_error", 2.0), one("unavailable", 1.0), id="an error, not nothing"),
        pytest.param(one("unscored", 2.0), one("run_error", 1.0), id="an answer, not an error"),
        pytest.param(one("correct", 9.0), one("correct", None), id="a known start before an unknown one"),
        pytest.param(one("run_error", 1.0), one("run_error", 2.0), id="the error that came first"),
        pytest.param(
            one("incorrect", 1.0), {"1": {"outcome": "correct", "timing": "a text"}}, id="timing that is text"
        ),
    ],
)
def test_of_two_tries_at_one_attempt_one_counts_and_the_other_is_kept(better: Tries, worse: Tries) -> None:
    for found in itertools.permutations([better, worse]):
        settled = settle(found, n_tries=1)
        assert settled.counted == better
        assert settled.entries["1"]["recorder"]["merged_away"] == [worse]
        assert {**settled.entries["1"], "recorder": None} == {**better["1"], "recorder": None}


def passing(*outcomes: str, started_at: float = 1.0) -> Tries:
    return {str(number): entry(outcome, started_at) for number, outcome in enumerate(outcomes, start=1)}


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param(passing("correct", started_at=9), passing("incorrect", "run_error"), id="success"),
        pytest.param(
            passing("incorrect", "incorrect", "incorrect"),
            passing("correct", started_at=9),
            id="three failures that came first",
        ),
        pytest.param(
            passing("incorrect", "incorrect", "incorrect", started_at=9),
            passing("incorrect", "incorrect", "judge_error"),
            id="three verdicts, not an error among them",
        ),
        pytest.param(passing("run_error"), passing("incorrect", "unavailable"), id="an error, not a part"),
    ],
)
def test_under_pass_the_attempts_at_a_task_stay_together(better: Tries, worse: Tries) -> None:
    for found in itertools.permutations([better, worse]):
        settled = settle(found, n_tries=3)
        assert settled.counted == better
        assert settled.merged_away == (worse,)


def test_what_the_recorder_kept_with_an_entry_stays_beside_what_is_merged_away() -> None:
    kept = one("run_error", 1.0, recorder={"crash": "died"})
    settled = settle([one("run_error", 2.0), kept], n_tries=1)
    assert settled.entries["1"]["recorder"] == {"crash": "died", "merged_away": [one("run_error", 2.0)]}
    assert settle([settled.entries, one("run_error", 2.0)], n_tries=1) == settled


def test_a_unit_that_nobody_made_has_no_entry() -> None:
    assert settle([{}, {}], n_tries=1).entries == {}


TWO = [task(0), task(1)]


def test_a_verdict_mends_an_error_and_the_merge_says_so(tmp_path: Path) -> None:
    first = made_of(tmp_path / "first", TWO, {"t-0": "correct", "t-1": "run_error"})
    rerun = made(
        tmp_path / "rerun",
        replace(undivided(TWO[1:]), partial=("sample_ids (1 of 2)",)),
        TWO[1:],
        [tried("t-1", 1, "incorrect", started_at=9e9)],
    )
    merged = merge([first, rerun], tmp_path / "merged")
    assert merged.metrics["outcomes"]["incorrect"] == 1 and merged.metrics["outcomes"]["run_error"] == 0
    assert merged.lines == ("t-1 attempt 1: an error in one run, evaluated in another; the latter counts",)
    assert merged.metrics["volatile"]["issues"] == list(merged.lines)
    away = detail(tmp_path / "merged", "t-1")["attempts"]["1"]["recorder"]["merged_away"]
    assert [tries["1"]["outcome"] for tries in away] == ["run_error"]


def test_a_rerun_of_some_tasks_does_not_make_the_whole_run_a_part(tmp_path: Path) -> None:
    first = made_of(tmp_path / "first", TWO, {"t-0": "correct", "t-1": "run_error"})
    rerun = made_of(tmp_path / "rerun", TWO[1:], {"t-1": "correct"}, partial=("sample_ids (1 of 2)",))
    merged = merge([first, rerun], tmp_path / "merged")
    assert merged.metrics["partial"] == []
    assert described(tmp_path / "merged")["selected"] == described(first)["selected"]


def test_a_better_answer_cannot_be_picked(tmp_path: Path) -> None:
    wrong = made(tmp_path / "wrong", undivided(TWO), TWO, [tried("t-0", 1, "incorrect", started_at=1.0)])
    right = made(tmp_path / "right", undivided(TWO), TWO, [tried("t-0", 1, "correct", started_at=2.0)])
    merged = merge([right, wrong], tmp_path / "merged")
    assert merged.metrics["outcomes"]["correct"] == 0 and merged.metrics["outcomes"]["incorrect"] == 1
    assert merged.lines == ("t-0 attempt 1: evaluated in several runs; what was started first counts",)


def test_lines_on_repeated_units_are_bounded(tmp_path: Path) -> None:
    many = [task(number) for number in range(25)]
    ids = [each.task_id for each in many]
    left = made(tmp_path / "l", undivided(many), many, [tried(i, 1, "correct") for i in ids])
    right = made(
        tmp_path / "r", undivided(many), many, [tried(i, 1, "incorrect", started_at=1.0) for i in ids]
    )
    merged = merge([left, right], tmp_path / "merged")
    assert len(merged.lines) == 21
    assert merged.lines[-1] == "and 5 more units: evaluated in several runs; what was started first counts"


def test_categories_of_several_jobs_stay_parts_of_the_set(tmp_path: Path) -> None:
    ones, twos = [task(0), task(3)], [task(1)]
    left = made_of(tmp_path / "l", ones, {"t-0": "correct", "t-3": "correct"}, partial=("category 1",))
    right = made_of(tmp_path / "r", twos, {"t-1": "correct"}, partial=("category 2",))
    metrics = merge([left, right], tmp_path / "merged").metrics
    assert metrics["partial"] == ["category 1", "category 2"]
    assert metrics["deselected"] == []
    dataset = metrics["dataset"]
    assert dataset["by_category"] == {"1": 2, "2": 1}
    assert (dataset["n_tasks"], dataset["n_dataset_tasks"]) == (3, 3)


def test_while_a_shard_is_missing_the_rest_says_that_it_is_a_part(tmp_path: Path) -> None:
    whole = undivided(TWO, partial=("limit 2",))
    left = made(tmp_path / "l", shard(whole, TWO, [("t-0", 1)]), TWO, [tried("t-0", 1, "correct")])
    merged = merge([left], tmp_path / "merged")
    assert merged.metrics["partial"] == ["limit 2", "-k x"]
    assert merged.metrics["deselected"] == ["-k x"]
    assert merged.metrics["selected"]["n_tasks"] == 2


def test_a_missing_attempt_of_several_leaves_the_run_a_part(tmp_path: Path) -> None:
    whole = undivided(TWO[:1], k=2)
    left = made(tmp_path / "l", shard(whole, TWO[:1], [("t-0", 2)]), TWO[:1], [tried("t-0", 2, "correct")])
    assert merge([left], tmp_path / "merged").metrics["partial"] == ["-k x"]


def test_a_stop_counts_while_its_tasks_are_missing(tmp_path: Path) -> None:
    whole = undivided(TWO)
    stopped = made(tmp_path / "stopped", whole, TWO, [tried("t-0", 1, "correct")], stopped="interrupted")
    rest = made(tmp_path / "rest", shard(whole, TWO, [("t-1", 1)]), TWO, [tried("t-1", 1, "correct")])
    assert merge([stopped], tmp_path / "one").metrics["stopped"] == "interrupted"
    assert merge([stopped, rest], tmp_path / "both").metrics["stopped"] is None


def test_what_ran_when_is_told_of_all_parts(tmp_path: Path) -> None:
    def volatile(start: int, end: int) -> dict[str, Any]:
        return {
            "started_at": f"2026-11-30T{start}:00:00Z",
            "versions": {"pytest": f"9.{start}"},
            "n_workers": 2,
            "_": end,
        }

    for name, start in (("b", 12), ("a", 11)):
        folder = made_of(tmp_path / name, TWO, {"t-0": "correct"}, volatile=volatile(start, 13))
        values = described(folder)
        values["volatile"]["finished_at"] = f"2026-11-30T{start + 2}:00:00Z"
        (folder / "run.json").write_text(json.dumps(values))
    told = merge([tmp_path / "b", tmp_path / "a"], tmp_path / "merged")
    told_of = told.metrics["volatile"]
    assert told_of["started_at"] == "2026-11-30T11:00:00Z"
    assert told_of["finished_at"] == "2026-11-30T14:00:00Z"
    assert (told_of["n_workers"], told_of["merged_from"]) == (4, ["a", "b"])
    assert told_of["versions"] == {"pytest": "9.11"}
    assert told.lines == ("not the same in all merged runs: versions.pytest ('9.11', '9.12')",)


RATES = {"id": "m", "input_usd_per_million_tokens": 2.0, "output_usd_per_million_tokens": 3.0}


def test_what_the_parts_do_not_agree_on_is_left_out_of_the_configuration(tmp_path: Path) -> None:
    left = made_of(
        tmp_path / "l",
        TWO,
        {"t-0": "correct"},
        configuration={"model": {"id": "m"}, "run": {"run_name": "l"}, "extra": 1},
        prices={"model": {**RATES, "input_usd_per_million_tokens": 1.0}, "judge": None},
    )
    right = made_of(
        tmp_path / "r",
        TWO,
        {"t-0": "correct"},
        configuration={"model": {"id": "m"}, "run": {"run_name": "r"}},
        prices={"model": RATES, "judge": None},
    )
    merge([left, right], tmp_path / "merged")
    told = described(tmp_path / "merged")
    assert told["configuration"] == {"model": {"id": "m"}, "run": {}}
    assert told["prices"] == {"model": None, "judge": None}


def test_attachments_the_harness_cannot_open_are_counted_once_for_each_task(tmp_path: Path) -> None:
    tasks = [task(0, attachments=("/somewhere/a.xlsx",)), task(1)]
    elsewhere = [task(0, attachments=("/elsewhere/a.xlsx",)), task(1)]
    left = made_of(tmp_path / "l", tasks, {"t-0": "correct"}, n_attachments_unopened=1)
    right = made_of(tmp_path / "r", elsewhere, {"t-1": "correct"}, n_attachments_unopened=1)
    assert merge([left, right], tmp_path / "merged").metrics["n_attachments_unopened"] == 1


def test_what_no_model_was_asked_has_no_attachments_it_could_not_open() -> None:
    tasks = [task(0, attachments=("a.xlsx",))]
    assert n_unopened("openai_chat", tasks * 2) == n_unopened("unknown", tasks) == 1
    assert n_unopened("answers_file", tasks) == 0


def test_all_tasks_lie_in_the_task_file_of_the_merged_run(tmp_path: Path) -> None:
    left = made_of(tmp_path / "l", [task(1)], {"t-1": "correct"})
    right = made_of(tmp_path / "r", [task(0)], {"t-0": "correct"})
    merge([left, right], tmp_path / "merged")
    lines = (tmp_path / "merged" / "details" / "_plan" / "tasks.jsonl").read_text().splitlines()
    assert [json.loads(line)["task_id"] for line in lines] == ["t-0", "t-1"]
    assert [row[0] for row in described(tmp_path / "merged")["planned"]] == ["t-0", "t-1"]


def test_the_dataset_s_warnings_and_sources_are_those_of_all_parts(tmp_path: Path) -> None:
    dataset = undivided(TWO).dataset
    runs = [
        made(
            tmp_path / name,
            replace(undivided(TWO), dataset={**dataset, "source": name, "warnings": [name, "both"]}),
            TWO,
            [tried("t-0", 1, "correct")],
        )
        for name in ("hub", "archive")
    ]
    told = merge(runs, tmp_path / "merged").metrics["dataset"]
    assert told["source"] == "archive, hub"
    assert told["warnings"] == ["archive", "both", "hub"]


def test_a_task_of_which_a_part_has_no_detail_is_unavailable(tmp_path: Path) -> None:
    left = made_of(tmp_path / "l", TWO, {"t-0": "correct", "t-1": "correct"})
    (left / "details" / "t-1.json").unlink()
    metrics = merge([left], tmp_path / "merged").metrics
    assert metrics["outcomes"]["unavailable"] == 1
    assert not (tmp_path / "merged" / "details" / "t-1.json").exists()


def test_an_attempt_that_a_part_did_not_plan_is_not_counted_in_the_union_either(tmp_path: Path) -> None:
    run = made_of(tmp_path / "l", TWO, {"t-0": "correct"})
    path = run / "details" / "t-0.json"
    values = json.loads(path.read_text())
    path.write_text(
        json.dumps({**values, "attempts": {"1": values["attempts"]["1"], "2": values["attempts"]["1"]}})
    )
    merge([run], tmp_path / "merged")
    assert list(detail(tmp_path / "merged", "t-0")["attempts"]) == ["1"]
