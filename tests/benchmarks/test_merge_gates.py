"""`python -m benchmarks merge` with gates: those asked for, those of the runs, and what is said of either."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from merging_scene import (
    HALVED,
    HALVED_OUTCOMES,
    described,
    leave_halves,
    made,
    made_of,
    merged,
    metrics_of,
    tried,
    undivided,
)

from benchmarks.configuration.model import Gates
from benchmarks.results.merging.gates import NO_GATES

GATED = {"min_accuracy": {"overall": 0.5}, "min_coverage": 0.0, "max_errors": None, "policy": "point"}


@pytest.fixture
def halves(tmp_path: Path) -> list[str]:
    """Two runs that are one run in two shards: of levels 1 and 2, and of level 3."""
    return leave_halves(tmp_path)


def test_no_gate_is_every_gate_left_out() -> None:
    assert {"scopes": {}, **{each.name: each.default for each in fields(Gates)}} == NO_GATES


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
    whole = undivided(HALVED)
    run = made(tmp_path / "first", whole, HALVED, [tried("t-0", 1, "correct")], stopped="interrupted")
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
    baseline = metrics_of(made_of(tmp_path / "main", HALVED, dict.fromkeys(HALVED_OUTCOMES, "correct")))
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
        pytest.param(
            "--min-accuracy=level1==0.5", "'level1==0.5' has an = too many; write e.g.", id="equals"
        ),
        pytest.param("--min-accuracy=-0", "'-0' is no share", id="a zero below zero"),
        pytest.param("--min-accuracy=0_1", "'0_1' is no share", id="a split number"),
        pytest.param("--min-coverage=1_0", "'1_0' is no share", id="a split coverage"),
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


@pytest.mark.parametrize("policy", ["point", "confident"])
@pytest.mark.parametrize("more", [[], ["--min-coverage=0.5"]], ids=["alone", "beside coverage"])
def test_a_policy_without_a_threshold_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], policy: str, more: list[str]
) -> None:
    """It would otherwise stand for all gates, and replace those of the runs by none."""
    runs = leave_halves(tmp_path, gates={**GATED, "min_accuracy": {"overall": 0.9}})
    assert merged(tmp_path, runs, f"--gate-policy={policy}", *more) == 4
    assert capsys.readouterr().err == (
        f"--gate-policy {policy} has nothing to decide on; give --min-accuracy too, or leave it out\n"
    )


def test_gates_of_the_runs_that_others_replace_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gates = {**GATED, "max_errors": 3, "baseline": "main"}
    assert merged(tmp_path, leave_halves(tmp_path, gates=gates), "--max-errors=0") == 0
    gone = (
        f"the merged runs had a gate {name}: not taken over, since others are asked for; give {name} too"
        for name in ("--min-accuracy", "--min-coverage")
    )
    baseline = (
        "the merged runs were held against a baseline: not taken over, since other gates are asked for; use "
        "`python -m benchmarks compare`"
    )
    told = [*gone, baseline]
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("note: ")] == [f"note: {line}" for line in told]
    assert metrics_of(tmp_path / "into")["volatile"]["issues"] == sorted(told)


def test_one_category_in_two_spellings_is_refused(
    tmp_path: Path, halves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert merged(tmp_path, halves, "--min-accuracy=level1=0.5", "--min-accuracy=Level 1=0.9") == 4
    assert capsys.readouterr().err == (
        "--min-accuracy: 'level1' and 'Level 1' are the same category '1' of gaia; keep one of them\n"
    )
