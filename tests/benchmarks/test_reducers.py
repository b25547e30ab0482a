"""From the attempts at one task to its value in a series."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.results.reducers import (
    Seen,
    all_of,
    any_of,
    average,
    native,
    pass_unbiased,
    reducers_of,
)

seen_by_all = st.lists(st.booleans(), min_size=1, max_size=8)
seen = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("attempts", "avg", "passed", "every"),
    [
        ([True, False], Fraction(1, 2), 1, 0),
        ([True, True, True], 1, 1, 1),
        ([False, False, False], 0, 0, 0),
        ([True, None, False], None, 1, None),
        ([False, None], None, None, None),
        ([None, None], None, None, None),
        ([True, None], None, 1, None),
    ],
    ids=[
        "half",
        "all",
        "none",
        "success-beside-an-error",
        "wrong-beside-an-error",
        "errors",
        "right-and-error",
    ],
)
def test_a_task_has_a_value_only_where_enough_of_it_was_evaluated(
    attempts: Seen, avg: Fraction | None, passed: int | None, every: int | None
) -> None:
    assert (average(attempts), any_of(attempts), all_of(attempts)) == (avg, passed, every)


@pytest.mark.parametrize(("attempt", "value"), [(True, 1), (False, 0), (None, None)])
def test_a_single_attempt_is_its_own_value(attempt: bool | None, value: int | None) -> None:
    assert native([attempt]) == value


@given(seen_by_all, st.data())
def test_pass_unbiased_is_the_share_of_draws_that_hold_a_success(
    attempts: list[bool], data: st.DataObject
) -> None:
    j = data.draw(st.integers(1, len(attempts)))
    draws = [any(draw) for draw in combinations(attempts, j)]
    assert pass_unbiased(attempts, j) == Fraction(sum(draws), len(draws))


@given(seen_by_all)
def test_pass_unbiased_grows_with_j_from_the_average_to_pass_at_k(attempts: list[bool]) -> None:
    values = [pass_unbiased(attempts, j) for j in range(1, len(attempts) + 1)]
    assert values == sorted(value for value in values if value is not None)
    assert (values[0], values[-1]) == (average(attempts), any_of(attempts))


@given(seen, st.data())
def test_counting_an_attempt_as_wrong_never_raises_a_value(
    attempts: list[bool | None], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(attempts) - 1))
    planned = [attempt is True for attempt in attempts]
    worse = [*planned[:place], False, *planned[place + 1 :]]
    for reducer in reducers_of(len(attempts), "avg"):
        assert (reducer.reduce(worse) or 0) <= (reducer.reduce(planned) or 0)


@pytest.mark.parametrize(
    ("k", "strategy", "names"),
    [
        (1, "avg", ["native@1"]),
        (1, "pass", ["native@1"]),
        (3, "pass", ["pass@3"]),
        (2, "avg", ["avg@2", "pass@2", "all@2", "pass_unbiased@1", "pass_unbiased@2"]),
    ],
)
def test_a_run_has_the_series_of_its_plan_the_headline_first(k: int, strategy: str, names: list[str]) -> None:
    assert [reducer.name for reducer in reducers_of(k, strategy)] == [f"correct.{name}" for name in names]
