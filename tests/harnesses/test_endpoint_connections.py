import asyncio

import httpx
import pytest
from loopback_endpoint import LoopbackEndpoint, dribbles, whole

from harnesses.endpoint.connections import IDLE_S, Connections, connections_to
from harnesses.endpoint.http import HttpClient

pytestmark = pytest.mark.asyncio
TIMEOUTS = {"timeout": {"connect": 30.0, "read": 60.0, "write": 60.0, "pool": None}}


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class StandIn:
    """A connection that answers with its own number when it is let."""

    def __init__(self, number: int, begun: asyncio.Semaphore) -> None:
        self.number = number
        self._begun = begun
        self.is_usable = True
        self.is_closed = False
        self.may_answer = asyncio.Event()

    async def exchange(self, _: httpx.Request) -> httpx.Response:
        self._begun.release()
        await self.may_answer.wait()
        return httpx.Response(200, text=str(self.number))

    async def aclose(self) -> None:
        self.is_closed = True


class Opener:
    """Opens connections numbered from 0; with `at_once` they answer without being let.

    `begun` is released by each request that begins.
    """

    def __init__(self, *, at_once: bool = True) -> None:
        self.opened: list[StandIn] = []
        self.begun = asyncio.Semaphore(0)
        self._at_once = at_once

    async def __call__(self, _: httpx.Request) -> StandIn:
        connection = StandIn(len(self.opened), self.begun)
        if self._at_once:
            connection.may_answer.set()
        self.opened.append(connection)
        return connection


def to(url: str = "http://model.test/v1") -> httpx.Request:
    return httpx.Request("GET", url, extensions=TIMEOUTS)


async def carrier(connections: Connections, url: str = "http://model.test/v1") -> int:
    """The number of the connection that carried a request."""
    return int((await connections.handle_async_request(to(url))).text)


async def busy(connections: Connections, opener: Opener, n: int) -> list[asyncio.Task[int]]:
    """`n` requests on their way."""
    requests = [asyncio.create_task(carrier(connections)) for _ in range(n)]
    for _ in range(n):
        await opener.begun.acquire()
    return requests


async def test_the_connection_used_last_is_used_next() -> None:
    opener = Opener(at_once=False)
    connections = Connections(opener)
    requests = await busy(connections, opener, 3)
    for number in (0, 2, 1):
        opener.opened[number].may_answer.set()
        await requests[number]
    assert [await carrier(connections) for _ in range(3)] == [1, 1, 1]


async def test_a_busy_connection_carries_no_other_request() -> None:
    opener = Opener(at_once=False)
    connections = Connections(opener)
    requests = await busy(connections, opener, 2)
    for connection in opener.opened:
        connection.may_answer.set()
    assert sorted(await asyncio.gather(*requests)) == [0, 1]


async def test_each_server_has_its_own_connections() -> None:
    connections = Connections(Opener())
    urls = ["http://a.test/", "http://b.test/", "https://a.test/", "http://a.test:81/", "http://a.test:80/x"]
    assert [await carrier(connections, url) for url in urls] == [0, 1, 2, 3, 0]


async def test_a_connection_unused_for_long_is_closed() -> None:
    clock, opener = Clock(), Opener()
    connections = Connections(opener, clock=clock)
    await carrier(connections)
    clock.now_s += IDLE_S + 0.1
    assert (await carrier(connections), opener.opened[0].is_closed) == (1, True)


async def test_a_connection_unused_for_a_moment_is_kept() -> None:
    clock, opener = Clock(), Opener()
    connections = Connections(opener, clock=clock)
    await carrier(connections)
    clock.now_s += IDLE_S - 0.1
    assert (await carrier(connections), opener.opened[0].is_closed) == (0, False)


async def test_those_no_longer_needed_are_closed_while_another_is_in_use() -> None:
    clock, opener = Clock(), Opener(at_once=False)
    connections = Connections(opener, clock=clock)
    requests = await busy(connections, opener, 3)
    for connection in opener.opened:
        connection.may_answer.set()
    await asyncio.gather(*requests)
    clock.now_s += IDLE_S / 2
    last = await carrier(connections)
    clock.now_s += IDLE_S * 0.75
    assert await carrier(connections) == last
    assert sorted(connection.is_closed for connection in opener.opened) == [False, True, True]


async def test_a_connection_that_ended_while_idle_is_passed_over() -> None:
    opener = Opener()
    connections = Connections(opener)
    await carrier(connections)
    opener.opened[0].is_usable = False
    assert (await carrier(connections), opener.opened[0].is_closed) == (1, True)


async def test_a_connection_that_broke_is_not_used_again() -> None:
    opener = Opener(at_once=False)
    connections = Connections(opener)
    (request,) = await busy(connections, opener, 1)
    request.cancel()
    await asyncio.wait([request])
    opener.opened[0].may_answer.set()
    (again,) = await busy(connections, opener, 1)
    opener.opened[1].may_answer.set()
    assert await again == 1


async def test_closing_ends_idle_connections_now_and_busy_ones_after_their_reply() -> None:
    opener = Opener(at_once=False)
    connections = Connections(opener)
    requests = await busy(connections, opener, 2)
    opener.opened[0].may_answer.set()
    await requests[0]
    await connections.aclose()
    assert [connection.is_closed for connection in opener.opened] == [True, False]
    opener.opened[1].may_answer.set()
    assert (await requests[1], opener.opened[1].is_closed) == (1, True)


async def test_three_hundred_requests_in_flight_are_all_answered_and_their_connections_kept() -> None:
    async with LoopbackEndpoint.serving(*[whole("fine")] * 600) as server:
        client = HttpClient(base_url=server.url)
        for _ in range(2):
            replies = await asyncio.gather(*(client.send("GET", "/page") for _ in range(300)))
            assert {(reply.text, reply.n_requests) for reply in replies} == {("fine", 1)}
        await client.aclose()
    assert server.n_connections == 300


async def test_a_cancelled_request_leaves_no_half_read_reply_to_the_next() -> None:
    has_begun = asyncio.Event()

    async def begins(writer: asyncio.StreamWriter) -> None:
        has_begun.set()
        await dribbles(writer)

    async with LoopbackEndpoint.serving(begins, whole("mine")) as server:
        client = HttpClient(base_url=server.url)
        call = asyncio.create_task(client.send("GET", "/first"))
        await has_begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await client.send("GET", "/second")).text == "mine"
        await client.aclose()
    assert server.n_connections == 2


async def test_connections_that_a_server_closes_after_each_reply_cost_no_retry() -> None:
    replies = [whole("fine", headers="Connection: close\r\n")] * 3
    async with LoopbackEndpoint.serving(*replies) as server:
        client = HttpClient(base_url=server.url)
        counts = [(await client.send("GET", "/page")).n_requests for _ in replies]
        await client.aclose()
    assert (counts, server.n_connections) == ([1, 1, 1], 3)


async def test_without_a_proxy_a_request_goes_there_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    async with LoopbackEndpoint.serving(whole("fine")) as server:
        connections = connections_to("http://model.test")
        reply = await connections.handle_async_request(to(server.url))
        await connections.aclose()
    assert reply.text == "fine"
