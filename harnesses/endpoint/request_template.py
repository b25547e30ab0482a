"""What all requests of one client have in common: address, headers, time limits, and how JSON is written."""

from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from json import dumps
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from harnesses.endpoint.addresses import joined
from harnesses.endpoint.masked_headers import MaskedHeaders
from harnesses.endpoint.transport_faults import CONNECT_S
from harnesses.endpoint.valid_text import with_valid_text

_url = lru_cache(maxsize=128)(httpx.URL)
"""Most requests go to a few addresses, and reading one takes as long as all the rest of a request."""


class RequestTemplate:
    """Makes the requests of one client.

    Args:
        base_url: Address the paths are added to. A user name in it, with its password, is sent as such.
        headers: Sent with every request, with those that httpx sends by itself.
        timeout_s: Seconds one request may take; the connection has 30 s of them at most.
    """

    def __init__(self, *, base_url: str, headers: MaskedHeaders, timeout_s: float) -> None:
        self._base_url = base_url
        headers = MaskedHeaders({**headers, **_sign_in(base_url)})
        # A client with a transport of its own is cheap: it makes no TLS context. Only its headers are wanted.
        self._headers = httpx.AsyncClient(headers=headers, transport=httpx.AsyncBaseTransport()).headers
        self._json_headers = httpx.Headers([*self._headers.raw, (b"Content-Type", b"application/json")])
        self._extensions = {"timeout": httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_S)).as_dict()}

    def request(self, method: str, path: str, *, json: Any, headers: MaskedHeaders) -> httpx.Request:
        """A request for `path`, with `json` as its body (``None``: none) and `headers` above all others.

        Raises:
            httpx.InvalidURL: The address cannot be requested.
        """
        content = None if json is None else _encoded(json)
        own = self._headers if content is None else self._json_headers
        return httpx.Request(
            method,
            _url(with_valid_text(joined(self._base_url, path))),
            headers=_overridden(own, headers) if headers else own,
            content=content,
            extensions=self._extensions,
        )


def _encoded(json: Any) -> bytes:
    """`json` in UTF-8. Halves of characters are made whole; looking for them in a long talk takes long."""
    try:
        return dumps(json, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return dumps(with_valid_text(json), ensure_ascii=False).encode()


def _overridden(headers: httpx.Headers, by: MaskedHeaders) -> httpx.Headers:
    result = headers.copy()
    result.update(by)
    return result


def _sign_in(base_url: str) -> Mapping[str, str]:
    """The header for a user name and password in an address (RFC 7617), if it has any."""
    parts = urlsplit(base_url)
    if not (parts.username or parts.password):
        return {}
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}
