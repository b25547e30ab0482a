"""HTTP with retries: what every request to a model, a search service or a page reader goes through."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from types import MappingProxyType
from typing import Any, TypeVar

import httpx

from harnesses.endpoint.addresses import public_address
from harnesses.endpoint.call import Call, Clock, HttpReply, Rules
from harnesses.endpoint.errors import EndpointUnavailableError
from harnesses.endpoint.masked_headers import MaskedHeaders
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.network import DIRECT, Network, Role, Sleep, Transport
from harnesses.endpoint.request_template import RequestTemplate
from harnesses.endpoint.retrying import Retries, RetryableError, is_retryable, retry_after_s
from harnesses.endpoint.transport_faults import explained
from harnesses.endpoint.valid_text import with_valid_text

__all__ = ["Clock", "HttpClient", "HttpReply", "Sleep", "Transport"]

T = TypeVar("T")

_DETAIL_CHARACTERS = 2000
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class HttpClient:
    """Sends requests to one service, again when that may help.

    Args:
        base_url: Address the paths are added to; its query, if any, goes with every request.
        headers: Sent with every request, keys included. No error and no repr shows their values.
        retries: How often a failed request is sent again.
        timeout_s: Seconds one HTTP request may take, from connecting to the last byte.
        network: The transport and the pace of its requests.
        role: Who asks: whose pace its requests keep.
        transport: Stands in for the network's; ``None`` takes that.
        sleep: Waits between retries; ``None`` as the network does.
        clock: Tells seconds that only grow.
        name: What errors call the service; ``None`` means its address.
    """

    def __init__(
        self,
        *,
        base_url: str,
        headers: Mapping[str, str] = _NO_HEADERS,
        retries: Retries = Retries(),  # noqa: B008 - frozen
        timeout_s: float = 2000.0,
        network: Network = DIRECT,
        role: Role = "model",
        transport: Transport | None = None,
        sleep: Sleep | None = None,
        clock: Clock = time.monotonic,
        name: str | None = None,
    ) -> None:
        headers = MaskedHeaders(headers)
        self.address = public_address(base_url)
        self.name = name or self.address
        self._headers = headers
        self._rules = Rules(
            name=self.name,
            retries=retries,
            request_timeout_s=timeout_s,
            pace=network.pace(role),
            sleep=sleep or network.sleep,
            clock=clock,
        )
        self._template = RequestTemplate(base_url=base_url, headers=headers, timeout_s=timeout_s)
        self._transport = transport or network.connect(base_url)

    async def send(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> HttpReply:
        """The first reply that is not worth asking again for: a 200, or a 4xx such as 404.

        Args:
            method: E.g. "POST".
            path: Added to the base address as it is, e.g. "/search".
            json: A JSON value to send; ``None`` sends no body.
            headers: For this request alone.
            timeout_s: Seconds the whole call may take, retries and waits included; ``None`` sets no limit.

        Raises:
            EndpointUnavailableError: 408, 409, 425, 429, 5xx or a transport fault, after every retry; or an
                address that cannot be requested.
            OutOfTimeError: `timeout_s` ended first.
            BudgetSpentError: The budget of the session is spent.
        """
        headers = MaskedHeaders(headers or {})
        return await self.exchange(
            method, path, read=self.settled, json=json, headers=headers, timeout_s=timeout_s
        )

    async def exchange(
        self,
        method: str,
        path: str,
        *,
        read: Callable[[HttpReply], T],
        json: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        usage_of: Callable[[T], TokenUsage] | None = None,
    ) -> T:
        """What `read` makes of a reply; where it raises `RetryableError`, the request is sent again.

        `usage_of` tells what that cost, for limits on tokens; ``None``: it costs none. The other arguments
        and errors are those of `send`; an `EndpointError` of `read` ends the call.
        """
        headers = MaskedHeaders(headers or {})
        call = Call(
            self._request(method, path, json, headers),
            send=self._tried,
            rules=self._rules,
            timeout_s=timeout_s,
        )
        return await call.result(read, usage_of)

    def settled(self, reply: HttpReply) -> HttpReply:
        """`reply`, unless its status says that the request may succeed later.

        Raises:
            RetryableError: 408, 409, 425, 429 or 5xx.
        """
        if is_retryable(reply.status):
            raise RetryableError(
                f"HTTP {reply.status}",
                detail=self.private_detail(reply.text),
                status=reply.status,
                retry_after_s=retry_after_s(reply.headers.get("retry-after")),
            )
        return reply

    def private_detail(self, text: str) -> str:
        """`text` for a private record: clipped to 2000 characters, encodable, keys masked."""
        clipped: str = with_valid_text(self._headers.without_secrets(text)[:_DETAIL_CHARACTERS])
        return clipped

    async def aclose(self) -> None:
        """Give back connections."""
        await self._transport.aclose()

    def _request(self, method: str, path: str, json: Any, headers: MaskedHeaders) -> httpx.Request:
        try:
            return self._template.request(method, path, json=json, headers=headers)
        except httpx.InvalidURL as error:
            raise EndpointUnavailableError(
                f"{self.name}: the address of this request is invalid; nothing was sent",
                detail=self.private_detail(str(error)),
            ) from None

    async def _tried(self, request: httpx.Request, limit_s: float) -> HttpReply | RetryableError:
        """The reply, or what is to be raised.

        Raised from inside here, it would carry frames of the HTTP library, whose arguments hold keys.
        """
        try:
            async with asyncio.timeout(limit_s):
                async with aclosing(await self._transport.handle_async_request(request)) as reply:
                    await reply.aread()
        except (httpx.RequestError, TimeoutError) as error:
            detail = self.private_detail(f"{type(error).__name__}: {error}")
            return explained(error, limit_s=limit_s, detail=detail)
        return HttpReply(status=reply.status_code, text=reply.text, headers=dict(reply.headers))
