"""`python -m benchmarks summary RUN`: the same bytes again, or one line and exit 4."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from results_scene import files_of, noon, record, run

from benchmarks.__main__ import main
from benchmarks.results import rebuild as rebuild_module
from benchmarks.results.files import RunFiles
from benchmarks.results.recorder import Recorder
from benchmarks.results.spool import Spool


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """A finished run with every way a unit may end."""
    folder = tmp_path / "run"
    made = Recorder(folder, run([f"t-{n}" for n in range(7)], answer_format="gaia"), now=noon)
    made.add(record("t-0"))
    made.add(record("t-1", "incorrect"))
    made.add(record("t-2"))
    made.add(record("t-2", "incorrect"))
    made.add_crash("t-3", 1, "died")
    made.add_crash("t-4", 1, "died")
    made.add(record("t-8"))
    _spool(folder, "t-4", "t-5")
    made.finish("-x")
    return folder


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A run whose controller was killed: no metrics, and a record in a spool that was never reported."""
    folder = tmp_path / "killed"
    made = Recorder(folder, run(["t-1", "t-2", "t-3", "t-4"]), now=noon)
    made.add(record("t-1"))
    made.add_crash("t-3", 1, "died")
    made.add(record("t-9"))
    _spool(folder, "t-1", "t-2", "t-3", "t-9")
    return folder


def _spool(folder: Path, *task_ids: str) -> None:
    spool = Spool(RunFiles(root=folder).spool("gw0"))
    for task_id in task_ids:
        spool.append(record(task_id))
    spool.close()


def test_metrics_and_summary_are_made_again_byte_for_byte(finished: Path) -> None:
    before = files_of(finished)
    for name in ("metrics.json", "summary.md"):
        (finished / name).unlink()
    assert main(["summary", str(finished)]) == 0
    assert files_of(finished) == before


def test_the_paths_of_both_files_are_printed(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["summary", str(finished)])
    assert capsys.readouterr().out == f"{finished / 'metrics.json'}\n{finished / 'summary.md'}\n"


def test_the_spools_are_not_needed_once_a_run_has_finished(finished: Path) -> None:
    before = files_of(finished)["metrics.json"]
    shutil.rmtree(finished / "details" / "_spool")
    main(["summary", str(finished)])
    assert files_of(finished)["metrics.json"] == before


def test_the_spools_of_a_killed_run_are_folded_first(killed: Path) -> None:
    assert main(["summary", str(killed)]) == 0
    metrics = json.loads((killed / "metrics.json").read_text("utf-8"))
    outcomes = {name: n for name, n in metrics["outcomes"].items() if n}
    assert outcomes == {"correct": 2, "unavailable": 2}
    assert metrics["stopped"] == "the session was killed before it could end"
    assert metrics["volatile"]["time"]["wall_s"] is None


def test_a_killed_run_made_again_is_the_same(killed: Path) -> None:
    main(["summary", str(killed)])
    once = files_of(killed)
    main(["summary", str(killed)])
    assert files_of(killed) == once


def test_a_killed_run_folded_again_is_the_same(killed: Path) -> None:
    main(["summary", str(killed)])
    once = files_of(killed)
    (killed / "metrics.json").unlink()
    main(["summary", str(killed)])
    assert files_of(killed) == once


def test_a_run_whose_metrics_could_not_be_written_is_not_taken_for_killed(finished: Path) -> None:
    (finished / "metrics.json").unlink()
    (finished / "details" / "t-6.json").unlink()
    main(["summary", str(finished)])
    metrics = json.loads((finished / "metrics.json").read_text("utf-8"))
    assert metrics["unavailable"]["no record in details/"] == 1
    assert metrics["stopped"] == "-x"


