"""Attachments that a harness cannot open: how many tasks have one."""

from collections.abc import Iterable
from pathlib import Path

from benchmarks.task import Task


def n_unopened(harness_id: str, tasks: Iterable[Task]) -> int:
    """How many of these tasks have an attachment that the harness cannot open; an unknown one opens none.

    A task may come several times. 0 where the harness asks no model: whoever answered had them or not, nobody
    here can tell.
    """
    from harnesses.catalogue import HARNESSES  # brings the clients, which no command but a run needs

    kind = HARNESSES.get(harness_id)
    if kind is not None and not kind.asks_model:
        return 0
    readable = frozenset[str]() if kind is None else kind.readable_suffixes
    by_id = {task.task_id: task.attachments for task in tasks}
    return sum(any(Path(name).suffix.lower() not in readable for name in names) for names in by_id.values())
