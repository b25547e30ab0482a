"""The four formats of a file of answers: each turns rows into text, and text back into rows.

A row is ``{"task_id": "t-1", "attempt": 1, "question": "…", "answer": "42"}``. What is read of one is not
checked here: see `harnesses/answers.py`.
"""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from harnesses.endpoint.json_values import is_list, is_object

FIELDS: tuple[str, ...] = ("task_id", "attempt", "question", "answer")
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Found:
    """What stands at one place of a file: a row, or why there is none.

    `place` is "line 7", "row 7" (counted as a spreadsheet does, from the first line) or "entry 7". `fault`
    holds no text of the file: a question or an answer may be in it.
    """

    place: str
    row: Row | None = None
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class AnswersFormat:
    """A format. `read` raises `ValueError` where a text is not of it; faults of a single row are `Found`."""

    read: Callable[[str], Iterator[Found]]
    write: Callable[[Sequence[Row]], str]


def _from_json(text: str) -> Any:
    """The JSON value in `text`, each number as the text it is written as: "1.50" stays "1.50"."""
    try:
        return json.loads(
            text,
            parse_int=str,
            parse_float=str,
            parse_constant=_refused_constant,
            object_pairs_hook=_object,
        )
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _refused_constant(name: str) -> None:
    raise ValueError(f"{name} is no value; use null where there is no answer")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("an entry names a field twice")
    return dict(pairs)


def _found(place: str, value: Any) -> Found:
    if is_object(value):
        return Found(place=place, row=value)
    kind = "null" if value is None else type(value).__name__
    return Found(place=place, fault=f"a {kind} is no entry; give an object with {', '.join(FIELDS)}")


def _read_json(text: str) -> Iterator[Found]:
    entries = _from_json(text)
    if not is_list(entries):
        raise ValueError("a list of entries is wanted")
    return (_found(f"entry {number}", entry) for number, entry in enumerate(entries, start=1))


def _read_json_lines(text: str) -> Iterator[Found]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = _from_json(line)
        except json.JSONDecodeError as error:
            # The decoder's own message counts lines within this one.
            fault = f"no JSON from character {error.pos + 1} on; write one object on each line"
            yield Found(place=f"line {number}", fault=fault)
        except ValueError as error:
            yield Found(place=f"line {number}", fault=f"{error}; correct it")
        else:
            yield _found(f"line {number}", entry)


def _read_csv(text: str) -> Iterator[Found]:
    csv.field_size_limit(2**31 - 1)
    reader, n_rows = csv.reader(io.StringIO(text, newline=""), strict=True), 0
    names: list[str] = []
    try:
        for n_rows, cells in enumerate(reader, start=1):
            if n_rows == 1:
                names = _columns(cells)
            elif any(cells):
                yield _row_of(names, cells, f"row {n_rows}")
    except csv.Error as error:
        # Where the next row would begin is not known.
        fault = f"{error}; double each quote within quotes, and close them"
        yield Found(place=f"row {n_rows + 1}", fault=fault)
    if n_rows == 0:
        _columns([])


def _columns(cells: Sequence[str]) -> list[str]:
    """The names in the first line.

    Raises:
        ValueError: One that is needed is missing, or there twice.
    """
    names = [cell.strip() for cell in cells]
    for name in ("task_id", "answer"):
        if names.count(name) != 1:
            raise ValueError(
                f"its first line must name the column {name!r} once, with commas between columns"
            )
    return names


def _row_of(names: Sequence[str], cells: Sequence[str], place: str) -> Found:
    if any(cells[len(names) :]):
        fault = f"{len(cells)} cells under {len(names)} columns; put an answer with a comma in quotes"
        return Found(place=place, fault=fault)
    return Found(place=place, row=dict.fromkeys(names, "") | dict(zip(names, cells, strict=False)))


# Comments and instructions may come before a DOCTYPE; after the first element there is none.
_DOCTYPE = re.compile(r"(?>\s+|<\?(?>.*?\?>)|<!--(?>.*?-->))*+<!DOCTYPE", re.DOTALL)


def _read_xml(text: str) -> Iterator[Found]:
    if _DOCTYPE.match(text):
        # It may define entities that grow without end.
        raise ValueError("it has a DOCTYPE, which is refused; leave it out")
    try:
        root = ET.fromstring(text)  # noqa: S314 - no DOCTYPE, so no entities
    except ET.ParseError as error:
        raise ValueError(str(error)) from error
    return (_element(element, f"entry {number}") for number, element in enumerate(root, start=1))


def _element(element: ET.Element, place: str) -> Found:
    """The row of an element: its attributes, and the texts of the elements in it."""
    names = [*element.attrib, *(child.tag for child in element)]
    if len(set(names)) < len(names):
        return Found(place=place, fault="it names a field twice; keep one")
    if any(len(child) for child in element):
        return Found(place=place, fault="a field holds elements; write &lt; for each < of a text")
    return Found(place=place, row={**element.attrib, **{child.tag: child.text or "" for child in element}})


def _write_json(rows: Sequence[Row]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def _write_json_lines(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _write_csv(rows: Sequence[Row]) -> str:
    text = io.StringIO(newline="")
    # Every cell in quotes: who fills the form in by hand writes between them, where a comma is no end.
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _write_xml(rows: Sequence[Row]) -> str:
    entries = (
        f"  <entry task_id={quoteattr(row['task_id'])} attempt={quoteattr(str(row['attempt']))}>\n"
        f"    <question>{_in_xml(row['question'])}</question>\n"
        f"    <answer>{_in_xml(row['answer'])}</answer>\n"
        "  </entry>\n"
        for row in rows
    )
    return f'<?xml version="1.0" encoding="utf-8"?>\n<answers>\n{"".join(entries)}</answers>\n'


def _in_xml(text: str) -> str:
    """`text` as XML 1.0 can hold it: what no document may hold becomes U+FFFD (XML 1.0, section 2.2)."""
    fitting = "".join(
        one if one in "\t\n\r" or " " <= one not in "\ufffe\uffff" else "\ufffd" for one in text
    )
    return escape(fitting, {"\r": "&#13;"})


FORMATS: Mapping[str, AnswersFormat] = MappingProxyType(
    {
        "json": AnswersFormat(read=_read_json, write=_write_json),
        "jsonl": AnswersFormat(read=_read_json_lines, write=_write_json_lines),
        "csv": AnswersFormat(read=_read_csv, write=_write_csv),
        "xml": AnswersFormat(read=_read_xml, write=_write_xml),
    }
)
"""The formats by their names, which are also the suffixes of their files."""
