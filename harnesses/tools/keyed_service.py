"""A web service that asks for a key, and how it says that the key or the account will not do."""

import asyncio
import json as json_text
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harnesses.endpoint.http import Clock, HttpClient, HttpReply, Sleep, Transport
from harnesses.endpoint.json_values import as_object
from harnesses.endpoint.retrying import Retries
from harnesses.tools.tool import ToolRefusedError

REQUEST_TIMEOUT_S = 120.0
"""A search takes a second and a slow page a minute; what takes longer will not come."""

_EMPTY_ACCOUNT = re.compile(
    r"not enough credits|no.more.credits|credits?.limit|quota|insufficient.?balance|upstream \(402\)",
    re.IGNORECASE,
)
_FAULT_FIELDS = ("message", "error", "tag", "name")


@dataclass(frozen=True, kw_only=True)
class ServiceSpec:
    """A service and where its key comes from; the key is not in the repr.

    `variable` is the environment variable a user would set, e.g. "SERPER_API_KEY".
    `relays_pages` is True where a 403 may be a page's own answer, handed on by the service. The key is then
    held to be refused only if the service has never answered.
    """

    name: str
    base_url: str
    headers: Mapping[str, str] = field(repr=False)
    variable: str
    relays_pages: bool = False


class KeyedService:
    """Asks one service, with retries; its other faults are the caller's to read."""

    def __init__(
        self,
        spec: ServiceSpec,
        *,
        retries: Retries,
        timeout_s: float = REQUEST_TIMEOUT_S,
        transport: Transport | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Clock = time.monotonic,
    ) -> None:
        self._spec = spec
        self._client = HttpClient(
            base_url=spec.base_url,
            headers=spec.headers,
            retries=retries,
            timeout_s=min(timeout_s, REQUEST_TIMEOUT_S),
            transport=transport,
            sleep=sleep,
            clock=clock,
        )
        self.address = self._client.address
        self._has_answered = False

    async def ask(self, method: str, path: str, *, asked: str, json: Any = None) -> HttpReply:
        """The reply, whatever its status, unless it means that no request can succeed.

        Args:
            method: HTTP method.
            path: Below the base address, e.g. ``"/search"``.
            asked: What the model wrote; providers repeat it, so it is never read as their own words.
            json: Body, or ``None`` for no body.

        Raises:
            ToolRefusedError: The key is refused or the account is empty.
            EndpointUnavailableError: Still failing after every retry.
        """
        reply = await self._client.send(method, path, json=json)
        self._check_key(reply, asked)
        self._has_answered |= reply.status < 300
        return reply

    def detail(self, reply: HttpReply) -> str:
        """What the service said, clipped and with the key masked: for private records."""
        return self._client.private_detail(f"HTTP {reply.status}: {reply.text}")

    async def aclose(self) -> None:
        """Give back the connections."""
        await self._client.aclose()

    def _check_key(self, reply: HttpReply, asked: str) -> None:
        spec = self._spec
        told = _fault_words(reply, asked, relays_pages=spec.relays_pages)
        if reply.status == 402 or _EMPTY_ACCOUNT.search(told):
            raise ToolRefusedError(
                f"{spec.name} says that the account has no credits left (HTTP {reply.status}): recharge it, "
                f"or set {spec.variable} to the key of another account",
                detail=self.detail(reply),
            )
        is_refused = reply.status == 403 and not (spec.relays_pages and self._has_answered)
        if reply.status == 401 or is_refused:
            raise ToolRefusedError(
                f"{spec.name} refused the key (HTTP {reply.status}): set {spec.variable} to a valid key",
                detail=self.detail(reply),
            )


def _fault_words(reply: HttpReply, asked: str, *, relays_pages: bool) -> str:
    """What a service itself says of a fault; "" for a page or a normal result."""
    if relays_pages and reply.status < 300:
        return ""
    try:
        body: Any = json_text.loads(reply.text)
    except (ValueError, RecursionError):
        return ""
    fields = as_object(body)
    if reply.status < 300 and not fields.keys() <= {*_FAULT_FIELDS, "statusCode", "code"}:
        return ""
    # The other fields of a relaying service may hold the words of the page.
    told = ("name",) if relays_pages else _FAULT_FIELDS
    return " ".join(str(fields.get(field, "")) for field in told).replace(asked, "")
