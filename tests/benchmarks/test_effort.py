"""What a run took: tokens, time, tool calls and money."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import run, unhurried

from benchmarks.results.effort import effort_of
from benchmarks.results.facts import AttemptFacts
from benchmarks.results.record import Outcome

Usage = Mapping[str, Mapping[str, int | None]]

MODEL = {
    "id": "org/model-1",
    "input_usd_per_million_tokens": 0.5,
    "output_usd_per_million_tokens": 1.5,
    "source": "configuration",
}
JUDGE = {**MODEL, "id": "judge-1", "input_usd_per_million_tokens": 3.0}
FREE = {**MODEL, "input_usd_per_million_tokens": 0.0, "output_usd_per_million_tokens": 0.0}
MILLION = 1_000_000


def tokens(n_input: int | None, n_output: int | None, *, n_requests: int = 1) -> dict[str, int | None]:
    return {
        "input_tokens": n_input,
        "output_tokens": n_output,
        "reasoning_tokens": None,
        "n_requests": n_requests,
    }


def attempt(task_id: str = "t-1", **changes: Any) -> AttemptFacts:
    values: dict[str, Any] = {"attempt": 1, "outcome": Outcome.CORRECT, "run_s": 1.5, **changes}
    return AttemptFacts(task_id=task_id, **values)


def used(**usage: Mapping[str, int | None]) -> AttemptFacts:
    return attempt(usage=usage)


def effort(*rows: AttemptFacts, n_correct: int = 1, **changes: Any) -> dict[str, Any]:
    return effort_of(run(**changes), rows, n_correct=n_correct)


def cost(*rows: AttemptFacts, n_correct: int = 1, **prices: Mapping[str, Any] | None) -> dict[str, Any]:
    told: dict[str, Any] = effort(*rows, n_correct=n_correct, prices=prices)["cost_usd"]
    return told


def test_tokens_are_summed_by_role() -> None:
    told = effort(used(model=tokens(10, 2), judge=tokens(5, 1)), used(model=tokens(20, 4, n_requests=3)))[
        "tokens"
    ]
    assert told == {
        "judge": {"input_tokens": 5, "output_tokens": 1, "reasoning_tokens": None, "n_requests": 1},
        "model": {"input_tokens": 30, "output_tokens": 6, "reasoning_tokens": None, "n_requests": 4},
    }


def test_tokens_that_one_attempt_did_not_report_leave_those_of_the_others() -> None:
    told = effort(used(model=tokens(None, 2)), used(model=tokens(20, 4)))["tokens"]
    assert told["model"]["input_tokens"] == 20


def test_times_and_tool_calls_are_summed() -> None:
    rows = [
        attempt(run_s=0.1, judge_s=0.25, n_tool_calls=2, n_tool_failures=1),
        attempt("t-2", run_s=0.2, judge_s=None, n_tool_calls=1),
        attempt("t-3", run_s=None),
    ]
    told = effort(*rows)
    assert told["time"] == {"run_s": math.fsum((0.1, 0.2)), "judge_s": 0.25, "wall_s": None}
    assert told["tool_calls"] == {"n": 3, "n_failed": 1}


def test_wall_time_runs_from_start_to_end() -> None:
    times = {"started_at": "2026-11-30T12:00:00Z", "finished_at": "2026-11-30T12:01:30Z"}
    assert effort(volatile=times)["time"]["wall_s"] == 90.0


def test_a_killed_session_has_no_wall_time() -> None:
    times = {"started_at": "2026-11-30T12:00:00Z", "finished_at": None}
    assert effort(volatile=times)["time"]["wall_s"] is None


def test_each_role_costs_its_tokens_at_its_rates() -> None:
    row = used(model=tokens(2 * MILLION, MILLION), tools=tokens(MILLION, 0), judge=tokens(MILLION // 2, 0))
    told = cost(row, row, n_correct=4, model=MODEL, tools=MODEL, judge=JUDGE)
    assert told == {
        "total": 9.0,
        "by_role": {"judge": 3.0, "model": 5.0, "tools": 1.0},
        "per_correct": 2.25,
        "rates": {"model": MODEL, "tools": MODEL, "judge": JUDGE},
    }


@pytest.mark.parametrize("prices", [{}, {"model": None}], ids=["no rates at all", "no rates for it"])
def test_a_role_without_rates_has_an_unknown_cost(prices: Mapping[str, None]) -> None:
    told = effort(used(model=tokens(10, 2)), prices=prices)["cost_usd"]
    assert told["by_role"] == {"model": None}
    assert told["total"] is told["per_correct"] is None


def test_one_unknown_role_makes_the_total_unknown_and_leaves_the_others() -> None:
    told = cost(used(model=tokens(2 * MILLION, 0), judge=tokens(10, 2)), model=MODEL, judge=None)
    assert told["by_role"] == {"judge": None, "model": 1.0}
    assert told["total"] is told["per_correct"] is None


@pytest.mark.parametrize(
    "silent",
    [tokens(None, 2), tokens(10, None), tokens(None, None), {"n_requests": 1}],
    ids=["no input", "no output", "neither", "no fields"],
)
def test_an_attempt_that_did_not_report_its_tokens_makes_the_cost_unknown(silent: dict[str, Any]) -> None:
    told = cost(used(model=tokens(10, 2)), used(model=silent), model=MODEL)
    assert told["by_role"]["model"] is told["total"] is None


def test_tokens_that_are_free_need_not_be_reported() -> None:
    assert cost(used(model=tokens(None, None)), model=FREE)["total"] == 0.0
    only_output = {**FREE, "output_usd_per_million_tokens": 2.0}
    assert cost(used(model=tokens(None, MILLION)), model=only_output)["total"] == 2.0


@pytest.mark.parametrize(
    "idle",
    [{}, {"tools": tokens(None, None, n_requests=0)}, {"tools": tokens(0, 0, n_requests=0)}],
    ids=["not there", "no request", "no tokens"],
)
def test_a_role_that_was_not_used_costs_nothing_though_its_rates_are_unknown(idle: Usage) -> None:
    told = cost(used(model=tokens(2 * MILLION, 0), **idle), model=MODEL, tools=None)
    assert told["by_role"] == {"model": 1.0, "tools": 0.0}
    assert told["total"] == 1.0


def test_without_a_correct_answer_none_has_a_cost() -> None:
    told = cost(used(model=tokens(2 * MILLION, 0)), n_correct=0, model=MODEL)
    assert told["total"] == 1.0
    assert told["per_correct"] is None


def test_a_run_in_which_nothing_was_asked_cost_nothing() -> None:
    assert cost(attempt(run_s=None), n_correct=0, model=MODEL)["total"] == 0.0


def test_attempts_whose_harness_told_of_no_use_have_an_unknown_cost() -> None:
    assert cost(attempt(usage={}), model=MODEL)["total"] is None


@pytest.mark.parametrize(
    "silent",
    [
        attempt("t-2", usage={}, outcome=Outcome.RUN_ERROR, run_s=9300.0),
        attempt("t-2", usage={"judge": tokens(5, 1)}),
        attempt("t-2", usage={"model": tokens(10, 2)}, outcome=Outcome.JUDGE_ERROR, judge_s=300.0),
        attempt(
            "t-2",
            usage={"model": tokens(10, 2), "judge": tokens(None, None, n_requests=0)},
            outcome=Outcome.JUDGE_ERROR,
            judge_s=300.0,
        ),
    ],
    ids=["a harness cut off", "a harness that told nothing", "a judge cut off", "a judge timed out"],
)
def test_one_silent_attempt_among_others_makes_the_cost_unknown(silent: AttemptFacts) -> None:
    whole = used(model=tokens(10, 2), judge=tokens(5, 1))
    told = cost(whole, silent, model=MODEL, judge=JUDGE)
    assert told["total"] is told["per_correct"] is None
    assert None in told["by_role"].values()
    assert cost(whole, silent, model=FREE, judge=FREE)["total"] == 0.0


@pytest.mark.parametrize(
    "row",
    [
        attempt("t-2", usage={}, outcome=Outcome.UNAVAILABLE, run_s=0.1),
        attempt("t-2", usage={"model": tokens(None, None, n_requests=0)}, run_s=0.1),
        attempt("t-2", usage={"model": tokens(0, 0)}, outcome=Outcome.NOT_ATTEMPTED, judge_s=0.0),
    ],
    ids=["never made", "nobody asked", "no answer to judge"],
)
def test_an_attempt_that_used_nothing_costs_nothing(row: AttemptFacts) -> None:
    whole = used(model=tokens(2 * MILLION, 0), judge=tokens(0, 0))
    assert cost(whole, row, model=MODEL, judge=JUDGE)["total"] == 1.0


def test_a_scorer_that_failed_cost_nothing() -> None:
    row = attempt(usage={"model": tokens(2 * MILLION, 0)}, outcome=Outcome.JUDGE_ERROR, judge_s=0.1)
    judge: dict[str, Any] = {"id": "contains", "primary": "contains", "scorers": []}
    assert effort(row, prices={"model": MODEL}, judge=judge)["cost_usd"]["total"] == 1.0


@pytest.mark.parametrize(
    ("rate", "n_tokens"),
    [(math.inf, 10), (1e308, 10**20), (1.0, 10**400)],
    ids=["endless rate", "endless product", "endless count"],
)
def test_a_cost_that_no_number_holds_is_unknown(rate: float, n_tokens: int) -> None:
    endless = {**FREE, "input_usd_per_million_tokens": rate}
    told = cost(used(model=tokens(n_tokens, 0)), model=endless)
    assert told["total"] is told["by_role"]["model"] is told["per_correct"] is None


_counts = st.none() | st.integers(0, 10**9)
_rates = st.none() | st.fixed_dictionaries(
    {
        "input_usd_per_million_tokens": st.floats(0, 1000),
        "output_usd_per_million_tokens": st.floats(0, 1000),
    }
)
_usages = st.dictionaries(
    st.sampled_from(["model", "tools", "judge"]),
    st.builds(tokens, _counts, _counts, n_requests=st.integers(0, 3)),
)


@unhurried
@given(st.data(), st.lists(_usages, max_size=6), st.dictionaries(st.sampled_from(["model", "judge"]), _rates))
def test_the_order_of_the_attempts_changes_nothing(
    data: st.DataObject, usages: Sequence[Usage], prices: Mapping[str, Any]
) -> None:
    rows = [attempt(f"t-{n}", usage=usage, run_s=0.1 * n) for n, usage in enumerate(usages)]
    shuffled = data.draw(st.permutations(rows))
    assert effort(*shuffled, prices=prices) == effort(*rows, prices=prices)


@unhurried
@given(st.lists(_usages, max_size=6), st.dictionaries(st.sampled_from(["model", "judge"]), _rates))
def test_a_total_is_told_only_with_every_part_of_it(
    usages: Sequence[Usage], prices: Mapping[str, Any]
) -> None:
    told = cost(*(attempt(usage=usage) for usage in usages), **prices)
    json.dumps(told, allow_nan=False)
    parts = list(told["by_role"].values())
    if told["total"] is None:
        assert None in parts or set(parts) <= {0.0}
    else:
        assert told["total"] == pytest.approx(math.fsum(parts))
