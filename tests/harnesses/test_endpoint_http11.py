import asyncio
import gc
import select
import socket
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
import pytest_asyncio
from loopback_endpoint import resets

from harnesses.endpoint.http11 import Http11Connection

pytestmark = pytest.mark.asyncio
OK = b"HTTP/1.1 200 OK\r\n"
SHORT = OK + b"Content-Length: 4\r\n\r\nfine"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


class Wire:
    """A connection of ours and the server's end of it."""

    def __init__(self, connection: Http11Connection, peer: socket.socket) -> None:
        self.connection = connection
        self.peer = peer

    async def sent(self, request: httpx.Request) -> tuple[asyncio.Task[httpx.Response], bytes]:
        """The exchange that `request` began, and what the server got of it."""
        exchange = asyncio.create_task(self.connection.exchange(request))
        return exchange, await asyncio.get_running_loop().sock_recv(self.peer, 65536)

    async def says(self, *parts: bytes, then_end: bool = False) -> httpx.Response:
        """What is made of these bytes as the reply to a GET."""
        exchange, _ = await self.sent(request())
        for part in parts:
            await asyncio.get_running_loop().sock_sendall(self.peer, part)
        if then_end:
            self.peer.shutdown(socket.SHUT_WR)
        return await exchange

    async def hears_the_end(self) -> bool:
        return await asyncio.get_running_loop().sock_recv(self.peer, 65536) == b""


@pytest_asyncio.fixture
async def wire(listener: socket.socket) -> AsyncIterator[Wire]:
    connection = await Http11Connection.opened(url_of(listener), timeout_s=30)
    peer, _ = listener.accept()
    peer.setblocking(False)
    with peer:
        yield Wire(connection, peer)
        await connection.aclose()


def url_of(listener: socket.socket) -> httpx.URL:
    return httpx.URL(f"http://127.0.0.1:{listener.getsockname()[1]}/")


def request(method: str = "GET") -> httpx.Request:
    return httpx.Request(method, "http://model.test/")


async def test_a_request_is_written_as_http_says(wire: Wire) -> None:
    asked = httpx.Request("POST", "http://model.test/v1?q=1", headers={"X-Key": "k"}, content=b"{}")
    exchange, sent = await wire.sent(asked)
    exchange.cancel()
    assert sent == b"POST /v1?q=1 HTTP/1.1\r\nHost: model.test\r\nX-Key: k\r\nContent-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize(
    ("raw", "status", "text"),
    [
        pytest.param(SHORT, 200, "fine", id="with-its-length"),
        pytest.param(
            OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nfi\r\n2;x=y\r\nne\r\n0\r\nX-Sum: 1\r\n\r\n",
            200,
            "fine",
            id="in-chunks-with-a-trailer",
        ),
        pytest.param(b"HTTP/1.1 204 No Content\r\n\r\n", 204, "", id="without-a-body"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" + SHORT, 200, "fine", id="after-an-interim-one"),
        pytest.param(
            b"HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n" + SHORT, 200, "fine", id="after-early-hints"
        ),
        pytest.param(b"HTTP/1.1 404\r\nContent-Length: 2\r\n\r\nno", 404, "no", id="without-a-reason"),
    ],
)
@pytest.mark.parametrize("at_once", [True, False], ids=["at-once", "byte-by-byte"])
async def test_a_whole_reply_is_read_and_the_connection_stays(
    raw: bytes, status: int, text: str, at_once: bool, wire: Wire
) -> None:
    parts = [raw] if at_once else [raw[i : i + 1] for i in range(len(raw))]
    reply = await wire.says(*parts)
    assert (reply.status_code, reply.text, wire.connection.is_usable) == (status, text, True)
    assert not {"x-early", "x-sum"} & set(reply.headers)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(OK + b"Connection: close\r\nContent-Length: 4\r\n\r\nfine", id="said-so"),
        pytest.param(b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nfine", id="http-1.0"),
        pytest.param(SHORT + SHORT, id="said-more-than-was-asked"),
        pytest.param(SHORT + b"?!", id="garbage-after-it"),
        pytest.param(OK + b"Connection: close\r\nContent-Length: 4\r\n\r\nfine?!", id="garbage-after-close"),
    ],
)
async def test_after_such_a_reply_the_connection_is_not_used_again(raw: bytes, wire: Wire) -> None:
    reply = await wire.says(raw)
    assert (reply.text, wire.connection.is_usable) == ("fine", False)


async def test_a_reply_before_the_whole_request_was_read_ends_the_connection(wire: Wire) -> None:
    asked = httpx.Request("POST", "http://model.test/", content=b"x" * 30_000_000)
    exchange, _ = await wire.sent(asked)
    await asyncio.get_running_loop().sock_sendall(
        wire.peer, b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"
    )
    reply = await exchange
    assert (reply.status_code, reply.text) == (413, "no")
    assert not wire.connection.is_usable


async def test_a_reply_without_a_length_ends_with_the_connection(wire: Wire) -> None:
    reply = await wire.says(OK + b"\r\nfi", b"ne", then_end=True)
    assert (reply.text, wire.connection.is_usable) == ("fine", False)


