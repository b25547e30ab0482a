"""A metrics.json read back: from a run directory or by itself, or one line that says why not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from comparison_scene import ended

from benchmarks.results.comparing.metrics_file import read_metrics
from benchmarks.results.files import RunFilesError

Written = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes a metrics.json with changes into a run directory; the path of the file."""

    def write(**changes: Any) -> Path:
        path = tmp_path / "metrics.json"
        path.write_text(json.dumps({**ended("ci"), "headline": "x", "series": {}, **changes}))
        return path

    return write


def test_a_run_directory_is_read_by_its_metrics(written: Written) -> None:
    path = written()
    assert read_metrics(path.parent) == read_metrics(path) == json.loads(path.read_text())


def test_a_metrics_file_may_have_any_name(written: Written, tmp_path: Path) -> None:
    path = written().rename(tmp_path / "main.json")
    assert read_metrics(path)["outcomes_by_task"] == {"t-00": ["correct"], "t-01": ["incorrect"]}


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFilesError, match=r"is no folder: name a run directory, .* or its metrics\.json$"):
        read_metrics(tmp_path / "nowhere")


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        RunFilesError, match=r"metrics\.json' is missing: name a run directory that holds it$"
    ):
        read_metrics(tmp_path)


def test_a_run_without_metrics_has_not_ended(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(
        RunFilesError, match=r"has not ended: wait for it or, .* `python -m benchmarks summary"
    ):
        read_metrics(tmp_path)


def test_format_1_is_refused_with_the_command_that_writes_it_anew(written: Written) -> None:
    path = written(format=1)
    with pytest.raises(RunFilesError, match=r"has format 1; .* `python -m benchmarks summary RUN` writes it"):
        read_metrics(path)
    with pytest.raises(
        RunFilesError, match=rf"format 1; .* `python -m benchmarks summary {path.parent}` wri"
    ):
        read_metrics(path.parent)


@pytest.mark.parametrize("version", [3, None, "2"])
def test_another_format_is_refused(written: Written, version: object) -> None:
    line = f"has format {version!r}; this version reads format 2: read it with the version that wrote it$"
    with pytest.raises(RunFilesError, match=line):
        read_metrics(written(format=version))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("{", r"is no JSON \(", id="broken"),
        pytest.param("[]", "holds no JSON object: restore the file$", id="list"),
        pytest.param('{"format": 1, "planned": []}', r"is no metrics\.json of a run: name a", id="run.json"),
        pytest.param("{}", r"is no metrics\.json of a run: name a", id="empty"),
    ],
)
def test_a_broken_or_foreign_file_is_one_line(written: Written, text: str, line: str) -> None:
    path = written()
    path.write_text(text)
    with pytest.raises(RunFilesError, match=line) as refused:
        read_metrics(path)
    assert "\n" not in str(refused.value)


def test_a_run_that_does_not_say_whether_it_was_stopped_is_refused(written: Written) -> None:
    path = written()
    values = json.loads(path.read_text("utf-8"))
    del values["stopped"]
    path.write_text(json.dumps(values))
    with pytest.raises(RunFilesError, match=r"no metrics\.json of this version \(stopped is missing\)"):
        read_metrics(path)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        pytest.param({"k": "1"}, "k is '1'", id="k-text"),
        pytest.param({"k": True}, "k is True", id="k-true"),
        pytest.param({"k": 0}, "k is 0, strategy 'avg'", id="k-zero"),
        pytest.param({"strategy": "best"}, "k is 1, strategy 'best'", id="strategy"),
        pytest.param({"judge": None}, "judge is None", id="judge"),
        pytest.param({"outcomes_by_task": None}, "outcomes_by_task is None", id="no-outcomes"),
        pytest.param({"outcomes_by_task": {"t-1": "correct"}}, "'t-1' ended 'correct'", id="no-list"),
        pytest.param({"outcomes_by_task": {"t-1": ["right"]}}, r"'t-1' ended \['right'\]", id="outcome"),
        pytest.param({"outcomes_by_task": {"t-1": [["correct"]]}}, "'t-1' ended", id="nested"),
        pytest.param({"outcomes_by_task": {"t-1": [None, None]}}, "'t-1' ended", id="more-than-k"),
        pytest.param({"partial": [1]}, "1 stands where a text should", id="partial"),
        pytest.param({"stopped": 1}, "1 stands where a text should", id="stopped"),
        pytest.param({"volatile": {}}, "None stands where a text should", id="run"),
    ],
)
def test_what_this_version_would_not_write_is_refused(
    written: Written, changes: dict[str, Any], fault: str
) -> None:
    with pytest.raises(
        RunFilesError, match=rf"no metrics\.json of this version \({fault}.*\): restore the fi"
    ):
        read_metrics(written(**changes))
