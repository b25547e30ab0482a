"""Budgets: how much a session may spend in all its processes, and what it has spent."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from harnesses.endpoint.shared_numbers import Numbers

BUDGET = "budget: "
"""How every line begins that tells of a spent budget."""

_N_IN_FLIGHT, _TOKENS, _USD = "in_flight.", "reserved_tokens.", "reserved_usd."
"""What names of numbers begin with; each ends with the name of a process."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a request costs, or is thought to cost."""

    tokens: float = 0.0
    usd: float = 0.0


NOTHING = Cost()


def _nobody() -> Iterable[str]:
    return ()


class Budgets:
    """What may be spent, held against what was spent and what is in flight.

    Args:
        tokens: Tokens that may be spent, at least 1; ``None`` sets no limit.
        usd: US dollars that may be spent, above 0; ``None`` sets no limit.
        process: Names this process among those that share the numbers.
        dead: Names the processes that ended with requests in flight; those come to nothing.
    """

    def __init__(
        self,
        *,
        tokens: float | None,
        usd: float | None,
        process: str = "main",
        dead: Callable[[], Iterable[str]] = _nobody,
    ) -> None:
        self._tokens = tokens
        self._usd = usd
        self._process = process
        self._dead = dead

    def spent_line(self, numbers: Numbers) -> str | None:
        """What to tell once a budget is spent: value, rule, remedy; ``None`` before."""
        tokens, usd = numbers["spent_tokens"], numbers["spent_usd"]
        if self._tokens is not None and tokens >= self._tokens:
            what, option = f"{tokens:,.0f} of {self._tokens:,.0f} tokens are spent", "budget_tokens"
        elif self._usd is not None and usd >= self._usd:
            what, option = f"{_money(usd)} of {_money(self._usd)} USD are spent", "budget_usd"
        else:
            return None
        return f"{BUDGET}{what}; raise {option} and go on with --resume"

    def is_tight(self, numbers: Numbers, cost: Cost) -> bool:
        """Whether what is in flight has to end before it is known if `cost` can be afforded.

        With nothing in flight whatever is left is spent: a budget is exceeded by one request at most.
        """
        if not self._in_flight(numbers):
            return False
        if self._exceeded(numbers, cost):
            self._forget_dead(numbers)
        return bool(self._in_flight(numbers)) and self._exceeded(numbers, cost)

    def reserve(self, numbers: Numbers, cost: Cost) -> None:
        """A request of this process is about to be sent."""
        numbers[_N_IN_FLIGHT + self._process] += 1
        numbers[_TOKENS + self._process] += cost.tokens
        numbers[_USD + self._process] += cost.usd

    def settle(self, numbers: Numbers, reserved: Cost, actual: Cost) -> None:
        """A request that was reserved has ended, and cost this much."""
        numbers["spent_tokens"] += actual.tokens
        numbers["spent_usd"] += actual.usd
        numbers[_N_IN_FLIGHT + self._process] -= 1
        numbers[_TOKENS + self._process] -= reserved.tokens
        numbers[_USD + self._process] -= reserved.usd

    def _exceeded(self, numbers: Numbers, cost: Cost) -> bool:
        tokens = numbers["spent_tokens"] + _sum(numbers, _TOKENS) + cost.tokens
        usd = numbers["spent_usd"] + _sum(numbers, _USD) + cost.usd
        return (self._tokens is not None and tokens > self._tokens) or (
            self._usd is not None and usd > self._usd
        )

    def _in_flight(self, numbers: Numbers) -> float:
        return _sum(numbers, _N_IN_FLIGHT)

    def _forget_dead(self, numbers: Numbers) -> None:
        for process in self._dead():
            for kind in (_N_IN_FLIGHT, _TOKENS, _USD):
                numbers[kind + process] = 0.0


def _sum(numbers: Numbers, kind: str) -> float:
    return sum(number for name, number in numbers.items() if name.startswith(kind))


def _money(usd: float) -> str:
    """Cents, or as many places as tell something of a smaller sum."""
    return f"{usd:,.2f}" if usd >= 1 else f"{usd:.3g}"
