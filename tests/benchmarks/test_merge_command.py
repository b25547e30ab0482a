"""`python -m benchmarks merge RUN RUN ... --into DIR`: what is refused, and what is left."""

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from merging_scene import (
    HALVED,
    HALVED_OUTCOMES,
    Change,
    described,
    leave_halves,
    made_of,
    merged,
    metrics_of,
    task,
)
from results_scene import files_of

from benchmarks.__main__ import main
from benchmarks.results.merging import merge as merging
from benchmarks.results.run_description import RunDescription


@pytest.fixture
def halves(tmp_path: Path) -> list[str]:
    """Two runs that are one run in two shards: of levels 1 and 2, and of level 3."""
    return leave_halves(tmp_path)


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_two_shards_leave_the_run_that_an_undivided_session_would_have_left(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert merged(tmp_path, halves) == 0
    into = tmp_path / "into"
    assert capsys.readouterr().out.splitlines()[-2:] == [str(into / "metrics.json"), str(into / "summary.md")]
    undivided_run = made_of(tmp_path / "whole" / "into", HALVED, HALVED_OUTCOMES)
    left = {name: text for name, text in files_of(into).items() if name != "run.json"}
    right = {name: text for name, text in files_of(undivided_run).items() if name != "run.json"}
    assert left.keys() == right.keys()
    details = [name for name in left if name.endswith(".json") and name.startswith("details/")]
    assert len(details) == 3 and all(
        json.loads(left[name])["attempts"] == json.loads(right[name])["attempts"] for name in details
    )


def test_the_files_of_a_merged_run_can_be_made_again_byte_for_byte(tmp_path: Path, halves: list[str]) -> None:
    merged(tmp_path, halves, "--min-accuracy=0.6")
    before = files_of(tmp_path / "into")
    for name in ("metrics.json", "summary.md"):
        (tmp_path / "into" / name).unlink()
    assert main(["summary", str(tmp_path / "into")]) == 0
    assert files_of(tmp_path / "into") == before


def test_the_parts_are_left_as_they_were(tmp_path: Path, halves: list[str]) -> None:
    before = files_of(tmp_path)
    merged(tmp_path, halves)
    after = files_of(tmp_path)
    assert {name: text for name, text in after.items() if not name.startswith("into/")} == before


def test_the_metrics_of_the_parts_are_not_read(tmp_path: Path, halves: list[str]) -> None:
    for run in halves:
        (Path(run) / "metrics.json").write_text("no JSON")
    assert merged(tmp_path, halves) == 0


def within(name: str, /, **values: Any) -> Change:
    """The same run with other values within one of its mappings."""

    def change(run: RunDescription) -> RunDescription:
        changed: dict[str, Any] = {name: {**getattr(run, name), **values}}
        return replace(run, **changed)

    return change


def otherwise(**values: Any) -> Change:
    def change(run: RunDescription) -> RunDescription:
        return replace(run, **values)

    return change


@pytest.mark.parametrize(
    ("change", "line"),
    [
        pytest.param(
            otherwise(benchmark="sealqa"),
            "benchmark is 'gaia' in the first and 'sealqa' in the second",
            id="benchmark",
        ),
        pytest.param(
            within("dataset", name="GAIB"), "dataset.name is 'GAIA' in the first and 'GAIB'", id="name"
        ),
        pytest.param(within("dataset", subset="test"), "dataset.subset is 'text-103' in", id="subset"),
        pytest.param(
            within("dataset", revision="ab"), "dataset.revision is None in the first and 'ab'", id="revision"
        ),
        pytest.param(
            within("dataset", settings={"seed": 7}), "dataset.settings.seed is None in", id="settings"
        ),
        pytest.param(within("judge", id="contains"), "judge.id is 'llm' in", id="judge"),
        pytest.param(within("judge", model="judge-2"), "judge.model is 'judge-1' in", id="judge-model"),
        pytest.param(
            within("judge", params={"temperature": 1}), "judge.params.temperature is 0 in", id="judge-params"
        ),
        pytest.param(within("judge", prompt_digest="ff"), "judge.prompt_digest is '0a0a", id="judge-prompt"),
        pytest.param(otherwise(answer_format="gaia"), "answer_format is 'none' in", id="answer-format"),
        pytest.param(otherwise(strategy="pass"), "strategy is 'avg' in", id="strategy"),
        pytest.param(otherwise(aggregation_mode="category_mean"), "aggregation_mode is", id="aggregation"),
        pytest.param(
            within("harness", id="openai_chat"), "harness.id is 'naive_search_agent' in", id="harness"
        ),
        pytest.param(
            within("harness", params={"max_iterations": 9, "tool_model_name": ""}),
            "harness.params.max_iterations is 50 in the first and 9 in the second",
            id="harness-params",
        ),
        pytest.param(otherwise(model="other"), "model is 'org/model_v1' in", id="model"),
        pytest.param(
            otherwise(model_params={"top_p": 1}), "model_params.top_p is None in", id="model-params"
        ),
        pytest.param(otherwise(has_canary=True), "has_canary is False in", id="canary"),
        pytest.param(otherwise(demo=True), "demo is False in", id="demo"),
        pytest.param(within("judge", base_url="http://other"), None, id="where the judge is served"),
        pytest.param(within("dataset", n_dataset_tasks=9), None, id="the number of tasks"),
    ],
)
def test_what_decides_a_result_must_be_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Change, line: str | None
) -> None:
    runs = leave_halves(tmp_path, change)
    if line is None:
        assert merged(tmp_path, runs) == 0
        return
    assert merged(tmp_path, runs) == 4
    told = capsys.readouterr().err
    assert told.startswith(f"{runs[0]!r} and {runs[1]!r}: {line}")
    assert told.endswith("; merge only runs that were asked and judged alike\n")
    assert told.count("\n") == 1
    assert not (tmp_path / "into").exists()


