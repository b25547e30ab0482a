"""The interval of a weighted sum of independent means."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statistics.weighted import weighted_interval

Part = tuple[float, float, tuple[float, float]]


def _part(drawn: tuple[float, float, float, float]) -> Part:
    weight, low, mean, high = drawn[0], *sorted(drawn[1:])
    return weight, mean, (low, high)


shares = st.floats(0, 1)
parts_of_a_sum = st.lists(st.tuples(shares, shares, shares, shares).map(_part), min_size=1, max_size=6)


def test_each_end_joins_the_weighted_distances_at_right_angles() -> None:
    parts = [(0.5, 0.4, (0.1, 0.7)), (0.5, 0.8, (0.4, 1.0))]
    # 0.6 - sqrt(0.15² + 0.2²) and 0.6 + sqrt(0.15² + 0.1²)
    assert weighted_interval(parts) == pytest.approx((0.35, 0.780278), abs=1e-6)


def test_intervals_of_standard_errors_join_into_that_of_the_joint_standard_error() -> None:
    errors = (0.05, 0.11, 0.02)
    parts = [
        (weight, 0.5, (0.5 - 2 * e, 0.5 + 2 * e)) for weight, e in zip((0.2, 0.5, 0.3), errors, strict=True)
    ]
    joint = sqrt((0.2 * 0.05) ** 2 + (0.5 * 0.11) ** 2 + (0.3 * 0.02) ** 2)
    assert weighted_interval(parts) == pytest.approx((0.5 - 2 * joint, 0.5 + 2 * joint))


def test_one_part_of_weight_one_keeps_its_interval() -> None:
    assert weighted_interval([(1.0, 0.5, (0.25, 0.875))]) == (0.25, 0.875)


def test_a_part_without_weight_changes_nothing() -> None:
    part = (1.0, 0.5, (0.25, 0.875))
    assert weighted_interval([part, (0.0, 0.1, (0.0, 1.0))]) == weighted_interval([part])


@unhurried
@given(parts_of_a_sum)
def test_the_interval_encloses_the_sum(parts: list[Part]) -> None:
    low, high = weighted_interval(parts)
    assert low <= sum(weight * mean for weight, mean, _ in parts) <= high


@unhurried
@given(parts_of_a_sum)
def test_the_interval_is_no_wider_than_the_sum_of_its_parts(parts: list[Part]) -> None:
    low, high = weighted_interval(parts)
    assert high - low <= sum(weight * (high - low) for weight, _, (low, high) in parts) + 1e-12


def test_a_weight_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[1\.5, -0\.5\] are no weights: each is 0 or more"):
        weighted_interval([(1.5, 0.5, (0.4, 0.6)), (-0.5, 0.5, (0.4, 0.6))])
