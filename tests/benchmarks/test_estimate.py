"""Estimates: exact means of task values, plain and weighted, and which interval each has."""

from fractions import Fraction
from statistics import fmean, variance

import pytest
import scipy_says
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.estimate import Estimate, Spread
from benchmarks.results.statistics.proportions import wilson_interval

HALF = Fraction(1, 2)
THIRDS = [Fraction(n, 3) for n in (0, 3, 3, 2, 1, 0, 3)]

task_values = st.lists(st.integers(0, 5).map(lambda n: Fraction(n, 5)), min_size=1, max_size=8)


def _binary(n_correct: int, n: int) -> Spread:
    return Spread.of([Fraction(1)] * n_correct + [Fraction(0)] * (n - n_correct), is_binary=True)


def _means(values: list[Fraction]) -> Spread:
    return Spread.of(values, is_binary=False)


def _alone(spread: Spread) -> Estimate:
    return Estimate(groups=((Fraction(1), spread),))


def test_a_spread_has_the_exact_mean_and_variance_of_its_values() -> None:
    spread = _means(THIRDS)
    assert (spread.n, spread.mean, spread.variance) == (7, Fraction(4, 7), variance(THIRDS))


@pytest.mark.parametrize("values", [[], [HALF]], ids=["none", "one"])
def test_fewer_than_two_values_do_not_vary(values: list[Fraction]) -> None:
    assert _means(values).variance == 0


def test_of_no_values_there_is_neither_mean_nor_interval() -> None:
    assert (_means([]).mean, _means([]).interval()) == (None, None)


def test_tasks_that_are_right_or_not_have_wilsons_interval() -> None:
    spread = _binary(5, 10)
    assert (spread.method, spread.interval()) == ("wilson", wilson_interval(5, 10))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilsons_interval_has_the_level_asked_for(level: float) -> None:
    told = scipy_says.wilson_interval(42, 165, level)
    assert _binary(42, 165).interval(level) == pytest.approx(told, rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.8])
def test_task_means_have_the_t_interval(level: float) -> None:
    spread = _means(THIRDS)
    told = scipy_says.t_interval(fmean(THIRDS), float(variance(THIRDS)), 7, level)
    assert spread.method == "student_t"
    assert spread.interval(level) == pytest.approx(told, rel=1e-9)


def test_a_t_interval_ends_where_shares_end() -> None:
    assert _means([Fraction(0), Fraction(1, 3), Fraction(1)]).interval() == (0.0, 1.0)


@pytest.mark.parametrize("n", [1, 4])
def test_task_means_that_do_not_differ_are_taken_for_tasks_that_are_right_or_not(n: int) -> None:
    spread = _means([Fraction(1, 4)] * n)
    assert (spread.method, spread.interval()) == ("wilson", wilson_interval(Fraction(n, 4), n))


def test_an_estimate_of_one_group_is_that_group() -> None:
    for spread in (_binary(2, 3), _means(THIRDS)):
        estimate = _alone(spread)
        assert (estimate.value, estimate.method) == (spread.mean, spread.method)
        assert estimate.interval(0.9) == spread.interval(0.9)


def test_a_weighted_estimate_is_the_weighted_mean_of_the_means() -> None:
    estimate = Estimate(groups=((Fraction(1, 3), _binary(1, 2)), (Fraction(2, 3), _binary(3, 4))))
    assert estimate.value == Fraction(2, 3)


def test_a_weighted_estimate_joins_the_intervals_of_its_groups() -> None:
    estimate = Estimate(groups=((HALF, _binary(3, 10)), (HALF, _means(THIRDS))))
    (low_1, high_1), (low_2, high_2) = (
        _binary(3, 10).interval() or (0, 0),
        _means(THIRDS).interval() or (0, 0),
    )
    below = ((0.3 - low_1) ** 2 + (4 / 7 - low_2) ** 2) ** 0.5 / 2
    above = ((high_1 - 0.3) ** 2 + (high_2 - 4 / 7) ** 2) ** 0.5 / 2
    middle = (0.3 + 4 / 7) / 2
    assert estimate.method == "mover"
    assert estimate.interval() == pytest.approx((middle - below, middle + above))


def test_where_nothing_was_evaluated_there_is_neither_value_nor_interval() -> None:
    nothing = Estimate(groups=())
    assert (nothing.value, nothing.method, nothing.interval()) == (None, "none", None)


@unhurried
@given(st.lists(task_values, min_size=1, max_size=3), st.sampled_from([0.5, 0.9, 0.95, 0.99]), st.booleans())
def test_the_interval_encloses_the_value_and_stays_in_0_to_1(
    groups: list[list[Fraction]], level: float, is_binary: bool
) -> None:
    share = Fraction(1, len(groups))
    spreads = [
        Spread.of([Fraction(round(value)) for value in group] if is_binary else group, is_binary=is_binary)
        for group in groups
    ]
    estimate = Estimate(groups=tuple((share, spread) for spread in spreads))
    interval = estimate.interval(level)
    assert interval is not None and estimate.value is not None
    assert 0 <= interval[0] <= estimate.value + Fraction(1, 10**12)
    assert estimate.value - Fraction(1, 10**12) <= interval[1] <= 1


@unhurried
@given(task_values)
def test_a_higher_level_never_narrows_the_interval(values: list[Fraction]) -> None:
    estimate = _alone(_means(values))
    narrow, wide = estimate.interval(0.8), estimate.interval(0.95)
    assert narrow is not None and wide is not None
    assert wide[0] <= narrow[0] and narrow[1] <= wide[1]
