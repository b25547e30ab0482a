"""What a server says when it refuses: the shapes differ, the content is a message and a code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harnesses.endpoint.json_values import as_object, as_objects, is_list, is_object
from harnesses.endpoint.valid_text import as_text

_STATUS_OF_WORD = {
    "invalid_api_key": 401,
    "authentication_error": 401,
    "invalid_authentication": 401,
    "insufficient_quota": 402,
    "billing_error": 402,
    "permission_error": 403,
    "model_not_found": 404,
    "not_found_error": 404,
    "invalid_request_error": 400,
    "badrequesterror": 400,
    "content_filter": 400,
    "invalid_prompt": 400,
    "context_length_exceeded": 400,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "server_error": 500,
    "internal_server_error": 500,
    "api_error": 500,
    "overloaded_error": 503,
    "service_unavailable": 503,
    "timeout": 504,
    "timeout_error": 504,
}
"""What the words that stand for a status inside a 200 mean, by their most usual use."""


@dataclass(frozen=True, kw_only=True)
class ErrorBody:
    """An error as the server told it.

    `message` is its text: it may repeat the prompt, so it is private. `words` are its code, its type and its
    inner code in lower case, e.g. ``("unsupported_parameter", "invalid_request_error")``. `param` is the
    parameter it complains of, `status` the HTTP status named inside, ``None`` for none.
    """

    message: str
    words: tuple[str, ...] = ()
    param: str | None = None
    status: int | None = None

    def says(self, *patterns: re.Pattern[str]) -> bool:
        """Whether the message or a word of it matches one of `patterns`."""
        texts = (self.message, *self.words)
        return any(pattern.search(text) for pattern in patterns for text in texts)


def read_error(payload: Any) -> ErrorBody:
    """The error in a JSON body.

    Known shapes: ``{"error": {…}}`` (Anthropic's has ``"type": "error"`` beside it), ``{"error": "…"}``,
    ``{"message": "…", "code": 400}`` and FastAPI's ``{"detail": […]}``; anything else gives an empty one.
    """
    outer = as_object(payload)
    told = outer.get("error")
    error = told if is_object(told) else outer
    message = as_text(told if isinstance(told, str) else error.get("message"))
    words = (error.get("code"), error.get("type"), as_object(error.get("innererror")).get("code"))
    return ErrorBody(
        message=message or _detail(error.get("detail")),
        words=tuple(word.lower() for word in words if isinstance(word, str)),
        param=as_text(error.get("param")) or None,
        status=_status(error),
    )


def _detail(detail: Any) -> str:
    """FastAPI's detail without the input it repeats."""
    if not is_list(detail):
        return as_text(detail)
    return "; ".join(as_text(item.get("msg")) for item in as_objects(detail))


def _status(error: Mapping[str, Any]) -> int | None:
    named = (error.get("code"), error.get("status"), error.get("type"))
    return next((status for value in named if (status := _as_status(value)) is not None), None)


def _as_status(value: Any) -> int | None:
    if isinstance(value, str):
        word = value.strip().lower()
        return int(word) if re.fullmatch("[1-5][0-9][0-9]", word) else _STATUS_OF_WORD.get(word)
    if isinstance(value, int) and 400 <= value <= 599:
        return int(value)
    return None
