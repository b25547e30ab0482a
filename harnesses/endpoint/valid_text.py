"""Text that can be encoded: a reply may hold halves of characters, which no file and no request can carry."""

import json
import re
from typing import Any

from harnesses.endpoint.json_values import is_list, is_object

_SURROGATE = re.compile("[\ud800-\udfff]")


def without_halves(text: str) -> str:
    r"""`text` with halves of characters made whole: a pair becomes its character, a lone one U+FFFD.

    Example: ``without_halves("a\ud800")`` gives ``"a\ufffd"``.
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def with_valid_text(value: Any) -> Any:
    """A JSON value like `value` without halves of characters, in keys and values at every depth."""
    if isinstance(value, str):
        return without_halves(value)
    if is_list(value):
        return [with_valid_text(item) for item in value]
    if is_object(value):
        return {with_valid_text(key): with_valid_text(item) for key, item in value.items()}
    return value


def as_text(value: Any) -> str:
    """`value` itself if it is a text, "" for ``None``, else its JSON form, e.g. ``'{"query": "x"}'``."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
