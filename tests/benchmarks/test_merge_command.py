"""`python -m benchmarks merge RUN RUN ... --into DIR`: what is refused, what is gated, what is left."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from merging_scene import described, made, made_of, metrics_of, shard, task, tried, undivided
from results_scene import files_of

from benchmarks.__main__ import main
from benchmarks.results.merging import merge as merging
from benchmarks.results.run_description import RunDescription

TASKS = [task(0), task(1), task(2)]
OUTCOMES = {"t-0": "correct", "t-1": "correct", "t-2": "incorrect"}
GATED = {"min_accuracy": {"overall": 0.5}, "min_coverage": 0.0, "max_errors": None, "policy": "point"}

Change = Callable[[RunDescription], RunDescription]


@pytest.fixture
def halves(tmp_path: Path) -> list[str]:
    """Two runs that are one run in two shards: of levels 1 and 2, and of level 3."""
    return leave_halves(tmp_path)


def leave_halves(folder: Path, change: Change = lambda run: run, **changes: Any) -> list[str]:
    whole = undivided(TASKS, **changes)
    left, right = shard(whole, TASKS, [("t-0", 1), ("t-1", 1)]), shard(whole, TASKS, [("t-2", 1)])
    records = {name: tried(name, 1, outcome) for name, outcome in OUTCOMES.items()}
    first = made(folder / "first", left, TASKS, [records["t-0"], records["t-1"]])
    second = made(folder / "second", change(right), TASKS, [records["t-2"]])
    return [str(first), str(second)]


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def merged(tmp_path: Path, runs: list[str], *more: str) -> int:
    return main(["merge", *runs, "--into", str(tmp_path / "into"), *more])


def test_two_shards_leave_the_run_that_an_undivided_session_would_have_left(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert merged(tmp_path, halves) == 0
    into = tmp_path / "into"
    assert capsys.readouterr().out.splitlines()[-2:] == [str(into / "metrics.json"), str(into / "summary.md")]
    undivided_run = made_of(tmp_path / "whole" / "into", TASKS, OUTCOMES)
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


@pytest.mark.parametrize(
    ("asked", "ends"),
    [
        pytest.param([], (0, "No gate was set."), id="none"),
        pytest.param(["--min-accuracy=0.6"], (0, "Gate passed"), id="passed"),
        pytest.param(["--min-accuracy=0.7"], (1, "Gate missed"), id="missed"),
        pytest.param(["--min-accuracy=0.7", "--gate-policy=confident"], (11, "inconclusive"), id="confident"),
        pytest.param(["--min-accuracy=overall=0.6"], (0, "Gate passed"), id="overall by name"),
        pytest.param(["--min-accuracy=GAIA=0.6"], (0, "Gate passed"), id="the benchmark"),
        pytest.param(["--min-accuracy=level3=0.1"], (1, "level3"), id="a level missed"),
        pytest.param(["--min-accuracy=3=0.1"], (1, "Gate missed"), id="a level by its value"),
        pytest.param(["--min-accuracy=Level 1=1"], (0, "Gate passed"), id="a level as words"),
        pytest.param(["--min-accuracy=0", "--min-accuracy=level3=0.5"], (1, "level3"), id="two scopes"),
        pytest.param(["--max-errors=0"], (0, "Gate passed"), id="no errors"),
        pytest.param(["--min-coverage=1"], (0, "Gate passed"), id="coverage"),
    ],
)
def test_the_exit_code_is_that_of_the_gate_asked_for(
    tmp_path: Path,
    halves: list[str],
    capsys: pytest.CaptureFixture[str],
    asked: list[str],
    ends: tuple[int, str],
) -> None:
    code = merged(tmp_path, halves, *asked)
    assert code == ends[0] and ends[1] in capsys.readouterr().out


def test_what_a_missing_shard_leaves_out_is_not_measured(tmp_path: Path) -> None:
    whole = undivided(TASKS)
    run = made(tmp_path / "first", whole, TASKS, [tried("t-0", 1, "correct")], stopped="interrupted")
    assert merged(tmp_path, [str(run)], "--min-accuracy=0") == 10


def test_the_gates_of_the_parts_hold_where_all_have_the_same(tmp_path: Path) -> None:
    assert merged(tmp_path, leave_halves(tmp_path, gates={**GATED, "min_accuracy": {"overall": 0.9}})) == 1
    assert metrics_of(tmp_path / "into")["gates"]["min_accuracy"] == {"overall": 0.9}


def test_scopes_that_only_some_parts_know_are_joined(tmp_path: Path) -> None:
    def of_level(level: str) -> dict[str, Any]:
        return {**GATED, "min_accuracy": {"level1": 0.0}, "scopes": {"level1": "1"} if level == "1" else {}}

    runs = leave_halves(tmp_path, lambda run: replace(run, gates=of_level("3")), gates=of_level("1"))
    assert merged(tmp_path, runs) == 0
    assert metrics_of(tmp_path / "into")["gates"]["scopes"] == {"level1": "1"}


def test_different_gates_of_the_parts_are_not_taken_over_and_the_user_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = leave_halves(tmp_path, lambda run: replace(run, gates={**GATED, "min_coverage": 1.0}), gates=GATED)
    assert merged(tmp_path, runs) == 0
    assert (
        "note: the merged runs had different gates: none is set; give --min-accuracy when you merge"
        in capsys.readouterr().out
    )
    assert metrics_of(tmp_path / "into")["gate"]["status"] == "none"


def test_a_gate_asked_for_wins_over_those_of_the_parts(tmp_path: Path) -> None:
    assert merged(tmp_path, leave_halves(tmp_path, gates=GATED), "--min-accuracy=0.7") == 1
    assert metrics_of(tmp_path / "into")["gates"]["min_coverage"] is None


def test_the_merged_run_is_held_against_the_baseline_of_all_its_parts(tmp_path: Path) -> None:
    baseline = metrics_of(made_of(tmp_path / "main", TASKS, dict.fromkeys(OUTCOMES, "correct")))
    gates = {**GATED, "min_accuracy": None, "baseline": "main", "max_regression": 0.2}
    assert merged(tmp_path, leave_halves(tmp_path, gates=gates, baseline=baseline)) == 1
    assert metrics_of(tmp_path / "into")["baseline"]["base"]["run"] == "main"


def test_different_baselines_of_the_parts_are_not_taken_over_and_the_user_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gates = {**GATED, "baseline": "main", "max_regression": 0.1}
    runs = leave_halves(tmp_path, gates=gates)
    values = described(Path(runs[1]))
    (Path(runs[1]) / "run.json").write_text(json.dumps({**values, "baseline": {"run": "other"}}))
    assert merged(tmp_path, runs) == 0
    assert "note: the merged runs had different baselines: none is taken over" in capsys.readouterr().out
    assert described(tmp_path / "into")["gates"] == {
        **gates,
        "baseline": None,
        "max_regression": None,
    }


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
    left = made_of(tmp_path / "l", TASKS, OUTCOMES)
    right = made_of(tmp_path / "r", [task(0, **changes), *TASKS[1:]], OUTCOMES)
    assert merged(tmp_path, [str(left), str(right)]) == 4
    assert capsys.readouterr().err == (
        f"{str(left)!r} and {str(right)!r}: the task 't-0' is not the same in both ({named}); merge only "
        "runs of one revision of the dataset\n"
    )


def test_a_missing_shard_is_refused_where_the_whole_is_asked_for(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert merged(tmp_path, halves[1:], "--whole") == 4
    assert capsys.readouterr().err == (
        "2 selected items are in none of the runs (t-0, t-1); name the run directory of the missing shard "
        "too, or leave out --whole\n"
    )
    assert merged(tmp_path, halves, "--whole") == 0


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


def test_a_scope_that_is_not_there_is_refused_with_those_that_are(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert merged(tmp_path, halves, "--min-accuracy=level4=0.5") == 4
    assert capsys.readouterr().err == (
        "the scope 'level4' of --min-accuracy is not there; scopes present: overall, gaia, 1, 2, 3\n"
    )
    assert not (tmp_path / "into").exists()


def test_a_scope_given_twice_is_refused(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert merged(tmp_path, halves, "--min-accuracy=0.5", "--min-accuracy=overall=0.6") == 4
    assert capsys.readouterr().err == "--min-accuracy is given twice for 'overall'; keep one of them\n"


@pytest.mark.parametrize(
    ("word", "line"),
    [
        pytest.param("--min-accuracy=much", "'much' is no share: give a number from 0 to 1", id="word"),
        pytest.param("--min-accuracy=60", "'60' is no share", id="percent"),
        pytest.param("--min-accuracy=nan", "'nan' is no share", id="nan"),
        pytest.param("--min-accuracy==0.5", "'=0.5' names no scope; write e.g. level1=0.8", id="blank scope"),
        pytest.param("--min-coverage=-1", "'-1' is no share", id="coverage"),
        pytest.param("--max-errors=few", "'few' is no count: give a whole number of 0 or more", id="count"),
    ],
)
def test_a_threshold_that_is_none_is_refused_with_the_usage(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str], word: str, line: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        merged(tmp_path, halves, word)
    assert ended.value.code == 2
    assert line in capsys.readouterr().err


def test_a_policy_without_a_threshold_is_refused(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert merged(tmp_path, halves, "--gate-policy=confident") == 4
    assert "has nothing to decide on; give --min-accuracy too" in capsys.readouterr().err
