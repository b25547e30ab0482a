"""A run directory read back: its description, and its details one task at a time."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.results.details import Entry
from benchmarks.results.facts import AttemptFacts, UnitKey, facts_of
from benchmarks.results.files import RunFiles, RunFilesError, load_json
from benchmarks.results.run_description import RunDescription


def read_description(files: RunFiles) -> RunDescription:
    """The run as run.json tells it.

    Raises:
        RunFilesError: run.json is missing, broken or of another layout.
    """
    values = load_json(files.run)
    try:
        return RunDescription.from_json(values)
    except (KeyError, TypeError, ValueError) as error:
        raise RunFilesError(f"{str(files.run)!r} is no run.json of this version: {error}") from error


def read_facts(files: RunFiles, description: RunDescription) -> Iterator[AttemptFacts]:
    """The facts of every planned attempt that has an entry, one detail in memory at a time.

    Raises:
        RunFilesError: The folder of details is missing, or a detail is broken.
    """
    if not files.details.is_dir():
        raise RunFilesError(
            f"{str(files.details)!r} is missing: the numbers are reduced from the details in it"
        )
    planned = description.attempts
    for task_id in dict.fromkeys(task_id for task_id, _ in sorted(planned)):
        for unit, entry in read_entries(files, task_id):
            if unit in planned:
                yield read_entry_facts(files, unit, entry)


def read_entries(files: RunFiles, task_id: str) -> Iterator[tuple[UnitKey, Entry]]:
    """The attempts in one detail; none when there is no such file.

    Raises:
        RunFilesError: The detail is broken.
    """
    path = files.detail(task_id)
    if not _is_there(path):
        return
    detail = load_json(path)
    try:
        attempts = {int(number): entry for number, entry in detail["attempts"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunFilesError(
            f"{str(path)!r} is no detail of this version ({error!r}): restore the file"
        ) from error
    for number in sorted(attempts):
        yield (task_id, number), attempts[number]


def read_entry_facts(files: RunFiles, unit: UnitKey, entry: Entry) -> AttemptFacts:
    """The facts in an entry that was read from a file.

    Raises:
        RunFilesError: The entry is broken.
    """
    try:
        return facts_of(*unit, entry)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        path = files.detail(unit[0])
        raise RunFilesError(
            f"{str(path)!r} is no detail of this version ({error!r}): restore the file"
        ) from error


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long for the file system: such a file was never written
        return False
