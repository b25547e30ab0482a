"""Rates and waits that a server asks for: kept by all processes together."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from limits_scene import USED, Desk, most_in_a_minute

from harnesses.endpoint.lanes import Lane
from harnesses.endpoint.limits import LimitedPace
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.rates import Rate
from harnesses.endpoint.shared_numbers import Numbers

pytestmark = pytest.mark.asyncio


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


async def sent_at(
    desk: Desk, pace: LimitedPace, *, used: TokenUsage | None = USED, n_bytes: int = 0
) -> float:
    """When a request could be sent, in seconds from the start; it is answered at once."""
    turn = await pace.turn(n_bytes=n_bytes)
    at = desk.time.passed_s
    turn.settle(used)
    return at


async def test_without_a_limit_nobody_waits(desk: Desk) -> None:
    pace = LimitedPace(desk.lane())
    assert await desk.time.live(*(sent_at(desk, pace) for _ in range(50))) == [0.0] * 50


async def test_requests_are_spread_evenly_from_the_first_on(desk: Desk) -> None:
    pace = LimitedPace(desk.lane(rpm=30))
    assert await desk.time.live(*(sent_at(desk, pace) for _ in range(4))) == [0.0, 2.0, 4.0, 6.0]


async def test_requests_that_come_a_little_late_exceed_no_rate_at_their_service(desk: Desk) -> None:
    time = desk.time
    lane = Lane("model", desk.numbers(), rpm=600, clock=time.clock, sleep=time.sleep)
    sent = await time.live(*(sent_at(desk, LimitedPace(lane)) for _ in range(700)))
    # The first is the latest of all, as far as a lane allows for it.
    came = [sent[0] + 0.28, *sent[1:]]
    assert most_in_a_minute(came) <= 600


async def test_less_than_one_request_a_minute_is_a_rate_too(desk: Desk) -> None:
    pace = LimitedPace(desk.lane(rpm=0.5))
    assert await desk.time.live(sent_at(desk, pace), sent_at(desk, pace)) == [0.0, 120.0]


async def test_what_was_not_used_is_not_saved_up(desk: Desk) -> None:
    pace = LimitedPace(desk.lane(rpm=60))
    await desk.time.live(sent_at(desk, pace))
    desk.time.now += 300
    assert await desk.time.live(sent_at(desk, pace), sent_at(desk, pace)) == [300.0, 301.0]


async def test_two_processes_share_a_rate_by_turns(desk: Desk) -> None:
    here, there = LimitedPace(desk.lane(rpm=60)), LimitedPace(desk.lane(rpm=60))
    moments = await desk.time.live(
        *(sent_at(desk, here) for _ in range(3)), *(sent_at(desk, there) for _ in range(3))
    )
    assert sorted(moments) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert moments[3] < moments[2], "no process waits for the other to be through"


async def test_roles_of_one_lane_share_its_rate(desk: Desk) -> None:
    lane = desk.lane(rpm=60)
    model, tools = LimitedPace(lane), LimitedPace(lane)
    assert await desk.time.live(sent_at(desk, model), sent_at(desk, tools)) == [0.0, 1.0]


async def test_another_lane_is_not_slowed(desk: Desk) -> None:
    model, judge = LimitedPace(desk.lane(rpm=1)), LimitedPace(desk.lane(name="judge", rpm=1))
    assert await desk.time.live(sent_at(desk, model), sent_at(desk, judge)) == [0.0, 0.0]


async def test_a_request_given_up_while_it_waits_leaves_its_slot_to_the_next(desk: Desk) -> None:
    pace = LimitedPace(desk.lane(rpm=60))
    await desk.time.live(sent_at(desk, pace))
    waiting = asyncio.create_task(sent_at(desk, pace))
    await desk.time.settle()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert await desk.time.live(sent_at(desk, pace)) == [1.0]


async def test_what_was_taken_after_it_keeps_its_slot_when_a_request_is_given_up() -> None:
    rate, numbers = Rate(name="r", per_minute=60), Numbers()
    rate.take(numbers, 1, at=10.0)
    rate.take(numbers, 1, at=11.0)
    rate.give_back(numbers, 1, at=10.0)
    assert rate.free_at(numbers) == 12.0


async def test_a_wait_that_one_process_was_asked_for_slows_the_other(desk: Desk) -> None:
    here, there = LimitedPace(desk.lane()), LimitedPace(desk.lane())
    here.hold(20)
    assert await desk.time.live(sent_at(desk, there), sent_at(desk, here)) == [20.0, 20.0]


async def test_a_shorter_wait_ends_no_longer_one(desk: Desk) -> None:
    here, there = LimitedPace(desk.lane()), LimitedPace(desk.lane())
    here.hold(20)
    there.hold(3)
    assert await desk.time.live(sent_at(desk, here)) == [20.0]


async def test_who_already_had_a_slot_waits_all_the_same(desk: Desk) -> None:
    here, there = LimitedPace(desk.lane(rpm=6)), LimitedPace(desk.lane(rpm=6))
    await desk.time.live(sent_at(desk, here))
    waiting = asyncio.create_task(sent_at(desk, here))
    await desk.time.settle()
    there.hold(45)
    assert await desk.time.live(waiting) == [45.0]


async def test_a_wait_in_one_lane_leaves_the_others_alone(desk: Desk) -> None:
    LimitedPace(desk.lane(name="judge")).hold(100)
    assert await desk.time.live(sent_at(desk, LimitedPace(desk.lane()))) == [0.0]


async def test_tokens_are_waited_for_after_they_were_taken(desk: Desk) -> None:
    pace = LimitedPace(desk.lane(tpm=60))
    used = TokenUsage(input_tokens=20, output_tokens=10)
    moments = await desk.time.live(*(sent_at(desk, pace, used=used) for _ in range(3)))
    assert moments == [0.0, 30.0, 60.0]


async def test_before_the_first_reply_its_tokens_are_guessed(desk: Desk) -> None:
    pace = LimitedPace(desk.lane(tpm=600))
    first = await pace.turn(n_bytes=400)
    second = asyncio.create_task(pace.turn(n_bytes=400))
    await desk.time.live(second)
    assert desk.time.passed_s == (100 + 1000) / 10
    first.settle(USED)


async def test_a_request_that_failed_gives_its_tokens_back(desk: Desk) -> None:
    pace = LimitedPace(desk.lane(tpm=60))
    assert await desk.time.live(sent_at(desk, pace, used=None), sent_at(desk, pace)) == [0.0, 0.0]


async def test_a_later_guess_is_the_mean_of_the_replies_of_all_processes(desk: Desk) -> None:
    here, there = LimitedPace(desk.lane(tpm=60)), LimitedPace(desk.lane(tpm=60))
    for output_tokens in (10, 30):
        await desk.time.live(
            sent_at(desk, here, used=TokenUsage(input_tokens=0, output_tokens=output_tokens))
        )
    desk.time.now += 1000
    began = desk.time.passed_s
    await desk.time.live(there.turn(n_bytes=20), there.turn(n_bytes=0))
    assert desk.time.passed_s - began == 20 / 4 + 20


async def test_a_reply_whose_tokens_nobody_reports_costs_what_was_guessed(desk: Desk) -> None:
    pace = LimitedPace(desk.lane(tpm=60))
    silent = TokenUsage(n_requests=1)
    assert await desk.time.live(*(sent_at(desk, pace, used=silent, n_bytes=400) for _ in range(2))) == [
        0.0,
        1100.0,
    ]


async def test_tokens_are_paid_for_one_after_another_whoever_spends_them(desk: Desk) -> None:
    here, there = LimitedPace(desk.lane(tpm=60)), LimitedPace(desk.lane(tpm=60))
    sizes = (500, 10, 2000, 0, 100, 1)
    moments = [
        (await desk.time.live(sent_at(desk, pace, used=TokenUsage(input_tokens=n, output_tokens=0))))[0]
        for pace, n in zip((here, there) * 3, sizes, strict=True)
    ]
    assert moments == [float(sum(sizes[:n])) for n in range(6)]
