"""Which of a dataset's tasks a run asks: by category, by id, and by a limit."""

import difflib
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.benchmark import Dataset, DatasetError
from benchmarks.params import BenchmarkParams
from benchmarks.task import Task

Category = str | int


class SelectionError(DatasetError):
    """A selection names a task that is not there, or leaves none: one line with the values present."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The tasks to ask, in the dataset's order.

    `reasons` say why they are a part of the set, e.g. ``("category 1", "limit 5 (random, seed 0)")``; empty
    when all tasks are asked.
    """

    tasks: tuple[Task, ...]
    reasons: tuple[str, ...]


def select(dataset: Dataset, params: BenchmarkParams) -> Selection:
    """Apply `sample_ids`, then `limit`. The same dataset and parameters select the same tasks everywhere.

    Raises:
        SelectionError: An unknown id, or no task left.
    """
    tasks, reasons = dataset.tasks, list(dataset.partial)
    if params.sample_ids is not None:
        chosen = _by_id(dataset, params.sample_ids)
        if len(chosen) < len(tasks):
            reasons.append(f"sample_ids ({len(chosen)} of {len(tasks)})")
        tasks = chosen
    if params.limit is not None and params.limit < len(tasks):
        reasons.append(f"limit {params.limit}{_how(params)}")
        tasks = _limited(tasks, params)
    return Selection(tasks=tasks, reasons=tuple(reasons))


def keep_categories(
    tasks: Sequence[Task], wanted: Category | Sequence[Category], *, everything: str = "all"
) -> tuple[Task, ...]:
    """The tasks of one category, or of any in a list; `everything` keeps them all.

    Numbers and their text are the same: ``1`` and ``"1"`` keep level 1.

    Raises:
        SelectionError: A category that no task has, or an empty list.
    """
    names = [wanted] if isinstance(wanted, str | int) else list(wanted)
    keys = {str(name).strip() for name in names}
    if everything in keys:
        return tuple(tasks)
    unknown = keys - {task.category for task in tasks}
    if unknown or not keys:
        raise SelectionError(f"category {wanted!r} is not there to select; {_values_present(tasks)}")
    return tuple(task for task in tasks if task.category in keys)


def ids_digest(task_ids: Iterable[str]) -> str:
    """SHA-256 (hex) of the sorted ids joined by newlines: the same for the same set of tasks in any order."""
    return hashlib.sha256("\n".join(sorted(task_ids)).encode()).hexdigest()


def _by_id(dataset: Dataset, wanted: Sequence[str]) -> tuple[Task, ...]:
    if not wanted:
        raise SelectionError(f"sample_ids {list(wanted)!r} selects no task; {_values_present(dataset.tasks)}")
    known = [task.task_id for task in dataset.tasks]
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        within = f" ({', '.join(dataset.partial)})" if dataset.partial else ""
        lines = [
            f"sample_ids: {task_id!r} is none of the {len(known)} tasks of {dataset.name} {dataset.subset}"
            f"{within}; {_near(task_id, known)}"
            for task_id in unknown
        ]
        raise SelectionError("\n".join(lines))
    return tuple(task for task in dataset.tasks if task.task_id in set(wanted))


def _near(task_id: str, known: list[str]) -> str:
    near = difflib.get_close_matches(task_id, known, n=3, cutoff=0.6)
    return f"nearest: {', '.join(near)}" if near else f"ids look like {known[0]}"


def _values_present(tasks: Sequence[Task]) -> str:
    counts = sorted(Counter(task.category for task in tasks).items())
    listed = ", ".join(f"{category} ({n_tasks} tasks)" for category, n_tasks in counts)
    return f"values present: {listed or 'none'}"


def _how(params: BenchmarkParams) -> str:
    return "" if params.sampling == "first" else f" ({params.sampling}, seed {params.sampling_seed})"


def _limited(tasks: tuple[Task, ...], params: BenchmarkParams) -> tuple[Task, ...]:
    n_tasks = params.limit or 0
    if params.sampling == "first":
        return tasks[:n_tasks]
    if params.sampling == "random":
        picked = _draw(tasks, n_tasks, params.sampling_seed)
    else:
        picked = set[str]()
        for category, quota in _quotas(tasks, n_tasks).items():
            members = [task for task in tasks if task.category == category]
            picked |= _draw(members, quota, params.sampling_seed)
    return tuple(task for task in tasks if task.task_id in picked)


def _draw(tasks: Sequence[Task], n_tasks: int, seed: int) -> set[str]:
    """Ids of the tasks with the smallest digests of seed and id.

    Unlike a shuffle this hangs neither on the dataset's order nor on the Python version, and a larger limit
    takes the tasks of a smaller one again.
    """
    ids = (task.task_id for task in tasks)
    return set(sorted(ids, key=lambda i: hashlib.sha256(f"{seed}:{i}".encode()).digest())[:n_tasks])


def _quotas(tasks: Sequence[Task], n_tasks: int) -> dict[str, int]:
    """How many tasks of each category, in proportion; what is left over goes to the largest remainders.

    Example: 39, 52 and 12 tasks with a limit of 10 give ``{"1": 4, "2": 5, "3": 1}``.
    """
    sizes = dict(sorted(Counter(task.category for task in tasks).items()))
    quotas = {category: n_tasks * size // len(tasks) for category, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda category: -(n_tasks * sizes[category] % len(tasks)))
    for category in by_remainder[: n_tasks - sum(quotas.values())]:
        quotas[category] += 1
    return quotas