def test_a_run_of_another_number_of_attempts_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = leave_halves(tmp_path, otherwise(k=2))
    assert merged(tmp_path, runs) == 4
    assert "k is 1 in the first and 2 in the second" in capsys.readouterr().err


def test_every_difference_is_a_line_up_to_twenty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = {f"p{number:02}": number for number in range(30)}
    merged(tmp_path, leave_halves(tmp_path, otherwise(model_params=many)))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 21 and lines[-1] == "and 10 more differences"


def test_what_may_account_for_a_difference_is_noted_and_kept_as_an_issue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {"model": {"base_url": "http://b"}, "execution": {"run_timeout_seconds": 60}}
    runs = leave_halves(
        tmp_path,
        otherwise(configuration=other),
        configuration={"model": {"base_url": "http://a"}, "execution": {"run_timeout_seconds": 9000}},
    )
    merged(tmp_path, runs)
    lines = [
        "not the same in all merged runs: execution.run_timeout_seconds (60, 9000)",
        "not the same in all merged runs: model.base_url ('http://a', 'http://b')",
    ]
    assert [f"note: {line}" for line in lines] == capsys.readouterr().out.splitlines()[:2]
    assert metrics_of(tmp_path / "into")["volatile"]["issues"] == lines


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        pytest.param({"question": "Another?"}, "question", id="question"),
        pytest.param({"ground_truth": "x", "category": "2"}, "ground_truth, category", id="truth-and-level"),
    ],
)
def test_a_task_that_is_not_the_same_in_both_is_refused_without_showing_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: Mapping[str, Any], named: str
) -> None:
    left = made_of(tmp_path / "l", HALVED, HALVED_OUTCOMES)
    right = made_of(tmp_path / "r", [task(0, **changes), *HALVED[1:]], HALVED_OUTCOMES)
    assert merged(tmp_path, [str(left), str(right)]) == 4
    assert capsys.readouterr().err == (
        f"{str(left)!r} and {str(right)!r}: the task 't-0' is not the same in both ({named}); merge only "
        "runs of one revision of the dataset\n"
    )


