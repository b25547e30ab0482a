"""Student's t distribution."""

from fractions import Fraction
from functools import lru_cache
from math import exp, lgamma, log1p, pi, sqrt

from benchmarks.results.statistics.levels import normal_quantile

_SMALLEST_STEP = 1e-13
"""A search or a continued fraction ends where a step changes less, relative to what it has."""

_NOT_ZERO = 1e-300
"""Stands in for a denominator of 0, as Lentz's method has it."""


@lru_cache(maxsize=1024)
def student_quantile(level: float, df: int) -> float:
    """How far a two-sided interval of `level` reaches with `df` degrees of freedom: about 2.228 for 0.95, 10.

    Right to 10 digits for levels of 0.5 to 0.9999, whatever `df`.

    Raises:
        ValueError: `level` is not above 0 and below 1, or `df` is below 1.
    """
    if df < 1:
        raise ValueError(f"{df!r} is no number of degrees of freedom: it is 1 or more")
    return _searched(level, df) if df < 1000 else _expanded(level, df)


def student_interval(mean: Fraction, variance: Fraction, n: int, *, level: float) -> tuple[float, float]:
    """The two-sided interval of a mean, e.g. (0.293, 0.707) of mean 1/2, variance 1/12, n = 10 and 0.95.

    Args:
        mean: The mean of the values.
        variance: Their variance, with n - 1 in its denominator; 0 or more.
        n: How many values, 2 or more.
        level: Above 0 and below 1.

    Source: Student, "The Probable Error of a Mean", Biometrika 6 (1908), pages 1 to 25.

    Raises:
        ValueError: An argument out of its range.
    """
    if n < 2:
        raise ValueError(f"{n!r} values have no t interval: it takes 2 or more")
    if variance < 0:
        raise ValueError(f"{variance!r} is no variance: it is 0 or more")
    half = student_quantile(level, n - 1) * sqrt(variance / n)
    return float(mean) - half, float(mean) + half


def _searched(level: float, df: int) -> float:
    """Newton's search on the probability beyond t, which falls and is convex.

    The normal quantile, where it starts, never reaches as far as t: each step goes up, none beyond the root.
    """
    t = normal_quantile(level)
    while (step := (_beyond(t, df) - (1 - level)) / (2 * _density(t, df))) > _SMALLEST_STEP * t:
        t += step
    return t


def _expanded(level: float, df: int) -> float:
    """The expansion in powers of 1 / df, for many degrees of freedom.

    Source: M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions" (1964), 26.7.5.
    """
    z = normal_quantile(level)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / float(df) ** power for power, term in enumerate(terms))


def _beyond(t: float, df: int) -> float:
    """The probability of a value farther from 0 than `t`: the regularised incomplete beta I_x(df / 2, 1 / 2).

    x is df / (df + t²). Source: NIST Digital Library of Mathematical Functions, 8.17.22, with 8.17.4 where x
    is too near 1 for it to converge fast; https://dlmf.nist.gov/8.17.
    """
    a, x = df / 2, df / (df + t * t)
    scale = t * _density(t, df)
    if x < (a + 1) / (a + 2.5):
        return scale / a * _beta_fraction(a, 0.5, x)
    return 1 - 2 * scale * _beta_fraction(0.5, a, 1 - x)


def _density(t: float, df: int) -> float:
    ratio = exp(lgamma((df + 1) / 2) - lgamma(df / 2))
    return exp(-(df + 1) / 2 * log1p(t * t / df)) * ratio / sqrt(df * pi)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction 1 / (1 + d1 / (1 + d2 / (1 + …))) of 8.17.22, from its head down.

    Source: W. J. Lentz, "Generating Bessel functions in Mie scattering calculations using continued
    fractions", Applied Optics 15 (1976), pages 668 to 671.
    """
    n, value, above, below, change = 0, 1.0, 1.0, 0.0, 0.0
    while abs(change - 1) > _SMALLEST_STEP:
        n += 1
        d = _beta_coefficient(n, a, b, x)
        above, below = (1 + d / above) or _NOT_ZERO, 1 / ((1 + d * below) or _NOT_ZERO)
        change = above * below
        value *= change
    return 1 / value


def _beta_coefficient(n: int, a: float, b: float, x: float) -> float:
    m = n // 2
    if n % 2:
        return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
