"""A web service that asks for a key, and how it says that the key or the account will not do."""

import json as json_text
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harnesses.endpoint.error_body import read_error
from harnesses.endpoint.errors import MalformedReplyError
from harnesses.endpoint.http import Clock, HttpClient, HttpReply, Sleep, Transport
from harnesses.endpoint.json_values import as_object, is_object
from harnesses.endpoint.network import DIRECT, Network, Role
from harnesses.endpoint.retrying import Retries, RetryableError, is_retryable
from harnesses.tools.tool import ToolRefusedError

REQUEST_TIMEOUT_S = 120.0
"""A search takes a second and a slow page a minute; what takes longer will not come."""

_EMPTY_ACCOUNT = re.compile(
    r"not enough credits|no.more.credits|credits?.limit|quota|insufficient.?balance|upstream \(402\)",
    re.IGNORECASE,
)
_FAULT_FIELDS = ("message", "error", "tag", "name")
_STATUS_FIELDS = ("statusCode", "code", "status")


@dataclass(frozen=True, kw_only=True)
class ServiceSpec:
    """A service and where its key comes from; the key is not in the repr.

    `variable` is the environment variable a user would set, e.g. "SERPER_API_KEY".
    `relays_pages` is True where a reply may be a page's own, handed on by the service: of a 403 the key is
    then held to be refused only if the service has never answered. Any other service answers with a JSON
    object, and an error in a 200 is read as the status it names.
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
        network: Network = DIRECT,
        role: Role = "search",
        transport: Transport | None = None,
        sleep: Sleep | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._spec = spec
        self._client = HttpClient(
            base_url=spec.base_url,
            headers=spec.headers,
            retries=retries,
            timeout_s=min(timeout_s, REQUEST_TIMEOUT_S),
            network=network,
            role=role,
            transport=transport,
            sleep=sleep,
            clock=clock,
        )
        self.address = self._client.address
        self._has_answered = network.has_answered

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
            MalformedReplyError: So is a 200 without a JSON object, or with an error of no known status.
        """
        reply = await self._client.exchange(
            method, path, read=lambda reply: self._understood(reply, asked), json=json
        )
        self._check_key(reply, asked)
        self._has_answered |= reply.status < 300
        return reply

    def detail(self, reply: HttpReply) -> str:
        """What the service said, clipped and with the key masked: for private records."""
        return self._client.private_detail(f"HTTP {reply.status}: {reply.text}")

    async def aclose(self) -> None:
        """Give back the connections."""
        await self._client.aclose()

    def _understood(self, reply: HttpReply, asked: str) -> HttpReply:
        """`reply` with the status it means.

        Raises:
            RetryableError: It is none, or tells of something that may pass.
        """
        reply = self._client.settled(reply)
        if self._spec.relays_pages or reply.status >= 300:
            return reply
        body = _json_or_none(reply.text)
        if body is None and reply.text.strip()[:1] in {"", "{"}:
            # A broken connection behind a proxy looks so.
            raise self._odd(reply, "JSON that breaks off", may_pass=True)
        if not is_object(body):
            raise self._odd(reply, "something that is no JSON object")
        if not _is_fault(body) or _EMPTY_ACCOUNT.search(_fault_words(reply, asked, relays_pages=False)):
            return reply
        status = read_error({**body, "code": next(filter(None, map(body.get, _STATUS_FIELDS)), None)}).status
        if status is None:
            raise self._odd(reply, "an error without a code")
        meant = replace(reply, status=status)
        return self._client.settled(meant) if is_retryable(status) else meant

    def _odd(self, reply: HttpReply, what: str, *, may_pass: bool = False) -> RetryableError:
        """A hiccup where the service has answered before, most likely a wrong address where it has not."""
        return RetryableError(
            f"HTTP {reply.status} with {what}",
            becomes=MalformedReplyError,
            remedy="try later",
            detail=self.detail(reply),
            status=reply.status,
            max_retries=None if may_pass or self._has_answered else 1,
        )

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
    fields = as_object(_json_or_none(reply.text))
    if reply.status < 300 and not _is_fault(fields):
        return ""
    # The other fields of a relaying service may hold the words of the page.
    told = ("name",) if relays_pages else _FAULT_FIELDS
    return " ".join(str(fields.get(field, "")) for field in told).replace(asked, "")


def _is_fault(body: Mapping[str, Any]) -> bool:
    """Whether a JSON object tells of a fault and of nothing else."""
    return bool(body) and body.keys() <= {*_FAULT_FIELDS, *_STATUS_FIELDS}


def _json_or_none(text: str) -> Any:
    try:
        return json_text.loads(text)
    except (ValueError, RecursionError):
        return None
