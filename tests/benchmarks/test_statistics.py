"""The Wilson interval."""

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statistics import wilson_interval

pairs = st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("n_correct", "n", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (score without continuity correction).
        pytest.param(81, 263, 0.2553, 0.3662, id="81-of-263"),
        pytest.param(15, 148, 0.0624, 0.1605, id="15-of-148"),
        pytest.param(0, 20, 0.0, 0.1611, id="0-of-20"),
        pytest.param(1, 29, 0.0061, 0.1718, id="1-of-29"),
    ],
)
def test_the_interval_has_the_published_ends(n_correct: int, n: int, low: float, high: float) -> None:
    interval = wilson_interval(n_correct, n)
    assert interval is not None
    assert [round(end, 4) for end in interval] == [low, high]


def test_nothing_measured_has_no_interval() -> None:
    assert wilson_interval(0, 0) is None


@pytest.mark.parametrize(("n_correct", "n"), [(-1, 3), (4, 3), (1, 0), (0, -1)])
def test_what_is_no_proportion_is_refused(n_correct: int, n: int) -> None:
    with pytest.raises(ValueError, match=f"{n_correct} of {n} is no proportion"):
        wilson_interval(n_correct, n)


@unhurried
@given(pairs)
def test_the_interval_encloses_the_share_and_stays_in_0_to_1(pair: tuple[int, int]) -> None:
    interval = wilson_interval(*pair)
    assert interval is not None
    assert 0 <= interval[0] <= pair[0] / pair[1] <= interval[1] <= 1


@unhurried
@given(pairs)
def test_right_and_wrong_mirror_each_other(pair: tuple[int, int]) -> None:
    right, wrong = wilson_interval(*pair), wilson_interval(pair[1] - pair[0], pair[1])
    assert right is not None
    assert wrong is not None
    assert isclose(wrong[0], 1 - right[1], abs_tol=1e-12)
    assert isclose(wrong[1], 1 - right[0], abs_tol=1e-12)


def test_the_ends_are_exact_where_all_or_none_is_correct() -> None:
    ends = [wilson_interval(0, 7), wilson_interval(7, 7)]
    assert [ends[0] and ends[0][0], ends[1] and ends[1][1]] == [0.0, 1.0]
