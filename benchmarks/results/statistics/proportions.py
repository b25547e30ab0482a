"""The interval of one proportion."""

from fractions import Fraction
from math import sqrt

Z_95 = 1.959963984540054
"""The 0.975 quantile of the standard normal distribution: two-sided 95 %."""


def wilson_interval(n_correct: int | Fraction, n: int, *, z: float = Z_95) -> tuple[float, float] | None:
    """The score interval of a proportion, e.g. ``wilson_interval(5, 10)`` is about ``(0.237, 0.763)``.

    Both ends lie in 0 to 1 and enclose `n_correct` / `n`; at 0 of n the lower end is exactly 0, at n of n the
    upper end exactly 1. ``None`` when `n` is 0: nothing was measured.

    `n_correct` need not be whole: where attempts share a task out, the formula is the same.

    Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal of
    the American Statistical Association 22 (1927), pages 209 to 212.

    Raises:
        ValueError: `n_correct` lies outside 0 to `n`.
    """
    if not 0 <= n_correct <= n:
        raise ValueError(f"{n_correct!r} of {n!r} is no proportion: the first must lie in 0 to the second")
    if n == 0:
        return None
    share = float(n_correct / n)
    spread = z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    low = 0.0 if n_correct == 0 else min(share, max(0.0, middle - half))
    high = 1.0 if n_correct == n else max(share, min(1.0, middle + half))
    return low, high
