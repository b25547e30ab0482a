"""Parts: the runs that are merged, as their run.json and their task files tell of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.plan import read_plan
from benchmarks.results.details import Entry
from benchmarks.results.facts import UnitKey
from benchmarks.results.files import RunFiles, RunFilesError, not_ended, refuse_no_folder
from benchmarks.results.reading import read_description, read_entries, read_entry_facts
from benchmarks.results.run_description import RunDescription
from benchmarks.task import Task


class MergeError(Exception):
    """Runs that cannot be merged, or a place where they cannot be: public lines, each with the remedy."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One of the runs that are merged. `path` is as the user wrote it.

    `tasks` are those its session selected, by id, before pytest deselected any: its task file. `attempts` may
    have a record in it.
    """

    path: Path
    files: RunFiles
    description: RunDescription
    tasks: Mapping[str, Task]
    attempts: frozenset[UnitKey]

    def entries(self, task_id: str) -> dict[int, Entry]:
        """What is kept of a task, by the number of the attempt; empty if nothing is.

        Raises:
            RunFilesError: The detail is broken.
        """
        entries: dict[int, Entry] = {}
        for unit, entry in read_entries(self.files, task_id):
            read_entry_facts(self.files, unit, entry)
            if unit in self.attempts:
                entries[unit[1]] = entry
        return entries


def read_parts(run_dirs: Iterable[Path]) -> list[Part]:
    """The runs in those directories, in their order; nothing of their attempts is read yet.

    Raises:
        MergeError: One is named twice, or has not ended.
        RunFilesError: One is no directory, or its run.json or its task file cannot be read.
    """
    found: dict[Path, Part] = {}
    for path in run_dirs:
        if (first := found.get(path.resolve())) is not None:
            raise MergeError(f"{str(first.path)!r} and {str(path)!r} are one run directory; name it once")
        found[path.resolve()] = _read(path)
    return list(found.values())


def _read(path: Path) -> Part:
    files = RunFiles(root=path)
    refuse_no_folder(path)
    description = read_description(files)
    if description.volatile.get("finished_at") is None and not files.metrics.exists():
        raise MergeError(not_ended(path))
    if not files.details.is_dir():
        raise MergeError(f"{str(files.details)!r} is missing: what is merged lies in it")
    tasks = _tasks_in(files)
    lost = sorted({task_id for task_id, _, _ in description.planned} - set(tasks))
    if lost:
        raise RunFilesError(f"{str(files.plan)!r} lacks the planned task {lost[0]!r}: restore the file")
    return Part(
        path=path,
        files=files,
        description=description,
        tasks=tasks,
        attempts=frozenset(description.attempts),
    )


def _tasks_in(files: RunFiles) -> dict[str, Task]:
    try:
        return {task.task_id: task for task in read_plan(files.plan)}
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        reason = error.strerror if isinstance(error, OSError) else type(error).__name__
        raise RunFilesError(f"{str(files.plan)!r} cannot be read ({reason}): restore the file") from error
