"""Starts and stops the process that runs the model."""

import importlib.util
import json
import os
import platform
import secrets
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

from harnesses.demo import native_server
from harnesses.demo.errors import DemoError

CONTEXT_TOKENS = 4096
"""Prompt and reply together; 94 MB of memory with the default model."""

START_TIMEOUT_S = 120.0
"""Seconds until the weights must be loaded; the default model takes one."""

_PLATFORMS = "Linux (glibc) on x86_64 or aarch64, macOS 13+ on arm64, Windows on amd64"


def default_threads() -> int:
    """Threads for the model: all cores but one, at least 1.

    The spare core belongs to pytest: with a busy neighbour, two threads on two cores took twice as long as
    one, because llama.cpp's threads wait for each other at every step.
    """
    return max(1, (os.cpu_count() or 1) - 1)


def check_library() -> None:
    """See that llama.cpp is there, before anything is fetched.

    Raises:
        DemoError: It is not installed, or there is none for this platform.
    """
    if importlib.util.find_spec(native_server.LIBRARY) is not None:
        return
    here = (sys.platform, platform.machine().lower())
    if here not in {
        ("linux", "x86_64"),
        ("linux", "aarch64"),
        ("darwin", "arm64"),
        ("win32", "amd64"),
    } or (here[0] == "linux" and platform.libc_ver()[0] != "glibc"):
        raise DemoError(
            f"the demo has no prebuilt llama.cpp for {' '.join(here)!r}; there is one for {_PLATFORMS}: "
            "run it there, or give --model and --model-base-url of an endpoint"
        )
    raise DemoError(
        f"the demo needs the package {native_server.LIBRARY!r}, which is not installed: "
        "pip install -e '.[demo]'"
    )


class ModelProcess:
    """A context manager: llama.cpp serves `weights` on loopback while it is open.

    `url` is the address, e.g. ``"http://127.0.0.1:40123"``, and `key` what it must be asked with; both are
    there once it is entered.
    """

    def __init__(self, weights: Path, *, n_threads: int) -> None:
        self.url = ""
        self.key = secrets.token_hex(16)
        self._weights = weights
        self._n_threads = n_threads
        self._process: subprocess.Popen[str] | None = None
        self._states_dir: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        self._states_dir = tempfile.TemporaryDirectory(prefix="demo-states-", ignore_cleanup_errors=True)
        try:
            self.url = self._start(self._states_dir.name)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, frames: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the process at once, whatever it is doing; harmless when it has ended."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
        if self._states_dir is not None:
            self._states_dir.cleanup()
            self._states_dir = None

    def _start(self, states_dir: str) -> str:
        settings = {
            "weights": str(self._weights),
            "key": self.key,
            "n_threads": self._n_threads,
            "n_context_tokens": CONTEXT_TOKENS,
            "states_dir": states_dir,
        }
        root = str(Path(__file__).parents[2])
        self._process = process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
            [sys.executable, "-m", native_server.__name__],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH")))),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        watchdog = threading.Timer(START_TIMEOUT_S, process.kill)
        watchdog.start()
        try:
            return self._first_line(process, settings)
        finally:
            watchdog.cancel()
            watchdog.join()

    def _first_line(self, process: "subprocess.Popen[str]", settings: dict[str, Any]) -> str:
        orders, replies = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
        with suppress(BrokenPipeError):
            orders.write(json.dumps(settings) + "\n")
            orders.flush()
        line = replies.readline()
        reply: dict[str, Any] = json.loads(line) if line else {}
        if "url" in reply:
            return str(reply["url"])
        why = reply.get("error") or f"it ended with code {process.wait()}"
        raise DemoError(
            f"llama.cpp cannot serve {str(self._weights)!r} ({why}): give a whole .gguf file of a chat model"
        )
