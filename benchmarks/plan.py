"""The plan: which units a run owes an outcome, frozen into one task file."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results.files import write_whole
from benchmarks.task import Task


@dataclass(frozen=True, kw_only=True)
class Unit:
    """What one pytest item owes an outcome for: an attempt at a task or, under `pass`, the task.

    `attempt` is the number of its first attempt, from 1. `n_attempts` is how many items the plan holds for
    this task; `n_tries` how many attempts this one may make until it succeeds: 1 but under `pass`. `run` is
    the key of the run it belongs to, e.g. "gaia" or "sealqa longseal".
    """

    task: Task
    attempt: int = 1
    n_attempts: int = 1
    n_tries: int = 1
    run: str = ""

    @property
    def unit_id(self) -> str:
        """The id in brackets of the pytest item: `<task_id>`, or `<task_id>-attempt<N>` with several."""
        return self.task.task_id if self.n_attempts == 1 else f"{self.task.task_id}-attempt{self.attempt}"

    @property
    def ids(self) -> frozenset[str]:
        """What names it exactly after `-k`: its own id, and that of its task."""
        return frozenset({self.task.task_id, self.unit_id})


def units(tasks: Iterable[Task], *, k: int, strategy: str = "avg", run: str = "") -> list[Unit]:
    """The units of `tasks` in their order: under "avg" one for each of `k` attempts, under "pass" one a task.

    `k` is at least 1; `run` is the key of their run.
    """
    if strategy == "pass":
        return [Unit(task=task, n_tries=k, run=run) for task in tasks]
    return [Unit(task=task, attempt=n, n_attempts=k, run=run) for task in tasks for n in range(1, k + 1)]


def prompt_digest(text: str, attachments: Iterable[Path]) -> str:
    """The SHA-256 (hex) of all that is asked: attempts with the same digest were asked the same.

    Args:
        text: The text of the prompt.
        attachments: The files that go with it; their names count, their folders do not.

    Raises:
        OSError: One of them cannot be read.
    """
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for path in attachments:
        digest.update(b"\0" + path.name.encode("utf-8", "surrogateescape") + b"\0" + path.read_bytes())
    return digest.hexdigest()


def write_plan(path: Path, tasks: Iterable[Task]) -> None:
    """Write the task file, one task a line, whole or not at all. It holds ground truths: private.

    Raises:
        OSError: The folder cannot be written.
    """
    lines = (json.dumps(task.to_json(), ensure_ascii=True) for task in tasks)
    write_whole(path, "".join(f"{line}\n" for line in lines))


def read_plan(path: Path) -> tuple[Task, ...]:
    """The tasks of a task file, in their order."""
    with path.open(encoding="utf-8") as lines:
        return tuple(Task.from_json(json.loads(line)) for line in lines)
