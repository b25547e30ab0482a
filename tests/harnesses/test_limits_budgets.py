"""Budgets: what all processes spend together ends the session, and by one request too much at most."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from limits_scene import USED, Desk

from harnesses.endpoint.budgets import Budgets
from harnesses.endpoint.errors import BudgetSpentError
from harnesses.endpoint.http import HttpClient
from harnesses.endpoint.limits import LimitedPace
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.network import Network
from harnesses.endpoint.retrying import Retries
from harnesses.endpoint.scope import Scope, current_scope

pytestmark = pytest.mark.asyncio
SPENT = r"^budget: 45 of 40 tokens are spent; raise budget_tokens and go on with --resume$"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


MakePace = Callable[..., LimitedPace]


@pytest.fixture
def make_pace(desk: Desk) -> MakePace:
    """Makes the pace of one more process, with 40 tokens for all of them."""

    def make(
        process: str = "main",
        *,
        lane: str = "model",
        rpm: float | None = None,
        tokens: float | None = 40,
        usd: float | None = None,
        dead: Callable[[], list[str]] = list,
        **more: Any,
    ) -> LimitedPace:
        budgets = Budgets(tokens=tokens, usd=usd, process=process, dead=dead)
        return LimitedPace(desk.lane(name=lane, rpm=rpm), budgets=budgets, **more)

    return make


async def send(pace: LimitedPace, used: TokenUsage | None = USED, *, n_bytes: int = 0) -> None:
    turn = await pace.turn(n_bytes=n_bytes)
    turn.settle(used)


async def test_once_it_is_spent_nothing_more_is_sent(make_pace: MakePace) -> None:
    pace = make_pace()
    for _ in range(3):
        await send(pace)
    with pytest.raises(BudgetSpentError, match=SPENT):
        await send(pace)


async def test_what_other_processes_spent_counts(make_pace: MakePace) -> None:
    for process in ("gw0", "gw1", "gw2"):
        await send(make_pace(process))
    with pytest.raises(BudgetSpentError, match=SPENT):
        await send(make_pace("gw3"))


async def test_a_spent_budget_is_told_to_the_session_and_to_the_attempt(make_pace: MakePace) -> None:
    told: list[str] = []

    def stop(line: str) -> str:
        told.append(line)
        return "budget: as the first process said"

    pace, scope = make_pace(tokens=15, stop=stop), Scope(name="gaia/t-1-attempt1")
    await send(pace)
    in_scope = current_scope.set(scope)
    with pytest.raises(BudgetSpentError, match=r"^budget: as the first process said$"):
        await send(pace)
    current_scope.reset(in_scope)
    assert told == ["budget: 15 of 15 tokens are spent; raise budget_tokens and go on with --resume"]
    assert scope.withheld == ["budget: as the first process said"]


async def test_the_judge_is_asked_all_the_same_and_what_it_takes_counts(make_pace: MakePace) -> None:
    model, judge = make_pace(), make_pace(lane="judge", is_refused=False)
    for _ in range(3):
        await send(judge)
    await send(judge)
    with pytest.raises(BudgetSpentError, match="budget: 60 of 40 tokens"):
        await send(model)


async def test_a_search_is_refused_and_costs_no_tokens(make_pace: MakePace) -> None:
    model, search = make_pace(), make_pace(lane="search", asks_model=False)
    await send(search, n_bytes=4000)
    await send(model, TokenUsage(input_tokens=40, output_tokens=0))
    with pytest.raises(BudgetSpentError, match="budget: 40 of 40 tokens"):
        await send(search)


async def test_a_search_waits_for_nobody_near_the_budget(desk: Desk, make_pace: MakePace) -> None:
    model, search = make_pace(), make_pace(lane="search", asks_model=False)
    turn = await model.turn(n_bytes=400)
    await desk.time.live(send(search))
    assert desk.time.passed_s == 0
    turn.settle(None)


async def test_a_request_that_failed_has_spent_nothing(make_pace: MakePace) -> None:
    pace = make_pace(tokens=1)
    for _ in range(5):
        await send(pace, None)


async def test_near_the_budget_a_request_waits_for_what_is_in_flight_elsewhere(
    desk: Desk, make_pace: MakePace
) -> None:
    here, there = make_pace("gw0"), make_pace("gw1")
    turn = await here.turn(n_bytes=0)
    waiting = asyncio.create_task(send(there))
    for _ in range(20):
        await desk.time.settle()
        await desk.time.pass_on()
    assert not waiting.done()
    turn.settle(TokenUsage(input_tokens=40, output_tokens=0))
    with pytest.raises(BudgetSpentError):
        await desk.time.live(waiting)


async def test_requests_that_the_budget_affords_are_in_flight_together(
    desk: Desk, make_pace: MakePace
) -> None:
    pace = make_pace(tokens=1000)
    await send(pace, TokenUsage(input_tokens=10, output_tokens=90))
    turns = await desk.time.live(*(pace.turn(n_bytes=40) for _ in range(9)))
    assert (len(turns), desk.time.passed_s) == (9, 0)
    tenth = asyncio.create_task(pace.turn(n_bytes=40))
    await desk.time.settle()
    assert not tenth.done(), "100 were spent and nine times 100 are reserved"
    for turn in turns:
        turn.settle(USED)
    await desk.time.live(tenth)


async def test_what_a_dead_process_had_in_flight_holds_up_nobody(desk: Desk, make_pace: MakePace) -> None:
    dead: list[str] = []
    here, there = make_pace("gw0"), make_pace("gw1", dead=lambda: dead)
    await here.turn(n_bytes=0)
    waiting = asyncio.create_task(send(there))
    await desk.time.settle()
    assert not waiting.done()
    dead.append("gw0")
    await desk.time.live(waiting)


async def test_who_waits_for_a_slot_when_the_budget_ends_is_refused(desk: Desk, make_pace: MakePace) -> None:
    model, judge = make_pace(rpm=1), make_pace(lane="judge", is_refused=False)
    await send(model, TokenUsage(input_tokens=1, output_tokens=1))
    waiting = asyncio.create_task(send(model))
    await desk.time.settle()
    await send(judge, TokenUsage(input_tokens=100, output_tokens=0))
    with pytest.raises(BudgetSpentError, match="budget: 102 of 40 tokens"):
        await desk.time.live(waiting)


@pytest.mark.parametrize(
    ("usd", "price", "line"),
    [
        pytest.param(10.0, 10.016, r"budget: 10\.02 of 10\.00 USD are spent; raise budget_usd", id="dollars"),
        pytest.param(1234.5, 2000.0, r"budget: 2,000\.00 of 1,234\.50 USD", id="many"),
        pytest.param(0.0005, 0.000512, r"budget: 0\.000512 of 0\.0005 USD", id="less-than-a-cent"),
    ],
)
async def test_a_budget_in_money_ends_by_the_price_of_what_was_used(
    usd: float, price: float, line: str, make_pace: MakePace
) -> None:
    def price_of(used: TokenUsage) -> float:
        return price if used.output_tokens == 5 else 0.0

    pace = make_pace(tokens=None, usd=usd, price=price_of)
    await send(pace)
    with pytest.raises(BudgetSpentError, match=f"^{line}"):
        await send(pace)


async def test_near_a_budget_in_money_requests_wait_too(desk: Desk, make_pace: MakePace) -> None:
    def sixty_cents(_: TokenUsage) -> float:
        return 0.6

    pace = make_pace(tokens=None, usd=1, price=sixty_cents)
    turn = await pace.turn(n_bytes=0)
    waiting = asyncio.create_task(send(pace))
    await desk.time.settle()
    assert not waiting.done()
    turn.settle(None)
    await desk.time.live(waiting)


async def test_a_call_that_a_budget_ends_tells_how_many_requests_it_had_sent(make_pace: MakePace) -> None:
    judge = make_pace(tokens=15, lane="judge", is_refused=False)

    async def reply(request: httpx.Request) -> httpx.Response:
        await send(judge)
        return httpx.Response(503, request=request)

    async def no_wait(_: float) -> None: ...

    client = HttpClient(
        base_url="http://model.test/v1",
        retries=Retries(max_retries=3),
        network=Network(
            connect=lambda _: httpx.MockTransport(reply), paces={"model": make_pace(tokens=15)}, sleep=no_wait
        ),
    )
    with pytest.raises(BudgetSpentError, match="budget: 15 of 15 tokens") as caught:
        await client.send("POST", "/x", json={})
    assert caught.value.n_requests == 1
    await client.aclose()
