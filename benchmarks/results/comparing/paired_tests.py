"""How likely the difference of two runs is by chance, how large: the methods that their values ask for."""

from fractions import Fraction
from typing import Literal

from benchmarks.results.comparing.pairs import Pairs
from benchmarks.results.statistics.paired import (
    mcnemar_exact,
    paired_difference_interval,
    paired_means_interval,
    sign_flip_exact,
)

TestName = Literal["mcnemar_exact", "sign_flip_exact"]
IntervalMethod = Literal["newcombe_10", "student_t"]


def test_name(pairs: Pairs) -> TestName:
    """Which test gives `p_value`: "mcnemar_exact" where a task is correct or not, else "sign_flip_exact"."""
    return "mcnemar_exact" if pairs.scale == 1 else "sign_flip_exact"


def p_value(pairs: Pairs) -> Fraction:
    """The exact two-sided p value: how likely a difference at least as large is between equally good runs.

    1 without pairs, and where the accuracies are equal.
    """
    if pairs.scale == 1:
        return mcnemar_exact(len(pairs.improved), len(pairs.regressed))
    return sign_flip_exact(pairs.changes)


def interval_method(pairs: Pairs) -> IntervalMethod:
    """How `interval_95` is made: "student_t" of differences that are not all the same, else "newcombe_10"."""
    return "newcombe_10" if pairs.scale == 1 or len(set(pairs.changes)) < 2 else "student_t"


def interval_95(pairs: Pairs) -> tuple[float, float]:
    """The 95 % interval of NEW's accuracy minus BASE's, within -1 to 1; of one pair or more."""
    values = [(pair.base.value, pair.new.value) for pair in pairs.each]
    if pairs.scale > 1:
        return paired_means_interval(values)
    return paired_difference_interval(
        n_both=values.count((Fraction(1), Fraction(1))),
        n_first=len(pairs.improved),
        n_second=len(pairs.regressed),
        n_neither=values.count((Fraction(0), Fraction(0))),
    )
