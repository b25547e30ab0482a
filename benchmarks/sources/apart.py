"""Columns too large for the rows: each row's value is kept in a file of its own.

In the row stays how long it is, so that whoever loads the rows never holds the documents of a whole dataset.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.sources.rows import BYTE_ORDER_MARK, ROWS, value_of
from harnesses.downloads import place
from harnesses.endpoint.json_values import is_list, is_object

Length = int | str | None
"""What stays in the row: the number of objects in the list, ``None`` for null, or the type of what is no list
of objects, e.g. "list of str"."""


def file_of(folder: Path, column: str, row: int) -> Path:
    """The file of one value; `row` counts from 1. Example: ``golds/001.json``."""
    return folder / column / f"{row:03}.json"


def keep_apart(value: Any, file: Path) -> Length:
    """Write a list of objects to `file`, whole or not at all; what is no such list is not written.

    Raises:
        OSError: The folder cannot be written.
    """
    if not is_list(value):
        return None if value is None else type(value).__name__
    strangers = {type(item).__name__ for item in value} - {"dict"}
    if strangers:
        return f"list of {min(strangers)}"
    text = json.dumps(value, default=str)

    def produce(partial: Path) -> None:
        partial.write_text(text, encoding="utf-8")

    place(file, produce)
    return len(value)


def split_jsonl(file: Path, folder: Path, columns: Iterable[str]) -> None:
    """Write the rows of a JSONL file to `folder` with `columns` kept apart, holding one line at a time.

    The rows come last: where they are, the values kept apart are. A line that is no row is passed on as it
    is: whoever reads the rows reports it with its line, and a blank one shifts no row's number.

    Raises:
        OSError: The file cannot be read, or the folder cannot be written.
    """

    def produce(partial: Path) -> None:
        with file.open("rb") as lines, partial.open("wb") as rows:
            number = 0
            for at, line in enumerate(lines):
                content = line.removeprefix(b"" if at else BYTE_ORDER_MARK)
                number += bool(content.strip())
                rows.write(_split(content, number))

    def _split(line: bytes, number: int) -> bytes:
        try:
            row = value_of(line)
        except (ValueError, RecursionError):
            return line
        if not is_object(row):
            return line
        for column in columns:
            if column in row:
                row[column] = keep_apart(row[column], file_of(folder, column, number))
        return f"{json.dumps(row)}\n".encode()

    place(folder / ROWS, produce)
