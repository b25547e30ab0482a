"""Cassettes: folders of recorded exchanges. A recording adds to one; a replay is answered by it alone."""

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path

import httpx

from harnesses.endpoint.errors import EndpointError
from harnesses.endpoint.exchanges import CUT, Asked, Fault, Reply
from harnesses.endpoint.network import Network, Sleep, Transport
from harnesses.endpoint.tapes import RecordedTapes, ReplayedTapes, tape_of

CUT_S = 5.0
"""Seconds a replayed request waits where the recorded one was cancelled, for what cancels it here too."""

_ALMOST = 0.99
"""A request cancelled after this part of its time limit ran into that limit."""


def recording(network: Network, folder: Path, *, secrets: Iterable[str] = ()) -> Network:
    """`network`, with all that comes over it kept in `folder`: a tape for each attempt, begun anew.

    Args:
        network: Carries the requests.
        folder: Made when the first exchange is kept.
        secrets: Keys, which are masked wherever they would be kept.
    """
    tapes = RecordedTapes(folder, secrets=secrets)

    def connect(base_url: str) -> Transport:
        return RecordingTransport(network.connect(base_url), tapes, base_url=base_url)

    return replace(network, connect=connect)


def replaying(folder: Path, *, secrets: Iterable[str] = ()) -> Network:
    """A network without connections: the tapes in `folder` answer every request, and nobody waits.

    A request that they do not answer ends with `CassetteMissError`. Each service counts as one that has
    answered before: when it did so first is not on the tape of an attempt.

    Args:
        folder: Holds the tapes.
        secrets: Keys, which are masked in requests as they were when these were recorded.
    """
    tapes = ReplayedTapes(folder, secrets=secrets)

    def connect(base_url: str) -> Transport:
        return ReplayingTransport(tapes, base_url=base_url)

    return Network(connect=connect, sleep=_at_once, has_answered=True)


def begin_anew(folder: Path) -> None:
    """Forget what an earlier recording in `folder` kept of requests outside of attempts."""
    tape_of(folder, None).unlink(missing_ok=True)


async def _at_once(seconds: float) -> None:
    del seconds
    await asyncio.sleep(0)


class RecordingTransport(httpx.AsyncBaseTransport):
    """Sends requests on and keeps each with what came of it.

    What it hands back is what a replay will: a reply with its keys masked, and the headers that are kept.

    Args:
        inner: Sends them.
        tapes: Where they are kept.
        base_url: The service they go to.
        clock: Tells seconds that only grow.
    """

    def __init__(
        self,
        inner: Transport,
        tapes: RecordedTapes,
        *,
        base_url: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._tapes = tapes
        self._base_url = base_url
        self._clock = clock

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The whole reply.

        Raises:
            httpx.RequestError: As `inner` raises it.
            EndpointError: The cassette cannot be written.
        """
        mask, begun_s = self._tapes.mask, self._clock()
        asked = Asked.of(request, base_url=self._base_url, mask=mask)
        place = self._tapes.place(asked)
        try:
            async with aclosing(await self._inner.handle_async_request(request)) as response:
                await response.aread()
        except (httpx.RequestError, TimeoutError) as error:
            self._tapes.keep(place, asked, Fault.of(error, mask=mask))
            raise
        except asyncio.CancelledError:
            with suppress(EndpointError):  # who cancels must not be kept from it
                self._tapes.keep(place, asked, _why_cancelled(request, self._clock() - begun_s))
            raise
        reply = Reply.of(response, mask=mask)
        self._tapes.keep(place, asked, reply)
        return reply.response()

    async def aclose(self) -> None:
        """Give back connections."""
        await self._inner.aclose()


def _why_cancelled(request: httpx.Request, took_s: float) -> Fault:
    """The request's own time limit, which looks like any other cancellation from here; or else a stop."""
    limit_s = request.extensions.get("timeout", {}).get("read")
    if limit_s is not None and took_s >= limit_s * _ALMOST:
        return Fault(kind=httpx.ReadTimeout.__name__)
    return Fault(kind=CUT)


class ReplayingTransport(httpx.AsyncBaseTransport):
    """Answers requests from tapes; opens no connection.

    Args:
        tapes: What answers.
        base_url: The service that requests would go to.
        sleep: Waits where the recorded request was cancelled.
    """

    def __init__(self, tapes: ReplayedTapes, *, base_url: str, sleep: Sleep = asyncio.sleep) -> None:
        self._tapes = tapes
        self._base_url = base_url
        self._sleep = sleep

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded reply.

        Raises:
            httpx.RequestError: The recorded fault.
            CassetteMissError: There is no recorded reply.
        """
        asked = Asked.of(request, base_url=self._base_url, mask=self._tapes.mask)
        came = self._tapes.next(asked)
        await asyncio.sleep(0)  # others get their turn, as they do while a server is asked
        if isinstance(came, Reply):
            return came.response()
        if came.kind == CUT:
            await self._sleep(CUT_S)
            raise self._tapes.was_cut(asked)
        raise came.error()
