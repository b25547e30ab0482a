"""What scipy makes of the same numbers, to hold the suite's own statistics against."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

# Not an import statement: scipy ships no types.
_stats: Any = import_module("scipy.stats")


def t_quantile(level: float, df: int) -> float:
    return float(_stats.t.isf((1 - level) / 2, df))


def t_interval(mean: float, variance: float, n: int, level: float) -> tuple[float, float]:
    low, high = _stats.t.interval(level, n - 1, loc=mean, scale=(variance / n) ** 0.5)
    return float(low), float(high)


def normal_quantile(level: float) -> float:
    return float(_stats.norm.isf((1 - level) / 2))


def wilson_interval(n_correct: int, n: int, level: float) -> tuple[float, float]:
    interval = _stats.binomtest(n_correct, n).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)


def coin_p(n_heads: int, n: int) -> float:
    """The two-sided p value of so many heads of a fair coin."""
    return float(_stats.binomtest(n_heads, n).pvalue)


def sign_flip_p(differences: Sequence[int]) -> float:
    """The two-sided p value of the sum, of all ways to flip signs."""
    told = _stats.permutation_test(
        (differences,), sum, permutation_type="samples", n_resamples=2 ** len(differences), vectorized=False
    )
    return float(told.pvalue)


def coin_quantiles(n: int, share: float) -> tuple[int, int]:
    """The 2.5 and 97.5 percentiles of how often of `n` times something with this chance happens."""
    low, high = _stats.binom.ppf([0.025, 0.975], n, share)
    return int(low), int(high)
