"""Whatever a harness, a server or a tool left behind, as plain JSON values: all that a record may hold.

Plain means None, bool, int, float, str, list and dict with text keys. Nothing else travels on a pytest report
between processes, and nothing else can be written whatever the text in it.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from harnesses.endpoint.valid_text import without_halves

MAX_DEPTH = 100
"""Containers nested deeper than this become a short text; no reply of a model comes near it."""

MAX_FOREIGN_CHARACTERS = 1000
"""Length to which the text of a foreign object is cut."""

_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_ODD = re.compile("[\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_ESCAPED_CONTROL = re.compile(r"\\(?:u00[01]|[bfr])")
"""A control character as JSON writes it, once every pair of backslashes, which stands for one, is out."""


def clean_text(text: str) -> str:
    r"""`text` that can be encoded, printed and put into XML.

    Control characters go, except newline and tab; halves of a surrogate pair that stand alone become U+FFFD.

    Example: ``clean_text("a\x00b\ud800")`` gives ``"ab\ufffd"``.
    """
    return _UNWRITABLE.sub("", without_halves(text))


def one_line(text: str, limit: int = 200) -> str:
    """`text` without line breaks and runs of blanks, cut to `limit` characters (at least 2) with "…"."""
    line = " ".join(clean_text(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def plain(value: object) -> Any:
    """`value` as plain JSON values; never fails.

    Tuples and sets become lists and keys text; NaN and infinities become ``"nan"``, ``"inf"`` and ``"-inf"``;
    integers beyond 64 bits become text, and so does any other object: its ``str``, cut, or its type's name.

    Example: ``plain({"at": (1, float("nan"), object())})`` gives ``{"at": [1, "nan", "<object …>"]}``.
    """
    return _plain(value, ())


def plain_line(value: object) -> str:
    """`plain(value)` as JSON on one line; never fails. Long integers and deep nesting are left as they are.

    Most values are plain already, and Python's own encoder is twenty times as fast as a look at each of them.
    """
    try:
        line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except Exception:  # noqa: BLE001 - foreign objects may fail in any way; the record must survive it
        return json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
    if _ODD.search(line) or _ESCAPED_CONTROL.search(line.replace("\\\\", "")):
        return json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
    return line


def _plain(value: object, around: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return clean_text(str.__str__(value))
    if isinstance(value, int):
        number = int(value)
        return number if -(2**63) <= number < 2**63 else _foreign(hex(number))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    return _container(value, around)


def _container(value: object, around: tuple[int, ...]) -> Any:
    if id(value) in around or len(around) >= MAX_DEPTH:
        return "<nested too deep>"
    inside = (*around, id(value))
    if isinstance(value, Mapping):
        return _mapping(cast("Mapping[object, object]", value), inside)
    if isinstance(value, list | tuple):
        return [_plain(part, inside) for part in cast("Iterable[object]", value)]
    if isinstance(value, set | frozenset):
        return sorted((_plain(part, inside) for part in cast("Iterable[object]", value)), key=repr)
    return _foreign(value)


def _mapping(value: Mapping[object, object], inside: tuple[int, ...]) -> Any:
    try:
        items = list(value.items())
    except Exception:  # noqa: BLE001 - a foreign mapping may fail in any way; the record must survive it
        return _type_name(value)
    return {_key(key): _plain(part, inside) for key, part in items}


def _key(key: object) -> str:
    return clean_text(str.__str__(key)) if isinstance(key, str) else str(_foreign(key))


def _foreign(value: object) -> str:
    try:
        return clean_text(str(value))[:MAX_FOREIGN_CHARACTERS]
    except Exception:  # noqa: BLE001 - a foreign __str__ may fail in any way; the record must survive it
        return _type_name(value)


def _type_name(value: object) -> str:
    return f"<{type(value).__qualname__}>"
