"""The floor: the same calls over raw sockets, with nothing around them, in a process of its own.

    python floor.py PORT '{"n_tasks": 192, "in_flight": 64, "latency_s": 0.2, "spread": 0.0, "seed": 7}'

Requests are about as long as those of the suite; replies are read by their length and not understood.
"""

import asyncio
import json
import re
import sys
from collections.abc import Iterator

from load import N_CALLS, Load

_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_HEAD = b"POST /%s/v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
_START = b'{"model": "model-1", "messages": [{"role": "user", "content": "cairn %06d: ' + b"x" * 150 + b'"}'
_TURN = b', {"role": "assistant", "content": "%s"}, {"role": "tool", "content": "%s"}' % (
    b"x" * 200,
    b"x" * 1190,
)
_TOOLS = b'], "tools": ["' + b"x" * 830 + b'"]}'
_JUDGE = (
    b'{"model": "judge-1", "messages": [{"content": "cairn %06d ' + b"x" * 1500 + b'ANSWER=stone %06d"}]}'
)


class Line(asyncio.Protocol):
    """One connection, one request on it at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._answered: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(exc or ConnectionResetError("the endpoint hung up"))

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        length = _LENGTH.search(self._received)
        if end >= 0 and length and len(self._received) >= end + 4 + int(length[1]):
            self._received.clear()
            if self._answered is not None:
                self._answered.set_result(None)

    async def ask(self, request: bytes) -> None:
        """Send one request and wait for its whole reply."""
        assert self._transport is not None
        self._answered = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        await self._answered

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.close()


def request(number: int, turn: int) -> bytes:
    """One call of a task; the last turn is the judge's."""
    if turn == N_CALLS - 1:
        path, body = b"judge", _JUDGE % (number, number)
    else:
        path, body = b"model", (_START % number) + _TURN * turn + _TOOLS
    return (_HEAD % (path, len(body))) + body


async def work_off(port: int, numbers: Iterator[int]) -> None:
    """Take one task after another until none is left."""
    _, line = await asyncio.get_running_loop().create_connection(Line, "127.0.0.1", port)
    for number in numbers:
        for turn in range(N_CALLS):
            await line.ask(request(number, turn))
    line.close()


async def main(port: int, load: Load) -> None:
    """Work all tasks off on as many connections as attempts may be in flight."""
    numbers = iter(range(load.n_tasks))
    n_lines = min(load.in_flight, load.n_tasks)
    await asyncio.gather(*(work_off(port, numbers) for _ in range(n_lines)))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Load(**json.loads(sys.argv[2]))))
