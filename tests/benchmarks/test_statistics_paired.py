"""Two runs of the same tasks: McNemar's exact test, and the intervals of a difference."""

from fractions import Fraction
from itertools import product
from math import isclose
from statistics import variance

import pytest
import scipy_says
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statistics.levels import normal_quantile
from benchmarks.results.statistics.paired import (
    mcnemar_exact,
    paired_difference_interval,
    paired_means_interval,
)

Counts = tuple[int, int, int, int]
Means = tuple[Fraction, Fraction]

four_counts = st.tuples(*[st.integers(0, 300)] * 4).filter(any)
means = st.integers(0, 5).map(lambda n: Fraction(n, 5))
pairs_of_means = st.lists(st.tuples(means, means), min_size=1, max_size=6)


def _all_splits(n: int, fewer: int) -> Fraction:
    """The share of the 2**n ways to toss n coins that fall at least as unevenly: counted, not computed."""
    uneven = [sum(tosses) for tosses in product((0, 1), repeat=n)]
    return Fraction(sum(min(heads, n - heads) <= fewer for heads in uneven), len(uneven))


@pytest.mark.parametrize(
    ("n_improved", "n_regressed", "p"),
    [
        pytest.param(0, 0, Fraction(1), id="no-flip"),
        pytest.param(0, 1, Fraction(1), id="one-flip"),
        pytest.param(0, 5, Fraction(2, 32), id="five-one-way"),
        pytest.param(0, 6, Fraction(2, 64), id="six-one-way"),
        pytest.param(4, 4, Fraction(1), id="even"),
        pytest.param(1, 8, Fraction(2 * (1 + 9), 512), id="1-of-9"),
        pytest.param(2, 10, Fraction(2 * (1 + 12 + 66), 4096), id="2-of-12"),
    ],
)
def test_mcnemars_p_is_that_of_the_coin_tosses(n_improved: int, n_regressed: int, p: Fraction) -> None:
    assert mcnemar_exact(n_improved, n_regressed) == p


@pytest.mark.parametrize(
    ("n_improved", "n_regressed", "p"),
    [
        # Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13 (2013), 91: two examples.
        pytest.param(1, 7, 0.0703, id="airway"),
        pytest.param(6, 16, 0.0525, id="consolidation-therapy"),
    ],
)
def test_mcnemars_p_is_the_published_one(n_improved: int, n_regressed: int, p: float) -> None:
    assert round(float(mcnemar_exact(n_improved, n_regressed)), 4) == p


@pytest.mark.parametrize(("n_improved", "n_regressed"), [(0, 1), (3, 3), (1, 7), (16, 6), (40, 61), (3, 400)])
def test_mcnemars_p_is_scipys(n_improved: int, n_regressed: int) -> None:
    told = scipy_says.coin_p(n_improved, n_improved + n_regressed)
    assert float(mcnemar_exact(n_improved, n_regressed)) == pytest.approx(told, rel=1e-9)


@pytest.mark.parametrize("n", range(1, 11))
def test_mcnemars_p_is_the_share_of_splits_as_uneven(n: int) -> None:
    assert [mcnemar_exact(fewer, n - fewer) for fewer in range(n // 2 + 1)] == [
        _all_splits(n, fewer) for fewer in range(n // 2 + 1)
    ]


@pytest.mark.parametrize(("n_improved", "n_regressed"), [(-1, 3), (3, -1)])
def test_flips_below_zero_are_refused(n_improved: int, n_regressed: int) -> None:
    with pytest.raises(ValueError, match=f"{n_improved} improved and {n_regressed} regressed: a count is 0"):
        mcnemar_exact(n_improved, n_regressed)


def test_mcnemars_p_of_thousands_of_flips_is_a_number() -> None:
    assert mcnemar_exact(2500, 2500) == 1
    assert 0 < mcnemar_exact(2400, 2600) < Fraction(1, 100)


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), pages 2635 to 2650, method 10.
        pytest.param((36, 12, 2, 0), 0.0569, 0.3404, id="36-12-2-0"),
        pytest.param((18, 12, 2, 18), 0.0562, 0.3290, id="18-12-2-18"),
        pytest.param((53, 0, 0, 1), -0.0729, 0.0729, id="53-0-0-1"),
        pytest.param((0, 30, 0, 0), 0.8395, 1.0, id="0-30-0-0"),
    ],
)
def test_the_interval_of_a_difference_has_the_published_ends(counts: Counts, low: float, high: float) -> None:
    assert [round(end, 4) for end in _interval(counts)] == [low, high]


