"""Rows as a source hands them on: numbered, in the file's order, not yet understood."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from benchmarks.benchmark import DatasetError

ROWS = "rows.jsonl"
"""What the rows are called in a folder of the cache. They are written last: where they are, all is."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SHOWN_PROBLEMS = 5
"""An error lists at most this many rows: one wrong column would fill the screen with all of them."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: `number` counts the rows from 1; `line` is its line in a JSONL file, which errors show.

    They differ after a blank line. A Parquet file has no blank ones, so there they are the same.
    """

    number: int
    line: int
    values: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What is wrong with the row on `line`: the value, the rule and the remedy, in one line."""

    line: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Rows:
    """What a source hands on.

    `place` is what errors call the file, e.g. "tasks.jsonl". Attachments lie in `folder`; ``None`` says that
    the source ships none. `source`, `revision` and `warnings` are those of a `Dataset`. `is_pinned` is True
    where the number of tasks is known beforehand. The columns kept apart lie in `apart`, see `apart.file_of`;
    ``None`` where there are none.
    """

    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]
    place: str
    folder: Path | None
    source: str
    revision: str | None
    warnings: tuple[str, ...] = ()
    is_pinned: bool = False
    apart: Path | None = None


def parse_jsonl(content: bytes) -> tuple[tuple[Row, ...], tuple[Problem, ...]]:
    """Read one JSON object a line; blank lines are passed over and shift no row's number.

    Returns:
        The rows that could be read, and a problem for each line that could not.
    """
    rows: list[Row] = []
    problems: list[Problem] = []
    lines = enumerate(content.removeprefix(BYTE_ORDER_MARK).split(b"\n"), start=1)
    filled = ((at, line) for at, line in lines if line.strip())
    for number, (at, line) in enumerate(filled, start=1):
        try:
            value = value_of(line)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(line=at, text=f"{_malformed(error)}; write one JSON object a line"))
            continue
        if isinstance(value, dict):
            rows.append(Row(number=number, line=at, values=cast("dict[str, Any]", value)))
        else:
            text = f"a JSON {type(value).__name__} is no row; write one JSON object a line"
            problems.append(Problem(line=at, text=text))
    return tuple(rows), tuple(problems)


def value_of(line: bytes) -> Any:
    """The JSON value of one line.

    Raises:
        ValueError: It is no UTF-8 text, or no JSON.
        RecursionError: It is nested too deeply.
    """
    return json.loads(line.decode())


def _malformed(error: Exception) -> str:
    """Names the fault without the text around it: a line may hold a ground truth."""
    if isinstance(error, json.JSONDecodeError):
        return f"malformed JSON ({error.msg} at column {error.colno})"
    return "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "malformed JSON"


def refuse(place: str, problems: Iterable[Problem]) -> None:
    """Report all problems of a file together, one line each.

    Raises:
        DatasetError: There is at least one problem.
    """
    ordered = sorted(problems, key=lambda problem: problem.line)
    lines = [f"{place}, row {problem.line}: {problem.text}" for problem in ordered[:SHOWN_PROBLEMS]]
    if len(ordered) > SHOWN_PROBLEMS:
        lines.append(f"{place}: {len(ordered) - SHOWN_PROBLEMS} more problems like these")
    if lines:
        raise DatasetError("\n".join(lines))
