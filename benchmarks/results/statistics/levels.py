"""Quantiles of the standard normal distribution."""

from statistics import NormalDist

_STANDARD = NormalDist()


def normal_quantile(level: float) -> float:
    """How far a two-sided interval of `level` reaches: about 1.96 for 0.95.

    Rounded to 15 places, since the last digits of the standard library's are noise: 0.95 gives just `Z_95`.

    Raises:
        ValueError: `level` is not above 0 and below 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"{level!r} is no level of an interval: it lies above 0 and below 1, e.g. 0.95")
    return round(abs(_STANDARD.inv_cdf((1 - level) / 2)), 15)
