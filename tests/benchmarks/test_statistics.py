"""Wilson's interval, McNemar's exact test, Holm's correction, and the interval of a paired difference."""

from fractions import Fraction
from itertools import combinations, product
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statistics import (
    holm,
    mcnemar_exact,
    paired_difference_interval,
    wilson_interval,
)

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


def all_splits(n: int, fewer: int) -> Fraction:
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


@pytest.mark.parametrize("n", range(1, 11))
def test_mcnemars_p_is_the_share_of_splits_as_uneven(n: int) -> None:
    assert [mcnemar_exact(fewer, n - fewer) for fewer in range(n // 2 + 1)] == [
        all_splits(n, fewer) for fewer in range(n // 2 + 1)
    ]


@pytest.mark.parametrize(("n_improved", "n_regressed"), [(-1, 3), (3, -1)])
def test_flips_below_zero_are_refused(n_improved: int, n_regressed: int) -> None:
    with pytest.raises(ValueError, match=f"{n_improved} improved and {n_regressed} regressed: a count is 0"):
        mcnemar_exact(n_improved, n_regressed)


def test_mcnemars_p_of_thousands_of_flips_is_a_number() -> None:
    assert mcnemar_exact(2500, 2500) == 1
    assert 0 < mcnemar_exact(2400, 2600) < Fraction(1, 100)


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


Counts = tuple[int, int, int, int]


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


four_counts = st.tuples(*[st.integers(0, 300)] * 4).filter(any)


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


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (3, -1, 2, 2)], ids=["none", "below-0"])
def test_what_are_no_counts_of_pairs_is_refused(counts: Counts) -> None:
    with pytest.raises(ValueError, match=r"are no counts of pairs: each is 0 or more, and one above 0"):
        _interval(counts)


def _interval(counts: Counts) -> tuple[float, float]:
    n_both, n_first, n_second, n_neither = counts
    return paired_difference_interval(n_both=n_both, n_first=n_first, n_second=n_second, n_neither=n_neither)
