"""A run takes over what its parent finished: compared first, then kept beside its own plan (controller)."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.describing import describe
from benchmarks.parents import Parent, taken_over
from benchmarks.plan import prompt_digest
from benchmarks.results.behaviour import differences
from benchmarks.results.facts import UnitKey
from benchmarks.results.run_description import RunDescription
from benchmarks.results.spool import Spool
from benchmarks.run import Run, Session
from benchmarks.task import Task

_N_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class Inheritance:
    """What one run takes over. `whole` counts as it is, `to_judge` is judged anew; both hold attempts.

    `differences` are public lines on what is not alike; none where the parent was asked and graded alike.
    """

    parent: Parent
    whole: frozenset[UnitKey]
    to_judge: frozenset[UnitKey]
    differences: tuple[str, ...] = ()


def inheritances(
    config: pytest.Config, session: Session, parents: Mapping[str, Parent], *, anyway: bool
) -> dict[str, Inheritance]:
    """What each run of a session takes over of its parent, by its key; empty where there are no parents.

    Raises:
        DatasetError, pytest.UsageError: As `inheritance`.
    """
    runs = {key: session.runs[key] for key in parents}
    described = {
        key: describe(config, session, run, run.units(session.attempts), n_workers=0)
        for key, run in runs.items()
    }
    return {
        key: inheritance(parent, runs[key], described[key], anyway=anyway) for key, parent in parents.items()
    }


def left_out(session: Session, parents: Mapping[str, Parent]) -> dict[str, frozenset[UnitKey]]:
    """The attempts, by run, that a parent had selected and then deselected (`-k`, `-m`, `--lf`), if any.

    Attempts beyond its own `k` are those of its tasks; tasks it had not selected at all are not in it.
    """
    found: dict[str, frozenset[UnitKey]] = {}
    for key, parent in parents.items():
        told = parent.description
        if not told.deselected:
            continue
        tasks = {task_id for task_id, _, _ in told.planned}
        selected = parent.selected
        units = ((unit.task.task_id, unit.attempt) for unit in session.runs[key].units(session.attempts))
        found[key] = frozenset(
            unit
            for unit in units
            if unit[0] in selected
            and unit not in told.attempts
            and not (unit[0] in tasks and unit[1] > told.k)
        )
    return found


def inheritance(parent: Parent, run: Run, now: RunDescription, *, anyway: bool) -> Inheritance:
    """What `run` takes over of `parent`.

    Args:
        parent: The run that is resumed or judged again.
        run: The run that goes on from it, with all tasks that are selected.
        now: The description of `run`, before anything was deselected.
        anyway: Take over also what was asked of another model, say.

    Raises:
        DatasetError: What is to be asked of a task cannot be read.
        pytest.UsageError: The two are not alike, and nobody said that this does not matter.
    """
    graded_alike = not parent.judges_again
    unlike = [*differences(parent.description, now, graded_alike=graded_alike)]
    whole, to_judge = taken_over(parent)
    tasks = {task.task_id: task for task in run.tasks}
    wanted = {unit for unit in whole | to_judge if unit[0] in tasks and unit in now.attempts}
    unlike += _changed_tasks(parent, run, tasks, wanted, graded=whole)
    if unlike and not anyway:
        raise pytest.UsageError(_refusal(parent, unlike))
    return Inheritance(
        parent=parent, whole=whole & wanted, to_judge=to_judge & wanted, differences=tuple(unlike)
    )


def _refusal(parent: Parent, unlike: list[str]) -> str:
    remedy = (
        "give the settings it was made with, or leave them out: its own are taken"
        if parent.judges_again
        else "give the settings it was made with (left out, its own are taken), or add --resume-anyway, "
        "which notes the difference"
    )
    told = "; ".join(unlike)
    return f"{parent.option} {str(parent.directory)!r} was made otherwise: {told}; {remedy}"


def _changed_tasks(
    parent: Parent,
    run: Run,
    tasks: Mapping[str, Task],
    wanted: set[UnitKey],
    *,
    graded: frozenset[UnitKey],
) -> Iterator[str]:
    """A public line on tasks that are asked otherwise now, and one on those with another ground truth."""
    digests: dict[str, str | None] = {}
    asked: dict[str, None] = {}
    truths: dict[str, None] = {}
    for record in parent.finished.records():
        unit = record.task_id, record.attempt
        if unit not in wanted:
            continue
        task = tasks[record.task_id]
        if task.task_id not in digests:
            digests[task.task_id] = _digest(run, task)
        digest = digests[task.task_id]
        if record.outcome != "run_error" and digest is not None and record.prompt_digest != digest:
            asked[task.task_id] = None
        if unit in graded and record.ground_truth != task.ground_truth:
            truths[task.task_id] = None
    if asked:
        yield f"what is asked of {_named(list(asked))} was another text or file there"
    if truths:
        yield f"the ground truth of {_named(list(truths))} was another there"


def _digest(run: Run, task: Task) -> str | None:
    """The digest of what is asked; ``None`` where a file of it cannot be read: the attempt tells which."""
    text = run.benchmark.prompt_text(task, run.choice.params)
    with suppress(OSError):
        return prompt_digest(text, map(Path, task.attachments))
    return None


def _named(task_ids: list[str]) -> str:
    shown = ", ".join([*map(repr, task_ids[:_N_NAMED]), *(["…"] if task_ids[_N_NAMED:] else [])])
    return f"{len(task_ids)} task{'' if len(task_ids) == 1 else 's'} ({shown})"


def take_over(run: Run, inherited: Inheritance) -> Run:
    """`run`, which has a directory by now, with the records of its parent beside its plan.

    Raises:
        OSError: They cannot be written.
    """
    tasks = {task.task_id: task for task in run.tasks}
    with ExitStack() as closing:
        whole = _file(run.files.made_before, closing) if inherited.whole else None
        to_judge = _file(run.files.to_judge, closing) if inherited.to_judge else None
        for record in inherited.parent.finished.records():
            unit = record.task_id, record.attempt
            if whole and unit in inherited.whole:
                task = tasks[record.task_id]
                whole.append(replace(record, category=task.category, reused=True))
            elif to_judge and unit in inherited.to_judge:
                to_judge.append(record)
    return replace(run, parent=_told(inherited, run.directory or Path()))


def _file(path: Path, closing: ExitStack) -> Spool:
    spool = Spool(path)
    closing.callback(spool.close)
    return spool


def in_words(parent: Mapping[str, Any]) -> str:
    """What run.json says of a parent, as one public line: how many attempts need not be made."""
    verb = "judges again" if parent["how"] == "rejudge" else "resumes"
    n_made, n_to_judge = parent["n_attempts"], parent["n_to_judge"]
    judged = "" if n_to_judge in {0, n_made} else f", {n_to_judge} of them only to be judged"
    return f"{verb} {parent['run']}: {n_made} attempt{'' if n_made == 1 else 's'} taken over{judged}"


def _told(inherited: Inheritance, directory: Path) -> dict[str, Any]:
    """What run.json says of the parent; the path is told from the run's own directory."""
    parent = inherited.parent
    earlier: Mapping[str, Any] = parent.description.volatile.get("parent") or {}
    return {
        "how": "rejudge" if parent.judges_again else "resume",
        "run": parent.description.run or parent.directory.name,
        "path": _relative(parent.directory.absolute(), directory),
        "n_attempts": len(inherited.whole) + len(inherited.to_judge),
        "n_to_judge": len(inherited.to_judge),
        "differences": list(inherited.differences),
        # What a run before the parent made otherwise is still among the attempts that are taken over.
        "earlier_differences": [
            *earlier.get("earlier_differences", ()),
            *(f"{earlier['run']}: {line}" for line in earlier.get("differences", ())),
        ],
        "deselected": list(parent.description.deselected),
    }


def _relative(path: Path, start: Path) -> str | None:
    """``None`` where no relative path leads there (another drive)."""
    with suppress(ValueError):
        return Path(os.path.relpath(path, start)).as_posix()
    return None
