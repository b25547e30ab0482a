"""A series: one number of a run by its name, e.g. `correct.avg@3`, with all that it rests on."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from benchmarks.results.estimate import Estimate


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How many tasks of a series ended how.

    `total` is the sum of `evaluated`, `error`, `unavailable` and `unscored`. With one attempt per task,
    `evaluated` is that of `correct`, `incorrect` and `not_attempted`; with several these three are ``None``.
    """

    correct: int | None
    incorrect: int | None
    not_attempted: int | None
    evaluated: int
    error: int
    unavailable: int
    unscored: int
    total: int


@dataclass(frozen=True, kw_only=True)
class Bootstrap:
    """A second opinion on the interval: percentiles of resampled tasks. `seed` gives the same ones again."""

    interval_95: tuple[float, float]
    n_resamples: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Series:
    """The numbers of one series, of a run or of a part of it. Shares are exact, 0 to 1.

    `estimate` is over what was evaluated. `value_over_planned` counts 0 for what is not correct, ``None``
    where a task is unscored or nothing was evaluated. `value_given_attempted` leaves out what the judge calls
    not attempted; ``None`` with several attempts per task. `flags` is ("all_zero",) or ("all_one",) where all
    evaluated tasks came to the same end, whether they weigh in the value or not. `bootstrap` is ``None`` in a
    part of a run and where its reducer asks for none. `breakdown`: ``{"level": {"1": Series, "2": Series}}``;
    `hierarchy`: ``{"overall/web": Series}``, empty without one.
    """

    name: str
    estimate: Estimate
    value_over_planned: Fraction | None
    value_given_attempted: Fraction | None
    counts: Counts
    flags: tuple[str, ...] = ()
    bootstrap: Bootstrap | None = None
    breakdown: Mapping[str, Mapping[str, "Series"]] = field(default_factory=dict[str, Mapping[str, "Series"]])
    hierarchy: Mapping[str, "Series"] = field(default_factory=dict[str, "Series"])

    @property
    def value(self) -> Fraction | None:
        """The value over what was evaluated; ``None`` where nothing was."""
        return self.estimate.value

    def to_json(self) -> dict[str, Any]:
        """As it lies in metrics.json; docs/results_format.md names every key."""
        interval = self.estimate.interval()
        plain: dict[str, Any] = {
            "value": _number(self.value),
            "value_given_attempted": _number(self.value_given_attempted),
            "value_over_planned": _number(self.value_over_planned),
            "counts": asdict(self.counts),
            "interval_95": None if interval is None else list(interval),
            "interval_method": self.estimate.method,
            "flags": list(self.flags),
        }
        if self.bootstrap is not None:
            plain["bootstrap"] = asdict(self.bootstrap)
        if self.breakdown:
            plain["breakdown"] = {
                word: {value: part.to_json() for value, part in parts.items()}
                for word, parts in self.breakdown.items()
            }
        if self.hierarchy:
            plain["hierarchy"] = {path: node.to_json() for path, node in self.hierarchy.items()}
        return plain


def _number(share: Fraction | None) -> float | None:
    return None if share is None else float(share)
