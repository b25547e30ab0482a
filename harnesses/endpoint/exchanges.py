"""An exchange with a service as a cassette keeps it: what was asked and what came, no key and no address."""

import hashlib
import json
import re
import ssl
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from typing import Any, cast
from urllib.parse import quote

import httpx

from harnesses.endpoint.json_values import as_object, is_list
from harnesses.endpoint.retrying import retry_after_s
from harnesses.endpoint.transport_faults import is_untrusted_certificate
from harnesses.endpoint.trusted_certificates import UnreadableCertificatesError
from harnesses.endpoint.valid_text import without_halves

CUT = "cut"
"""The kind of fault that is none: the request was cancelled, since whoever had sent it was stopped."""

_UNTRUSTED = "SSLCertVerificationError"
Mask = Callable[[str], str]
_PUBLIC_PATH = re.compile(r"[\w/.-]{1,60}", re.ASCII)
_SHOWN_CHARACTERS = 40
_url = lru_cache(maxsize=128)(httpx.URL)
_SPECIAL: Mapping[str, type[httpx.RequestError]] = {
    "UnreadableCertificatesError": UnreadableCertificatesError,
    _UNTRUSTED: httpx.ConnectError,
}
"""Faults that are told from others of their class."""


def mask_of(secrets: Iterable[str]) -> Mask:
    """Replaces each of `secrets` by ``***``, also where JSON or an address writes it in another way."""
    written = {
        form
        for secret in secrets
        if secret
        for form in (secret, quote(secret, safe=""), json.dumps(secret)[1:-1])
    }
    forms = sorted(written, key=len, reverse=True)

    def mask(text: str) -> str:
        for form in forms:
            text = text.replace(form, "***")
        return text

    return mask


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request without its headers.

    `path` begins below the base address and has the query, e.g. "/search?page=2". `body` is a JSON value, a
    text where it is no JSON, ``None`` where there is none.
    """

    method: str
    path: str
    body: Any = field(repr=False)

    @classmethod
    def of(cls, request: httpx.Request, *, base_url: str, mask: Mask) -> "Asked":
        """What `request`, sent to a service at `base_url`, asks; keys masked."""
        text = mask(request.content.decode("utf-8", "replace"))
        try:
            body: Any = json.loads(text) if text else None
        except (ValueError, RecursionError):
            body = text
        path = _below(request.url.raw_path, _url(base_url).raw_path)
        return cls(method=request.method, path=mask(path), body=body)

    @cached_property
    def text(self) -> str:
        """The same for equal requests, whatever the order of their keys."""
        return json.dumps([self.method, self.path, self.body], sort_keys=True, ensure_ascii=False)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of `text`."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def in_words(self) -> str:
        """The request in public words, e.g. "POST /chat/completions (model 'm-1', 3 messages)".

        No text that a model or a task wrote is in it: of the address of a page only that it is one.
        """
        path = self.path.partition("?")[0]
        told = f"{self.method} {path if _PUBLIC_PATH.fullmatch(path) else '/… (a page)'}"
        fields = as_object(self.body)
        model = fields.get("model")
        parts = [f"model {model[:_SHOWN_CHARACTERS]!r}"] if isinstance(model, str) else []
        talks = [said for name in ("messages", "input") if is_list(said := fields.get(name))]
        parts += [f"{len(said)} message{'' if len(said) == 1 else 's'}" for said in talks]
        return f"{told} ({', '.join(parts)})" if parts else told


def _below(target: bytes, base: bytes) -> str:
    path, _, query = target.decode("ascii").partition("?")
    base_path, _, base_query = base.decode("ascii").partition("?")
    own = query.removesuffix(base_query).rstrip("&") if base_query else query
    below = path.removeprefix(base_path.rstrip("/"))
    return f"{below}?{own}" if own else below


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A whole reply: `text` is its body, decoded; of its headers those that change what is done next."""

    status: int
    headers: Mapping[str, str]
    text: str = field(repr=False)

    @classmethod
    def of(cls, response: httpx.Response, *, mask: Mask) -> "Reply":
        """What of a reply that was read is kept."""
        headers: dict[str, str] = {}
        if media_type := response.headers.get("content-type", "").partition(";")[0].strip():
            headers["content-type"] = media_type
        wait_s = retry_after_s(response.headers.get("retry-after"))
        if wait_s is not None:
            headers["retry-after"] = f"{wait_s:g}"
        text = without_halves(mask(response.text))
        return cls(status=response.status_code, headers=headers, text=text)

    def response(self) -> httpx.Response:
        """The reply as it comes from a server; in UTF-8, whatever it was encoded in."""
        return httpx.Response(self.status, headers=dict(self.headers), content=self.text.encode())


@dataclass(frozen=True, kw_only=True)
class Fault:
    """No reply. `kind` is a class of httpx, e.g. "ReadError", or `CUT`; `text` is what the fault said."""

    kind: str
    text: str = field(default="", repr=False)

    @classmethod
    def of(cls, error: httpx.RequestError | TimeoutError, *, mask: Mask) -> "Fault":
        """What of `error` is kept."""
        kind = type(error).__name__ if isinstance(error, httpx.RequestError) else "ReadTimeout"
        if is_untrusted_certificate(error):
            kind = _UNTRUSTED
        return cls(kind=kind, text=without_halves(mask(str(error))))

    def error(self) -> httpx.RequestError:
        """The fault as the connection raised it; of a class nobody knows any more, a broken connection."""
        found: Any = _SPECIAL.get(self.kind) or getattr(httpx, self.kind, None)
        is_kind = isinstance(found, type) and issubclass(found, httpx.RequestError)
        kind = cast("type[httpx.RequestError]", found) if is_kind else httpx.ReadError
        error = kind(self.text)
        if self.kind == _UNTRUSTED:
            error.__cause__ = ssl.SSLCertVerificationError(self.text)
        return error


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A request and what came of it; `n` counts equal requests of one attempt from 1, as they were sent.

    As a line: ``{"n": 1, "method": "POST", "path": "/search", "body": {…}, "reply": {"status": 200,
    "headers": {…}, "text": "…"}}``, or ``"fault": {"kind": "ReadError", "text": "…"}`` in place of the reply.
    """

    n: int
    asked: Asked
    came: Reply | Fault

    def to_line(self) -> str:
        """One line of a tape, with its end."""
        asked = {"n": self.n, "method": self.asked.method, "path": self.asked.path, "body": self.asked.body}
        name = "reply" if isinstance(self.came, Reply) else "fault"
        return without_halves(json.dumps({**asked, name: asdict(self.came)}, ensure_ascii=False)) + "\n"

    @classmethod
    def from_line(cls, line: str) -> "Exchange":
        """The exchange that `to_line` wrote.

        Raises:
            ValueError: The line is none of a tape.
        """
        try:
            written = json.loads(line)
            asked = Asked(method=written["method"], path=written["path"], body=written["body"])
            came = Reply(**written["reply"]) if "reply" in written else Fault(**written["fault"])
            return cls(n=written["n"], asked=asked, came=came)
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"no exchange: {type(error).__name__} {error}") from error