@unhurried
@given(four_counts)
def test_the_interval_of_a_difference_encloses_it_and_stays_in_minus_1_to_1(counts: Counts) -> None:
    _, n_first, n_second, _ = counts
    low, high = _interval(counts)
    assert -1 <= low <= (n_first - n_second) / sum(counts) <= high <= 1


@unhurried
@given(four_counts)
def test_the_interval_of_a_difference_turns_round_with_its_sides(counts: Counts) -> None:
    n_both, n_first, n_second, n_neither = counts
    low, high = _interval(counts)
    turned = _interval((n_both, n_second, n_first, n_neither))
    assert isclose(turned[0], -high, abs_tol=1e-12)
    assert isclose(turned[1], -low, abs_tol=1e-12)


def test_pairs_that_go_against_each_other_widen_the_interval_of_a_difference() -> None:
    apart, together = _interval((1, 9, 9, 1)), _interval((9, 1, 1, 9))
    assert apart[1] - apart[0] > together[1] - together[0]


@pytest.mark.parametrize(
    "counts",
    [(0, 0, 0, 0), (3, -1, 2, 2), (1, Fraction(1, 2), 0, 0)],
    ids=["none", "below-0", "half-a-unit"],
)
def test_what_are_no_counts_of_pairs_is_refused(counts: tuple[int | Fraction, ...]) -> None:
    with pytest.raises(
        ValueError, match=r"are no counts of pairs: each is 0 or more, and one above 0; their sum is whole"
    ):
        _interval(counts)


def _interval(counts: tuple[int | Fraction, ...]) -> tuple[float, float]:
    n_both, n_first, n_second, n_neither = counts
    return paired_difference_interval(n_both=n_both, n_first=n_first, n_second=n_second, n_neither=n_neither)


def _fifths(*counts: tuple[int, int]) -> list[Means]:
    """The means of tasks with five attempts, of how many were correct in BASE and in NEW."""
    return [(Fraction(base, 5), Fraction(new, 5)) for base, new in counts]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_task_means_that_differ_have_the_t_interval_of_their_differences(level: float) -> None:
    pairs = _fifths((2, 3), (5, 5), (0, 1), (4, 1), (3, 3), (5, 4))
    differences = [Fraction(each, 5) for each in (1, 0, 1, -3, 0, -1)]
    told = scipy_says.t_interval(-2 / 30, float(variance(differences)), 6, level)
    assert paired_means_interval(pairs, level=level) == pytest.approx(told, rel=1e-9)


@pytest.mark.parametrize(
    ("pairs", "cells"),
    [
        pytest.param(_fifths((2, 3)), (Fraction(2, 5), Fraction(1, 5), 0, Fraction(2, 5)), id="one-task"),
        pytest.param(_fifths((2, 2), (5, 5)), (Fraction(7, 5), 0, 0, Fraction(3, 5)), id="nothing-differs"),
        pytest.param(
            _fifths((4, 1), (5, 2)), (Fraction(3, 5), 0, Fraction(6, 5), Fraction(1, 5)), id="all-alike"
        ),
        pytest.param(_fifths((5, 5), (5, 5), (0, 0)), (2, 0, 0, 1), id="all-or-none"),
    ],
)
def test_task_means_that_differ_alike_are_shared_out_between_the_four_cells(
    pairs: list[Means], cells: tuple[int | Fraction, ...]
) -> None:
    assert paired_means_interval(pairs) == _interval(cells)


def test_the_level_holds_where_task_means_are_shared_out_too() -> None:
    wider = paired_difference_interval(n_both=2, n_first=0, n_second=0, n_neither=1, z=normal_quantile(0.99))
    assert paired_means_interval(_fifths((5, 5), (5, 5), (0, 0)), level=0.99) == wider


@unhurried
@given(pairs_of_means)
def test_the_interval_of_task_means_encloses_new_minus_base_and_stays_in_minus_1_to_1(
    pairs: list[Means],
) -> None:
    low, high = paired_means_interval(pairs)
    assert -1 <= low < high <= 1
    assert low - 1e-12 <= sum(new - base for base, new in pairs) / len(pairs) <= high + 1e-12


@unhurried
@given(pairs_of_means)
def test_the_interval_of_task_means_turns_round_with_its_sides(pairs: list[Means]) -> None:
    low, high = paired_means_interval(pairs)
    assert paired_means_interval([(new, base) for base, new in pairs]) == pytest.approx((-high, -low))


def test_two_tasks_that_differ_tell_next_to_nothing() -> None:
    assert paired_means_interval(_fifths((0, 5), (5, 0))) == (-1.0, 1.0)


def test_without_a_task_there_is_no_interval_of_means() -> None:
    with pytest.raises(ValueError, match=r"\(0, 0, 0, 0\) are no counts of pairs"):
        paired_means_interval([])
