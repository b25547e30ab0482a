import asyncio
import json
import math
from dataclasses import replace
from typing import Any

import floor
import pytest
from figures import Figures, Row, medians
from load import N_CALLS, N_SEARCHES, Load, makespan_s
from scenarios import TARGETS, Target
from scripted_server import judgment, model_reply
from serving import MeasurementError, Tally, serving
from suite import check_metrics
from table import aligned, reached, shown

LOAD = Load(n_tasks=8, in_flight=4, latency_s=0.0)
TALLY = Tally(
    n_requests=56,
    n_repeated=0,
    n_missing=0,
    n_strange=0,
    fewest_calls=7,
    most_calls=7,
    most_in_flight=4,
    n_connections=4,
    request_bytes=4000,
    first_at=10.0,
    last_at=14.0,
    worst_delay_s=0.0,
)


@pytest.mark.parametrize(
    ("n_tasks", "in_flight", "latency_s"), [(192, 64, 0.2), (192, 16, 0.2), (1000, 256, 1.0), (5, 64, 0.3)]
)
def test_equal_latencies_have_the_limit_of_whole_waves(
    n_tasks: int, in_flight: int, latency_s: float
) -> None:
    load = Load(n_tasks=n_tasks, in_flight=in_flight, latency_s=latency_s)
    assert math.isclose(load.limit_s, math.ceil(n_tasks / in_flight) * N_CALLS * latency_s)


def test_a_slow_task_holds_one_slot_alone() -> None:
    assert makespan_s([9.0, 1.0, 1.0, 1.0, 1.0], n_slots=2) == 9.0
    assert makespan_s([1.0, 1.0, 1.0, 1.0, 9.0], n_slots=2) == 11.0


def test_uneven_latencies_are_the_same_draw_for_all_with_the_mean_asked_for() -> None:
    load = Load(n_tasks=20_000, in_flight=64, latency_s=0.2, spread=1.0)
    drawn = load.latencies_s()
    assert drawn == replace(load, in_flight=1).latencies_s()
    assert math.isclose(sum(drawn) / len(drawn), 0.2, rel_tol=0.05)
    assert max(drawn) > 10 * 0.2


def test_a_whole_tally_holds() -> None:
    TALLY.check(LOAD)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"n_requests": 57, "n_repeated": 1}, "1 repeated"),
        ({"n_requests": 55, "n_missing": 1}, "1 missing"),
        ({"n_strange": 2}, "2 strange"),
        ({"n_requests": 48}, "56 requests were expected, 7 of each task, but 48 came"),
        ({"most_in_flight": 5}, "5 requests were in flight at once, but 4 attempts"),
    ],
)
def test_a_call_lost_or_made_twice_is_an_error_and_no_figure(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(MeasurementError, match=told):
        replace(TALLY, **wrong).check(LOAD)


@pytest.mark.parametrize(
    ("outcomes", "issues", "told"),
    [
        ({"correct": 5, "incorrect": 2, "run_error": 1}, [], "outcomes .*run_error"),
        ({"correct": 6, "incorrect": 1}, [], "outcomes"),
        ({"correct": 6, "incorrect": 2}, ["run twice"], "run twice"),
    ],
)
def test_a_session_that_ended_otherwise_than_scripted_is_an_error(
    outcomes: dict[str, int], issues: list[str], told: str
) -> None:
    check_metrics(
        {"outcomes": {"correct": 6, "incorrect": 2, "run_error": 0}, "volatile": {"issues": []}}, LOAD
    )
    with pytest.raises(MeasurementError, match=told):
        check_metrics({"outcomes": outcomes, "volatile": {"issues": issues}}, LOAD)


def test_the_median_of_rounds_is_missing_where_a_round_misses_it() -> None:
    rounds: list[Figures] = [
        {"wall s": 3.0, "limit s": None},
        {"wall s": 1.0, "limit s": 2.0},
        {"wall s": 2.0, "limit s": 2.0},
    ]
    assert medians(rounds) == {"wall s": 2.0, "limit s": None}


@pytest.mark.parametrize(
    ("measured", "verdict"), [(1.2, "reached"), (1.21, "missed"), (None, "not measured")]
)
def test_a_target_is_reached_missed_or_not_measured(measured: float | None, verdict: str) -> None:
    target = Target(scenario="wait-64", who="suite", figure="wall / limit", at_most=1.2)
    row = Row(scenario="wait-64", who="suite", rounds=({"wall / limit": measured},), facts={})
    (result,) = reached([target], [row])
    assert result.verdict == verdict


def test_targets_of_rows_that_were_not_measured_are_still_shown() -> None:
    assert {result.verdict for result in reached(TARGETS, [])} == {"not measured"}


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert aligned([["who", "wall s"], ["floor", "4.42"]], n_left=1) == (
        "who    wall s\n-----  ------\nfloor    4.42"
    )


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (64, "64"), (1.0534, "1.05"), (14.04, "14.0"), (5987.3, "5987")]
)
def test_figures_are_shown_with_as_many_digits_as_they_are_worth(value: float | None, text: str) -> None:
    assert shown(value) == text


def test_the_model_searches_five_times_and_then_answers() -> None:
    replies = [json.loads(model_reply(0, turn).partition(b"\r\n\r\n")[2]) for turn in range(N_SEARCHES + 1)]
    reasons = [reply["choices"][0]["finish_reason"] for reply in replies]
    assert reasons == ["tool_calls"] * 5 + ["stop"]
    assert replies[-1]["choices"][0]["message"]["content"] == "stone 000000"


@pytest.mark.parametrize(
    ("answer", "letter"), [("stone 000003", b"{A}"), ("stone 000004", b"{B}"), ("-", b"{B}")]
)
def test_the_judge_takes_the_answer_of_this_very_task_alone(answer: str, letter: bytes) -> None:
    assert letter in judgment(3, f"ANSWER={answer}".encode())


def test_the_floor_makes_each_call_of_each_task_once() -> None:
    with serving(LOAD) as served:
        asyncio.run(floor.main(served.port, LOAD))
        tally = served.tally()
    tally.check(LOAD)
    assert (tally.fewest_calls, tally.most_calls) == (7, 7)


async def _ask(port: int, requests: list[bytes]) -> None:
    _, line = await asyncio.get_running_loop().create_connection(floor.Line, "127.0.0.1", port)
    for request in requests:
        await line.ask(request)
    line.close()


def test_the_endpoint_sees_a_call_that_is_made_twice_and_one_that_is_none_of_its_tasks() -> None:
    with serving(LOAD) as served:
        asyncio.run(_ask(served.port, [floor.request(0, 3), floor.request(0, 3), floor.request(99, 0)]))
        tally = served.tally()
    assert (tally.n_requests, tally.n_repeated, tally.n_strange) == (2, 1, 1)
    assert tally.n_missing == 8 * N_CALLS - 1
