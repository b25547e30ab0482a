"""A row of GAIA becomes a task. All that is wrong with a file is reported together, each fault with its row.

Two forms of columns are read. The Hub's: `task_id`, `Question`, `Level`, `Final answer`, `file_name`,
`file_path` (and `Annotator Metadata`, which holds the way to the answer and is left out). AgentCompass's:
`task_id` (else the row's index from 0), `question`, `category`, `ground_truth` or `answer`,
`metadata.file_name`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, cast

from benchmarks.benchmark import DatasetError
from benchmarks.sources.cells import FaultyRowError, as_text, encodable, is_blank, question_text, require
from benchmarks.sources.rows import Problem, Row, Rows, refuse
from benchmarks.task import TASK_ID, Task

LEVELS = ("1", "2", "3")
MAX_ID_CHARS = 150
"""An id names files, and a file name may have 255 bytes with all that is added to the id."""


@dataclass(frozen=True, kw_only=True)
class _Fields:
    """The columns of either form under one set of names; `file_names` are relative, the likeliest first."""

    task_id: Any
    question: Any
    level: Any
    ground_truth: Any
    file_names: tuple[Any, ...]


def tasks_from(rows: Rows, *, is_scored: bool, text_only: bool) -> tuple[Task, ...]:
    """The tasks of `rows` in their order.

    Args:
        rows: What a source handed on.
        is_scored: False for the test split: its ground truths are withheld, and those of the tasks are "".
        text_only: Leave out tasks with attachments.

    Raises:
        DatasetError: No row, or faulty ones; each is named with its number.
    """
    problems = list(rows.problems)
    tasks: list[Task] = []
    first_line_of: dict[str, int] = {}
    for row in rows.rows:
        try:
            fields = _fields(row, is_scored=is_scored)
            task_id = _task_id(fields.task_id)
            _require_new(task_id, row.line, first_line_of)
            if not (text_only and _given(fields.file_names)):
                tasks.append(_task(task_id, fields, rows.folder, is_scored=is_scored))
        except FaultyRowError as error:
            problems.append(Problem(line=row.line, text=str(error)))
    refuse(rows.place, problems)
    if not tasks:
        which = " without attachments" if rows.rows else ""
        raise DatasetError(f"{rows.place!r} holds no task{which}; choose another subset or dataset_path")
    return tuple(tasks)


def n_named_attachments(rows: Rows) -> int:
    """Rows that name an attachment; those of a source that ships none are asked without it."""
    return sum(bool(_given(_file_names(row.values))) for row in rows.rows)


def _fields(row: Row, *, is_scored: bool) -> _Fields:
    values = row.values
    is_hub_form = any(name in values for name in ("Question", "Level", "Final answer"))
    if is_hub_form:
        require(values, "task_id", "Question", "Level", *(["Final answer"] if is_scored else []))
        names = ("task_id", "Question", "Level")
        ground_truth = values.get("Final answer")
    else:
        require(values, "question", "category")
        names = ("task_id", "question", "category")
        ground_truth = values.get("ground_truth")
        if is_blank(ground_truth):
            if is_scored and "ground_truth" not in values:
                require(values, "answer", called="'ground_truth' (or 'answer')")
            ground_truth = values.get("answer")
    task_id, question, level = (values.get(name) for name in names)
    if not is_hub_form and is_blank(task_id):
        task_id = row.number - 1
    return _Fields(
        task_id=task_id,
        question=question,
        level=level,
        ground_truth=ground_truth,
        file_names=_file_names(values),
    )


def _file_names(values: Mapping[str, Any]) -> tuple[Any, ...]:
    metadata = values.get("metadata")
    nested = cast("Mapping[str, Any]", metadata).get("file_name") if isinstance(metadata, dict) else None
    return values.get("file_name"), values.get("file_path"), nested


def _task(task_id: str, fields: _Fields, folder: Path | None, *, is_scored: bool) -> Task:
    level = _level(fields.level)
    return Task(
        task_id=task_id,
        question=question_text(fields.question),
        ground_truth=_ground_truth(fields.ground_truth) if is_scored else "",
        category=level,
        marks=(f"level{level}",),
        attachments=_attachments(fields.file_names, folder) if folder else (),
        scored=is_scored,
    )


def _task_id(value: Any) -> str:
    text = as_text(value) or ""
    if not TASK_ID.fullmatch(text) or not text.strip(".") or len(text) > MAX_ID_CHARS:
        raise FaultyRowError(
            f"task_id {value!r} cannot name a file; write 1 to {MAX_ID_CHARS} of the characters "
            "A-Z a-z 0-9 _ . -"
        )
    return text


def _require_new(task_id: str, line: int, first_line_of: dict[str, int]) -> None:
    first = first_line_of.setdefault(task_id, line)
    if first != line:
        raise FaultyRowError(f"task_id {task_id!r} is in row {first} too; each task may be there once")


def _level(value: Any) -> str:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    level = (as_text(whole) or "").strip()
    if level not in LEVELS:
        raise FaultyRowError(f"level {value!r} is none; write 1, 2 or 3")
    return level


def _ground_truth(value: Any) -> str:
    """A number becomes its shortest text: 0 is "0" and 1.0 stays "1.0"."""
    text = "" if is_blank(value) else as_text(value)
    if text is None:
        raise FaultyRowError(f"the ground truth is of type {type(value).__name__}; write text or a number")
    if text.strip() in {"", "?"}:
        found = "'?'" if text.strip() else "blank"
        raise FaultyRowError(
            f"the ground truth is {found}, so nothing can be judged; set subset to 'test' to run unscored"
        )
    return encodable(text, "ground truth")


def _attachments(file_names: tuple[Any, ...], folder: Path) -> tuple[str, ...]:
    names = _given(file_names)
    for name in names:
        parts = {*PurePosixPath(name).parts, *PureWindowsPath(name).parts}
        if ".." in parts or PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor or "\0" in name:
            raise FaultyRowError(f"attachment {name!r} leads out of the dataset's folder; name a file in it")
    for name in names:
        if (folder / name).is_file():
            return (str(folder / name),)
    if names:
        raise FaultyRowError(
            f"attachment {names[0]!r} is missing; put it beside the dataset file, or set subset to 'text'"
        )
    return ()


def _given(file_names: tuple[Any, ...]) -> list[str]:
    return [str(name) for name in file_names if not is_blank(name)]
