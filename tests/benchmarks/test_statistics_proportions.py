"""Wilson's interval of one proportion, and the normal quantiles it rests on."""

from fractions import Fraction
from math import isclose

import pytest
import scipy_says
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statistics.levels import normal_quantile
from benchmarks.results.statistics.proportions import Z_95, wilson_interval

pairs = st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
shared_pairs = st.integers(1, 1000).flatmap(lambda n: st.tuples(st.fractions(0, n), st.just(n)))


def _interval(n_correct: int | Fraction, n: int, *, z: float = Z_95) -> tuple[float, float]:
    interval = wilson_interval(n_correct, n, z=z)
    assert interval is not None
    return interval


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
    assert [round(end, 4) for end in _interval(n_correct, n)] == [low, high]


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize(("n_correct", "n"), [(0, 7), (1, 10), (42, 165), (300, 466), (19, 19)])
def test_the_interval_is_scipys(n_correct: int, n: int, level: float) -> None:
    told = scipy_says.wilson_interval(n_correct, n, level)
    assert _interval(n_correct, n, z=normal_quantile(level)) == pytest.approx(told, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99, 0.9999, 1 - 2**-53])
def test_the_normal_quantile_is_scipys(level: float) -> None:
    assert normal_quantile(level) == pytest.approx(scipy_says.normal_quantile(level), rel=1e-12)


def test_the_normal_quantile_of_95_percent_is_to_the_last_bit_the_one_taken_unless_another_is_given() -> None:
    assert normal_quantile(0.95) == Z_95


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 95.0, float("nan")])
def test_what_is_no_level_is_refused(level: float) -> None:
    with pytest.raises(
        ValueError, match=f"{level!r} is no level of an interval: it lies above 0 and below 1"
    ):
        normal_quantile(level)


def test_nothing_measured_has_no_interval() -> None:
    assert wilson_interval(0, 0) is None


@pytest.mark.parametrize(("n_correct", "n"), [(-1, 3), (4, 3), (1, 0), (0, -1)])
def test_what_is_no_proportion_is_refused(n_correct: int, n: int) -> None:
    with pytest.raises(ValueError, match=f"{n_correct} of {n} is no proportion"):
        wilson_interval(n_correct, n)


@unhurried
@given(pairs | shared_pairs)
def test_the_interval_encloses_the_share_and_stays_in_0_to_1(pair: tuple[int | Fraction, int]) -> None:
    low, high = _interval(*pair)
    assert 0 <= low <= float(pair[0] / pair[1]) <= high <= 1


@pytest.mark.parametrize("n_correct", [Fraction(1, 10**20), Fraction(10**20 - 1, 10**20) + 9])
def test_the_interval_encloses_even_a_share_next_to_an_end(n_correct: Fraction) -> None:
    low, high = _interval(n_correct, 10)
    assert low <= float(n_correct / 10) <= high


@unhurried
@given(pairs | shared_pairs)
def test_right_and_wrong_mirror_each_other(pair: tuple[int | Fraction, int]) -> None:
    right, wrong = _interval(*pair), _interval(pair[1] - pair[0], pair[1])
    assert isclose(wrong[0], 1 - right[1], abs_tol=1e-12)
    assert isclose(wrong[1], 1 - right[0], abs_tol=1e-12)


@unhurried
@given(pairs)
def test_a_fraction_that_is_whole_has_the_interval_of_its_number(pair: tuple[int, int]) -> None:
    assert _interval(Fraction(pair[0]), pair[1]) == _interval(*pair)


def test_a_share_between_two_numbers_has_an_interval_between_theirs() -> None:
    ends = [_interval(n_correct, 10) for n_correct in (3, Fraction(7, 2), 4)]
    assert ends[0][0] < ends[1][0] < ends[2][0]
    assert ends[0][1] < ends[1][1] < ends[2][1]


def test_the_ends_are_exact_where_all_or_none_is_correct() -> None:
    assert [_interval(0, 7)[0], _interval(7, 7)[1]] == [0.0, 1.0]
