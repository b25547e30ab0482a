"""Two runs of the same tasks: how likely their split of flips is by chance, and how large the difference."""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, prod, sqrt

from benchmarks.results.statistics.levels import normal_quantile
from benchmarks.results.statistics.proportions import Z_95, wilson_interval
from benchmarks.results.statistics.student import student_interval

Count = int | Fraction
"""How many units: a part of one counts where its attempts share it out."""


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
    return min(Fraction(1), Fraction(2 * _n_splits_within(fewer, n), 2**n))


def _n_splits_within(most: int, n: int) -> int:
    """How many of the 2**n ways to toss n coins show `most` heads or fewer."""
    splits = total = 1
    for heads in range(1, most + 1):
        splits = splits * (n - heads + 1) // heads
        total += splits
    return total


def sign_flip_exact(differences: Sequence[int]) -> Fraction:
    """The two-sided p value of paired differences, e.g. ``sign_flip_exact([-3, -1, 1])`` is 6/8.

    Were both runs equally good, each difference would as likely have the other sign: p is the probability of
    a sum at least as far from 0 as this one. Exact; 1 where the sum is 0. Where each difference is -1, 0 or 1
    it is that of `mcnemar_exact`, and while the sum is below 0 a further loss never raises it.

    Args:
        differences: One for each pair, in whole units, e.g. how many more of the k attempts were correct.

    Source: R. A. Fisher, "The Design of Experiments" (1935), section 21; E. J. G. Pitman, "Significance Tests
    Which May be Applied to Samples from any Populations", Supplement to the Journal of the Royal Statistical
    Society 4 (1937), pages 119 to 130.
    """
    unit = gcd(*differences) or 1
    sizes = sorted(abs(difference) // unit for difference in differences if difference)
    most = (sum(sizes) - abs(sum(differences)) // unit) // 2
    return min(Fraction(1), Fraction(2 * _n_choices_within(most, sizes), 2 ** len(sizes)))


def _n_choices_within(most: int, sizes: Sequence[int]) -> int:
    """How many of the 2**n choices among `sizes` add up to `most` or less.

    One long number counts them all: its n + 2 bits from s * (n + 2) on say how many choices add up to s, and
    a further size adds a shifted copy. Modulo 2**(n + 2) - 1, such a number is the sum of its parts.
    """
    width = len(sizes) + 2
    counts = 1
    for size in sizes:
        counts += counts << size * width
    return (counts & ((1 << (most + 1) * width) - 1)) % ((1 << width) - 1)


def paired_means_interval(
    pairs: Sequence[tuple[Fraction, Fraction]], *, level: float = 0.95
) -> tuple[float, float]:
    """The interval of the mean of NEW minus BASE, of the means of the same tasks, within -1 to 1.

    Example: of the tasks ``[(2/5, 3/5), (2/5, 2/5), (1, 1)]`` (as fractions) it is about ``(-0.220, 0.354)``.

    The rule: it is the t interval of the differences, unless these are all the same (one task included); that
    would have no width and claim certainty. Then it is `paired_difference_interval`, each task shared out
    between its four cells: one of 2/5 in BASE and 3/5 in NEW counts 2/5 as correct both times, 1/5 as correct
    in NEW only and 2/5 as correct neither time.

    Args:
        pairs: The mean of BASE and that of NEW of each task, 0 to 1; one task or more.
        level: Above 0 and below 1.

    Raises:
        ValueError: No task.
    """
    differences = [new - base for base, new in pairs]
    if len(set(differences)) < 2:
        return paired_difference_interval(
            n_both=sum(min(pair) for pair in pairs),
            n_first=sum(max(each, Fraction(0)) for each in differences),
            n_second=sum(max(-each, Fraction(0)) for each in differences),
            n_neither=sum(1 - max(pair) for pair in pairs),
            z=normal_quantile(level),
        )
    n, total = len(pairs), sum(differences, Fraction(0))
    variance = (sum(each * each for each in differences) - total * total / n) / (n - 1)
    low, high = student_interval(total / n, variance, n, level=level)
    return max(-1.0, low), min(1.0, high)


def paired_difference_interval(
    *, n_both: Count, n_first: Count, n_second: Count, n_neither: Count, z: float = Z_95
) -> tuple[float, float]:
    """The interval of a difference of two proportions of the same units, first minus second.

    It lies in -1 to 1 and encloses (`n_first` - `n_second`) / n. Example:
    ``paired_difference_interval(n_both=36, n_first=12, n_second=2, n_neither=0)`` is about
    ``(0.057, 0.340)``.

    Args:
        n_both: Units that are correct both times.
        n_first: Units that are correct the first time only.
        n_second: Units that are correct the second time only.
        n_neither: Units that are correct neither time. The four need not be whole, their sum is.
        z: The quantile of the standard normal distribution; that of 95 % unless given.

    Source: R. G. Newcombe, "Improved Confidence Intervals for the Difference between Binomial Proportions
    Based on Paired Data", Statistics in Medicine 17 (1998), pages 2635 to 2650, method 10.

    Raises:
        ValueError: A count below 0, no unit at all, or a part of one.
    """
    counts = (n_both, n_first, n_second, n_neither)
    n = int(sum(counts))
    if min(counts) < 0 or n == 0 or n != sum(counts):
        raise ValueError(
            f"{counts!r} are no counts of pairs: each is 0 or more, and one above 0; their sum is whole"
        )
    below_1, above_1 = _reach(n_both + n_first, n, z)
    below_2, above_2 = _reach(n_both + n_second, n, z)
    phi, difference = _correlation(*counts), float((n_first - n_second) / n)
    below, above = _joined(below_1, above_2, phi), _joined(above_1, below_2, phi)
    return max(-1.0, difference - below), min(1.0, difference + above)


def _reach(n_correct: Count, n: int, z: float) -> tuple[float, float]:
    """How far the interval of one proportion reaches below and above it."""
    low, high = wilson_interval(n_correct, n, z=z) or (0.0, 1.0)
    share = float(n_correct / n)
    return share - low, high - share


def _correlation(n_both: Count, n_first: Count, n_second: Count, n_neither: Count) -> float:
    """Newcombe's phi: a positive one is drawn to 0 by half a unit, so that few units do not feign it."""
    margins = (n_both + n_first, n_second + n_neither, n_both + n_second, n_first + n_neither)
    if 0 in margins:
        return 0.0
    product = n_both * n_neither - n_first * n_second
    drawn = min(product, max(0.0, float(product - sum(margins) / 4)))
    return drawn / sqrt(prod(margins))


def _joined(one: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))
