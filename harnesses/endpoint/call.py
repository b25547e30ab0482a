"""One call: a request that waits its turn, is sent again where that may help, and ends within its time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import httpx

from harnesses.endpoint.errors import EndpointError, OutOfTimeError
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.network import Pace, Sleep, Turn
from harnesses.endpoint.retrying import Retries, RetryableError

Clock = Callable[[], float]
T = TypeVar("T")

_TICK_S = 0.001
"""A timer may fire this much before its time."""


@dataclass(frozen=True, kw_only=True)
class HttpReply:
    """A whole reply. `headers` have lower-case names; `n_requests` counts those that failed before, too."""

    status: int
    text: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    n_requests: int = 1


Send = Callable[[httpx.Request, float], Awaitable[HttpReply | RetryableError]]
"""Sends a request once, within so many seconds; a fault comes back in place of the reply."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What all calls of one client keep to.

    `name` is what errors call the service. `request_timeout_s` is what one request may take, from connecting
    to the last byte.
    """

    name: str
    retries: Retries
    request_timeout_s: float
    pace: Pace
    sleep: Sleep
    clock: Clock


class Call:
    """One request to one service, and those sent again in its place.

    Args:
        request: What is sent.
        send: Sends it once.
        rules: Those of the client.
        timeout_s: Seconds the whole call may take, retries and waits included; ``None`` sets no limit.
    """

    def __init__(self, request: httpx.Request, *, send: Send, rules: Rules, timeout_s: float | None) -> None:
        self._request = request
        self._send = send
        self._rules = rules
        self._ends_at = None if timeout_s is None else rules.clock() + timeout_s
        self._n_sent = 0

    async def result(
        self, read: Callable[[HttpReply], T], usage_of: Callable[[T], TokenUsage] | None = None
    ) -> T:
        """What `read` makes of the first reply for which it raises no `RetryableError`.

        Raises:
            EndpointError: No retry or no time is left, the budget is spent, or `read` raised it. Its
                `n_requests` tells how many were sent.
        """
        while True:
            try:
                return await self._in_turn(read, usage_of)
            except RetryableError as caught:
                failure = caught
            except EndpointError as error:
                error.n_requests = self._n_sent
                raise
            await self._rules.sleep(self._wait_s(failure))

    async def _in_turn(self, read: Callable[[HttpReply], T], usage_of: Callable[[T], TokenUsage] | None) -> T:
        """What `read` makes of the reply to a request that waits its turn."""
        turn = await self._turn()
        usage: TokenUsage | None = None
        try:
            limit_s = self._limit_s()
            self._n_sent += 1
            reply = await self._send(self._request, limit_s)
            if isinstance(reply, RetryableError):
                raise reply
            result = read(replace(reply, n_requests=self._n_sent))
            if usage_of is not None:
                usage = usage_of(result)
        except RetryableError as failure:
            if failure.retry_after_s is not None and failure.retry_after_s > 0:
                self._rules.pace.hold(min(failure.retry_after_s, self._rules.retries.retry_after_cap_s))
            raise
        finally:
            turn.settle(usage)
        return result

    async def _turn(self) -> Turn:
        """Wait for the turn of a request, but no longer than the call may take."""
        left_s = None if self._ends_at is None else max(0.0, self._ends_at - self._rules.clock())
        try:
            async with asyncio.timeout(left_s):
                return await self._rules.pace.turn(n_bytes=len(self._request.content))
        except TimeoutError:
            raise self._out_of_time(None) from None

    def _limit_s(self) -> float:
        """Seconds the next request may take."""
        if self._ends_at is None:
            return self._rules.request_timeout_s
        left_s = self._ends_at - self._rules.clock()
        if left_s <= 0:
            raise self._out_of_time(None)
        return min(left_s, self._rules.request_timeout_s)

    def _wait_s(self, failure: RetryableError) -> float:
        """Seconds to wait before the next request, if there is to be one.

        Raises:
            EndpointError: No retry, or no time, is left.
        """
        retries = self._rules.retries
        is_spent = failure.is_spent(self._n_sent, retries)
        wait_s = _TICK_S if is_spent else retries.wait_s(self._n_sent, failure.retry_after_s)
        if self._ends_at is not None and self._rules.clock() + wait_s >= self._ends_at:
            raise self._out_of_time(failure)
        if is_spent:
            raise self._given_up(failure)
        return wait_s

    def _given_up(self, failure: RetryableError) -> EndpointError:
        return failure.becomes(
            f"{self._rules.name}: {failure.cause}, {self._counted}; {failure.remedy}",
            detail=failure.detail,
            status=failure.status,
            n_requests=self._n_sent,
        )

    def _out_of_time(self, last: RetryableError | None) -> OutOfTimeError:
        return OutOfTimeError(
            f"{self._rules.name}: no usable reply in the time of this call, {self._counted}"
            f"{f' (the last: {last.cause})' if last else ''}; allow more time, or check the server",
            detail=last.detail if last else "",
            status=last.status if last else None,
            n_requests=self._n_sent,
        )

    @property
    def _counted(self) -> str:
        return "1 request" if self._n_sent == 1 else f"{self._n_sent} requests"
