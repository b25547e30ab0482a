"""The scripted endpoint: plays the model and the judge on loopback, in a process of its own.

    python scripted_server.py '{"n_tasks": 192, "in_flight": 64, "latency_s": 0.2, "spread": 0.0, "seed": 7}'

It prints its port, serves until its input is closed, and then prints what it counted, as JSON. It keeps no
state of a task but the counts: the turn is told by how many tool results a request carries.
"""

import asyncio
import json
import re
import sys
import time
from functools import cache
from typing import Any

from load import N_CALLS, N_SEARCHES, Load, is_answered_rightly

_TASK = re.compile(rb"cairn (\d{6})")
_TOOL_RESULT = re.compile(rb'"role": ?"tool"')
_ANSWER = re.compile(rb"ANSWER=stone (\d{6})")
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_QUERIES = (
    "keeper of the lighthouse",
    "ferry over the sound",
    "year of the great storm",
    "boatyard of the island",
    "stones of the northern cairns",
)


class Book:
    """Counts every call, so that none is lost or made twice unseen."""

    def __init__(self, load: Load) -> None:
        self.latencies_s = load.latencies_s()
        self.calls = bytearray(load.n_tasks * N_CALLS)
        self.first_at: float | None = None
        self.last_at = 0.0
        self.n_in_flight = 0
        self.most_in_flight = 0
        self.n_connections = 0
        self.n_strange = 0
        self.n_bytes = 0
        self.worst_delay_s = 0.0

    def open(self, number: int, turn: int, n_bytes: int) -> None:
        """A call came in."""
        place = number * N_CALLS + turn
        self.calls[place] = min(self.calls[place] + 1, 255)
        self.n_bytes += n_bytes
        self.n_in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.n_in_flight)

    def close(self, due_at: float | None) -> None:
        """A call was answered; `due_at` is when it should have been."""
        self.n_in_flight -= 1
        self.last_at = time.monotonic()
        if due_at is not None:
            self.worst_delay_s = max(self.worst_delay_s, self.last_at - due_at)

    def to_json(self) -> dict[str, Any]:
        """What was counted; moments are those of the machine's monotonic clock."""
        n_by_task = [sum(self.calls[at : at + N_CALLS]) for at in range(0, len(self.calls), N_CALLS)]
        n_requests = sum(n_by_task)
        return {
            "n_requests": n_requests,
            "n_repeated": sum(n - 1 for n in self.calls if n > 1),
            "n_missing": self.calls.count(0),
            "n_strange": self.n_strange,
            "fewest_calls": min(n_by_task),
            "most_calls": max(n_by_task),
            "most_in_flight": self.most_in_flight,
            "n_connections": self.n_connections,
            "request_bytes": round(self.n_bytes / max(n_requests, 1)),
            "first_at": self.first_at,
            "last_at": self.last_at,
            "worst_delay_s": self.worst_delay_s,
        }


class Connection(asyncio.Protocol):
    """One client; HTTP/1.1 as far as our clients speak it: POST, Content-Length, keep-alive."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._loop = asyncio.get_running_loop()
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._book.n_connections += 1

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's form
        self._transport = None

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._received[:end])
            length = _LENGTH.search(head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self._received) < whole:
                return
            body = bytes(self._received[end + 4 : whole])
            del self._received[:whole]
            self._answer(head.split(b" ", 2)[1], body, whole)

    def _answer(self, path: bytes, body: bytes, n_bytes: int) -> None:
        book, found = self._book, _TASK.search(body)
        if book.first_at is None:
            book.first_at = time.monotonic()
        number = int(found[1]) if found else -1
        is_judge = path.startswith(b"/judge/")
        turn = N_CALLS - 1 if is_judge else len(_TOOL_RESULT.findall(body))
        if not 0 <= number < len(book.latencies_s) or turn >= N_CALLS - (not is_judge):
            book.n_strange += 1
            self._write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return
        book.open(number, turn, n_bytes)
        reply = judgment(number, body) if is_judge else model_reply(number, turn)
        latency_s = book.latencies_s[number]
        if latency_s:
            due_at = time.monotonic() + latency_s
            self._loop.call_later(latency_s, self._end, reply, due_at)
        else:
            self._end(reply, None)

    def _end(self, reply: bytes, due_at: float | None) -> None:
        self._write(reply)
        self._book.close(due_at)

    def _write(self, reply: bytes) -> None:
        if self._transport is not None:
            self._transport.write(reply)


def model_reply(number: int, turn: int) -> bytes:
    """A search as long as there are some to make, then the final answer."""
    if turn < N_SEARCHES:
        return _search_reply(turn)
    stone = "stone" if is_answered_rightly(number) else "pebble"
    return _reply({"role": "assistant", "content": f"{stone} {number:06d}"}, "stop")


@cache
def _search_reply(turn: int) -> bytes:
    function = {"name": "search", "arguments": json.dumps({"query": _QUERIES[turn]})}
    call = {"id": f"call_{turn}", "type": "function", "function": function}
    return _reply({"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls")


def judgment(number: int, body: bytes) -> bytes:
    """A if the prompt carries this very task's answer, else B."""
    answer = _ANSWER.search(body)
    return _verdict(is_correct=answer is not None and int(answer[1]) == number)


@cache
def _verdict(*, is_correct: bool) -> bytes:
    verdict = r"\boxed{A} - CORRECT" if is_correct else r"\boxed{B} - INCORRECT"
    return _reply({"role": "assistant", "content": f"Final Judgment: {verdict}"}, "stop")


def _reply(message: dict[str, Any], finish_reason: str) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 1200, "completion_tokens": 40, "total_tokens": 1240}
    values = {"object": "chat.completion", "model": "model-1", "choices": [choice], "usage": usage}
    body = json.dumps(values).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def serve(load: Load) -> None:
    """Print the port, serve until the input is closed, print the book."""
    loop, book, closed = asyncio.get_running_loop(), Book(load), asyncio.Event()
    server = await loop.create_server(lambda: Connection(book), "127.0.0.1", 0, backlog=2048)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    loop.add_reader(sys.stdin.fileno(), closed.set)
    await closed.wait()
    loop.remove_reader(sys.stdin.fileno())
    server.close()
    sys.stdout.write(json.dumps(book.to_json()))


if __name__ == "__main__":
    asyncio.run(serve(Load(**json.loads(sys.argv[1]))))
