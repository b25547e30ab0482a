"""What a cell of a row may hold: text that can be asked and judged, or one line on what is wrong with it."""

import math
from collections.abc import Mapping
from typing import Any


class FaultyRowError(Exception):
    """What is wrong with the row at hand, in one line; it never shows a ground truth."""


def require(values: Mapping[str, Any], *names: str, called: str | None = None) -> None:
    """The row has these columns; `called` is how the error names them.

    Raises:
        FaultyRowError: One is missing.
    """
    missing = [name for name in names if name not in values]
    if missing:
        wanted = called or ", ".join(map(repr, missing))
        present = ", ".join(repr(name) for name in values)
        raise FaultyRowError(f"column {wanted} is missing; columns present: {present or 'none'}")


def question_text(value: Any) -> str:
    """A question as it is asked.

    Raises:
        FaultyRowError: It is blank, no text, or cannot be sent.
    """
    if is_blank(value):
        raise FaultyRowError("the question is blank; every task needs one")
    if not isinstance(value, str):
        raise FaultyRowError(f"the question is of type {type(value).__name__}; write text")
    return encodable(value, "question")


def encodable(text: str, what: str) -> str:
    """`text` itself; `what` is how the error calls it, e.g. "question".

    Raises:
        FaultyRowError: It holds half a surrogate pair.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise FaultyRowError(
            f"the {what} holds half a surrogate pair and cannot be sent; repair the text"
        ) from None
    return text


def is_blank(value: Any) -> bool:
    """None, NaN (an empty cell to pandas) or white space."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and not value.strip())


def as_text(value: Any) -> str | None:
    """Text as it is, a number as text; ``None`` for every other type."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value)
