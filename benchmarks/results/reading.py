"""A run directory read back: its description, and its details one task at a time."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

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
        description = RunDescription.from_json(values)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise RunFilesError(f"{str(files.run)!r} is no run.json of this version: {error}") from error
    if fault := _fault_in(description):
        raise RunFilesError(f"{str(files.run)!r} is no run.json of this version ({fault}): restore the file")
    return description


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


def _fault_in(description: RunDescription) -> str | None:
    """What is not as this version writes it; ``None`` where every value has its kind."""
    for name, hint in get_type_hints(RunDescription).items():
        value = getattr(description, name)
        if not any(_is_of(value, kind) for kind in _kinds_of(hint)):
            return f"{name} is {value!r:.80}"
    if description.k < 1 or description.strategy not in {"avg", "pass"}:
        return f"k is {description.k!r}, strategy {description.strategy!r:.80}"
    warnings: object = description.dataset.get("warnings", [])
    if not (isinstance(warnings, list) and _are_texts(cast("list[object]", warnings))):
        return f"dataset.warnings is {warnings!r:.80}"
    scopes: object = description.gates.get("scopes")
    if not isinstance(scopes, dict | None):
        return f"gates.scopes is {scopes!r:.80}"
    return None


def _kinds_of(hint: Any) -> tuple[Any, ...]:
    """The plain types a field may have: those of a union each, without what is inside them."""
    options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return tuple(get_origin(option) or option for option in options)


def _is_of(value: object, kind: Any) -> bool:
    if kind is tuple:
        rows = cast("tuple[object, ...]", value)
        return isinstance(value, tuple) and (_are_texts(rows) or all(isinstance(row, tuple) for row in rows))
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long for the file system: such a file was never written
        return False
