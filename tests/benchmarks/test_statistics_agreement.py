"""Cohen's kappa."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statistics.agreement import cohens_kappa

Counts = tuple[int, int, int, int]

four_counts = st.tuples(*[st.integers(0, 50)] * 4)


def _kappa(counts: Counts) -> Fraction | None:
    n_both, n_first, n_second, n_neither = counts
    return cohens_kappa(n_both=n_both, n_first=n_first, n_second=n_second, n_neither=n_neither)


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [
        pytest.param((20, 5, 10, 15), Fraction(2, 5), id="70-percent-where-chance-makes-50"),
        pytest.param((10, 0, 0, 1), Fraction(1), id="agree-on-all"),
        pytest.param((25, 25, 25, 25), Fraction(0), id="as-by-chance"),
        pytest.param((0, 8, 8, 0), Fraction(-1), id="the-contrary"),
        pytest.param((90, 5, 5, 0), Fraction(-1, 19), id="much-agreement-none-beyond-chance"),
        pytest.param((9, 1, 0, 0), Fraction(0), id="one-grader-never-varies"),
    ],
)
def test_kappa_is_the_agreement_beyond_chance(counts: Counts, kappa: Fraction) -> None:
    assert _kappa(counts) == kappa


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param((0, 0, 0, 0), id="no-answer"),
        pytest.param((7, 0, 0, 0), id="all-correct-for-both"),
        pytest.param((0, 0, 0, 7), id="none-correct-for-either"),
    ],
)
def test_kappa_is_not_defined_where_chance_agrees_on_all(counts: Counts) -> None:
    assert _kappa(counts) is None


@unhurried
@given(four_counts)
def test_kappa_is_cohens_formula(counts: Counts) -> None:
    n_both, n_first, n_second, n_neither = counts
    n = sum(counts)
    kappa = _kappa(counts)
    if kappa is not None:
        first, second = Fraction(n_both + n_first, n), Fraction(n_both + n_second, n)
        by_chance = first * second + (1 - first) * (1 - second)
        assert kappa == (Fraction(n_both + n_neither, n) - by_chance) / (1 - by_chance)
        assert -1 <= kappa <= 1


@unhurried
@given(four_counts)
def test_kappa_knows_neither_which_grader_is_first_nor_what_is_called_correct(counts: Counts) -> None:
    n_both, n_first, n_second, n_neither = counts
    others = [(n_both, n_second, n_first, n_neither), (n_neither, n_second, n_first, n_both)]
    assert [_kappa(other) for other in others] == [_kappa(counts)] * 2


def test_a_count_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\(3, -1, 0, 0\) are no counts of answers: each is 0 or more"):
        _kappa((3, -1, 0, 0))
