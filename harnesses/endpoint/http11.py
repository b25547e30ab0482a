"""One connection that speaks HTTP/1.1: asyncio carries the bytes, httptools (llhttp) reads the replies."""

import asyncio
import re
import select
from typing import Self, cast

import httptools
import httpx

from harnesses.endpoint.trusted_certificates import tls_context

_MAX_HEAD_BYTES = 100 * 1024
_PORTS = {"http": 80, "https": 443}
_NEXT_ADDRESS_S = 0.25
"""A host with several addresses: how long one may be silent before the next is tried too (RFC 8305, 5)."""

_SAY_THE_LENGTH = frozenset({b"content-length", b"transfer-encoding"})
_BREAKS_A_HEADER = re.compile(rb"[\0\r\n]")


class Http11Connection(asyncio.Protocol):
    """A connection to one server, which carries one request at a time."""

    _transport: asyncio.Transport

    def __init__(self) -> None:
        self._reply: _Reply | None = None
        self._ended = asyncio.Event()
        self._is_held_up = False

    @classmethod
    async def opened(cls, url: httpx.URL, *, timeout_s: float | None) -> Self:
        """A new connection to the server of `url`, within `timeout_s` seconds (``None`` sets no limit).

        Raises:
            httpx.ConnectTimeout: The time ended first.
            httpx.ConnectError: No connection came about, or its certificate is not trusted.
            httpx.UnsupportedProtocol: The address is neither http nor https.
        """
        if url.scheme not in _PORTS:
            raise httpx.UnsupportedProtocol(f"{url.scheme!r} is neither 'http' nor 'https'")
        host = url.raw_host.decode("ascii")
        context = tls_context() if url.scheme == "https" else None
        try:
            async with asyncio.timeout(timeout_s):
                _, connection = await asyncio.get_running_loop().create_connection(
                    cls,
                    host,
                    url.port or _PORTS[url.scheme],
                    ssl=context,
                    server_hostname=host if context else None,
                    happy_eyeballs_delay=_NEXT_ADDRESS_S,
                )
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error)) from error
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError(str(error)) from error
        return connection

    @property
    def is_usable(self) -> bool:
        """Whether another request may be sent: the server has not hung up, nor said anything unasked."""
        if self._transport.is_closing():
            return False
        return not _has_something_to_read(self._transport.get_extra_info("socket").fileno())

    async def exchange(self, request: httpx.Request) -> httpx.Response:
        """The whole reply to `request`, whose body is bytes. An error or a cancellation ends the connection.

        Raises:
            httpx.LocalProtocolError: A header of the request would end before its value does.
            httpx.RemoteProtocolError: What came is no HTTP, or ended too early.
            httpx.ReadError: The connection broke.
            httpx.DecodingError: The body is not encoded as its headers say.
        """
        try:
            return await self._exchanged(request)
        except BaseException:
            self._transport.abort()
            raise

    async def aclose(self) -> None:
        """Close at once. A polite end of TLS would wait for the server's answer."""
        self._transport.abort()
        await self._ended.wait()

    async def _exchanged(self, request: httpx.Request) -> httpx.Response:
        if self._transport.is_closing():
            raise httpx.ReadError("the connection ended before the request was sent")
        reply = self._reply = _Reply(is_to_head=request.method == "HEAD")
        try:
            self._transport.write(_encoded(request))
            await reply.whole
        finally:
            self._reply = None
            reply.let_go()
        # A server may answer before it has read all of the request; the rest would be taken for the next one.
        if not reply.keeps_connection or self._transport.get_write_buffer_size() or self._is_held_up:
            self._transport.abort()
        return reply.response()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio has connected."""
        self._transport = cast("asyncio.Transport", transport)

    def pause_writing(self) -> None:
        """The server reads too slowly."""
        self._is_held_up = True

    def resume_writing(self) -> None:
        """The server has caught up."""
        self._is_held_up = False

    def data_received(self, data: bytes) -> None:
        """Bytes of a reply. What nobody asked for ends the connection: the next reply would be misread."""
        if self._reply is None:
            self._transport.abort()
        else:
            self._reply.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection ended, by whomever."""
        self._ended.set()
        if self._reply is not None:
            self._reply.end(exc)


class _Reply:
    """A reply on its way. `whole` is done when nothing more is awaited; its error tells what went wrong.

    The parser calls the `on_` methods.
    """

    def __init__(self, *, is_to_head: bool) -> None:
        self.whole: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.keeps_connection = False
        self._is_to_head = is_to_head
        self._parser = httptools.HttpResponseParser(self)
        self._status = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._n_head_bytes = 0

    def response(self) -> httpx.Response:
        """The reply, its body decoded."""
        return httpx.Response(self._status, headers=self._headers, content=b"".join(self._body))

    def let_go(self) -> None:
        """Forget the parser, which remembers this reply: a circle would keep the body in memory."""
        del self._parser

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        if self.whole.done():
            self.keeps_connection = False
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(httpx.RemoteProtocolError(f"{type(error).__name__}: {error}"))
        if not self._status:
            self._n_head_bytes += len(data)
            if self._n_head_bytes > _MAX_HEAD_BYTES:
                self._fail(httpx.RemoteProtocolError(f"a head of more than {_MAX_HEAD_BYTES} bytes"))

    def end(self, error: Exception | None) -> None:
        """The connection ended, with `error` if it broke: a body without a length is whole now, if any is."""
        if error is not None:
            self._fail(httpx.ReadError(str(error)))
        elif not self._status:
            self._fail(httpx.RemoteProtocolError("the server hung up without a reply"))
        elif any(name.lower() in _SAY_THE_LENGTH for name, _ in self._headers):
            self._fail(httpx.RemoteProtocolError("the server hung up in the middle of a reply"))
        else:
            self._settle()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or a trailer, which is passed over."""
        if not self._status:
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """The head is whole: that of the reply, or of an interim one (1xx) before it."""
        status = self._parser.get_status_code()
        if status < 200:
            self._headers.clear()
        elif not self._status:
            self._status = status
            self.keeps_connection = self._parser.should_keep_alive()
            if self._is_to_head:
                self._settle()

    def on_body(self, body: bytes) -> None:
        """Some of the body."""
        if not self.whole.done():
            self._body.append(body)

    def on_message_complete(self) -> None:
        """The end of the reply, or of an interim one."""
        if self._status:
            self._settle()

    def on_message_begin(self) -> None:
        """A reply begins: a second one, if the first is whole."""
        if self.whole.done():
            self.keeps_connection = False

    def _settle(self) -> None:
        if not self.whole.done():
            self.whole.set_result(None)

    def _fail(self, error: httpx.TransportError) -> None:
        self.keeps_connection = False
        if not self.whole.done():
            self.whole.set_exception(error)


def _encoded(request: httpx.Request) -> bytes:
    """`request` as it goes over the wire."""
    headers = request.headers.raw
    if _BREAKS_A_HEADER.search(b"".join(value for _, value in headers)):
        raise httpx.LocalProtocolError("a header holds the end of a line")
    lines = [b"%b %b HTTP/1.1" % (request.method.encode("ascii"), request.url.raw_path)]
    lines += [b"%b: %b" % header for header in headers]
    return b"\r\n".join((*lines, b"", request.content))


def _has_something_to_read(fileno: int) -> bool:
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([fileno], [], [], 0)[0])
    poll = select.poll()
    poll.register(fileno, select.POLLIN)
    return bool(poll.poll(0))
