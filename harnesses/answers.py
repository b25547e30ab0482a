"""Answers in a file: one entry for each attempt, whichever of the four formats it is written in."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harnesses.answer_formats import FIELDS, FORMATS, Found, Row
from harnesses.endpoint.valid_text import with_valid_text

FORMS = tuple(FORMATS)
"""What `write_answers` can write, and the suffixes that `read_answers` knows."""

_TASK_ID = re.compile(r"[A-Za-z0-9_.-]+")
_MOST_LINES = 20
_SHOWN_CHARACTERS = 40
_LONGEST_NUMBER = 9


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One attempt to be answered.

    `attempt` counts from 1. `question` is for whoever fills the form and is never read back; "" where it is
    left out. `answer` is "" where none is given: no answer, not a wrong one.
    """

    task_id: str
    attempt: int = 1
    question: str = ""
    answer: str = ""


class AnswersError(Exception):
    """A file of answers cannot be taken: `lines` has one for each fault.

    They name places, ids and rules, but no answer and no question: they are shown in public.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


def read_answers(path: Path) -> tuple[Entry, ...]:
    """The entries of a file, in their order; its suffix tells the format.

    Raises:
        AnswersError: It cannot be read, or entries are wrong: all faults together, at most 20 told one by
            one.
    """
    name, kind = path.name, path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        known = ", ".join(f".{form}" for form in FORMATS)
        raise AnswersError([f"{name!r} has no known format; its name must end with {known}"])
    try:
        return _entries(FORMATS[kind].read(_text_of(path)), name)
    except ValueError as error:
        raise AnswersError([f"{name!r} cannot be read as {kind.upper()}: {error}; correct it"]) from error


def write_answers(entries: Iterable[Entry], form: str) -> str:
    """The text of a file with these entries; `form` is one of `FORMS`.

    What `read_answers` makes of it are the same task ids, attempts and answers. Characters that no file can
    hold (halves of characters; in XML control characters too) become U+FFFD.
    """
    rows = [{name: with_valid_text(getattr(entry, name)) for name in FIELDS} for entry in entries]
    return FORMATS[form].write(rows)


def _text_of(path: Path) -> str:
    """The text of a file, its line ends as they are."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AnswersError(
            [f"{path.name!r} is no UTF-8 (byte {error.start + 1} is not); save it as UTF-8"]
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise AnswersError(
            [f"{str(path)!r} cannot be read: {reason}; give a file that can be, as answers_path"]
        ) from error


def _entries(rows: Iterable[Found], name: str) -> tuple[Entry, ...]:
    faults: list[str] = []
    entries: dict[tuple[str, int], Entry] = {}
    places: dict[tuple[str, int], str] = {}
    for found in rows:
        wrong = [found.fault] if found.row is None else list(_faults_of(found.row))
        if found.row is not None and not wrong:
            entry = _entry(found.row)
            unit = entry.task_id, entry.attempt
            if unit in entries:
                wrong.append(f"attempt {unit[1]} of {unit[0]!r} is already in {places[unit]}; keep one")
            entries.setdefault(unit, entry)
            places.setdefault(unit, found.place)
        faults += [f"{name!r}, {found.place}: {line}" for line in wrong]
    if faults:
        n_more = len(faults) - _MOST_LINES
        more = [f"{name!r}: {n_more} more faults like these"] if n_more > 0 else []
        raise AnswersError([*faults[:_MOST_LINES], *more])
    return tuple(entries.values())


def _faults_of(row: Row) -> Iterable[str]:
    task_id, attempt, answer = row.get("task_id"), row.get("attempt"), row.get("answer")
    if not isinstance(task_id, str) or not _TASK_ID.fullmatch(task_id.strip()):
        yield f"task_id {_brief(task_id)} is the id of no task; copy it from the form"
    if _attempt_of(attempt) is None:
        yield f"attempt {_brief(attempt)} is no whole number of 1 or more; correct it"
    if "answer" not in row:
        yield "it has no field 'answer'; add it, empty where there is no answer"
    elif answer is not None and not isinstance(answer, str):
        yield f"answer is a {type(answer).__name__}, and an answer is text; put it in quotes"


def _entry(row: Row) -> Entry:
    """The entry of a row without faults."""
    attempt = _attempt_of(row.get("attempt"))
    return Entry(task_id=row["task_id"].strip(), attempt=attempt or 1, answer=row["answer"] or "")


def _attempt_of(value: Any) -> int | None:
    """A number of an attempt, 1 where none is given; ``None`` for what is no such number."""
    text = "1" if value is None or value == "" else value
    if not isinstance(text, str):
        return None
    text = text.strip()
    is_number = text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER
    return int(text) or None if is_number else None


def _brief(value: Any) -> str:
    """A value as a public line may show it; words may be an answer or a question in the wrong column."""
    is_word = isinstance(value, str) and any(character.isalpha() for character in value)
    if isinstance(value, str) and (is_word or len(value) > _SHOWN_CHARACTERS or len(value.split()) > 1):
        return f"(a text of {len(value)} characters)"
    return repr(value) if value is None or isinstance(value, str | bool) else f"(a {type(value).__name__})"
