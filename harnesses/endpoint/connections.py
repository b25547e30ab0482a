"""The connections of one client: the one used last is used next, however many there are."""

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Protocol

import httpx

from harnesses.endpoint.http11 import Http11Connection
from harnesses.endpoint.proxies import ProxiedConnection, proxy_for

IDLE_S = 4.0
"""How long an unused connection is kept: many servers hang up after 5 s, and a request on its way breaks."""

Clock = Callable[[], float]


class Connection(Protocol):
    """Carries one request at a time."""

    @property
    def is_usable(self) -> bool:
        """Whether another request may be sent."""
        ...

    async def exchange(self, request: httpx.Request, /) -> httpx.Response:
        """The whole reply to `request`. An error or a cancellation closes the connection."""
        ...

    async def aclose(self) -> None:
        """Close at once."""
        ...


Open = Callable[[httpx.Request], Awaitable[Connection]]
"""Opens a connection for a request, within the connect timeout of its extensions."""

_Idle = deque[tuple[float, Connection]]
"""Unused connections, each after the time of its last reply, the newest at the end."""


def connections_to(base_url: str) -> "Connections":
    """Connections for requests to this address: through a proxy, if the environment names one for it.

    Raises:
        ValueError: The proxy's address has a scheme that nobody speaks.
    """
    proxy = proxy_for(base_url)
    if proxy is None:
        return Connections(_directly)

    async def through_proxy(_: httpx.Request) -> Connection:
        return ProxiedConnection(proxy, idle_s=IDLE_S)

    return Connections(through_proxy)


class Connections(httpx.AsyncBaseTransport):
    """Sends each request over the connection that was used last, or over a new one if all are busy.

    httpx's own pool looks at every connection for every request: 99 requests a second at 256 in flight. Here
    the cost does not grow with their number, and those no longer needed go unused and end.

    Args:
        opened: Opens a connection.
        clock: Tells seconds that only grow.
    """

    def __init__(self, opened: Open, *, clock: Clock = time.monotonic) -> None:
        self._opened = opened
        self._clock = clock
        self._idle: dict[tuple[str, str, int | None], _Idle] = {}
        self._is_closed = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The whole reply to `request`.

        Raises:
            httpx.RequestError: One of its kinds, as httpx's own transport raises them.
        """
        url = request.url
        idle = self._idle.setdefault((url.scheme, url.host, url.port), deque())
        connection = await self._last_used(idle) or await self._opened(request)
        reply = await connection.exchange(request)
        if self._is_closed:
            await connection.aclose()
        else:
            idle.append((self._clock(), connection))
        return reply

    async def aclose(self) -> None:
        """Close what is idle now; what carries a request is closed after it."""
        self._is_closed = True
        for idle in self._idle.values():
            while idle:
                await idle.pop()[1].aclose()

    async def _last_used(self, idle: _Idle) -> Connection | None:
        """The newest that may be used again, if any; those kept too long are closed."""
        oldest = self._clock() - IDLE_S
        while idle and idle[0][0] < oldest:
            await idle.popleft()[1].aclose()
        while idle:
            _, connection = idle.pop()
            if connection.is_usable:
                return connection
            await connection.aclose()
        return None


async def _directly(request: httpx.Request) -> Connection:
    return await Http11Connection.opened(request.url, timeout_s=request.extensions["timeout"]["connect"])
