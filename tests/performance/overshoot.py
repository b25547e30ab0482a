"""How far several processes together exceed `model_rpm`, and what keeping it costs; run by hand.

    python tests/performance/overshoot.py [--rpm 600] [--workers 3] [--seconds 75]

Real processes ask a server on loopback as fast as they may, 16 requests at once in each; the server notes
when each request came. Shown is the most of any minute, and the most of any tenth of one.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from bisect import bisect_left
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from harnesses.endpoint.client import EndpointClient  # noqa: E402 - run as a script, from anywhere
from harnesses.endpoint.lanes import Lane  # noqa: E402 - as above
from harnesses.endpoint.limits import LimitedPace  # noqa: E402 - as above
from harnesses.endpoint.network import UNPACED, Network, Pace  # noqa: E402 - as above
from harnesses.endpoint.retrying import Retries  # noqa: E402 - as above
from harnesses.endpoint.shared_numbers import SharedNumbers  # noqa: E402 - as above
from harnesses.endpoint.spec import EndpointSpec  # noqa: E402 - as above

_IN_FLIGHT = 16
_MESSAGES = [{"role": "user", "content": "How long is the bridge? " * 150}]
_MESSAGE = {"role": "assistant", "content": "42"}
_BODY = json.dumps(
    {
        "choices": [{"index": 0, "message": _MESSAGE, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 1},
    }
).encode()
_REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)


async def ask(url: str, pace: Pace, seconds: float, in_flight: int) -> int:
    """Ask as often as `pace` lets us; how often that was."""
    client = EndpointClient(
        EndpointSpec(id="m-1", base_url=url),
        retries=Retries(max_retries=0),
        network=Network(paces={"model": pace}),
    )
    ends_at, n_asked = time.monotonic() + seconds, 0

    async def keep_asking() -> None:
        nonlocal n_asked
        while time.monotonic() < ends_at:
            await client.complete(_MESSAGES)
            n_asked += 1

    await asyncio.gather(*(keep_asking() for _ in range(in_flight)))
    await client.aclose()
    return n_asked


def limited(path: Path, rpm: float | None) -> LimitedPace:
    """The pace of a process that shares this file."""
    numbers = SharedNumbers(path)
    return LimitedPace(Lane("model", numbers, rpm=rpm, clock=time.monotonic, sleep=asyncio.sleep))


class Server:
    """Answers everything at once, and notes when it came."""

    def __init__(self) -> None:
        self.came: list[float] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, to its end."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                self.came.append(time.monotonic())
                length = int(head.partition(b"content-length:")[2].partition(b"\r")[0])
                await reader.readexactly(length)
                writer.write(_REPLY)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def most_within(self, seconds: float) -> int:
        """The most requests that came within any `seconds`."""
        return max(bisect_left(self.came, first + seconds) - n for n, first in enumerate(self.came))


async def measure(rpm: float, n_workers: int, seconds: float) -> str:
    """One line on what `n_workers` processes did."""
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, backlog=256)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, __file__, "--ask", url, "--file", f"{folder}/limits", f"--rpm={rpm}"]
        workers = [
            await asyncio.create_subprocess_exec(*words, f"--seconds={seconds}") for _ in range(n_workers)
        ]
        await asyncio.gather(*(worker.wait() for worker in workers))
    listening.close()
    lasted_s = server.came[-1] - server.came[0]
    return (
        f"{n_workers} workers: {len(server.came)} requests in {lasted_s:.1f} s "
        f"({(len(server.came) - 1) / lasted_s * 60:.1f} a minute); the most of any minute: "
        f"{server.most_within(60.0)} (allowed {rpm:g}), of any 6 s: {server.most_within(6.0)} "
        f"(allowed {rpm / 10:g})"
    )


async def cost_us(kind: str, n_rounds: int = 5, n_requests: int = 3000) -> float:
    """CPU of this process for a turn and its end, in microseconds; the least of some rounds."""
    least = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        rpm = 1e9 if kind == "a rate" else None
        pace: Pace = UNPACED if kind == "no pace" else limited(Path(folder) / "limits", rpm)
        for _ in range(n_rounds):
            began = time.process_time()
            for _ in range(n_requests):
                (await pace.turn(n_bytes=3600)).settle(None)
            least = min(least, (time.process_time() - began) / n_requests * 1e6)
    return least


def main() -> None:
    """Read the command line and show what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rpm", type=float, default=600.0, metavar="N")
    parser.add_argument("--workers", type=int, default=3, metavar="N")
    parser.add_argument("--seconds", type=float, default=75.0, metavar="S")
    parser.add_argument("--ask", metavar="URL", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.ask:
        asyncio.run(ask(told.ask, limited(told.file, told.rpm), told.seconds, _IN_FLIGHT))
        return
    for kind in ("no pace", "Retry-After alone", "a rate"):
        print(f"{kind}: {asyncio.run(cost_us(kind)):.1f} µs of CPU a request")  # noqa: T201 - its output
    print(asyncio.run(measure(told.rpm, told.workers, told.seconds)))  # noqa: T201 - its output


if __name__ == "__main__":
    main()
