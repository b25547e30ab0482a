"""Reading what a model wrote as the arguments of a tool call."""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from harnesses.endpoint.json_values import is_list, is_object
from harnesses.endpoint.valid_text import with_valid_text
from harnesses.tools.tool import BadArgumentsError

_FENCED = re.compile(r"\s*```[a-zA-Z]*\s*\n?(.*?)\n?\s*```\s*", re.DOTALL)
_STRAIGHT_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"})  # noqa: RUF001 - the curly quotes are what is replaced
_LONGEST_CHARACTERS = 100_000
"""More than this is no call anybody meant, and Python's own parser may exhaust the stack on it."""

_MOST_TEXTS = 10
"""A list of queries or addresses is one call, so `max_tool_calls_per_turn` does not bound it; this does."""


def read_arguments(text: str) -> dict[str, Any]:
    """The arguments of a call, e.g. ``{"query": "longest bridge"}``.

    A code fence is taken off. Strict JSON comes first, then JSON with curly quotes straightened or raw line
    breaks in its strings, then a Python literal; JSON that was encoded twice is decoded twice. No text at
    all means no arguments.

    Raises:
        BadArgumentsError: Nothing of this gives an object.
    """
    fenced = _FENCED.fullmatch(text)
    bare = (fenced[1] if fenced else text).strip()
    if not bare:
        return {}
    if len(bare) > _LONGEST_CHARACTERS:
        raise BadArgumentsError(f"the arguments are {len(bare)} characters long; write less")
    for value in _readings(bare):
        found = next(_readings(value), value) if isinstance(value, str) else value
        if is_object(found):
            arguments: dict[str, Any] = with_valid_text({str(name): part for name, part in found.items()})
            return arguments
    raise BadArgumentsError('the arguments are no complete JSON object; write them like {"name": "value"}')


def _readings(text: str) -> Iterator[Any]:
    straight = text.translate(_STRAIGHT_QUOTES)
    for candidate, strict in ((text, True), (straight, True), (straight, False)):
        try:
            yield json.loads(candidate, strict=strict)
        except (ValueError, RecursionError):
            continue
    for candidate in (text, straight):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the model's "\d" is not worth a SyntaxWarning of ours
                yield ast.literal_eval(candidate)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue


def texts(arguments: Mapping[str, Any], name: str) -> list[str]:
    """The text or texts given as argument `name`: 1 to 10, none blank, in order.

    A list that was itself written as text (``'["a", "b"]'``) counts as a list.

    Raises:
        BadArgumentsError: It is missing, blank, or neither text nor a list of at most 10 texts.
    """
    given = listed(arguments.get(name))
    found = [text.strip() for text in given if isinstance(text, str) and text.strip()]
    if len(found) > _MOST_TEXTS:
        raise BadArgumentsError(f"{name} lists {len(found)} entries; give at most {_MOST_TEXTS}")
    if not found:
        raise BadArgumentsError(f"{name} is missing: give it as text")
    return found


def listed(value: Any) -> list[Any]:
    """`value` as a list: itself, the list that it writes out, or alone in one.

    Example: ``'["a", "b"]'`` gives ``["a", "b"]``, and ``None`` gives ``[None]``.
    """
    if is_list(value):
        return value
    return (_list_in(value) if isinstance(value, str) else []) or [value]


def _list_in(text: str) -> list[Any]:
    """The list that `text` writes out; empty if it is another text."""
    if not text.strip().startswith("["):
        return []
    return next((value for value in _readings(text.strip()) if is_list(value)), list[Any]())
