"""What is asked of a system under measurement, and the limit that nothing can go below."""

import heapq
import math
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

N_SEARCHES = 5
"""Turns of an attempt that end in one search each."""
N_CALLS = N_SEARCHES + 2
"""Calls of one task, each waiting for the one before: the searches, the final answer, the judge."""
WRONG_EVERY = 4
"""Each fourth task is answered wrongly, so that failed items are measured too."""


@dataclass(frozen=True, kw_only=True)
class Load:
    """So many tasks, so many of them in flight, so long a wait for each call.

    `latency_s` is the mean. `spread` is the sigma of a log-normal distribution over tasks, 0 for equal
    latencies: a slow task is slow in all its calls. `seed` decides the draw, so that all who are measured
    wait alike.
    """

    n_tasks: int
    in_flight: int
    latency_s: float
    spread: float = 0.0
    seed: int = 7

    def latencies_s(self) -> list[float]:
        """Seconds each call takes, one number for each task."""
        draw = random.Random(self.seed)
        shift = -(self.spread**2) / 2  # makes the mean of the distribution 1
        return [
            self.latency_s * math.exp(shift + self.spread * draw.gauss(0, 1))
            if self.spread
            else self.latency_s
            for _ in range(self.n_tasks)
        ]

    @property
    def limit_s(self) -> float:
        """Seconds that calls alone take when no slot is ever idle and everything else costs nothing.

        For equal latencies this is ``ceil(n_tasks / in_flight) * N_CALLS * latency_s``.
        """
        return makespan_s([N_CALLS * latency_s for latency_s in self.latencies_s()], n_slots=self.in_flight)

    @property
    def n_correct(self) -> int:
        """Tasks that the scripted model answers rightly."""
        return sum(is_answered_rightly(number) for number in range(self.n_tasks))

    def to_json(self) -> dict[str, Any]:
        """The fields as they are."""
        return asdict(self)


def is_answered_rightly(number: int) -> bool:
    """Whether the scripted model knows the answer of this task (counted from 0)."""
    return number % WRONG_EVERY != WRONG_EVERY - 1


def makespan_s(durations_s: Sequence[float], *, n_slots: int) -> float:
    """When the last one ends if each starts, in order, as soon as one of `n_slots` slots is free."""
    free_at = [0.0] * n_slots
    ends_s = 0.0
    for duration_s in durations_s:
        end_s = heapq.heappop(free_at) + duration_s
        heapq.heappush(free_at, end_s)
        ends_s = max(ends_s, end_s)
    return ends_s
