"""Keys: which values are keys, and what is shown in their place."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

HIDDEN = "***"
SECRET_MIN_CHARACTERS = 8
"""A shorter one, such as the `EMPTY` of a local server, is no secret: hiding it would only garble reports."""

_SECRET_WORD = re.compile(
    r"api[-_]?keys?|keys?|token|auth|authorization|secrets?|passw(or)?d|passphrase|credentials?|bearer|cookie",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_USERINFO = re.compile(r"(?<=://)([^/?#\s'\"]+)@")
_QUERY_VALUE = re.compile(r"[?&]([^=&#\s'\"]+)=([^&#\s'\"]+)")


def is_secret_name(name: str) -> bool:
    """Whether a value under this name is a key: `api_key`, `X-API-KEY`, `authToken`, but not `max_tokens`."""
    return any(_SECRET_WORD.fullmatch(word) for word in _WORD.findall(name))


def secret_values(values: Any, *, secret: bool = False) -> Iterator[str]:
    """Each key in nested plain values, long enough to be one; parts of `Bearer …` on their own too.

    `secret` tells that `values` itself lies under the name of a key.
    """
    if isinstance(values, Mapping):
        for name, value in cast("Mapping[str, Any]", values).items():
            yield from secret_values(value, secret=secret or is_secret_name(name))
    elif isinstance(values, list | tuple):
        for value in cast("Iterable[Any]", values):
            yield from secret_values(value, secret=secret)
    elif isinstance(values, str):
        found = [values, *values.split()] if secret else list(_in_address(values))
        yield from (text for text in found if len(text) >= SECRET_MIN_CHARACTERS)
    elif secret and isinstance(values, int) and len(str(values)) >= SECRET_MIN_CHARACTERS:
        yield str(values)


def masked(values: Any, secrets: Iterable[str] = (), *, secret: bool = False) -> Any:
    """Nested plain values with ``***`` for each key; an empty key, a null and a boolean stay as they are."""
    secrets = tuple(secrets)
    if isinstance(values, Mapping):
        items = cast("Mapping[str, Any]", values).items()
        return {name: masked(item, secrets, secret=secret or is_secret_name(name)) for name, item in items}
    if isinstance(values, list | tuple):
        return [masked(item, secrets, secret=secret) for item in cast("Iterable[Any]", values)]
    if secret and values is not None and values != "" and not isinstance(values, bool):
        return HIDDEN
    return masked_text(values, secrets) if isinstance(values, str) else values


def masked_text(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without `secrets`, without user and password in addresses, without keys in their queries."""
    for found in sorted({*secrets}, key=len, reverse=True):
        text = text.replace(found, HIDDEN)
    text = _USERINFO.sub(f"{HIDDEN}@", text)
    return _QUERY_VALUE.sub(_without_key, text)


def _without_key(pair: re.Match[str]) -> str:
    return f"{pair[0][0]}{pair[1]}={HIDDEN}" if is_secret_name(pair[1]) else pair[0]


def _in_address(text: str) -> Iterator[str]:
    for userinfo in _USERINFO.findall(text):
        yield from userinfo.split(":", 1)
    for name, value in _QUERY_VALUE.findall(text):
        if is_secret_name(name):
            yield value
