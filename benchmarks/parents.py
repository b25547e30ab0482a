"""Parents: the runs that a session goes on from, by `--resume` or `--rejudge` (controller)."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.configuration.model import Placement
from benchmarks.configuration.options import Options
from benchmarks.plan import read_plan
from benchmarks.results.facts import UnitKey
from benchmarks.results.files import RunFiles, RunFilesError
from benchmarks.results.finished import FinishedAttempts
from benchmarks.results.reading import read_description
from benchmarks.results.run_description import RunDescription

LATEST = "latest"


@dataclass(frozen=True, kw_only=True)
class Parent:
    """A run whose finished attempts another one takes over.

    `judges_again`: all of its answers are judged anew, and nothing else is asked (`--rejudge`).
    """

    directory: Path
    finished: FinishedAttempts
    judges_again: bool

    @property
    def description(self) -> RunDescription:
        """What the run is."""
        return self.finished.description

    @property
    def selected(self) -> frozenset[str]:
        """The tasks that it had selected, before `-k` and the like took some away; of its task file."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            return frozenset(task.task_id for task in read_plan(RunFiles(root=self.directory).plan))
        return frozenset(task_id for task_id, _, _ in self.description.planned)

    @property
    def option(self) -> str:
        """How the user named it."""
        return "--rejudge" if self.judges_again else "--resume"

    @property
    def key(self) -> str:
        """The key of the run within the session that made it, e.g. "sealqa longseal"."""
        return str(self.description.volatile.get("key") or self.description.benchmark)


def parents_of(
    options: Options, names: Iterable[str], *, lowest: Mapping[str, Any] | None
) -> tuple[Parent, ...]:
    """The parents that the command line names; none where it names none.

    Args:
        options: What was typed.
        names: The benchmarks of this session.
        lowest: What the demo presets; ``None`` without it.

    Raises:
        pytest.UsageError: Both options are given, or a run cannot be read.
    """
    if options.resume and options.rejudge is not None:
        raise pytest.UsageError(
            "--resume and --rejudge are given together; resume first, and judge the new run again after that"
        )
    if options.resume_anyway and not options.resume:
        raise pytest.UsageError("--resume-anyway needs a run to resume; add --resume RUN")
    for option, named in (("--resume", options.resume), ("--rejudge", (options.rejudge,))):
        if any(name is not None and not name.strip() for name in named):
            raise pytest.UsageError(f"{option} '' names no run; give a run directory, the one with run.json")
    directories = [
        directory
        for named in options.resume
        for directory in (_places(options, lowest).latest(names) if named == LATEST else [Path(named)])
    ]
    if options.rejudge is not None:
        directories = [Path(options.rejudge)]
    judges_again = options.rejudge is not None
    parents = [_parent(directory, judges_again=judges_again) for directory in dict.fromkeys(directories)]
    _refuse_twins(parents)
    for parent in parents:
        if parent.description.demo and not options.demo:
            raise pytest.UsageError(
                f"{parent.option} {str(parent.directory)!r} is a run of the demo, which serves its own "
                "model; add --demo"
            )
    return tuple(parents)


def _refuse_twins(parents: Iterable[Parent]) -> None:
    found: dict[str, Parent] = {}
    for parent in parents:
        first = found.setdefault(parent.key, parent)
        if first is not parent:
            raise pytest.UsageError(
                f"{parent.option} names two runs of {parent.key!r}: {str(first.directory)!r} and "
                f"{str(parent.directory)!r}; keep one"
            )


def _places(options: Options, lowest: Mapping[str, Any] | None) -> "Places":
    from benchmarks.configuration.gathering import gather
    from benchmarks.configuration.layers import merged_section

    layers = gather(options, environ=os.environ, lowest=lowest).layers
    results_dir = merged_section(layers, "run").get("results_dir") or Placement.results_dir
    return Places(results_dir=Path(str(results_dir)), model=merged_section(layers, "model").get("id"))


