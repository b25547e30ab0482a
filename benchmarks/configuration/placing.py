"""Where a run directory lies: `results/<benchmark>/<model>/<run>/`."""

import re
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from benchmarks.configuration.model import Placement
from benchmarks.configuration.problem import ConfigurationError, Problem, dotted

_UNFIT = re.compile(r"[^\w.+-]")
_FIRST_DOTS = re.compile(r"^\.+")
_UNFIT_IN_RUN_NAME = re.compile(r"[/\\\x00-\x1f]|\.\.")
_NAME_MAX_BYTES = 200


def run_directory(
    placement: Placement, benchmark: str, model_id: str, *, now: datetime, suffix: str = ""
) -> Path:
    """The directory of a run. It does not exist yet and is not made here.

    Without a run name it is the time in UTC, e.g. `results/gaia/org_m-1/20261130T120000Z`; a second run of
    that second gets `-2`.

    Args:
        placement: What the user asked for.
        benchmark: The benchmark's name.
        model_id: Any text; what is unfit for a path becomes `_`.
        now: A time with a time zone.
        suffix: What the name ends with, e.g. "-longseal"; an exact directory (`run_dir`) gets none.

    Raises:
        ConfigurationError: The directory asked for exists, or the run name is no name.
    """
    problem = placing_problem(placement, benchmark, model_id, suffix=suffix)
    if problem is not None:
        raise ConfigurationError([f"{dotted(problem.path)}: {problem.line}"])
    if placement.run_dir is not None:
        return Path(placement.run_dir).expanduser()
    parent = _parent(placement, benchmark, model_id)
    if placement.run_name is not None:
        return parent / f"{placement.run_name}{suffix}"
    moment = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    names = (f"{moment}{suffix}" if n == 1 else f"{moment}-{n}{suffix}" for n in count(1))
    return next(parent / name for name in names if not _exists(parent / name))


def placing_problem(
    placement: Placement, benchmark: str, model_id: str, *, suffix: str = ""
) -> Problem | None:
    """Why the directory that the user named cannot be had, ``None`` if it can."""
    if placement.run_dir is not None:
        return _taken(Path(placement.run_dir).expanduser(), ("run", "run_dir"))
    if placement.run_name is None:
        return None
    if not _is_name(placement.run_name):
        line = (
            f"{placement.run_name!r} is refused; it must be one part of a path without '..', e.g. 'nightly-1'"
        )
        return Problem(("run", "run_name"), line)
    name = f"{placement.run_name}{suffix}"
    return _taken(_parent(placement, benchmark, model_id) / name, ("run", "run_name"))


def path_part(text: str) -> str:
    """Any text as one part of a path: `org/m:7b` becomes `org_m_7b`; dots at its start become `_` too."""
    part = _FIRST_DOTS.sub(lambda dots: "_" * len(dots[0]), _UNFIT.sub("_", text))
    return part.encode()[:_NAME_MAX_BYTES].decode(errors="ignore") or "_"


def _parent(placement: Placement, benchmark: str, model_id: str) -> Path:
    return Path(placement.results_dir).expanduser() / benchmark / path_part(model_id)


def _is_name(text: str) -> bool:
    fits = len(text.encode(errors="replace")) <= _NAME_MAX_BYTES and not _UNFIT_IN_RUN_NAME.search(text)
    return fits and text.strip(". ") != ""


def _taken(directory: Path, key: tuple[str, str]) -> Problem | None:
    if not _exists(directory):
        return None
    line = f"the directory {str(directory)!r} exists, and a run never writes over another; name a new one"
    return Problem(key, line)


def _exists(path: Path) -> bool:
    return path.exists() or path.is_symlink()
