"""A lane: requests to one service, which keep one pace in all processes of a session."""

import asyncio
from collections.abc import Callable

from harnesses.endpoint.budgets import Cost
from harnesses.endpoint.network import Sleep
from harnesses.endpoint.rates import Rate
from harnesses.endpoint.shared_numbers import Numbers, SharedNumbers

_LATE_S = 0.3
"""Seconds by which a request may arrive late without exceeding the rate at its service.

Without it three workers at 3,000 requests a minute, on two busy cores, came to 3,006; with it to 2,988.
"""
_UNKNOWN_REPLY_TOKENS = 1000
"""What a reply is thought to cost before the first one came."""


class Lane:
    """Requests that keep one pace, in all processes that share the numbers.

    `queue` has those of this process wait for each other; `requests` and `tokens` are the rates, ``None``
    where there is no limit.

    Args:
        name: Names it among the numbers, e.g. "judge".
        numbers: What the processes share.
        rpm: Requests a minute, above 0; ``None`` sets no limit.
        tpm: Tokens a minute, sent and received, above 0; ``None`` sets no limit.
        clock: Tells seconds, the same in all processes.
        sleep: Waits.
        late_s: Requests that reach their service by so much later than they were sent exceed no rate there:
            each minute lasts so much longer, at least 0 seconds.
    """

    def __init__(
        self,
        name: str,
        numbers: SharedNumbers,
        *,
        rpm: float | None = None,
        tpm: float | None = None,
        clock: Callable[[], float],
        sleep: Sleep,
        late_s: float = _LATE_S,
    ) -> None:
        self.numbers = numbers
        self.queue = asyncio.Lock()
        self.clock = clock
        self.sleep = sleep
        kept = None if rpm is None else rpm * 60 / (60 + late_s)
        self.requests = None if kept is None else Rate(name=f"{name}.next_request_at", per_minute=kept)
        self.tokens = None if tpm is None else Rate(name=f"{name}.next_tokens_at", per_minute=tpm)
        self._paused_until = f"{name}.paused_until"
        self._n_replies, self._reply_tokens = f"{name}.n_replies", f"{name}.reply_tokens"

    def hold(self, seconds: float) -> None:
        """Send nothing for so long."""
        with self.numbers.changing() as numbers:
            numbers[self._paused_until] = max(numbers[self._paused_until], self.clock() + seconds)

    def is_held(self, numbers: Numbers) -> bool:
        """Whether nothing may be sent now, whatever was reserved."""
        return numbers[self._paused_until] > self.clock()

    def free_at(self, numbers: Numbers) -> float:
        """The next moment at which a request may be sent; now, if nothing has to be waited for."""
        at = max(numbers[self._paused_until], self.clock())
        if self.requests is not None:
            at = max(at, self.requests.free_at(numbers))
        if self.tokens is not None:
            at = max(at, self.tokens.free_at(numbers))
        return at

    def take(self, numbers: Numbers, cost: Cost, *, at: float) -> None:
        """Keep others from sending a request at this moment, and before its tokens are worked off."""
        if self.requests is not None:
            self.requests.take(numbers, 1, at=at)
        if self.tokens is not None:
            self.tokens.take(numbers, cost.tokens, at=at)

    def reply_tokens(self, numbers: Numbers) -> float:
        """What a reply costs, as far as is known: the mean of those that came."""
        if not numbers[self._n_replies]:
            return _UNKNOWN_REPLY_TOKENS
        return numbers[self._reply_tokens] / numbers[self._n_replies]

    def learn(self, numbers: Numbers, output_tokens: int) -> None:
        """A reply of so many tokens came."""
        numbers[self._n_replies] += 1
        numbers[self._reply_tokens] += output_tokens