def _parent(directory: Path, *, judges_again: bool) -> Parent:
    option = "--rejudge" if judges_again else "--resume"
    try:
        finished = FinishedAttempts(directory.expanduser())
    except (RunFilesError, ValueError) as error:
        raise pytest.UsageError(f"{option} {str(directory)!r} cannot be read: {error}") from error
    return Parent(directory=directory.expanduser(), finished=finished, judges_again=judges_again)


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where the runs of earlier sessions lie: `results_dir`, and of which model (``None``: of any)."""

    results_dir: Path
    model: str | None = None

    def latest(self, names: Iterable[str]) -> list[Path]:
        """The run directories of the last session that began with one of these benchmarks.

        Raises:
            pytest.UsageError: There is none.
        """
        wanted = set(names)
        found = [
            (description, path.parent)
            for path in sorted(self.results_dir.glob("*/*/*/run.json"))
            if path.parents[2].name in wanted
            and (description := _description(path.parent)) is not None
            and self.model in {None, description.model}
        ]
        if not found:
            whose = "" if self.model is None else f" of the model {self.model!r}"
            raise pytest.UsageError(
                f"--resume latest finds no run of {', '.join(sorted(wanted))}{whose} under "
                f"{str(self.results_dir)!r}; name the run directory: --resume RUN"
            )
        last, directory = max(found, key=lambda one: (_started_at(one[0]), str(one[1])))
        session = last.volatile.get("session")
        if session is None:
            return [directory]
        return [path for description, path in found if description.volatile.get("session") == session]


def _description(directory: Path) -> RunDescription | None:
    """``None`` for what no session has left whole; the others are looked at all the same."""
    try:
        return read_description(RunFiles(root=directory))
    except RunFilesError:
        return None


def _started_at(description: RunDescription) -> str:
    return str(description.volatile.get("started_at") or "")


def by_run(parents: Iterable[Parent], keys: Iterable[str], *, is_part: bool = False) -> dict[str, Parent]:
    """The parent of each run of this session, by its key.

    Args:
        parents: Those that were named.
        keys: The keys of the runs.
        is_part: `-k` or `-m` takes a part of the session: a run that they leave nothing of has no parent.

    Raises:
        pytest.UsageError: A run has none, or a parent belongs to no run.
    """
    keys, found = list(keys), dict[str, Parent]()
    for parent in parents:
        if parent.key not in keys:
            raise pytest.UsageError(
                f"{parent.option} {str(parent.directory)!r} is a run of {parent.key!r}, and this session has "
                f"{', '.join(map(repr, keys))}; give the folder of its benchmark, and its category"
            )
        found[parent.key] = parent
    missing = [key for key in keys if found and key not in found and not is_part]
    if missing:
        (option,) = {parent.option for parent in found.values()}
        raise pytest.UsageError(
            f"{option} names no run of {missing[0]!r}, which would be asked anew; ask for the other folder "
            f"alone, or name its run too"
        )
    return found


def taken_over(parent: Parent) -> tuple[frozenset[UnitKey], frozenset[UnitKey]]:
    """The attempts that need not be made again: those that count as they are, and those to be judged anew.

    A unit that came to its end keeps every try that led to it. Of one that did not, what was evaluated stays,
    an answer without a judgment is judged again, and trouble is tried again.
    """
    outcomes = parent.finished.outcomes()
    whole: set[UnitKey] = set()
    to_judge: set[UnitKey] = set()
    for unit, outcome in outcomes.items():
        tries = parent.finished.tries_of(unit)
        has_succeeded = any(outcomes.get(one) == "correct" for one in tries)
        if parent.judges_again:
            to_judge.add(unit)
        elif has_succeeded or not outcome.is_error:
            whole.add(unit)
        elif outcome == "judge_error":
            to_judge.add(unit)
    return frozenset(whole), frozenset(to_judge)
