"""What the JSON bodies of all protocols have in common: params, error bodies, counts of tokens."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from harnesses.endpoint.spec import EndpointSpec

VERBATIM = "verbatim"
"""The field of our messages that keeps a turn part by part as its protocol told it, where content and calls
cannot: thinking between calls, several messages, parts of the server's own tools. It goes back in their
place."""


_CUT_SHORT = frozenset({"length", "content_filter"})


class NoCompletionError(ValueError):
    """A JSON value that is no completion; str() says in public words what is wrong, e.g. "no choices".

    `remedy` says what a user can do; ``None``: check the address. `max_retries` is how often it is worth
    asking again; ``None``: as any odd reply.
    """

    def __init__(self, what: str, *, remedy: str | None = None, max_retries: int | None = None) -> None:
        super().__init__(what)
        self.remedy = remedy
        self.max_retries = max_retries


def check_said(kinds: Iterable[str], *, known: frozenset[str], finish_reason: str | None, where: str) -> None:
    """Refuse a reply in parts that was not cut short and has none we know: nothing the model said is in it.

    It would else be told as a model's silence, which is its own affair. A part of a known kind may be empty.

    Args:
        kinds: What the parts of the reply are, e.g. ``["thinking", "text"]``.
        known: The kinds that are read.
        finish_reason: Our word for how the reply ended.
        where: What holds the parts, e.g. "content".

    Raises:
        NoCompletionError: The reply is such a one.
    """
    found = set(kinds)
    if finish_reason in _CUT_SHORT or found & known:
        return
    raise NoCompletionError(
        f"{where} that holds {'no part we know' if found else 'nothing'}",
        remedy="check the server: it says that the reply is whole",
        max_retries=1,
    )


def params_of(spec: EndpointSpec, overrides: Mapping[str, Any] | None) -> dict[str, Any]:
    """What goes into a request body above our own keys: `overrides` win, a null removes a key of ours."""
    return {**spec.params, **(overrides or {})}


def with_params(body: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """`body` with `params` above it, keys with a null left out.

    Where no tools are left, `tool_choice` and `parallel_tool_calls` go too: servers refuse them alone.
    """
    merged = {key: value for key, value in {**body, **params}.items() if value is not None}
    if not merged.get("tools"):
        merged.pop("tool_choice", None)
        merged.pop("parallel_tool_calls", None)
    return merged


def bearer(api_key: str) -> dict[str, str]:
    """The header that carries `api_key` as a bearer token; none for an empty one."""
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def is_error(payload: Mapping[str, Any]) -> bool:
    """Whether a body is an error, whatever its HTTP status says."""
    return bool(payload.get("error")) or "error" in (payload.get("object"), payload.get("type"))


def without_nulls(value: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a JSON object that hold something."""
    return {key: held for key, held in value.items() if held is not None}


def count(value: Any) -> int | None:
    """A number of tokens, ``None`` for what is none: a text, a negative or broken number, true."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value >= 0 and value == value // 1 else None


def parsed(text: str) -> Any:
    """The JSON value in the body of a reply.

    Raises:
        ValueError: It is no JSON, or has a number of more digits than can be read.
        RecursionError: It is nested more deeply than can be read.
    """
    return json.loads(text.removeprefix("\ufeff"))
