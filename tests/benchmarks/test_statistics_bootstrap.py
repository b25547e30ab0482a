"""The percentile bootstrap of a weighted mean."""

from fractions import Fraction
from random import Random
from statistics import fmean

import pytest
import scipy_says
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statistics.bootstrap import bootstrap_interval, resamples_for

task_values = st.lists(st.integers(0, 5).map(lambda n: n / 5), min_size=1, max_size=12)

NO_VALUES: tuple[float, list[float]] = (0.5, [])

MIXED = [value / 5 for value in (0, 5, 3, 5, 1, 0, 0, 4, 5, 5, 2, 0)]


def _interval(
    values: list[float], *more: list[float], seed: int = 0, n_resamples: int = 200
) -> tuple[float, float]:
    """The interval of groups that weigh the same."""
    groups = [(1 / (1 + len(more)), group) for group in (values, *more)]
    return bootstrap_interval(groups, seed=seed, n_resamples=n_resamples)


@pytest.mark.parametrize(("n_correct", "n"), [(400, 1000), (5, 1000), (1, 3)])
def test_the_ends_are_the_percentiles_of_the_binomial_distribution(n_correct: int, n: int) -> None:
    interval = _interval([1.0] * n_correct + [0.0] * (n - n_correct), n_resamples=10_000)
    told = [quantile / n for quantile in scipy_says.coin_quantiles(n, n_correct / n)]
    assert interval == pytest.approx(told, abs=0.0015)


def test_the_ends_are_those_of_values_drawn_one_by_one() -> None:
    groups, n_resamples, random = [(0.7, MIXED * 9), (0.3, [0.0, 0.4, 0.4, 1.0] * 3)], 5_000, Random(5)
    means = sorted(
        sum(weight * fmean(random.choices(values, k=len(values))) for weight, values in groups)
        for _ in range(n_resamples)
    )
    one_by_one = (means[n_resamples // 40], means[-n_resamples // 40])
    interval = bootstrap_interval(groups, seed=0, n_resamples=n_resamples)
    assert interval == pytest.approx(one_by_one, abs=0.004)


def test_a_group_is_drawn_from_its_own_values_alone() -> None:
    assert _interval([0.0] * 10, [1.0] * 10) == (0.5, 0.5)


def test_groups_count_by_their_weights() -> None:
    groups = [(0.75, [1.0, 1.0]), (0.25, [0.0, 0.0, 0.0])]
    assert bootstrap_interval(groups, seed=0, n_resamples=39) == (0.75, 0.75)


def test_up_to_78_resamples_the_ends_are_the_extremes_and_from_79_on_the_means_next_to_them() -> None:
    values = [n * n / 10_000 for n in range(100)]
    of_39, of_78, of_79 = (_interval(values, n_resamples=n) for n in (39, 78, 79))
    assert of_78[0] <= of_39[0] < of_39[1] <= of_78[1]
    assert of_78[0] < of_79[0] < of_79[1] < of_78[1]


def test_the_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    values = MIXED * 30
    assert _interval(values) == _interval(values)
    assert _interval(values) != _interval(values, seed=1)


@unhurried
@given(task_values, task_values, st.randoms(use_true_random=False))
def test_the_order_of_the_values_does_not_matter(one: list[float], two: list[float], random: Random) -> None:
    in_order = _interval(one, two, n_resamples=39)
    random.shuffle(one)
    random.shuffle(two)
    assert _interval(one, two, n_resamples=39) == in_order


@unhurried
@given(task_values, task_values)
def test_the_interval_stays_within_the_values(one: list[float], two: list[float]) -> None:
    low, high = _interval(one, two, n_resamples=39)
    assert min(one + two) <= low <= high <= max(one + two)


def test_weights_that_add_up_to_more_than_1_by_rounding_stay_within_the_values() -> None:
    assert _interval([0.0, 1.0], *[[1.0]] * 8)[1] == 1.0


@unhurried
@given(st.fractions(0, 1).map(float), st.integers(1, 20), st.integers(1, 9))
def test_values_that_do_not_vary_have_an_interval_without_width(value: float, n: int, n_groups: int) -> None:
    groups = [(float(Fraction(1, n_groups)), [value] * n)] * n_groups
    assert bootstrap_interval(groups, seed=0, n_resamples=39) == (value, value)


@pytest.mark.parametrize(
    ("n_values", "n_resamples"),
    [(0, 2_000), (1, 2_000), (466, 2_000), (10_000, 2_000), (20_000, 1_000), (100_000, 200), (10**7, 200)],
)
def test_fewer_resamples_are_made_of_very_many_values(n_values: int, n_resamples: int) -> None:
    assert resamples_for(n_values) == n_resamples


@pytest.mark.parametrize(
    "groups", [pytest.param([], id="no-group"), pytest.param([(0.5, [1.0]), NO_VALUES], id="an-empty-group")]
)
def test_without_values_there_is_nothing_to_draw_from(groups: list[tuple[float, list[float]]]) -> None:
    with pytest.raises(ValueError, match="no values to draw from: give a group or more, each with a value"):
        bootstrap_interval(groups, seed=0, n_resamples=200)


def test_too_few_resamples_are_refused() -> None:
    with pytest.raises(ValueError, match=r"38 resamples have no 2\.5 percentile: make 39 or more"):
        _interval(MIXED, n_resamples=38)
