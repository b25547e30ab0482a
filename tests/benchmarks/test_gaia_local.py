"""`dataset_path`: which file it stands for, and Parquet through the child process."""

import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest
from gaia_rows import HUB_ROWS, compass_row, hub_row, isolate, write_jsonl, write_parquet

from benchmarks.benchmark import Dataset, DatasetError
from benchmarks.gaia.benchmark import Gaia
from benchmarks.gaia.params import GaiaParams
from benchmarks.gaia.sources import local
from benchmarks.sources import local as any_local


def load(path: Path, **params: Any) -> Dataset:
    return Gaia().load(GaiaParams(dataset_path=str(path), **params), tell=lambda _: None)


def ids(dataset: Dataset) -> list[str]:
    return [task.task_id for task in dataset.tasks]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch, tmp_path / "cache")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the Hub's repository without its README: each task lies in two Parquet files."""
    folder = tmp_path_factory.mktemp("clone")
    split = folder / "2023" / "validation"
    parquet = write_parquet(split / "metadata.parquet", HUB_ROWS)
    (split / "metadata.level1.parquet").write_bytes(parquet.read_bytes())
    (split / "colours.txt").write_text("teal\n")
    return folder


def test_a_clone_gives_each_task_once_with_its_attachment(clone: Path) -> None:
    dataset = load(clone)
    assert ids(dataset) == ["pond-1", "pond-2"]
    assert dataset.tasks[1].attachments == (str(clone / "2023" / "validation" / "colours.txt"),)


def test_parquet_is_read_once_and_then_out_of_the_cache(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(clone)
    monkeypatch.delattr(any_local, "ask_child")
    assert load(clone) == first


def test_the_session_itself_loads_no_parquet_library(clone: Path) -> None:
    before = set(sys.modules)
    load(clone)
    assert not {"datasets", "pyarrow", "pandas"} & (set(sys.modules) - before)


def test_a_parquet_file_without_rows_is_an_error(tmp_path: Path) -> None:
    parquet = write_parquet(tmp_path / "none.parquet", [])
    with pytest.raises(DatasetError, match=r"'none\.parquet' holds no task"):
        load(parquet)


def test_a_file_that_is_no_parquet_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "tasks.parquet").write_bytes(b"PAR0")
    with pytest.raises(
        DatasetError, match=r"^'tasks\.parquet' cannot be read as Parquet \(ArrowInvalid: .*; fetch"
    ):
        load(tmp_path)


def test_a_cache_that_cannot_be_written_is_one_line(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_BENCHMARKS_CACHE", str(clone / "2023" / "validation" / "colours.txt"))
    with pytest.raises(DatasetError, match=r"^cannot write '.*': Not a directory; make room there$"):
        load(clone)


def test_without_the_package_one_line_says_what_to_install(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "datasets.py").write_text("raise ModuleNotFoundError('gone', name='datasets')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(
        DatasetError, match=r"^the package 'datasets' cannot be imported; install it with `pip"
    ):
        load(clone)


def test_the_revision_is_the_digest_of_the_file_and_the_source_its_name(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "mine.jsonl", [hub_row()])
    dataset = load(file)
    assert dataset.revision == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (dataset.source, dataset.subset, dataset.warnings) == ("mine.jsonl", "local", ())


@pytest.mark.parametrize(
    ("files", "subset", "found"),
    [
        pytest.param(["metadata.jsonl", "other.jsonl"], "validation", "metadata.jsonl", id="metadata first"),
        pytest.param(
            ["metadata.jsonl", "metadata.parquet"], "validation", "metadata.parquet", id="parquet first"
        ),
        pytest.param(["only.jsonl", "notes.txt"], "validation", "only.jsonl", id="the only jsonl"),
        pytest.param(["only.parquet"], "validation", "only.parquet", id="the only parquet"),
        pytest.param(
            ["metadata.jsonl", "text_only_metadata.jsonl"],
            "text-103",
            "text_only_metadata.jsonl",
            id="text-103",
        ),
        pytest.param(
            ["metadata.jsonl", "text_only_metadata.jsonl"], "validation", "metadata.jsonl", id="not text-103"
        ),
        pytest.param(
            ["2023/validation/metadata.jsonl", "2023/test/metadata.jsonl"],
            "text",
            "2023/validation/metadata.jsonl",
            id="clone, validation",
        ),
        pytest.param(
            ["2023/validation/metadata.jsonl", "2023/test/metadata.jsonl"],
            "test",
            "2023/test/metadata.jsonl",
            id="clone, test",
        ),
    ],
)
def test_a_directory_stands_for_one_file(tmp_path: Path, files: list[str], subset: Any, found: str) -> None:
    for name in files:
        write_jsonl(tmp_path / name, [])
    assert local.find(str(tmp_path), subset) == tmp_path / found


def test_a_path_from_the_home_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write_jsonl(tmp_path / "tasks.jsonl", [compass_row()])
    assert ids(load(Path("~/tasks.jsonl"))) == ["mill-1"]


def test_several_files_that_could_be_meant_are_named(tmp_path: Path) -> None:
    for level in (1, 2):
        write_jsonl(tmp_path / f"metadata.level{level}.parquet", [])
    message = (
        r"holds several files \(metadata\.level1\.parquet, metadata\.level2\.parquet\); name the one to read"
    )
    with pytest.raises(DatasetError, match=message):
        load(tmp_path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("nowhere", "does not exist; name a directory, Parquet or JSONL file", id="missing"),
        pytest.param("tasks.csv", r"must be a directory or end in \.jsonl or \.parquet", id="another kind"),
        pytest.param(
            "empty", r"holds no metadata\.parquet, metadata\.jsonl or other file", id="empty folder"
        ),
    ],
)
def test_a_path_that_is_none_is_one_line(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "tasks.csv").write_text("task_id\n")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetError, match=f"^dataset_path '.*{name}' {message}.*$"):
        load(tmp_path / name)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_jsonl(tmp_path / "tasks.jsonl", [hub_row()])

    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(any_local, "sha256_of", refuse)
    with pytest.raises(DatasetError, match=r"^dataset_path '.*' cannot be read: Permission denied$"):
        load(file)
