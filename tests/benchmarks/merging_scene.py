"""Invented runs to merge: one undivided, and shards of it as CI jobs leave them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from results_scene import noon, record, run

from benchmarks.__main__ import main
from benchmarks.plan import units, write_plan
from benchmarks.results.files import RunFiles
from benchmarks.results.record import Outcome, Record
from benchmarks.results.recorder import Recorder
from benchmarks.results.run_description import RunDescription
from benchmarks.selection import ids_digest
from benchmarks.task import Task

Attempt = tuple[str, int]
"""Task id and number of the attempt."""

Change = Callable[[RunDescription], RunDescription]


def task(number: int, **changes: Any) -> Task:
    """The invented task t-<number>, of level 1, 2 or 3 in turn, with two groups of its own."""
    values: dict[str, Any] = {
        "task_id": f"t-{number}",
        "question": f"Which stone lies under {number}?",
        "ground_truth": f"stone {number}",
        "category": str(number % 3 + 1),
        "groups": {"colour": ("red", "green")[: number % 3]},
    }
    return Task(**{**values, **changes})


def undivided(tasks: Sequence[Task], **changes: Any) -> RunDescription:
    """A run that plans all attempts at `tasks`."""
    bare = run([each.task_id for each in tasks], **changes)
    whole = units(tasks, k=bare.k, strategy=bare.strategy)
    selected = {"n_tasks": len(tasks), "ids_digest": ids_digest(each.task_id for each in tasks)}
    dataset = {**bare.dataset, "n_dataset_tasks": len(tasks)}
    made = replace(bare, selected=selected, dataset=dataset)
    return planning(made, tasks, [(unit.task.task_id, unit.attempt) for unit in whole])


def planning(
    description: RunDescription, tasks: Sequence[Task], planned: Iterable[Attempt]
) -> RunDescription:
    """`description` with another plan, counted anew as a session does it."""
    by_id = {each.task_id: each for each in tasks}
    rows = tuple((task_id, attempt, by_id[task_id].category) for task_id, attempt in planned)
    asked = {task_id: by_id[task_id] for task_id, _, _ in rows}
    by_category = Counter(each.category for each in asked.values())
    dataset = {
        **description.dataset,
        "ids_digest": ids_digest(asked),
        "n_tasks": len(asked),
        "by_category": dict(sorted(by_category.items())),
    }
    colours = {task_id: each.groups["colour"] for task_id, each in asked.items()}
    return replace(description, planned=rows, dataset=dataset, groups={"colour": colours})


def shard(
    description: RunDescription,
    tasks: Sequence[Task],
    planned: Iterable[Attempt],
    word: str = "-k x",
    **changes: Any,
) -> RunDescription:
    """The part of an undivided run that pytest left after deselection, told by `word`."""
    part = planning(description, tasks, planned)
    return replace(part, partial=(*part.partial, word), deselected=(word,), **changes)


def made(
    folder: Path,
    description: RunDescription,
    tasks: Iterable[Task],
    records: Iterable[Record],
    stopped: str | None = None,
) -> Path:
    """A run directory with those records; its name is that of the run."""
    recorder = Recorder(folder, replace(description, run=folder.name), now=noon)
    for one in records:
        recorder.add(one)
    recorder.finish(stopped)
    write_plan(RunFiles(root=folder).plan, tasks)
    return folder


def made_of(folder: Path, tasks: Sequence[Task], outcomes: Mapping[str, str], **changes: Any) -> Path:
    """An undivided run of one attempt per task whose tasks ended so."""
    records = [record(task_id, outcome) for task_id, outcome in outcomes.items()]
    return made(folder, undivided(tasks, **changes), tasks, records)


def tried(task_id: str, number: int, outcome: str, *, started_at: float = 1764518400.0) -> Record:
    """The record of one attempt that started at a time of its own, in Unix seconds."""
    timing = {"started_at": started_at, "run_s": 1.5, "judge_s": 0.25}
    return record(task_id, outcome, attempt=number, timing=timing)


def until_success(outcomes: Sequence[str]) -> list[str]:
    """What `pass` makes of those outcomes: nothing after a success."""
    first = next(
        (place for place, outcome in enumerate(outcomes) if outcome == Outcome.CORRECT), len(outcomes)
    )
    return list(outcomes[: first + 1])


def metrics_of(folder: Path) -> dict[str, Any]:
    """The content of metrics.json."""
    values: dict[str, Any] = json.loads((folder / "metrics.json").read_text("utf-8"))
    return values


def stable(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """metrics.json without what may differ between equal runs."""
    return {name: value for name, value in metrics.items() if name != "volatile"}


def described(folder: Path) -> dict[str, Any]:
    """The content of run.json."""
    values: dict[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))
    return values


def detail(folder: Path, task_id: str) -> Any:
    """What is kept of a task."""
    return json.loads((folder / "details" / f"{task_id}.json").read_text("utf-8"))


HALVED = [task(0), task(1), task(2)]
HALVED_OUTCOMES = {"t-0": "correct", "t-1": "correct", "t-2": "incorrect"}


def leave_halves(folder: Path, change: Change = lambda run: run, **changes: Any) -> list[str]:
    """Two runs that are one run in two shards, `changes` in both and `change` made to the second one."""
    whole = undivided(HALVED, **changes)
    left, right = shard(whole, HALVED, [("t-0", 1), ("t-1", 1)]), shard(whole, HALVED, [("t-2", 1)])
    records = {name: tried(name, 1, outcome) for name, outcome in HALVED_OUTCOMES.items()}
    first = made(folder / "first", left, HALVED, [records["t-0"], records["t-1"]])
    second = made(folder / "second", change(right), HALVED, [records["t-2"]])
    return [str(first), str(second)]


def merged(folder: Path, runs: Sequence[str], *more: str) -> int:
    """The exit code of `python -m benchmarks merge` into the folder "into" beside the runs."""
    return main(["merge", *runs, "--into", str(folder / "into"), *more])
