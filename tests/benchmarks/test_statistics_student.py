"""Student's t distribution: its quantiles, and the interval of a mean."""

from fractions import Fraction
from statistics import fmean, variance

import pytest
import scipy_says
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statistics.levels import normal_quantile
from benchmarks.results.statistics.student import student_interval, student_quantile

LEVELS = (0.5, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999)

freedoms = st.integers(1, 999) | st.integers(1000, 1_000_000)


@pytest.mark.parametrize(
    ("level", "df", "t"),
    [
        # Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.10.
        pytest.param(0.95, 1, 12.706, id="one"),
        pytest.param(0.95, 10, 2.228, id="ten"),
        pytest.param(0.99, 2, 9.925, id="two-99"),
        pytest.param(0.9, 120, 1.658, id="120-90"),
    ],
)
def test_the_quantile_is_the_published_one(level: float, df: int, t: float) -> None:
    assert round(student_quantile(level, df), 3) == t


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 29, 102, 465, 998, 999, 1000, 1001, 10_000, 1_000_000])
def test_the_quantile_is_scipys(level: float, df: int) -> None:
    assert student_quantile(level, df) == pytest.approx(scipy_says.t_quantile(level, df), rel=1e-11)


@unhurried
@given(st.floats(0.5, 0.9999), freedoms)
def test_the_quantile_is_scipys_anywhere(level: float, df: int) -> None:
    assert student_quantile(level, df) == pytest.approx(scipy_says.t_quantile(level, df), rel=1e-9)


@pytest.mark.parametrize("level", [1e-300, 1e-9, 1 - 1e-9, 1 - 2**-53])
@pytest.mark.parametrize("df", [1, 465, 10**12])
def test_the_search_ends_for_any_level_and_reaches_at_least_as_far_as_the_normal(
    level: float, df: int
) -> None:
    assert student_quantile(level, df) >= normal_quantile(level)


@unhurried
@given(st.sampled_from(LEVELS), st.integers(1, 3000))
def test_more_degrees_of_freedom_never_reach_farther(level: float, df: int) -> None:
    assert student_quantile(level, df + 1) < student_quantile(level, df)


@pytest.mark.parametrize("df", [0, -3])
def test_without_a_degree_of_freedom_there_is_no_quantile(df: int) -> None:
    with pytest.raises(ValueError, match=f"{df} is no number of degrees of freedom: it is 1 or more"):
        student_quantile(0.95, df)


def test_what_is_no_level_has_no_quantile() -> None:
    with pytest.raises(ValueError, match=r"1\.0 is no level of an interval"):
        student_quantile(1.0, 10)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(
    "values",
    [
        pytest.param([Fraction(0), Fraction(1)], id="two"),
        pytest.param([Fraction(n, 3) for n in (0, 3, 3, 2, 1, 0, 3)], id="three-attempts"),
        pytest.param([Fraction(n % 6, 5) for n in range(466)], id="five-attempts"),
    ],
)
def test_the_interval_of_a_mean_is_scipys(values: list[Fraction], level: float) -> None:
    mean, spread, n = sum(values, Fraction(0)) / len(values), variance(values), len(values)
    told = scipy_says.t_interval(fmean(values), float(spread), n, level)
    assert student_interval(mean, spread, n, level=level) == pytest.approx(told, rel=1e-11, abs=1e-11)


def test_the_interval_of_values_that_do_not_vary_has_no_width() -> None:
    assert student_interval(Fraction(1, 4), Fraction(0), 3, level=0.95) == (0.25, 0.25)


@pytest.mark.parametrize("n", [1, 0])
def test_fewer_than_two_values_have_no_t_interval(n: int) -> None:
    with pytest.raises(ValueError, match=f"{n} values have no t interval: it takes 2 or more"):
        student_interval(Fraction(1, 2), Fraction(0), n, level=0.95)


def test_a_variance_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Fraction\(-1, 4\) is no variance: it is 0 or more"):
        student_interval(Fraction(1, 2), Fraction(-1, 4), 3, level=0.95)
