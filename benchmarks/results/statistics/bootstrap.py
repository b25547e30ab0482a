"""The bootstrap: what an interval would be if the tasks at hand were all there is to draw from."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise
from random import Random

Group = tuple[float, Sequence[float]]
"""A weight and the values of a group, at least one: ``(0.5, [0.0, 1.0, 1.0])``."""

_N_RESAMPLES, _FEWEST_RESAMPLES, _N_DRAWS = 2_000, 200, 20_000_000

_N_DIGITS = 24
"""How finely the share of a value is drawn: in steps of 1 / 2**24, too fine for 2,000 resamples to show."""


def resamples_for(n_values: int) -> int:
    """How many resamples to make of `n_values` values: 2,000; fewer above 10,000 values, never below 200.

    So 100,000 values that take six levels (tasks with five attempts) need half a second or less.
    """
    return max(_FEWEST_RESAMPLES, min(_N_RESAMPLES, _N_DRAWS // max(1, n_values)))


def bootstrap_interval(groups: Sequence[Group], *, seed: int, n_resamples: int) -> tuple[float, float]:
    """The 95 % interval of the weighted mean of the groups' means.

    Each group is drawn again from its own values, as many as it has, with replacement; the interval reaches
    from the 2.5 to the 97.5 percentile of the means. The same seed gives the same interval, in whatever order
    the values of a group come.

    Args:
        groups: At least one; their weights are 0 or more and add up to 1.
        seed: Where the draws begin.
        n_resamples: 39 or more, with fewer there is no 2.5 percentile; `resamples_for` tells how many.

    Source: B. Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7 (1979), pages
    1 to 26; the percentile interval of B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap"
    (1993), chapter 13. Its ends are the k-th mean from below and from above, k = (n_resamples + 1) * 0.025
    rounded down, as in their chapter 12.

    Raises:
        ValueError: No group, a group without a value, or fewer than 39 resamples.
    """
    if not groups or not all(values for _, values in groups):
        raise ValueError("no values to draw from: give a group or more, each with a value or more")
    if n_resamples < 39:
        raise ValueError(f"{n_resamples!r} resamples have no 2.5 percentile: make 39 or more")
    random, urns = Random(seed), _Urns(groups)
    means = sorted(urns.resampled_mean(random) for _ in range(n_resamples))
    place = (n_resamples + 1) // 40
    return means[place - 1], means[-place]


class _Urns:
    """All groups, each an urn of its values, drawn from at once: each draw is one bit of a long number.

    The values of tasks take few levels, so a mean is the lowest of them, and for each further one its rise
    above the one before times the share of draws that reach it. `_steps` has the rises, and the chances.
    """

    def __init__(self, groups: Sequence[Group]) -> None:
        ends = list(accumulate((len(values) for _, values in groups), initial=0))
        self._n = ends[-1]
        self._spans = [
            (weight, len(values), (1 << end) - (1 << start))
            for (weight, values), (start, end) in zip(groups, pairwise(ends), strict=True)
        ]
        ordered = [sorted(values) for _, values in groups]
        levels = sorted({value for values in ordered for value in values})
        self._lowest, self._highest = levels[0], levels[-1]
        self._steps = [
            (level - before, self._digits([len(values) - bisect_left(values, level) for values in ordered]))
            for before, level in pairwise(levels)
        ]

    def _digits(self, n_reaching: Sequence[int]) -> list[int]:
        """The chance of each draw, digit by digit from the last: a bit is set where its urn's chance has a 1.

        A chance is a number of steps of 1 / 2**24, so that the last of these digits is set where it is 1.
        """
        chances = [
            (round((n << _N_DIGITS) / n_values), span)
            for n, (_, n_values, span) in zip(n_reaching, self._spans, strict=True)
        ]
        return [
            sum(span for chance, span in chances if chance >> place & 1) for place in range(_N_DIGITS + 1)
        ]

    def resampled_mean(self, random: Random) -> float:
        """The weighted mean of one draw."""
        drawn = [random.getrandbits(self._n) for _ in range(_N_DIGITS)]
        mean = self._lowest
        for rise, digits in self._steps:
            reached = _reached(drawn, digits)
            mean += rise * sum(
                weight * ((reached & span).bit_count() / n_values) for weight, n_values, span in self._spans
            )
        return min(self._highest, mean)


def _reached(drawn: Sequence[int], digits: Sequence[int]) -> int:
    """Where a draw and its chance, added as fractions, reach 1: this happens with just that chance.

    All additions go on at once, digit by digit from the last; only what they carry over matters.
    """
    carried = 0
    for draw, digit in zip(drawn, digits[:-1], strict=True):
        carried = draw & carried | digit & (draw | carried)
    return carried | digits[-1]
