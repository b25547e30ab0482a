"""A row of SealQA becomes a task. All that is wrong with a file is reported together, each with its row.

Columns: `question`, `answer`, and where they are there `urls`, `freshness`, `question_types`,
`effective_year`, `search_results`, `topic` and `canary`; for LongSeal also `golds` and `<N>_docs`, which are
kept apart: of those the row holds how many documents there are.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from benchmarks.benchmark import DatasetError
from benchmarks.sealqa.longseal import HELPFUL, OTHERS, draw, missing_documents
from benchmarks.sealqa.params import SealQAParams
from benchmarks.sources.apart import file_of
from benchmarks.sources.cells import (
    FaultyRowError,
    encodable,
    is_blank,
    one_text,
    question_text,
    require,
    texts,
)
from benchmarks.sources.rows import Problem, Row, Rows, refuse
from benchmarks.task import Task

UNKNOWN = "unknown"
"""What a breakdown calls a task whose row does not say."""
GROUPS: Mapping[str, str] = {
    "freshness": "freshness",
    "question type": "question_types",
    "effective year": "effective_year",
    "search results": "search_results",
}
"""The further breakdowns, each with its column."""
TOLD: Mapping[str, Callable[[Any], object]] = {
    "topic": one_text,
    **dict.fromkeys(GROUPS.values(), texts),
    "urls": texts,
    "canary": one_text,
}
"""Columns that tell something of a task and may lack, each with what reads its cells."""


def documents_column(params: SealQAParams) -> str:
    """The column with the documents that do not help, e.g. "12_docs"."""
    return f"{params.longseal_document_count}_docs"


def readable(rows: Rows) -> Rows:
    """`rows` without the cells of `TOLD` that cannot be read, and with a warning that counts those.

    They inform and decide nothing, so they are no reason to refuse a dataset.
    """
    n_odd: Counter[str] = Counter()
    kept: list[Row] = []
    for row in rows.rows:
        odd = [column for column, read in TOLD.items() if read(row.values.get(column)) is None]
        n_odd.update(odd)
        kept.append(replace(row, values={**row.values, **dict.fromkeys(odd)}) if odd else row)
    lines = (_odd_cells(column, n_odd[column]) for column in TOLD if n_odd[column])
    return replace(rows, rows=tuple(kept), warnings=(*rows.warnings, *lines))


def _odd_cells(column: str, n_rows: int) -> str:
    have = "row has" if n_rows == 1 else "rows have"
    taken = "left out" if column in {"urls", "canary"} else f"counted as {UNKNOWN}"
    return f"{n_rows} {have} a {column!r} of another type than text; {taken}"


def tasks_from(rows: Rows, params: SealQAParams) -> tuple[Task, ...]:
    """The tasks of `rows` in their order.

    Raises:
        DatasetError: No row, or faulty ones; each is named with its number.
    """
    problems = list(rows.problems)
    tasks: list[Task] = []
    for row in rows.rows:
        try:
            tasks.append(_task(row, rows, params))
        except FaultyRowError as error:
            problems.append(Problem(line=row.line, text=str(error)))
    refuse(rows.place, problems)
    if not tasks:
        raise DatasetError(f"{rows.place!r} holds no task; choose another category or dataset_path")
    return tuple(tasks)


def _task(row: Row, rows: Rows, params: SealQAParams) -> Task:
    values = row.values
    is_longseal = params.category == "longseal"
    require(values, "question", "answer", *([HELPFUL, documents_column(params)] if is_longseal else []))
    task_id = f"{params.category}-{row.number:03}"
    topic = _one_line(one_text(values.get("topic")) or UNKNOWN)
    metadata: dict[str, Any] = {
        "dataset_category": params.category,
        "dataset_revision": rows.revision,
        "urls": list(texts(values.get("urls")) or ()),
    }
    locator: dict[str, str] = {}
    if is_longseal:
        metadata |= _construction(task_id, values, params)
        locator = _locator(row, rows, params)
    return Task(
        task_id=task_id,
        question=question_text(values["question"]),
        ground_truth=_answer(values["answer"]),
        category=topic,
        marks=(f"topic_{_slug(topic)}", f"category_{params.category}"),
        metadata=metadata,
        groups={name: _groups(values.get(column)) for name, column in GROUPS.items()},
        # As the dataset has it: a copy is looked for, and its line breaks are part of it.
        canary=one_text(values.get("canary")) or None,
        locator=locator,
    )


def _answer(value: Any) -> str:
    text = "" if is_blank(value) else value
    if not isinstance(text, str):
        # A number has lost how it was written: 1.10 is 1.1 by now, and the judge compares texts.
        raise FaultyRowError(f"the answer is of type {type(value).__name__}; write it as text, in quotes")
    if text.strip() in {"", "?"}:
        found = "'?'" if text.strip() else "blank"
        raise FaultyRowError(f"the answer is {found}, so nothing can be judged; every task needs one")
    return encodable(text, "answer")


def _groups(value: Any) -> tuple[str, ...]:
    return tuple(map(_one_line, texts(value) or (UNKNOWN,)))


def _one_line(text: str) -> str:
    """`text` with its white space as single blanks: a breakdown names it in a table."""
    return " ".join(text.split())


def _slug(topic: str) -> str:
    return re.sub(r"[\W_]+", "_", topic.lower()).strip("_") or UNKNOWN


def _counts(values: Mapping[str, Any], params: SealQAParams) -> tuple[int, int]:
    """How many documents help, and how many do not."""
    columns = (HELPFUL, documents_column(params))
    for column in columns:
        if not isinstance(values[column], int | None):
            raise FaultyRowError(
                f"column {column!r} is of type {values[column]}; write a list of documents, each an object "
                "with title, date, url and text"
            )
    n_helpful, n_others = (values[column] or 0 for column in columns)
    return n_helpful, n_others


def _construction(task_id: str, values: Mapping[str, Any], params: SealQAParams) -> dict[str, int | None]:
    """What the record says of a LongSeal prompt: documents in all, and where the helpful one stands."""
    n_helpful, n_others = _counts(values, params)
    drawn = draw(task_id, n_helpful, n_others, seed=params.longseal_seed)
    return {
        "longseal_document_count": n_others + (drawn is not None),
        "longseal_gold_position": drawn.position if drawn else None,
    }


def _locator(row: Row, rows: Rows, params: SealQAParams) -> dict[str, str]:
    """Where the documents lie; a kind of which there are none has no file."""
    assert rows.apart is not None  # noqa: S101  # narrows the type: LongSeal's columns are always kept apart
    columns = {HELPFUL: HELPFUL, OTHERS: documents_column(params)}
    files = {
        key: file_of(rows.apart, column, row.number) for key, column in columns.items() if row.values[column]
    }
    gone = next((file for file in files.values() if not file.is_file()), None)
    if gone is not None:
        raise DatasetError(missing_documents(str(gone)))
    return {key: str(file) for key, file in files.items()}


def absent_columns(rows: Rows) -> tuple[str, ...]:
    """Columns that tell something of a task and are in no row."""
    return tuple(name for name in TOLD if not any(name in row.values for row in rows.rows))


def n_without_documents(tasks: tuple[Task, ...]) -> int:
    """LongSeal tasks whose prompt is the question alone."""
    return sum(task.metadata.get("longseal_document_count") == 0 for task in tasks)
