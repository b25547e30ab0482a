"""Files fetched once into a cache."""

import hashlib
import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from harnesses.downloads import DownloadError, cache_dir, fetch_wheel, place, sha256_of


def make_wheel(folder: Path, *, name: str = "tide_tables", tag: str = "py3-none-any") -> Path:
    """A wheel that pip takes for one."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-1.0-{tag}.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}/data.txt", "high water at noon")
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: nope\n"
        )
        wheel.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("AGENT_BENCHMARKS_CACHE", str(folder))
    return folder


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip, by its own settings, takes for its index; no network."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    return folder


@pytest.fixture
def no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        pytest.fail("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)


def nothing(_: str) -> None:
    """Tells nobody, finds nothing."""


def test_the_cache_lies_where_its_own_variable_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AGENT_BENCHMARKS_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert cache_dir() == tmp_path / "own"


def test_the_cache_lies_under_the_shared_cache_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("AGENT_BENCHMARKS_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert cache_dir() == tmp_path / "shared" / "agent-benchmarks"


def test_the_cache_lies_in_the_home_folder_at_last(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("AGENT_BENCHMARKS_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert cache_dir() == tmp_path / ".cache" / "agent-benchmarks"


def test_a_digest_is_that_of_the_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"high water")
    assert sha256_of(path) == hashlib.sha256(b"high water").hexdigest()


def test_a_file_is_placed_with_the_folders_it_needs(tmp_path: Path) -> None:
    path = place(tmp_path / "a" / "b.txt", lambda partial: void(partial.write_text("whole")))
    assert path.read_text() == "whole"
    assert [entry.name for entry in path.parent.iterdir()] == ["b.txt"]


def void(_: object) -> None:
    """Drops a value."""


def test_a_file_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path) -> None:
    def half(partial: Path) -> None:
        partial.write_text("half")
        raise RuntimeError("cut")

    with pytest.raises(RuntimeError, match="cut"):
        place(tmp_path / "b.txt", half)
    assert list(tmp_path.iterdir()) == []


def test_two_that_place_one_file_at_once_both_find_it_whole(tmp_path: Path) -> None:
    both = Barrier(2)
    path = tmp_path / "b.txt"

    def produce(partial: Path) -> None:
        partial.write_text("whole")
        both.wait()

    threads = [Thread(target=place, args=(path, produce)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_wheel_comes_through_pip_and_into_the_cache(cache: Path, index: Path) -> None:
    make_wheel(index)
    told: list[str] = []
    wheel = fetch_wheel("tide-tables", "1.0", tell=told.append)
    assert wheel == cache / "wheels" / "tide_tables-1.0-py3-none-any.whl"
    assert zipfile.ZipFile(wheel).read("tide_tables/data.txt") == b"high water at noon"
    assert [entry.name for entry in wheel.parent.iterdir()] == [wheel.name]
    assert told[0] == "tide-tables 1.0: fetching once with pip"
    assert told[-1] == f"tide-tables 1.0: fetched, 0.0 MB, kept in {wheel.parent}"


@pytest.mark.usefixtures("no_process")
def test_a_cached_wheel_needs_no_process_and_tells_nothing(cache: Path) -> None:
    cached = make_wheel(cache / "wheels")
    assert fetch_wheel("Tide.Tables", "1.0", tell=pytest.fail) == cached


def test_a_wheel_for_another_python_can_be_fetched(cache: Path, index: Path) -> None:
    make_wheel(index, tag="cp399-none-any")
    with pytest.raises(DownloadError):
        fetch_wheel("tide-tables", "1.0", tell=nothing)
    wheel = fetch_wheel("tide-tables", "1.0", python_version="3.99", tell=nothing)
    assert wheel.name == "tide_tables-1.0-cp399-none-any.whl"


def test_a_wheel_that_is_nowhere_is_one_line_with_the_remedy(cache: Path, index: Path) -> None:
    with pytest.raises(DownloadError) as caught:
        fetch_wheel("tide-tables", "1.0", tell=nothing)
    line = str(caught.value)
    assert line == (
        "cannot fetch the wheel 'tide-tables==1.0': pip said 'No matching distribution found for "
        "tide-tables==1.0'; check the network and pip's index settings (`pip config list`), "
        f"or put that wheel into {str(cache / 'wheels')!r}"
    )
    assert list((cache / "wheels").iterdir()) == []


def test_an_index_that_is_down_is_told_as_such(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Port 9 of loopback: nobody listens. The user's own settings win over ours.
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    for name in ("PIP_NO_INDEX", "PIP_EXTRA_INDEX_URL", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(DownloadError, match=r"^cannot fetch the wheel .*; check the network and pip's index"):
        fetch_wheel("tide-tables", "1.0", tell=nothing)


@pytest.mark.usefixtures("cache", "no_process")
def test_an_interpreter_without_pip_is_one_line_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", nothing)
    with pytest.raises(
        DownloadError, match=r"has no pip; add it with `.* -m ensurepip`, or put that wheel into"
    ):
        fetch_wheel("tide-tables", "1.0", tell=nothing)


@pytest.mark.parametrize(
    ("printed", "line"),
    [
        pytest.param("Downloading tide-1.0.whl (92.9 MB)", "tide 1.0: downloading 92.9 MB", id="fresh"),
        pytest.param(
            "  Using cached tide-1.0.whl (12 kB)", "tide 1.0: downloading 12 kB", id="cached-by-pip"
        ),
    ],
)
@pytest.mark.usefixtures("cache")
def test_the_size_is_told_when_a_download_starts(
    printed: str, line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[str] = []
    use_pip_that_prints(monkeypatch, tmp_path, printed)
    with pytest.raises(DownloadError):
        fetch_wheel("tide", "1.0", tell=told.append)
    assert told == ["tide 1.0: fetching once with pip", line]


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        pytest.param("", "pip said 'nothing'", id="silent"),
        pytest.param("odd", "pip said 'odd'", id="no-error-line"),
        pytest.param("ERROR: one\nERROR: two\nafter", "pip said 'two'", id="last-error-line"),
        pytest.param(
            "WARNING: Retrying (Retry(total=0)) after ...\nERROR: none found",
            "the package index cannot be reached",
            id="no-network",
        ),
    ],
)
@pytest.mark.usefixtures("cache")
def test_the_reason_is_read_from_what_pip_prints(
    printed: str, reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_pip_that_prints(monkeypatch, tmp_path, printed)
    with pytest.raises(DownloadError) as caught:
        fetch_wheel("tide", "1.0", tell=nothing)
    assert f"'tide==1.0': {reason}; check" in str(caught.value)


def use_pip_that_prints(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> None:
    """Let the process print `text` and fetch nothing."""
    script = folder / "pip_that_prints.py"
    script.write_text(f"print({text!r}, end='')")
    real = subprocess.Popen

    def start(_: list[str], **options: Any) -> "subprocess.Popen[str]":
        return real([sys.executable, str(script)], **options)

    monkeypatch.setattr(subprocess, "Popen", start)
