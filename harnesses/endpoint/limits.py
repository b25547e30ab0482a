"""Limits: the pace that the requests of all processes of a session keep together.

Each process has at most one request of a lane that waits for a reserved moment; the others queue behind it.
So hardly a moment is reserved for a request that is given up, and what a process exceeds a rate by, where it
is late, is one request.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from harnesses.endpoint.budgets import NOTHING, Budgets, Cost
from harnesses.endpoint.errors import BudgetSpentError
from harnesses.endpoint.lanes import Lane
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.scope import current_scope
from harnesses.endpoint.shared_numbers import Numbers

_BYTES_A_TOKEN = 4
_LOOK_AGAIN_S = 0.1
"""How often a request looks whether others have ended, where it depends on them."""


def _free_of_charge(_: TokenUsage) -> float:
    return 0.0


class LimitedPace:
    """The pace of one role. Roles of one lane queue together.

    Args:
        lane: Whose rates and pauses it keeps.
        budgets: Those of the session; ``None`` where there are none.
        asks_model: Whether its requests cost tokens.
        is_refused: Whether nothing is sent once a budget is spent. The judge is asked all the same: what it
            judges has been paid for.
        price: US dollars for these tokens.
        stop: Is told the line of a spent budget when a request is refused for it; gives back what to tell.
    """

    def __init__(
        self,
        lane: Lane,
        *,
        budgets: Budgets | None = None,
        asks_model: bool = True,
        is_refused: bool = True,
        price: Callable[[TokenUsage], float] = _free_of_charge,
        stop: Callable[[str], str] = str,
    ) -> None:
        self._lane = lane
        self._budgets = budgets
        self._asks_model = asks_model
        self._is_refused = is_refused
        self._price = price
        self._stop = stop
        self._counts_tokens = asks_model and (budgets is not None or lane.tokens is not None)
        self._takes = self._counts_tokens or lane.requests is not None

    async def turn(self, *, n_bytes: int) -> "Permit":
        """Wait until a request may be sent.

        Args:
            n_bytes: Length of its body.

        Raises:
            BudgetSpentError: A budget of the session is spent.
        """
        async with self._lane.queue:
            while True:
                permit = self._permit(n_bytes)
                if permit is None:
                    await self._lane.sleep(_LOOK_AGAIN_S)
                elif await self._is_due(permit):
                    return permit

    def hold(self, seconds: float) -> None:
        """A server asked for a wait: until then nobody sends a request of this lane."""
        self._lane.hold(seconds)

    def settle(self, permit: "Permit", usage: TokenUsage | None) -> None:
        """A permitted request has ended."""
        if not self._counts_tokens:
            return
        with self._lane.numbers.changing() as numbers:
            cost = NOTHING
            if usage is not None:
                cost = self._cost(_with_guesses(usage, permit.guess))
                if usage.output_tokens is not None:
                    self._lane.learn(numbers, usage.output_tokens)
            self._book(numbers, permit, cost)

    def _permit(self, n_bytes: int) -> "Permit | None":
        """The next moment for a request, reserved; ``None``: others have to end first."""
        lane = self._lane
        if not self._takes:
            numbers = lane.numbers.look()
            self._refuse_if_spent(numbers)
            return Permit(self, at=lane.free_at(numbers))
        with lane.numbers.changing() as numbers:
            self._refuse_if_spent(numbers)
            guess, cost = self._guess(numbers, n_bytes)
            if self._budgets is not None and self._asks_model:
                if self._is_refused and self._budgets.is_tight(numbers, cost):
                    return None
                self._budgets.reserve(numbers, cost)
            permit = Permit(self, at=lane.free_at(numbers), guess=guess, cost=cost)
            lane.take(numbers, cost, at=permit.at)
        return permit

    async def _is_due(self, permit: "Permit") -> bool:
        """Wait for the moment of a permit; whether it still holds then."""
        lane = self._lane
        if permit.at <= lane.clock():
            return True
        try:
            while (left_s := permit.at - lane.clock()) > 0:
                await lane.sleep(left_s)
        except BaseException:
            self._give_back(permit)
            raise
        numbers = lane.numbers.look()
        if not lane.is_held(numbers) and self._spent_line(numbers) is None:
            return True
        self._give_back(permit)
        return False

    def _guess(self, numbers: Numbers, n_bytes: int) -> tuple[TokenUsage, Cost]:
        """What a request will use and cost."""
        if not self._counts_tokens:
            return TokenUsage(), NOTHING
        guess = TokenUsage(
            input_tokens=ceil(n_bytes / _BYTES_A_TOKEN), output_tokens=ceil(self._lane.reply_tokens(numbers))
        )
        return guess, self._cost(guess)

    def _cost(self, usage: TokenUsage) -> Cost:
        return Cost(tokens=(usage.input_tokens or 0) + (usage.output_tokens or 0), usd=self._price(usage))

    def _book(self, numbers: Numbers, permit: "Permit", cost: Cost) -> None:
        """What was reserved for a request becomes what it cost."""
        if self._lane.tokens is not None:
            self._lane.tokens.correct(numbers, cost.tokens - permit.cost.tokens)
        if self._budgets is not None:
            self._budgets.settle(numbers, permit.cost, cost)

    def _give_back(self, permit: "Permit") -> None:
        """A request that was to be sent will not be."""
        if not self._takes:
            return
        with self._lane.numbers.changing() as numbers:
            if self._lane.requests is not None:
                self._lane.requests.give_back(numbers, 1, at=permit.at)
            if self._counts_tokens:
                self._book(numbers, permit, NOTHING)

    def _spent_line(self, numbers: Numbers) -> str | None:
        if self._budgets is None or not self._is_refused:
            return None
        return self._budgets.spent_line(numbers)

    def _refuse_if_spent(self, numbers: Numbers) -> None:
        line = self._spent_line(numbers)
        if line is None:
            return
        told, scope = self._stop(line), current_scope.get()
        if scope is not None:
            scope.withheld.append(told)
        raise BudgetSpentError(told)


@dataclass(frozen=True, slots=True)
class Permit:
    """The permission to send one request at `at`, in seconds of the clock; with what it may use and cost."""

    pace: LimitedPace
    at: float
    guess: TokenUsage = TokenUsage()  # noqa: RUF009 - frozen
    cost: Cost = NOTHING

    def settle(self, usage: TokenUsage | None) -> None:
        """The request has ended, with these tokens; ``None`` where nobody knows of any."""
        self.pace.settle(self, usage)


def _with_guesses(usage: TokenUsage, guess: TokenUsage) -> TokenUsage:
    """What a reply used; what its server did not report, as it was guessed."""
    return TokenUsage(
        input_tokens=guess.input_tokens if usage.input_tokens is None else usage.input_tokens,
        output_tokens=guess.output_tokens if usage.output_tokens is None else usage.output_tokens,
    )
