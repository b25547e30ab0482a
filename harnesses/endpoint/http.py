"""HTTP with retries: what every request to a model, a search service or a page reader goes through."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

import httpx

from harnesses.endpoint.addresses import public_address
from harnesses.endpoint.connections import connections_to
from harnesses.endpoint.errors import EndpointError, EndpointUnavailableError, OutOfTimeError
from harnesses.endpoint.masked_headers import MaskedHeaders
from harnesses.endpoint.request_template import RequestTemplate
from harnesses.endpoint.retrying import Retries, RetryableError, is_retryable, retry_after_s
from harnesses.endpoint.transport_faults import explained
from harnesses.endpoint.valid_text import with_valid_text

Transport = httpx.AsyncBaseTransport
Sleep = Callable[[float], Awaitable[None]]
Clock = Callable[[], float]
T = TypeVar("T")

_DETAIL_CHARACTERS = 2000
_TICK_S = 0.001
"""A timer may fire this much before its time."""

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class HttpReply:
    """A whole reply. `headers` have lower-case names; `n_requests` counts those that failed before, too."""

    status: int
    text: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    n_requests: int = 1


class HttpClient:
    """Sends requests to one service, again when that may help.

    Args:
        base_url: Address the paths are added to; its query, if any, goes with every request.
        headers: Sent with every request, keys included. No error and no repr shows their values.
        retries: How often a failed request is sent again.
        timeout_s: Seconds one HTTP request may take, from connecting to the last byte.
        transport: Stands in for the network; ``None`` means the network.
        sleep: Waits between retries.
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
        transport: Transport | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Clock = time.monotonic,
        name: str | None = None,
    ) -> None:
        headers = MaskedHeaders(headers)
        self.address = public_address(base_url)
        self.name = name or self.address
        self._retries = retries
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._clock = clock
        self._headers = headers
        self._template = RequestTemplate(base_url=base_url, headers=headers, timeout_s=timeout_s)
        self._transport = transport or connections_to(base_url)

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
    ) -> T:
        """What `read` makes of a reply; where it raises `RetryableError`, the request is sent again.

        The other arguments and errors are those of `send`; an `EndpointError` of `read` ends the call.
        """
        headers = MaskedHeaders(headers or {})
        request = self._request(method, path, json, headers)
        ends_at = None if timeout_s is None else self._clock() + timeout_s
        n_requests = 0
        while True:
            limit_s = self._limit_s(ends_at, n_requests)
            n_requests += 1
            try:
                reply = await self._send_once(request, limit_s)
                return read(replace(reply, n_requests=n_requests))
            except RetryableError as caught:
                failure = caught
            except EndpointError as error:
                error.n_requests = n_requests
                raise
            await self._sleep(self._wait_s(failure, n_requests, ends_at))

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

    def _limit_s(self, ends_at: float | None, n_requests: int) -> float:
        """Seconds the next request may take."""
        if ends_at is None:
            return self._timeout_s
        left_s = ends_at - self._clock()
        if left_s <= 0:
            raise self._out_of_time(n_requests, None)
        return min(left_s, self._timeout_s)

    def _wait_s(self, failure: RetryableError, n_requests: int, ends_at: float | None) -> float:
        """Seconds to wait before the next request, if there is to be one.

        Raises:
            EndpointError: No retry, or no time, is left.
        """
        is_spent = failure.is_spent(n_requests, self._retries)
        wait_s = _TICK_S if is_spent else self._retries.wait_s(n_requests, failure.retry_after_s)
        if ends_at is not None and self._clock() + wait_s >= ends_at:
            raise self._out_of_time(n_requests, failure)
        if is_spent:
            raise self._given_up(failure, n_requests)
        return wait_s

    async def _send_once(self, request: httpx.Request, limit_s: float) -> HttpReply:
        outcome = await self._tried(request, limit_s)
        if isinstance(outcome, RetryableError):
            raise outcome
        return outcome

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

    def _given_up(self, failure: RetryableError, n_requests: int) -> EndpointError:
        return failure.becomes(
            f"{self.name}: {failure.cause}, {_counted(n_requests)}; {failure.remedy}",
            detail=failure.detail,
            status=failure.status,
            n_requests=n_requests,
        )

    def _out_of_time(self, n_requests: int, last: RetryableError | None) -> OutOfTimeError:
        return OutOfTimeError(
            f"{self.name}: no usable reply in the time of this call, {_counted(n_requests)}"
            f"{f' (the last: {last.cause})' if last else ''}; allow more time, or check the server",
            detail=last.detail if last else "",
            status=last.status if last else None,
            n_requests=n_requests,
        )


def _counted(n_requests: int) -> str:
    return "1 request" if n_requests == 1 else f"{n_requests} requests"
