"""Merging: runs of disjoint or repeated tasks become one run directory, made whole or not at all."""

import os
import shutil
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.plan import write_plan
from benchmarks.results.details import Entry, detail_of, detail_text
from benchmarks.results.facts import UnitKey
from benchmarks.results.files import RunFiles, RunFilesError, dump_json, run_around, write_whole
from benchmarks.results.merging.gates import AskedGates, with_gates
from benchmarks.results.merging.mergeability import refusals, warnings
from benchmarks.results.merging.parts import MergeError, Part, read_parts
from benchmarks.results.merging.repeats import Repeats, settle
from benchmarks.results.merging.union import in_order, left_out, planned_of, tasks_of, union_of
from benchmarks.results.plain import one_line
from benchmarks.results.rebuild import write_numbers
from benchmarks.results.run_description import RunDescription

_NO_GATES_ASKED = AskedGates()


@dataclass(frozen=True, kw_only=True)
class Merged:
    """A merged run. `metrics` is the content of its metrics.json; `lines` are what the merge found odd."""

    files: RunFiles
    metrics: Mapping[str, Any]
    lines: tuple[str, ...]


def merge(
    run_dirs: Sequence[Path], into: Path, *, gates: AskedGates = _NO_GATES_ASKED, whole: bool = False
) -> Merged:
    """Make the run directory `into` of all that `run_dirs` hold. Their order decides nothing.

    Of the parts only run.json and details/ are read. What they kept aside, their spools and the tracebacks of
    their tear-downs stay with them.

    Args:
        run_dirs: Run directories of one plan; tasks may be in several of them.
        into: The folder to make; its parents are made too.
        gates: What the merged run is held against; with none set, what the parts agree on.
        whole: Refuse where a task or an attempt that was selected is in none of the runs, or was planned and
            is lost.

    Raises:
        MergeError: They do not belong together, one is named twice or has not ended, a gate speaks of a scope
            that is not there, or `into` exists or cannot be written.
        RunFilesError: A run directory cannot be read.
    """
    if into.exists() or into.is_symlink():
        raise MergeError(f"{str(into)!r} exists; a merged run is made anew: name another folder")
    if (run := run_around(into)) is not None:
        raise MergeError(f"{str(into)!r} lies within the run {str(run)!r}; name a folder beside it")
    parts = read_parts(run_dirs)
    if lines := refusals(parts):
        raise MergeError("\n".join(lines))
    if whole:
        _refuse_a_part(parts)
    with _made_whole(into) as draft:
        metrics, lines = _write(in_order(parts), draft, into.name, gates, whole=whole)
    return Merged(files=RunFiles(root=into), metrics=metrics, lines=tuple(lines))


def _refuse_a_part(parts: Sequence[Part]) -> None:
    missing = left_out(parts)
    if missing:
        named = one_line(", ".join(missing))
        raise MergeError(
            f"{len(missing)} selected items are in none of the runs ({named}); name the run directory of the "
            "missing shard too, or leave out --whole"
        )


def _refuse_lost(parts: Sequence[Part], lost: Collection[UnitKey]) -> None:
    """Refuse units of which no run has kept anything: a run that has ended keeps all it planned."""
    lines: list[str] = []
    for part in parts:
        planned = {(task_id, attempt) for task_id, attempt, _ in part.description.planned}
        missing = sorted({task_id for task_id, _ in planned & set(lost)})
        if missing:
            lines.append(
                f"{str(part.path)!r} has lost what it kept under details/ of tasks it planned "
                f"({one_line(', '.join(missing))}); restore the files, or leave out --whole"
            )
    if lines:
        raise MergeError("\n".join(lines))


@contextmanager
def _made_whole(into: Path) -> Generator[RunFiles]:
    """The files of a folder beside `into`, which gets its name when the block ends well, else is removed."""
    # A part of the name: together they could pass the limit for names.
    draft = into.absolute().with_name(f".merging-{os.getpid()}-{into.name[:100]}")
    missing = [parent for parent in draft.parents if not parent.exists()]
    try:
        draft.mkdir(parents=True)
        yield RunFiles(root=draft)
        draft.rename(into)
    except BaseException as error:
        shutil.rmtree(draft, ignore_errors=True)
        with suppress(OSError):
            for parent in missing:
                parent.rmdir()
        if isinstance(error, OSError):
            reason = error.strerror or type(error).__name__
            raise MergeError(f"{str(into)!r} cannot be made: {reason}; name another folder") from error
        raise


def _write(
    parts: Sequence[Part], files: RunFiles, name: str, gates: AskedGates, *, whole: bool
) -> tuple[dict[str, Any], list[str]]:
    """Write all files of the merged run; the content of metrics.json, and what was odd."""
    files.details.mkdir()
    repeats = _write_details(parts, files)
    if whole:
        _refuse_lost(parts, repeats.lost)
    bare = union_of(parts, name, unavailable=repeats.unavailable)
    union, of_gates = with_gates(bare, parts, gates)
    lines = [*warnings(parts), *of_gates, *repeats.lines()]
    issues = {*lines, *(issue for part in parts for issue in part.description.issues)}
    write_plan(files.plan, tasks_of(parts).values())
    write_whole(files.run, dump_json(replace(union, issues=tuple(sorted(issues))).to_json()))
    return _reduce(files), lines


def _reduce(files: RunFiles) -> dict[str, Any]:
    try:
        return write_numbers(files)
    except (OSError, RunFilesError):
        raise
    except Exception as error:
        line = f"these runs cannot be reduced to one: {type(error).__name__}: {error}; restore each run.json"
        raise MergeError(line) from error


def _write_details(parts: Sequence[Part], files: RunFiles) -> Repeats:
    """Write what is kept of each task, one of them in memory at a time; what was met on the way."""
    run, tasks, repeats = parts[0].description, tasks_of(parts), Repeats()
    firsts: dict[str, list[int]] = {}
    for task_id, first, _ in planned_of(parts):
        firsts.setdefault(task_id, []).append(first)
    for task_id, numbers in firsts.items():
        attempts = _settled(parts, run, task_id, numbers, repeats)
        if attempts:
            task = tasks[task_id]
            detail = detail_of(task_id, task.category, task.ground_truth, attempts)
            write_whole(files.detail(task_id), detail_text(detail))
    return repeats


def _settled(
    parts: Sequence[Part], run: RunDescription, task_id: str, firsts: Sequence[int], repeats: Repeats
) -> dict[str, Entry]:
    """The attempts at one task that count, unit by unit; `firsts` are the first attempts of its units."""
    n_tries = run.k if run.strategy == "pass" else 1
    kept = [part.entries(task_id) for part in parts]
    attempts: dict[str, Entry] = {}
    for first in firsts:
        numbers = range(first, first + n_tries)
        found = [{str(n): entries[n] for n in numbers if n in entries} for entries in kept]
        settled = settle(found, n_tries=n_tries)
        name = task_id if n_tries > 1 else f"{task_id} attempt {first}"
        repeats.note((task_id, first), settled, name=name)
        attempts |= settled.entries
    return attempts
