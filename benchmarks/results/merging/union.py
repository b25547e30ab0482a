"""The union of runs: what the run is that they are merged into. The order of the parts does not matter."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from benchmarks.attachments import n_unopened
from benchmarks.plan import units
from benchmarks.results.facts import UnitKey
from benchmarks.results.merging.parts import Part
from benchmarks.results.run_description import RunDescription
from benchmarks.selection import ids_digest
from benchmarks.task import Task


def in_order(parts: Iterable[Part]) -> list[Part]:
    """The parts by when they started, then by what they are: the same for every order of arguments."""
    return sorted(
        parts, key=lambda part: (_started_at(part), json.dumps(part.description.to_json(), sort_keys=True))
    )


def tasks_of(parts: Sequence[Part]) -> dict[str, Task]:
    """All tasks that the parts selected, by id, sorted. The parts agree on what they share."""
    tasks = {task_id: task for part in reversed(parts) for task_id, task in part.tasks.items()}
    return dict(sorted(tasks.items()))


def planned_of(parts: Iterable[Part]) -> tuple[tuple[str, int, str], ...]:
    """All units that a part planned, each once, sorted."""
    return tuple(sorted({row for part in parts for row in part.description.planned}))


def left_out(parts: Sequence[Part]) -> list[str]:
    """Ids of the items that were selected and that no part planned, in order: those of a shard not given."""
    run, planned = parts[0].description, {(task_id, attempt) for task_id, attempt, _ in planned_of(parts)}
    whole = units(tasks_of(parts).values(), k=run.k, strategy=run.strategy)
    return [unit.unit_id for unit in whole if (unit.task.task_id, unit.attempt) not in planned]


def union_of(parts: Sequence[Part], name: str, *, unavailable: Collection[UnitKey]) -> RunDescription:
    """The description of the merged run, but for its gates and its issues, which are those of no part.

    Args:
        parts: Runs that belong together (`mergeability`), in the order of `in_order`.
        name: The merged run's.
        unavailable: Units that no part has made.
    """
    first = parts[0].description
    planned, tasks = planned_of(parts), tasks_of(parts)
    partial, deselected = _partial(parts, n_selected=len(tasks))
    asked = {task_id: tasks[task_id] for task_id, _, _ in planned}
    return replace(
        first,
        run=name,
        planned=planned,
        dataset=_dataset(parts, asked, tasks),
        gates={},
        baseline=None,
        partial=partial,
        selected={"n_tasks": len(tasks), "ids_digest": ids_digest(tasks)},
        deselected=deselected,
        n_attachments_unopened=n_unopened(str(first.harness.get("id")), asked.values()),
        groups=_groups(parts),
        prices=_common_prices([part.description.prices for part in parts]),
        stopped=_stopped(parts, unavailable),
        issues=(),
        configuration=_common([part.description.configuration for part in parts]),
        volatile=_volatile(parts),
    )


def _partial(parts: Sequence[Part], *, n_selected: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Why the union is a part of the set, and which of these reasons took tasks from what was selected.

    What took tasks from a part is no reason any more where the others have brought all of them. A part that
    selected all tasks of the union tells why these are no more; else each part does.
    """
    selecting = [part for part in parts if len(part.tasks) == n_selected] or parts
    selected = _joined(_selection_of(part.description) for part in selecting)
    deselected = _joined(part.description.deselected for part in parts) if left_out(parts) else ()
    return (*selected, *(reason for reason in deselected if reason not in selected)), deselected


def _selection_of(run: RunDescription) -> tuple[str, ...]:
    return tuple(reason for reason in run.partial if reason not in run.deselected)


def _joined(lines_of_parts: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The lines as they are where all parts tell the same; else all of them, sorted."""
    told = {tuple(lines) for lines in lines_of_parts}
    return next(iter(told)) if len(told) == 1 else tuple(sorted({line for lines in told for line in lines}))


def _dataset(
    parts: Sequence[Part], asked: Mapping[str, Task], selected: Mapping[str, Task]
) -> Mapping[str, Any]:
    """As the parts tell it, counted anew.

    How many tasks there are after `category` is not known where the parts asked for several: at least as many
    as a part says, and as were selected.
    """
    told = [part.description.dataset for part in parts]
    return {
        **told[0],
        "source": ", ".join(sorted({str(one.get("source")) for one in told})),
        "ids_digest": ids_digest(asked),
        "n_tasks": len(asked),
        "n_dataset_tasks": max(len(selected), *(_whole(one.get("n_dataset_tasks")) for one in told)),
        "by_category": dict(sorted(Counter(task.category for task in asked.values()).items())),
        "warnings": list(_joined(one.get("warnings", ()) for one in told)),
    }


def _groups(parts: Iterable[Part]) -> dict[str, Mapping[str, tuple[str, ...]]]:
    groups: dict[str, dict[str, tuple[str, ...]]] = {}
    for part in parts:
        for name, of_tasks in part.description.groups.items():
            groups.setdefault(name, {}).update(of_tasks)
    return {name: dict(sorted(of_tasks.items())) for name, of_tasks in sorted(groups.items())}


def _common(told: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all mappings say alike, at any depth: the rest is left out."""
    first, *others = told
    common: dict[str, Any] = {}
    for name, value in first.items():
        if all(name in other and other[name] == value for other in others):
            common[name] = value
        elif all(isinstance(one.get(name), Mapping) for one in told):
            common[name] = _common([cast("Mapping[str, Any]", one[name]) for one in told])
    return common


def _common_prices(told: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The rates of each role; ``None``, unknown, where the parts do not agree."""
    roles = sorted({role for one in told for role in one})
    return {
        role: told[0].get(role) if all(one.get(role) == told[0].get(role) for one in told) else None
        for role in roles
    }


def _stopped(parts: Iterable[Part], unavailable: Collection[UnitKey]) -> str | None:
    """The line that stopped a part whose tasks no other part has made."""
    lines = {
        part.description.stopped
        for part in parts
        if part.description.stopped is not None
        and any((task_id, attempt) in unavailable for task_id, attempt, _ in part.description.planned)
    }
    return "; ".join(sorted(lines)) or None


def _volatile(parts: Sequence[Part]) -> dict[str, Any]:
    told = [part.description.volatile for part in parts]
    return {
        **told[0],
        "started_at": _known(min, told, "started_at"),
        "finished_at": _known(max, told, "finished_at"),
        "n_workers": sum(_whole(one.get("n_workers")) for one in told),
        "session": None,
        "parent": None,
        "merged_from": [part.description.run for part in parts],
    }


def _known(pick: Callable[[list[str]], str], told: Iterable[Mapping[str, Any]], name: str) -> str | None:
    """The earliest or the latest of those moments that are known; they sort as text."""
    moments = [str(one[name]) for one in told if one.get(name) is not None]
    return pick(moments) if moments else None


def _started_at(part: Part) -> str:
    return str(part.description.volatile.get("started_at") or "")


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
