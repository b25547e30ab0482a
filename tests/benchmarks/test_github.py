"""What GitHub Actions is told."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.report.github import MAX_SUMMARY_BYTES, Told, annotations, outputs, tell_github


def told(
    folder: Path = Path("r"),
    *,
    key: str = "gaia",
    value: float | None = 0.5,
    errors: dict[str, int] | None = None,
    regressed: list[str] | None = None,
    **gate: Any,
) -> Told:
    metrics: dict[str, Any] = {
        "headline": "h",
        "series": {"h": {"value": value}},
        "gate": {"status": "none", "exit_code": None, "sentence": "No gate was set.", **gate},
        "errors": {"run_error": errors or {}, "judge_error": {}},
        "baseline": None if regressed is None else {"paired": {"regressed": regressed}},
    }
    return Told(key=key, directory=folder, metrics=metrics)


def actions(tmp_path: Path, **more: str) -> dict[str, str]:
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "step"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        **more,
    }


def run_in(folder: Path, text: str = "# Result\n", **more: Any) -> Told:
    folder.mkdir(exist_ok=True)
    (folder / "summary.md").write_text(text, "utf-8")
    return told(folder, **more)


def read_outputs(path: Path) -> dict[str, str]:
    """As the runner reads them."""
    lines, values = iter(path.read_text("utf-8").split("\n")), dict[str, str]()
    for line in lines:
        if line:
            name, _, delimiter = line.partition("<<")
            values[name] = "\n".join(iter(lines.__next__, delimiter))
    return values


@pytest.mark.parametrize("variables", [{}, {"GITHUB_ACTIONS": "false"}], ids=["not set", "false"])
def test_outside_actions_nothing_is_written_or_printed(tmp_path: Path, variables: dict[str, str]) -> None:
    environment = {**actions(tmp_path), "GITHUB_ACTIONS": "", **variables}
    lines = tell_github([run_in(tmp_path / "r")], exit_code=0, gate="none", environment=environment)
    assert (lines, sorted(path.name for path in tmp_path.iterdir())) == ([], ["r"])


def test_this_process_s_own_variables_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in actions(tmp_path).items():
        monkeypatch.setenv(name, value)
    tell_github([run_in(tmp_path / "r")], exit_code=0, gate="none")
    assert (tmp_path / "step").read_text() == "# Result\n"


def test_a_session_without_a_run_tells_nothing(tmp_path: Path) -> None:
    assert tell_github([], exit_code=5, gate="none", environment=actions(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


def test_summaries_are_added_to_what_stands_there(tmp_path: Path) -> None:
    (tmp_path / "step").write_text("before\n")
    runs = [run_in(tmp_path / "a", "# A\n"), run_in(tmp_path / "b", "# B\n", key="sealqa")]
    assert tell_github(runs, exit_code=0, gate="none", environment=actions(tmp_path)) == []
    assert (tmp_path / "step").read_text() == "before\n# A\n\n# B\n"


@pytest.mark.parametrize("n_before", [0, 1000, MAX_SUMMARY_BYTES - 10, MAX_SUMMARY_BYTES])
def test_a_summary_too_large_for_the_runner_is_cut_and_says_so(tmp_path: Path, n_before: int) -> None:
    (tmp_path / "step").write_bytes(b"x" * n_before)
    big = run_in(tmp_path / "r", "| é |\n" * 300_000)
    tell_github([big], exit_code=0, gate="none", environment=actions(tmp_path))
    written = (tmp_path / "step").read_bytes()
    assert len(written) <= MAX_SUMMARY_BYTES
    if n_before <= 1000:
        assert written.decode().endswith("in the run directory)*\n")
        assert "\n| é |\n\n*(cut here" in written.decode()
    else:
        assert len(written) == n_before, "not even the note has room"


def test_what_cannot_be_written_is_one_warning(tmp_path: Path) -> None:
    environment = actions(tmp_path, GITHUB_OUTPUT=str(tmp_path / "no" / "output"))
    lines = tell_github([told(tmp_path / "gone")], exit_code=0, gate="none", environment=environment)
    assert [line.partition("::warning title=not written::")[2].partition(":")[0] for line in lines] == [
        "GITHUB_STEP_SUMMARY",
        "GITHUB_OUTPUT",
    ]


def test_files_that_are_not_asked_for_are_not_written(tmp_path: Path) -> None:
    environment = {"GITHUB_ACTIONS": "true"}
    assert tell_github([run_in(tmp_path / "r")], exit_code=0, gate="none", environment=environment) == []


def test_the_outputs_of_one_run(tmp_path: Path) -> None:
    run = run_in(tmp_path / "r", status="missed", exit_code=1)
    tell_github([run], exit_code=1, gate="missed", environment=actions(tmp_path))
    assert read_outputs(tmp_path / "output") == {
        "exit_code": "1",
        "gate": "missed",
        "accuracy": "0.5",
        "run": str(tmp_path / "r"),
    }


def test_several_runs_have_outputs_of_their_own() -> None:
    runs = [
        told(Path("a"), status="passed", exit_code=0),
        told(Path("b"), key="sealqa seal-0", value=None, status="not_measured", exit_code=10),
    ]
    assert outputs(runs, exit_code=10, gate="not_measured") == {
        "exit_code": "10",
        "gate": "not_measured",
        "accuracy_gaia": "0.5",
        "run_gaia": "a",
        "gate_gaia": "passed",
        "accuracy_sealqa_seal_0": "",
        "run_sealqa_seal_0": "b",
        "gate_sealqa_seal_0": "not_measured",
    }


@unhurried
@given(text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=40))
def test_no_value_ends_its_own_output(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("github", numbered=True)
    run = run_in(folder / "r")
    odd = Told(key="gaia", directory=Path(f"a\nend-\nexit_code=0\n{text}"), metrics=run.metrics)
    tell_github([odd], exit_code=1, gate="missed", environment=actions(folder))
    assert read_outputs(folder / "output")["exit_code"] == "1"


def test_a_gate_trouble_and_regressed_tasks_are_annotated() -> None:
    run = told(
        errors={"HTTP 500": 1, "timed out": 3},
        regressed=["t-1"],
        status="not_measured",
        exit_code=10,
        sentence="Gate not measured: coverage.",
    )
    assert annotations([run]) == [
        "::error title=gaia%3A gate not measured::Gate not measured: coverage.",
        "::error title=gaia%3A run error::3 attempts: timed out",
        "::error title=gaia%3A run error::1 attempt: HTTP 500",
        "::warning title=gaia%3A regressed::t-1 is no longer correct",
    ]


@pytest.mark.parametrize("exit_code", [None, 0])
def test_no_gate_and_a_passed_one_are_not_annotated(exit_code: int | None) -> None:
    assert annotations([told(exit_code=exit_code)]) == []


def test_a_baseline_that_could_not_be_compared_has_no_regressed_tasks() -> None:
    run = told()
    run = Told(key="gaia", directory=run.directory, metrics={**run.metrics, "baseline": {"paired": None}})
    assert annotations([run]) == []


def test_of_many_annotations_the_tenth_counts_the_rest() -> None:
    lines = annotations(
        [told(errors={f"c {n:02}": 1 for n in range(40)}, regressed=[f"t-{n}" for n in range(11)])]
    )
    errors = [line for line in lines if line.startswith("::error")]
    warnings = [line for line in lines if line.startswith("::warning")]
    assert (len(errors), len(warnings)) == (10, 10)
    assert errors[-1] == "::error title=and more::31 further errors, by cause, in summary.md"
    assert warnings[-1] == "::warning title=and more::2 further regressed tasks in metrics.json"


@unhurried
@given(text=st.text(max_size=40))
def test_no_text_ends_its_command_or_starts_another(text: str) -> None:
    run = told(key=f"k{text}", errors={text: 1}, status="missed", exit_code=1, sentence=text)
    for line in annotations([run]):
        assert "\n" not in line and "\r" not in line
        head, _, _ = line.removeprefix("::error title=").partition("::")
        assert ":" not in head and "," not in head
