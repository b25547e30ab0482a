"""How the clients of one process reach the services they ask: over which transport, and at which pace."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, Protocol

import httpx

from harnesses.endpoint.connections import connections_to
from harnesses.endpoint.messages import TokenUsage

Transport = httpx.AsyncBaseTransport
Sleep = Callable[[float], Awaitable[None]]
Role = Literal["model", "tools", "judge", "search", "pages"]
"""Who is asked: the model under test, a tool's model, the judge, the search service, the page reader."""


class Turn(Protocol):
    """The permission to send one request."""

    def settle(self, usage: TokenUsage | None) -> None:
        """The request has ended, with these tokens; ``None`` where nobody knows of any."""
        ...


class Pace(Protocol):
    """When the requests of one role may be sent."""

    async def turn(self, *, n_bytes: int) -> Turn:
        """Wait until a request may be sent.

        Args:
            n_bytes: Length of its body.

        Raises:
            BudgetSpentError: No request may be sent any more.
        """
        ...

    def hold(self, seconds: float) -> None:
        """A server asked for a wait (``Retry-After``): until then nobody sends a request of this role."""
        ...


class _FreeTurn:
    def settle(self, usage: TokenUsage | None) -> None:
        del usage


class _Unpaced:
    """Sends at once, whatever anybody asked for."""

    async def turn(self, *, n_bytes: int) -> Turn:
        del n_bytes
        return _FREE_TURN

    def hold(self, seconds: float) -> None:
        del seconds


_FREE_TURN = _FreeTurn()
UNPACED: Pace = _Unpaced()
"""The pace of a role without limits."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """What all clients of a process share.

    `connect` makes the transport for a base address. `paces` are by role; a role that is not in it is not
    limited. `sleep` waits between the retries of a request. `has_answered` says that each service is known to
    have answered before, so that one odd reply tells nothing of its address; a client else finds that out.
    """

    connect: Callable[[str], Transport] = connections_to
    paces: Mapping[Role, Pace] = field(default_factory=lambda: MappingProxyType({}))
    sleep: Sleep = asyncio.sleep
    has_answered: bool = False

    def pace(self, role: Role) -> Pace:
        """The pace of a role."""
        return self.paces.get(role, UNPACED)


DIRECT = Network()
"""The network as it is: no limits, nothing kept."""
