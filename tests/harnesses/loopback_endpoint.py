"""A real server on loopback whose every byte is scripted: for faults that no stand-in transport can make."""

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

Respond = Callable[[asyncio.StreamWriter], Awaitable[None]]


def whole(body: str, *, status: str = "200 OK", headers: str = "") -> Respond:
    """A complete reply that keeps the connection open."""
    content = body.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\n{headers}\r\n"
    return _writes(head.encode() + content)


def cut_short(body: str) -> Respond:
    """A reply that promises more bytes than it sends, then ends."""
    content = body.encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(content) + 100}\r\n\r\n"
    return _writes(head.encode() + content, then_close=True)


def broken_chunks() -> Respond:
    """A chunked reply that ends in the middle of a chunk."""
    return _writes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{", then_close=True)


def broken_gzip() -> Respond:
    """A reply that says gzip and is none."""
    return _writes(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope")


def no_http() -> Respond:
    """Bytes of some other protocol."""
    return _writes(b"SSH-2.0-nothing\r\n", then_close=True)


async def hangs_up(writer: asyncio.StreamWriter) -> None:
    """Ends the connection without a byte."""
    writer.close()


async def resets(writer: asyncio.StreamWriter) -> None:
    """Breaks the connection with a TCP reset."""
    sock: socket.socket = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def dribbles(writer: asyncio.StreamWriter) -> None:
    """Sends the head of a reply and then nothing, for ever."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    await writer.drain()
    await asyncio.Event().wait()


class LoopbackEndpoint:
    """Plays one `Respond` for each request. `n_connections` counts those accepted."""

    def __init__(self, script: list[Respond]) -> None:
        self._script = script
        self._open: set[asyncio.Task[None]] = set()
        self.n_connections = 0
        self.heads: list[str] = []
        self.url = ""

    @classmethod
    @asynccontextmanager
    async def serving(
        cls, *script: Respond, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
    ) -> AsyncGenerator["LoopbackEndpoint"]:
        """A server that is up inside the block, over `tls` if given; no connection of it is left after."""
        endpoint = cls(list(script))
        server = await asyncio.start_server(endpoint._accept, host, 0, ssl=tls)
        port = server.sockets[0].getsockname()[1]
        endpoint.url = f"{'https' if tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}/v1"
        try:
            yield endpoint
        finally:
            server.close()
            for task in endpoint._open:
                task.cancel()
            await asyncio.gather(*endpoint._open, return_exceptions=True)
            await server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.n_connections += 1
        task = asyncio.create_task(self._serve(reader, writer))
        self._open.add(task)
        await asyncio.wait([task])
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while self._script and not writer.is_closing():
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.heads.append(head)
            lengths = [line for line in head.lower().splitlines() if line.startswith("content-length:")]
            await reader.readexactly(int(lengths[0].partition(":")[2]) if lengths else 0)
            await self._script.pop(0)(writer)


def _writes(data: bytes, *, then_close: bool = False) -> Respond:
    async def respond(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        if then_close:
            writer.close()

    return respond
