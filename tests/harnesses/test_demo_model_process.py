"""Starting and stopping the process that runs the model."""

import http.client
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from demo_library import write_library

from harnesses.demo.errors import DemoError
from harnesses.demo.model_process import ModelProcess, check_library, default_threads


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "library"
    folder.mkdir()
    write_library(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> "list[subprocess.Popen[str]]":
    """Every process that was started."""
    processes: list[subprocess.Popen[str]] = []
    real = subprocess.Popen

    def start(*args: Any, **options: Any) -> "subprocess.Popen[str]":
        processes.append(real(*args, **options))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    return processes


def status_of(url: str, key: str) -> int:
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    connection.request("POST", "/", json.dumps({}), {"Authorization": f"Bearer {key}"})
    status = connection.getresponse().status
    connection.close()
    return status


def test_the_model_is_served_with_a_key_while_it_is_open(
    started: "list[subprocess.Popen[str]]", tmp_path: Path
) -> None:
    with ModelProcess(tmp_path / "good.gguf", n_threads=1) as model:
        assert status_of(model.url, model.key) == 200
        assert status_of(model.url, "guessed") == 401
        assert started[0].poll() is None
    assert started[0].returncode is not None


def test_nothing_is_left_when_it_closes(started: "list[subprocess.Popen[str]]", tmp_path: Path) -> None:
    before = threading.active_count()
    model = ModelProcess(tmp_path / "good.gguf", n_threads=1)
    with pytest.raises(KeyError), model:
        raise KeyError
    model.stop()
    assert started[0].returncode is not None
    assert threading.active_count() == before
    assert not list(tmp_path.glob("demo-states-*"))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        pytest.param("broken.gguf", "RuntimeError: failed to load model", id="it-says-why"),
        pytest.param("crash.gguf", "it ended with code 3", id="it-crashes"),
    ],
)
def test_weights_that_cannot_be_served_are_one_line_and_leave_nothing(
    name: str, why: str, started: "list[subprocess.Popen[str]]", tmp_path: Path
) -> None:
    path = tmp_path / name
    line = f"llama.cpp cannot serve {str(path)!r} ({why}): give a whole .gguf file of a chat model"
    with pytest.raises(DemoError, match=f"^{re.escape(line)}$"), ModelProcess(path, n_threads=1):
        pass
    assert started[0].returncode is not None
    assert not list(tmp_path.glob("demo-states-*"))


def test_an_interpreter_that_ends_at_once_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with (
        pytest.raises(DemoError, match=r"it ended with code 1"),
        ModelProcess(tmp_path / "m.gguf", n_threads=1),
    ):
        pass


@pytest.mark.parametrize(("n_cores", "n_threads"), [(None, 1), (1, 1), (2, 1), (8, 7)])
def test_one_core_is_left_to_pytest(
    n_cores: int | None, n_threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: n_cores)
    assert default_threads() == n_threads


def missing(_: str) -> None:
    """Finds no module."""


def on(monkeypatch: pytest.MonkeyPatch, system: str, machine: str, libc: str) -> None:
    """A machine of that kind, without llama.cpp."""
    monkeypatch.setattr(importlib.util, "find_spec", missing)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(platform, "libc_ver", lambda: (libc, "2.36"))


@pytest.mark.parametrize(
    ("system", "machine", "libc"),
    [
        ("linux", "x86_64", "glibc"),
        ("linux", "aarch64", "glibc"),
        ("darwin", "arm64", ""),
        ("win32", "AMD64", ""),
    ],
)
def test_a_missing_package_is_one_line_with_the_command(
    system: str, machine: str, libc: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    on(monkeypatch, system, machine, libc)
    with pytest.raises(DemoError, match=r"'xllamacpp', which is not installed: pip install -e '\.\[demo\]'$"):
        check_library()


@pytest.mark.parametrize(
    ("system", "machine", "libc"),
    [
        pytest.param("darwin", "x86_64", "", id="intel-mac"),
        pytest.param("linux", "x86_64", "", id="musl"),
        pytest.param("linux", "riscv64", "glibc", id="riscv"),
    ],
)
def test_a_platform_without_a_wheel_is_one_line_that_says_so(
    system: str, machine: str, libc: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    on(monkeypatch, system, machine, libc)
    with pytest.raises(DemoError) as caught:
        check_library()
    assert str(caught.value) == (
        f"the demo has no prebuilt llama.cpp for '{system} {machine}'; there is one for Linux (glibc) on "
        "x86_64 or aarch64, macOS 13+ on arm64, Windows on amd64: run it there, or give --model and "
        "--model-base-url of an endpoint"
    )


def test_an_installed_package_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(_: str) -> object:
        return object()

    monkeypatch.setattr(importlib.util, "find_spec", found)
    check_library()
