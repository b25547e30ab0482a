"""Going on: the command that takes up a session where it ended, as one line for the terminal (controller)."""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.configuration.masking import HIDDEN
from benchmarks.configuration.model import Placement
from benchmarks.report.ending import Finished
from benchmarks.run import Run, Session, redactor_key

_REPLACED = frozenset({"--resume", "--rejudge", "--run-name", "--run-dir"})
"""Options with a value that the command to go on with has anew, or not at all."""
_KEY = "--model-api-key"
"""Not in a line that others read over a shoulder or in a log: the key comes from its variable."""
_OF_PYTESTS_MEMORY = frozenset(
    {"--lf", "--last-failed", "--ff", "--failed-first", "--nf", "--new-first", "--sw", "--stepwise"}
    | {"--sw-skip", "--stepwise-skip", "--sw-reset", "--stepwise-reset"}
)
"""What they select has changed since; the run that is gone on from knows what was selected."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """The command that started a session.

    `program` is what was called, ``(".venv/bin/pytest",)``, `words` are its arguments, ``("benchmarks/gaia",
    "-x")``, and `folder` is where that was. `stops_early`: a failed item ends it (`-x`, `--maxfail`).
    """

    words: tuple[str, ...]
    folder: Path
    stops_early: bool = False
    program: tuple[str, ...] = ("pytest",)

    @classmethod
    def of(cls, config: pytest.Config) -> "Command":
        """The command of this controller."""
        given = config.invocation_params
        return cls(
            words=tuple(map(str, given.args)),
            folder=given.dir,
            stops_early=bool(config.getoption("maxfail", 0)),
            program=program_of(sys.argv[0], given.dir),
        )


def is_whole(metrics: Mapping[str, Any]) -> bool:
    """Whether a run has nothing left to be asked or judged."""
    outcomes = metrics["outcomes"]
    left = sum(outcomes[name] for name in ("run_error", "judge_error", "unavailable"))
    return metrics["stopped"] is None and left == 0


def going_on(
    command: Command, runs: Sequence[Run], *, placement: Placement, judges_again: bool = False
) -> list[str]:
    """The words of the command that goes on with these runs, all of one session: `--resume` for each.

    A run that judges answers again is begun again: what it had judged cost no attempt. A name of the user's
    is counted on, since none is used twice. What had failed is taken over as a failed item, which must not
    end the next session at once.
    """
    words = [*command.program, *_kept(command.words)]
    if judges_again:
        words += [f"--rejudge={_shown(path, command.folder)}" for run in runs if (path := _parent(run))]
    else:
        words += [f"--resume={_shown(run.directory, command.folder)}" for run in runs if run.directory]
    words += _place(runs, placement, command.folder)
    return [*words, "--maxfail=0"] if command.stops_early else words


def program_of(called: str, folder: Path) -> tuple[str, ...]:
    """What was called, so that it can be called again: a script, or a module of this interpreter."""
    path = Path(called)
    if path.name == "__main__.py":
        return _shown(Path(sys.executable), folder), "-m", "pytest"
    if called in {"", "-c"}:  # called from Python's own words
        return ("pytest",)
    return (_shown(path, folder) if path.is_absolute() else called,)


def _kept(words: Iterable[str]) -> Iterator[str]:
    """The words without the options that are replaced, and their values."""
    left = iter(words)
    for word in left:
        if word in {*_REPLACED, _KEY}:
            next(left, None)
        elif word.partition("=")[0] not in {*_REPLACED, *_OF_PYTESTS_MEMORY, _KEY}:
            yield word


def _parent(run: Run) -> Path | None:
    path = None if run.parent is None else run.parent["path"]
    return None if path is None or run.directory is None else Path(os.path.normpath(run.directory / path))


def _place(runs: Sequence[Run], placement: Placement, folder: Path) -> list[str]:
    """Where the next session writes, if the user said where this one does."""
    places = [(run.directory, run.choice.run_suffix) for run in runs if run.directory is not None]
    if placement.run_dir is not None:
        return [f"--run-dir={_shown(_next(directory), folder)}" for directory, _ in places[:1]]
    if placement.run_name is not None:
        return [
            f"--run-name={_next(directory, suffix=suffix).name.removesuffix(suffix)}"
            for directory, suffix in places[:1]
        ]
    return []


def _next(directory: Path, *, suffix: str = "") -> Path:
    """The directory of the next run of that name: "nightly", "nightly-2", "nightly-3"."""
    name = directory.name.removesuffix(suffix)
    stem, _, number = name.rpartition("-")
    is_counted = bool(stem) and number.isascii() and number.isdigit() and len(number) < 4
    base, n = (stem, int(number)) if is_counted else (name, 1)
    while (found := directory.with_name(f"{base}-{n + 1}{suffix}")).exists():
        n += 1
    return found


def _shown(path: Path, folder: Path) -> str:
    """As the user would write it who stands in `folder`."""
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)


class GoingOn:
    """Tells on the terminal how to go on, where a run was stopped or is not whole (controller).

    Args:
        config: The controller's.
        session: All runs of this session.
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._config = config
        self._session = session
        self._finished: tuple[Finished, ...] = ()

    def take(self, finished: Iterable[Finished]) -> None:
        """The runs whose files are written."""
        self._finished = tuple(finished)

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The line, below what is told of the runs."""
        line = self.line()
        if line is not None:
            terminalreporter.line(line)

    def line(self) -> str | None:
        """E.g. "go on with: pytest benchmarks/gaia --resume=results/gaia/m-1/20261130T120000Z"; keys masked.

        What is missing for that stands before the colon: "go on with, MODEL_API_KEY set: pytest …".
        ``None`` where nothing is left to do, or nothing that another session could.
        """
        judges_again = self._session.judges_again
        left = [each for each in self._finished if not is_whole(each.metrics)]
        if judges_again:
            # What its parent does not have either, no judge will bring.
            left = [
                each for each in left if each.metrics["stopped"] or each.metrics["outcomes"]["judge_error"]
            ]
        if not left:
            return None
        command = Command.of(self._config)
        words = going_on(
            command,
            [each.run for each in self._finished],
            placement=self._session.configuration.placement,
            judges_again=judges_again,
        )
        mask = self._config.stash[redactor_key].mask_keys
        told = shlex.join(" ".join(mask(word).split("\n")) for word in words)
        return f"go on with{_missing(command.words, mask(told))}: {mask(told)}"


def _missing(words: Iterable[str], told: str) -> str:
    """What a user has to do before the line can be called."""
    if HIDDEN in told:
        return f", keys in place of {HIDDEN}"
    return ", MODEL_API_KEY set" if any(word.partition("=")[0] == _KEY for word in words) else ""
