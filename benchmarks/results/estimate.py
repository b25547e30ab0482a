"""An estimate: a mean of task values, and how sure it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from benchmarks.results.statistics.levels import normal_quantile
from benchmarks.results.statistics.proportions import wilson_interval
from benchmarks.results.statistics.student import student_interval
from benchmarks.results.statistics.weighted import weighted_interval

Interval = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Spread:
    """The values of the evaluated tasks of one group, each 0 to 1, as far as their mean needs them.

    `is_binary`: a task is right or it is not, so that its value is 0 or 1 by nature.
    """

    n: int
    total: Fraction
    total_of_squares: Fraction
    is_binary: bool

    @classmethod
    def of(cls, values: Iterable[Fraction], *, is_binary: bool) -> "Spread":
        """The spread of `values`; they may be none."""
        listed = list(values)
        return cls(
            n=len(listed),
            total=sum(listed, Fraction(0)),
            total_of_squares=sum((value * value for value in listed), Fraction(0)),
            is_binary=is_binary,
        )

    @property
    def mean(self) -> Fraction | None:
        """Their mean; ``None`` of none."""
        return self.total / self.n if self.n else None

    @property
    def variance(self) -> Fraction:
        """Their variance, n - 1 in the denominator; 0 of fewer than two."""
        if self.n < 2:
            return Fraction(0)
        return (self.total_of_squares - self.total * self.total / self.n) / (self.n - 1)

    @property
    def method(self) -> str:
        """How `interval` is made: "wilson" or "student_t".

        Where task means do not differ at all, a t interval has no width and claims certainty. They are taken
        for tasks that are right or not: of all tasks with such a mean these vary most.
        """
        return "wilson" if self.is_binary or self.variance == 0 else "student_t"

    def interval(self, level: float = 0.95) -> Interval | None:
        """The two-sided interval of the mean, within 0 to 1; ``None`` of no values."""
        if self.mean is None:
            return None
        if self.method == "wilson":
            return wilson_interval(self.total, self.n, z=normal_quantile(level))
        low, high = student_interval(self.mean, self.variance, self.n, level=level)
        return max(0.0, low), min(1.0, high)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A weighted mean of the means of groups: ``((Fraction(1, 2), spread), (Fraction(1, 2), spread))``.

    The weights add up to 1; groups without a value are not in it. One group with weight 1 is a plain mean.
    """

    groups: tuple[tuple[Fraction, Spread], ...]

    @property
    def value(self) -> Fraction | None:
        """The weighted mean, exact; ``None`` where nothing was evaluated."""
        if not self.groups:
            return None
        return sum((weight * (spread.mean or 0) for weight, spread in self.groups), Fraction(0))

    @property
    def n(self) -> int:
        """Number of values that weigh: those of a category that weighs nothing are not in it."""
        return sum(spread.n for _, spread in self.groups)

    @property
    def method(self) -> str:
        """How `interval` is made: "wilson", "student_t", or "mover" where several means are joined."""
        if len(self.groups) == 1:
            return self.groups[0][1].method
        return "mover" if self.groups else "none"

    def interval(self, level: float = 0.95) -> Interval | None:
        """The two-sided interval of the value, within 0 to 1; ``None`` where nothing was evaluated."""
        parts = [
            (float(weight), float(spread.mean or 0), interval)
            for weight, spread in self.groups
            if (interval := spread.interval(level)) is not None
        ]
        if len(parts) < 2:
            return parts[0][2] if parts else None
        low, high = weighted_interval(parts)
        return max(0.0, low), min(1.0, high)
