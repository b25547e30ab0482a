"""Statistics of proportions."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb, prod, sqrt

Z_95 = 1.959963984540054
"""The 0.975 quantile of the standard normal distribution: two-sided 95 %."""


def wilson_interval(n_correct: int, n: int, *, z: float = Z_95) -> tuple[float, float] | None:
    """The score interval of a proportion, e.g. ``wilson_interval(5, 10)`` is about ``(0.237, 0.763)``.

    Both ends lie in 0 to 1 and enclose `n_correct` / `n`; at 0 of n the lower end is exactly 0, at n of n the
    upper end exactly 1. ``None`` when `n` is 0: nothing was measured.

    Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal of
    the American Statistical Association 22 (1927), pages 209 to 212.

    Raises:
        ValueError: `n_correct` lies outside 0 to `n`.
    """
    if not 0 <= n_correct <= n:
        raise ValueError(f"{n_correct!r} of {n!r} is no proportion: the first must lie in 0 to the second")
    if n == 0:
        return None
    share = n_correct / n
    spread = z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    low = 0.0 if n_correct == 0 else max(0.0, middle - half)
    high = 1.0 if n_correct == n else min(1.0, middle + half)
    return low, high


def mcnemar_exact(n_improved: int, n_regressed: int) -> Fraction:
    """The two-sided p value of a paired comparison, e.g. ``mcnemar_exact(1, 7)`` is 18/256, about 0.0703.

    Were both runs equally good, each flip would go either way like a fair coin: p is the probability of a
    split at least as uneven as this one. Exact, so that it can be held against a threshold; 1 without flips
    and with an even split.

    Args:
        n_improved: Pairs that went from not correct to correct.
        n_regressed: Pairs that went from correct to not correct.

    Source: Q. McNemar, "Note on the Sampling Error of the Difference between Correlated Proportions or
    Percentages", Psychometrika 12 (1947), pages 153 to 157; in the exact conditional form of M. W. Fagerland,
    S. Lydersen and P. Laake, "The McNemar test for binary matched-pairs data", BMC Medical Research
    Methodology 13 (2013), 91.

    Raises:
        ValueError: A count below 0.
    """
    fewer, more = sorted((n_improved, n_regressed))
    if fewer < 0:
        raise ValueError(f"{n_improved!r} improved and {n_regressed!r} regressed: a count is 0 or more")
    n = fewer + more
    return min(Fraction(1), Fraction(2 * sum(comb(n, i) for i in range(fewer + 1)), 2**n))


def holm(p_values: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The p values adjusted for being several, in the same order: ``(0.01, 0.04)`` gives ``(0.02, 0.04)``.

    Held against a level, they keep the probability of even one false finding below it, however the
    comparisons hang together (all of ours share one run).

    Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    Statistics 6 (1979), pages 65 to 70.
    """
    adjusted = [Fraction(1)] * len(p_values)
    largest = Fraction(0)
    by_size = sorted(range(len(p_values)), key=lambda place: p_values[place])
    for rank, place in enumerate(by_size):
        largest = max(largest, (len(p_values) - rank) * p_values[place])
        adjusted[place] = min(Fraction(1), largest)
    return tuple(adjusted)


def paired_difference_interval(
    *, n_both: int, n_first: int, n_second: int, n_neither: int, z: float = Z_95
) -> tuple[float, float]:
    """The interval of a difference of two proportions of the same units, first minus second.

    It lies in -1 to 1 and encloses (`n_first` - `n_second`) / n. Example:
    ``paired_difference_interval(n_both=36, n_first=12, n_second=2, n_neither=0)`` is about
    ``(0.057, 0.340)``.

    Args:
        n_both: Units that are correct both times.
        n_first: Units that are correct the first time only.
        n_second: Units that are correct the second time only.
        n_neither: Units that are correct neither time.
        z: The quantile of the standard normal distribution; that of 95 % unless given.

    Source: R. G. Newcombe, "Improved Confidence Intervals for the Difference between Binomial Proportions
    Based on Paired Data", Statistics in Medicine 17 (1998), pages 2635 to 2650, method 10.

    Raises:
        ValueError: A count below 0, or no unit at all.
    """
    counts = (n_both, n_first, n_second, n_neither)
    n = sum(counts)
    if min(counts) < 0 or n == 0:
        raise ValueError(f"{counts!r} are no counts of pairs: each is 0 or more, and one above 0")
    below_1, above_1 = _reach(n_both + n_first, n, z)
    below_2, above_2 = _reach(n_both + n_second, n, z)
    phi, difference = _correlation(*counts), (n_first - n_second) / n
    below, above = _joined(below_1, above_2, phi), _joined(above_1, below_2, phi)
    return max(-1.0, difference - below), min(1.0, difference + above)


def _reach(n_correct: int, n: int, z: float) -> tuple[float, float]:
    """How far the interval of one proportion reaches below and above it."""
    low, high = wilson_interval(n_correct, n, z=z) or (0.0, 1.0)
    return n_correct / n - low, high - n_correct / n


def _correlation(n_both: int, n_first: int, n_second: int, n_neither: int) -> float:
    """Newcombe's phi: a positive one is drawn to 0 by half a unit, so that few units do not feign it."""
    margins = (n_both + n_first, n_second + n_neither, n_both + n_second, n_first + n_neither)
    if 0 in margins:
        return 0.0
    product = n_both * n_neither - n_first * n_second
    drawn = min(product, max(0.0, product - sum(margins) / 4))
    return drawn / sqrt(prod(margins))


def _joined(one: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))