async def test_a_reply_to_head_has_no_body(wire: Wire) -> None:
    exchange, _ = await wire.sent(request("HEAD"))
    wire.peer.send(OK + b"Content-Length: 4\r\n\r\n")
    assert ((await exchange).content, wire.connection.is_usable) == (b"", True)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        pytest.param(b"", "hung up without a reply", id="nothing"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n", "hung up without a reply", id="an-interim-one-alone"),
        pytest.param(OK + b"Content-Le", "hung up without a reply", id="half-a-head"),
        pytest.param(SHORT[:-1], "hung up in the middle", id="half-a-body"),
        pytest.param(
            OK + b"transfer-encoding: chunked\r\n\r\n4\r\nfi", "hung up in the middle", id="half-a-chunk"
        ),
        pytest.param(b"SSH-2.0-nothing\r\n", "Expected HTTP/", id="another-protocol"),
        pytest.param(OK + b"Content-Length: -4\r\n\r\nfine", "Content-Length", id="no-length"),
        pytest.param(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
            "HttpParserUpgrade",
            id="a-change-of-protocol",
        ),
        pytest.param(OK + b"X-Long: " + b"a" * 110_000, "more than 102400 bytes", id="endless-head"),
    ],
)
async def test_what_is_no_whole_reply_is_a_protocol_error(raw: bytes, words: str, wire: Wire) -> None:
    with pytest.raises(httpx.RemoteProtocolError, match=words):
        await wire.says(raw, then_end=True)
    assert not wire.connection.is_usable


async def test_a_body_that_is_not_encoded_as_it_says_is_a_decoding_error(wire: Wire) -> None:
    with pytest.raises(httpx.DecodingError):
        await wire.says(OK + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope")
    assert not wire.connection.is_usable


async def test_a_reset_is_a_read_error(wire: Wire) -> None:
    exchange, _ = await wire.sent(request())
    _, writer = await asyncio.open_connection(sock=wire.peer)
    await resets(writer)
    with pytest.raises(httpx.ReadError):
        await exchange


@pytest.mark.parametrize("value", [b"k\r\nX-Evil: 1", b"k\n", b"k\r", b"k\0"])
async def test_a_header_that_would_end_early_is_not_sent(value: bytes, wire: Wire) -> None:
    asked = httpx.Request("GET", "http://model.test/", headers=[(b"X-Key", value)])
    with pytest.raises(httpx.LocalProtocolError, match="the end of a line"):
        await wire.connection.exchange(asked)
    assert await wire.hears_the_end()


async def test_a_cancelled_exchange_ends_the_connection(wire: Wire) -> None:
    exchange, _ = await wire.sent(request())
    exchange.cancel()
    with pytest.raises(asyncio.CancelledError):
        await exchange
    assert await wire.hears_the_end()
    assert not wire.connection.is_usable


@pytest.mark.parametrize("has_poll", [True, False], ids=["poll", "select-as-on-windows"])
async def test_a_hang_up_is_seen_before_the_next_request_though_the_loop_had_no_turn(
    has_poll: bool, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_poll:
        monkeypatch.delattr(select, "poll")
    assert wire.connection.is_usable
    wire.peer.shutdown(socket.SHUT_WR)
    assert not wire.connection.is_usable


async def test_words_that_nobody_asked_for_end_the_connection(
    wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    wire.peer.send(SHORT)
    assert not wire.connection.is_usable
    assert await wire.hears_the_end()
    assert caplog.messages == []


async def test_a_reply_that_was_read_leaves_nothing_to_the_garbage_collector(wire: Wire) -> None:
    gc.collect()
    gc.disable()
    try:
        await wire.says(SHORT)
        left = [item for item in gc.get_objects() if type(item).__name__ == "_Reply"]
    finally:
        gc.enable()
    assert left == []


async def test_nothing_is_sent_over_a_connection_that_has_ended(wire: Wire) -> None:
    await wire.connection.aclose()
    with pytest.raises(httpx.ReadError, match="ended before the request was sent"):
        await wire.connection.exchange(request())


async def test_closing_is_heard_by_the_server(wire: Wire) -> None:
    await wire.connection.aclose()
    assert await wire.hears_the_end()


async def test_a_connection_that_takes_too_long_is_a_connect_timeout(listener: socket.socket) -> None:
    with pytest.raises(httpx.ConnectTimeout):
        await Http11Connection.opened(url_of(listener), timeout_s=0)


@pytest.mark.parametrize("host", ["127.0.0.1", f"{'a' * 64}.localhost"], ids=["refused", "no-host-name"])
async def test_no_connection_is_a_connect_error(host: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = httpx.URL(f"http://{host}:{free.getsockname()[1]}/")
        with pytest.raises(httpx.ConnectError):
            await Http11Connection.opened(url, timeout_s=30)


async def test_an_address_of_another_scheme_is_not_requested() -> None:
    with pytest.raises(httpx.UnsupportedProtocol, match="'ftp' is neither 'http' nor 'https'"):
        await Http11Connection.opened(httpx.URL("ftp://model.test/"), timeout_s=30)
