"""Holm's correction for several tests at once."""

from fractions import Fraction
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statistics.several import holm

shares = st.lists(st.fractions(0, 1, max_denominator=1000), min_size=1, max_size=5)


def test_holm_multiplies_the_smallest_by_all_the_next_by_one_less_and_never_falls() -> None:
    p_values = [Fraction(text) for text in ("0.01", "0.04", "0.03", "0.005")]
    assert holm(p_values) == tuple(Fraction(text) for text in ("0.03", "0.06", "0.06", "0.02"))


def test_holm_leaves_a_single_value_and_none_as_they_are() -> None:
    assert holm([Fraction(1, 7)]) == (Fraction(1, 7),)
    assert holm([]) == ()


@unhurried
@given(shares)
def test_holm_is_the_closure_of_bonferronis_test(p_values: list[Fraction]) -> None:
    """Each adjusted value is the largest of Bonferroni's over all groups its own belongs to."""
    places = range(len(p_values))
    groups = [group for size in places for group in combinations(places, size + 1)]
    closed = [
        max(
            min(Fraction(1), len(group) * min(p_values[each] for each in group))
            for group in groups
            if place in group
        )
        for place in places
    ]
    assert list(holm(p_values)) == closed