def test_an_attempt_in_a_detail_that_was_not_planned_is_not_counted(finished: Path) -> None:
    path = finished / "details" / "t-0.json"
    detail = json.loads(path.read_text("utf-8"))
    detail["attempts"]["2"] = detail["attempts"]["1"]
    path.write_text(json.dumps(detail))
    before = files_of(finished)["metrics.json"]
    main(["summary", str(finished)])
    assert files_of(finished)["metrics.json"] == before


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        pytest.param("run.json", None, "is missing: name a run directory that holds it", id="no-run-json"),
        pytest.param("run.json", "{", "is no JSON", id="cut-run-json"),
        pytest.param("run.json", "[]", "holds no JSON object: restore the file", id="list-in-run-json"),
        pytest.param("run.json", '{"format": 1}', "is no run.json of this version: 'planned'", id="fields"),
        pytest.param("run.json", '{"format": 9}', "run.json has format 9; this version reads", id="layout"),
        pytest.param("details/t-0.json", "{", "is no JSON", id="cut-detail"),
        pytest.param("details/t-0.json", "{}", "is no detail of this version", id="empty-detail"),
        pytest.param(
            "details/t-0.json", '{"attempts": {"1": {}}}', "is no detail of this version", id="entry"
        ),
        pytest.param("details/t-0.json", "\udcff", "is no JSON", id="bytes"),
    ],
)
def test_a_broken_file_is_one_line_and_exit_4(
    finished: Path, capsys: pytest.CaptureFixture[str], name: str, text: str | None, line: str
) -> None:
    path = finished / name
    path.unlink()
    if text is not None:
        path.write_bytes(text.encode(errors="surrogateescape"))
    assert main(["summary", str(finished)]) == 4
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith(repr(str(path)))
    assert line in error


@pytest.mark.parametrize("name", ["nowhere", "run.json"], ids=["no-folder", "a-file"])
def test_a_wrong_path_is_one_line_and_exit_4(
    finished: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["summary", str(finished / name)]) == 4
    assert capsys.readouterr().err.endswith(
        "is no folder: name a run directory, the one that holds run.json\n"
    )


def test_a_run_without_details_is_one_line_and_exit_4(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(finished / "details")
    assert main(["summary", str(finished)]) == 4
    assert "is missing: the numbers are reduced from the details in it" in capsys.readouterr().err


def test_an_unreadable_file_is_one_line_and_exit_4(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (finished / "run.json").unlink()
    (finished / "run.json").mkdir()
    assert main(["summary", str(finished)]) == 4
    assert "cannot be read: " in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_one_line_and_exit_4(
    finished: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device", str(path), len(text))

    monkeypatch.setattr(rebuild_module, "write_whole", full)
    assert main(["summary", str(finished)]) == 4
    assert capsys.readouterr().err == f"{str(finished)!r} cannot be written: No space left on device\n"


def test_a_killed_run_that_cannot_be_written_is_one_line_and_exit_4(
    killed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (killed / "summary.md").mkdir()
    assert main(["summary", str(killed)]) == 4
    assert capsys.readouterr().err.startswith("summary.md could not be written: ")


@pytest.mark.parametrize(
    "change",
    [
        {"planned": [["t-1", 1, "1"]] * 2},
        {"prices": {"model": {"input_usd_per_million_tokens": "2"}}},
        {"aggregation_mode": "q"},
    ],
    ids=["planned twice", "a price that is text", "an aggregation that there is not"],
)
def test_a_run_json_changed_by_hand_is_one_line_and_exit_4(
    finished: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any]
) -> None:
    values = json.loads((finished / "run.json").read_text("utf-8"))
    (finished / "run.json").write_text(json.dumps({**values, **change}))
    assert main(["summary", str(finished)]) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert "cannot be reduced: " in line and line.endswith("restore run.json")


@pytest.mark.parametrize("argv", [[], ["splendid"], ["summary"]], ids=["none", "unknown", "no-run"])
def test_without_a_command_the_usage_is_shown_and_exit_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: python -m benchmarks")


def test_the_module_runs_as_a_program(finished: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "summary", str(finished)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_run_json_nested_without_end_is_one_line(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (finished / "run.json").write_text("[" * 200_000)
    assert main(["summary", str(finished)]) == 4
    assert "is no JSON" in capsys.readouterr().err
