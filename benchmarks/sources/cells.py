"""What a cell of a row may hold: text that can be asked and judged, or one line on what is wrong with it."""

import ast
import json
import math
import warnings
from collections.abc import Mapping
from typing import Any

from harnesses.endpoint.json_values import is_list


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


def one_text(value: Any) -> str | None:
    """What a cell says that only informs: text without white space at its ends, a number as its text.

    Returns:
        "" where it is blank, ``None`` where it holds anything but text or a number.
    """
    if is_blank(value):
        return ""
    try:
        text = as_text(int(value) if isinstance(value, float) and value.is_integer() else value)
        return None if text is None else encodable(text, "cell").strip()
    except (FaultyRowError, ValueError):  # a number too long to be written is a ValueError
        return None


def texts(value: Any) -> tuple[str, ...] | None:
    """What a list says, a list written as text ('["a", "b"]'), or one text; blank items are left out.

    Returns:
        ``None`` where there is anything but text and numbers in it.
    """
    if isinstance(value, str) and value.strip().startswith("["):
        value = _written_list(value.strip())
    found = [one_text(item) for item in (value if is_list(value) else [value])]
    return None if None in found else tuple(text for text in found if text)


def _written_list(text: str) -> Any:
    """The list that `text` writes, as JSON or as Python; `text` itself if it is none."""
    for read in (json.loads, _python_literal):
        try:
            value = read(text)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            # All that both raise; a TypeError comes from "[{[1]: 2}]", a list as the key of a dictionary.
            continue
        if is_list(value):
            return value
    return text


def _python_literal(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on a text's odd escapes: it was not written as Python
        return ast.literal_eval(text)