def test_every_run_is_held_against_the_first_that_has_the_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three runs, of which one shares no task with the two that differ: in whatever order they are named."""
    other = task(1, question="Another?", ground_truth="another")
    runs = [
        str(made_of(tmp_path / name, [each], {each.task_id: "correct"}))
        for name, each in (("a", task(0)), ("b", task(1)), ("c", other))
    ]
    for order in permutations(runs):
        assert merged(tmp_path, order) == 4
        first, second = (name for name in order if name != runs[0])
        assert capsys.readouterr().err == (
            f"{first!r} and {second!r}: the task 't-1' is not the same in both (question, ground_truth); "
            "merge only runs of one revision of the dataset\n"
        )
    assert not (tmp_path / "into").exists()


def test_a_missing_shard_is_refused_where_the_whole_is_asked_for(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert merged(tmp_path, halves[1:], "--whole") == 4
    assert capsys.readouterr().err == (
        "2 selected items are in none of the runs (t-0, t-1); name the run directory of the missing shard "
        "too, or leave out --whole\n"
    )
    assert merged(tmp_path, halves, "--whole") == 0


def test_a_shard_whose_files_are_gone_is_named_where_the_whole_is_asked_for(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (Path(halves[0]) / "details" / "t-1.json").unlink()
    before = listing(tmp_path)
    assert merged(tmp_path, halves, "--whole") == 4
    assert capsys.readouterr().err == (
        f"{halves[0]!r} has lost what it kept under details/ of tasks it planned (t-1); restore the files, "
        "or leave out --whole\n"
    )
    assert listing(tmp_path) == before
    assert merged(tmp_path, halves) == 0


def test_a_file_that_is_gone_is_not_missed_where_another_run_has_the_attempt(
    tmp_path: Path, halves: list[str]
) -> None:
    again = made_of(tmp_path / "again", HALVED, HALVED_OUTCOMES)
    (Path(halves[0]) / "details" / "t-1.json").unlink()
    assert merged(tmp_path, [*halves, str(again)], "--whole") == 0


@pytest.mark.parametrize("place", ["", "details", "details/_spool/deep"], ids=["in it", "details", "deeper"])
def test_a_folder_within_a_run_is_never_merged_into(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str], place: str
) -> None:
    into, before = Path(halves[0]) / place / "into", files_of(tmp_path)
    assert main(["merge", *halves, "--into", str(into)]) == 4
    assert (
        capsys.readouterr().err
        == f"{str(into)!r} lies within the run {halves[0]!r}; name a folder beside it\n"
    )
    assert files_of(tmp_path) == before


DAMAGE: dict[str, Any] = {
    "planned": [["t-2"]],
    "k": True,
    "strategy": "best",
    "dataset": None,
    "judge": "x",
    "gates": [],
    "groups": {"colour": []},
    "issues": [[1]],
    "partial": [None],
    "prices": "x",
    "volatile": None,
    "configuration": [],
    "model": 3,
}


@pytest.mark.parametrize(("key", "value"), list(DAMAGE.items()), ids=list(DAMAGE))
def test_a_run_json_damaged_by_hand_is_one_line_and_exit_4(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str], key: str, value: Any
) -> None:
    file = Path(halves[1]) / "run.json"
    file.write_text(json.dumps({**described(file.parent), key: value}))
    for runs in (halves, halves[1:]):
        assert merged(tmp_path, runs) == 4
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"{str(file)!r} is no run.json of this version")
        assert not (tmp_path / "into").exists()


@pytest.mark.parametrize(
    ("place", "value"),
    [
        pytest.param("dataset", {"warnings": [1]}, id="warnings"),
        pytest.param("gates", {"scopes": "level1"}, id="scopes"),
    ],
)
def test_what_is_wrong_further_down_is_one_line_too(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str], place: str, value: dict[str, Any]
) -> None:
    file = Path(halves[1]) / "run.json"
    values = described(file.parent)
    file.write_text(json.dumps({**values, place: {**values[place], **value}}))
    assert merged(tmp_path, halves) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert f"({place}.{next(iter(value))} is " in line


def test_a_folder_that_exists_is_never_merged_into(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "into").mkdir()
    assert merged(tmp_path, halves) == 4
    assert capsys.readouterr().err == (
        f"{str(tmp_path / 'into')!r} exists; a merged run is made anew: name another folder\n"
    )


def test_a_run_named_twice_is_refused(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    again = str(Path(halves[0]) / ".." / "first")
    assert merged(tmp_path, [*halves, again]) == 4
    told = capsys.readouterr().err
    assert told == f"{halves[0]!r} and {again!r} are one run directory; name it once\n"


def test_a_run_that_has_not_ended_is_refused(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run = Path(halves[1])
    values = described(run)
    (run / "run.json").write_text(
        json.dumps({**values, "volatile": {**values["volatile"], "finished_at": None}})
    )
    (run / "metrics.json").unlink()
    assert merged(tmp_path, halves) == 4
    assert capsys.readouterr().err == (
        f"{str(run)!r} has not ended: wait for it or, if its session was killed, run "
        f"`python -m benchmarks summary {run}` first\n"
    )
    assert main(["summary", str(run)]) == 0
    assert merged(tmp_path, halves) == 0


@pytest.mark.parametrize(
    ("lost", "line"),
    [
        pytest.param("", "is no folder: name a run directory, the one that holds run.json", id="run"),
        pytest.param("run.json", "is missing: name a run directory that holds it", id="run.json"),
        pytest.param("details", "is missing: what is merged lies in it", id="details"),
        pytest.param("details/_plan", "cannot be read (No such file or directory): restore", id="task file"),
    ],
)
def test_a_run_that_is_not_whole_is_one_line_and_exit_4(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str], lost: str, line: str
) -> None:
    path = Path(halves[1]) / lost
    path.rename(tmp_path / "away")
    assert merged(tmp_path, halves) == 4
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and line in told
    assert not (tmp_path / "into").exists()


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        pytest.param(
            ("details/_plan/tasks.jsonl", "{}\n"), "cannot be read (KeyError): restore", id="no task"
        ),
        pytest.param(
            ("details/_plan/tasks.jsonl", "{"), "cannot be read (JSONDecodeError): restore", id="cut"
        ),
        pytest.param(("details/_plan/tasks.jsonl", ""), "lacks the planned task 't-2': restore", id="empty"),
        pytest.param(("details/t-2.json", "{"), "is no JSON", id="detail"),
        pytest.param(
            ("details/t-2.json", '{"attempts": {"1": {}}}'), "is no detail of this version", id="entry"
        ),
    ],
)
def test_a_broken_file_is_one_line_and_exit_4_and_nothing_is_left(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str], broken: tuple[str, str], line: str
) -> None:
    (Path(halves[1]) / broken[0]).write_text(broken[1])
    before = listing(tmp_path)
    assert main(["merge", *halves, "--into", str(tmp_path / "new" / "folder" / "into")]) == 4
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and line in told
    assert listing(tmp_path) == before


def test_the_folders_above_are_made(tmp_path: Path, halves: list[str]) -> None:
    assert main(["merge", *halves, "--into", str(tmp_path / "new" / "folder" / "into")]) == 0
    assert listing(tmp_path / "new" / "folder") == ["into"]


def test_a_disk_that_is_full_leaves_nothing_and_is_one_line(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device", str(path), len(text))

    monkeypatch.setattr(merging, "write_whole", full)
    before = listing(tmp_path)
    assert merged(tmp_path, halves) == 4
    assert capsys.readouterr().err == (
        f"{str(tmp_path / 'into')!r} cannot be made: No space left on device; name another folder\n"
    )
    assert listing(tmp_path) == before


def test_runs_that_cannot_be_reduced_are_one_line_and_exit_4(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> dict[str, Any]:
        raise ValueError("a tree without a root")

    monkeypatch.setattr(merging, "write_numbers", refuse)
    assert merged(tmp_path, halves) == 4
    assert capsys.readouterr().err == (
        "these runs cannot be reduced to one: ValueError: a tree without a root; restore each run.json\n"
    )
