"""Processes on one desk: each sees the shared file by itself, and all of them live by a clock of ours."""

import asyncio
import heapq
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from harnesses.endpoint.lanes import Lane
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.shared_numbers import SharedNumbers

START_S = 5000.0
USED = TokenUsage(input_tokens=10, output_tokens=5, n_requests=1)


class VirtualTime:
    """Time that passes only when everybody sleeps: `sleep` costs nothing and ends in the right order."""

    def __init__(self) -> None:
        self.now = START_S
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._n_slept = 0

    def clock(self) -> float:
        return self.now

    @property
    def passed_s(self) -> float:
        return self.now - START_S

    async def sleep(self, seconds: float) -> None:
        self._n_slept += 1
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, self._n_slept, woken))
        await woken

    async def settle(self) -> None:
        """Let everybody do what they can without time passing."""
        for _ in range(30):
            await asyncio.sleep(0)

    async def pass_on(self) -> None:
        """Pass on to the moment when the next sleeper wakes, and let everybody act."""
        self.now, _, woken = heapq.heappop(self._sleepers)
        if not woken.done():
            woken.set_result(None)
        await self.settle()

    async def live(self, *lives: Awaitable[Any]) -> list[Any]:
        """What becomes of these, in their order, however long it takes."""
        together = asyncio.gather(*lives)
        await self.settle()
        while not together.done():
            await self.pass_on()
        return await together


class Desk:
    """Makes processes that share one file, and closes what they opened.

    Args:
        folder: Where the file lies.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "details" / "_plan" / "limits"
        self.time = VirtualTime()
        self._open: list[SharedNumbers] = []

    def numbers(self) -> SharedNumbers:
        """The file as one more process sees it."""
        numbers = SharedNumbers(self.path)
        self._open.append(numbers)
        return numbers

    def lane(self, *, rpm: float | None = None, tpm: float | None = None, name: str = "model") -> Lane:
        """A lane of one more process, whose requests are never late."""
        time = self.time
        return Lane(name, self.numbers(), rpm=rpm, tpm=tpm, clock=time.clock, sleep=time.sleep, late_s=0)

    def close(self) -> None:
        for numbers in self._open:
            numbers.close()


def most_in_a_minute(moments: list[float]) -> int:
    """The most of these moments that lie within any minute, its end excluded."""
    # The sum of many waits is off by a few billionths.
    return max(sum(0 <= other - first < 60 - 1e-6 for other in moments) for first in moments)
