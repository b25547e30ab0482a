"""The interval of a weighted sum of independent means."""

from collections.abc import Sequence
from math import sqrt

WeightedMean = tuple[float, float, tuple[float, float]]
"""A weight of 0 or more, a mean, and the interval of that mean: ``(0.25, 0.5, (0.2, 0.8))``."""


def weighted_interval(parts: Sequence[WeightedMean]) -> tuple[float, float]:
    """The interval of the sum of weight times mean, of means of different tasks.

    It has the level of the intervals given, and encloses the sum. Example: of ``[(0.5, 0.4, (0.1, 0.7)),
    (0.5, 0.8, (0.4, 1.0))]`` it is ``(0.35, 0.7803)``: each end lies as far away as the weighted distances of
    the parts, joined at right angles.

    Source: G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general
    approach", Statistics in Medicine 27 (2008), pages 1693 to 1702: the method of variance estimates recovery
    (MOVER).

    Raises:
        ValueError: A weight below 0, which would turn its interval round.
    """
    if any(weight < 0 for weight, _, _ in parts):
        raise ValueError(f"{[weight for weight, _, _ in parts]!r} are no weights: each is 0 or more")
    total = sum(weight * mean for weight, mean, _ in parts)
    below = sqrt(sum((weight * (mean - low)) ** 2 for weight, mean, (low, _) in parts))
    above = sqrt(sum((weight * (high - mean)) ** 2 for weight, mean, (_, high) in parts))
    return total - below, total + above
