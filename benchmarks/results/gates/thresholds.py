"""One threshold against what was measured: how one gate stands, and its clause of the gate's sentence."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from benchmarks.results.estimate import Interval
from benchmarks.results.gates.scopes import OVERALL
from benchmarks.results.series import Counts, Series
from benchmarks.results.statuses import GateStatus


@dataclass(frozen=True, kw_only=True)
class Gate:
    """One gate that was asked for, and how it stands.

    `scope` is what it speaks of, "overall" for the whole run. `threshold` is as the user wrote it, ``None``
    where what a comparison found decides. `value` is exact: a share, a number of errors, or the difference to
    the baseline (new minus base); ``None`` where there is none. `interval_95` is that of the value; `level`
    the confidence at which it was decided, ``None`` where the value alone decides. `says` is public. A gate
    that does not decide is only told.
    """

    kind: Literal["accuracy", "coverage", "errors", "baseline"]
    status: GateStatus
    says: str
    threshold: float | None
    value: Fraction | int | None = None
    interval_95: Interval | None = None
    level: float | None = None
    scope: str = OVERALL
    decides: bool = True

    def to_json(self) -> dict[str, Any]:
        """Plain values, without the clause: the sentence has it."""
        return {
            "scope": self.scope,
            "kind": self.kind,
            "threshold": self.threshold,
            "value": float(self.value) if isinstance(self.value, Fraction) else self.value,
            "interval_95": None if self.interval_95 is None else list(self.interval_95),
            "level": self.level,
            "status": self.status,
            "decides": self.decides,
        }


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """A least accuracy. `series` is that of its scope, ``None`` where the plan has no task of it.

    `category` is the one whose tasks it speaks of, ``None`` where these are all tasks of the run.
    """

    scope: str
    series: Series | None
    least: float
    category: str | None = None
    decides: bool = True

    @property
    def is_measured(self) -> bool:
        """Whether a task of the scope was evaluated."""
        return self.series is not None and self.series.value is not None


def accuracy_gate(threshold: Threshold, *, level: float | None = None, n_undecided: int = 1) -> Gate:
    """How a least accuracy stands. Shares are compared exactly: 3 of 5 reaches 0.6.

    Args:
        threshold: What is asked.
        level: Of the two-sided interval that decides, e.g. 0.95; ``None``: the value alone does.
        n_undecided: Among how many gates it is, for the clause.
    """
    series = threshold.series
    if series is None or series.value is None:
        missing = "planned" if series is None else "evaluated"
        return _accuracy_gate(threshold, "not_measured", f"nothing of {threshold.scope} was {missing}")
    interval = None if level is None else series.estimate.interval(level)
    status = _status(series.value, exact(threshold.least), interval)
    says = _accuracy_clause(threshold, series, status)
    if interval is not None and level is not None:
        among = f", one of {n_undecided} undecided gates" if n_undecided > 1 else ""
        says = f"{says} {shown_interval(interval, level, beside=threshold.least, among=among)}"
    return replace(
        _accuracy_gate(threshold, status, says),
        value=series.value,
        interval_95=series.estimate.interval(),
        level=None if interval is None else level,
    )


def coverage_gate(counts: Counts, asked: float | None) -> Gate:
    """Whether enough planned tasks were evaluated; ``None`` asks for all of them."""
    least = 1.0 if asked is None else asked
    value = Fraction(counts.evaluated, counts.total or 1)
    is_reached = value >= exact(least)
    says = f"coverage {share(value, None if is_reached else least)} ({counts.evaluated}/{counts.total})"
    if not is_reached:
        default = " (its default beside another gate)" if asked is None else ""
        says = f"{says} is below --min-coverage {least}{default}"
    status: GateStatus = "passed" if is_reached else "not_measured"
    return Gate(kind="coverage", status=status, says=says, threshold=least, value=value)


def errors_gate(n_errors: int, most: int) -> Gate:
    """Whether there were few enough run and judge errors."""
    is_reached = n_errors <= most
    says = f"errors {n_errors}" if is_reached else f"{n_errors} errors are more than --max-errors {most}"
    status: GateStatus = "passed" if is_reached else "not_measured"
    return Gate(kind="errors", status=status, says=says, threshold=most, value=n_errors)


def exact(threshold: float) -> Fraction:
    """The decimal number the user wrote, not the binary one nearest to it."""
    return Fraction(repr(threshold))


def share(value: Fraction, least: float | None = None) -> str:
    """`value` with three digits, or as many more as it takes to lie on its side of `least`.

    Rounded to three digits, 0.59996 would be shown as the 0.6 that it misses.
    """
    for n_digits in range(3, 12):
        shown = f"{float(value):.{n_digits}f}"
        if least is None or (Fraction(shown) < exact(least)) == (value < exact(least)):
            return shown
    return f"just below {least}"


def shown_interval(interval: Interval, level: float, *, beside: float, among: str = "") -> str:
    """E.g. "(95 % interval 0.711 to 0.867)"; its ends are shown on their side of `beside`."""
    low, high = (share(Fraction(end), beside) for end in interval)
    return f"({100 * level:.4g} % interval {low} to {high}{among})"


def accuracy(scope: str, series: Series, least: float | None = None) -> str:
    """The value and what it rests on: "accuracy 0.600 (3/5)", "level1 accuracy 0.611 (12 tasks)".

    Where a tree leaves tasks without weight: "accuracy 1.000 (3 of 9 tasks weigh in it)".
    """
    word = "accuracy" if scope == OVERALL else f"{scope} accuracy"
    shown = "—" if series.value is None else share(series.value, least)
    return f"{word} {shown} ({_rests_on(series)})"


def _rests_on(series: Series) -> str:
    counts, n_weighing = series.counts, series.estimate.n
    if n_weighing < counts.evaluated:
        return f"{n_weighing} of {counts.evaluated} tasks weigh in it"
    is_plain = counts.correct is not None and (series.value or 0) * counts.evaluated == counts.correct
    return f"{counts.correct}/{counts.evaluated}" if is_plain else f"{counts.evaluated} tasks"


def _status(value: Fraction, least: Fraction, interval: Interval | None) -> GateStatus:
    low, high = (value, value) if interval is None else map(Fraction, interval)
    if low >= least:
        return "passed"
    return "missed" if high < least else "inconclusive"


def _accuracy_gate(threshold: Threshold, status: GateStatus, says: str) -> Gate:
    return Gate(
        kind="accuracy",
        scope=threshold.scope,
        status=status,
        says=says if threshold.decides else f"{says}, which does not decide",
        threshold=threshold.least,
        decides=threshold.decides,
    )


def _accuracy_clause(threshold: Threshold, series: Series, status: GateStatus) -> str:
    scope, least = threshold.scope, threshold.least
    rule = f"--min-accuracy {least}" if scope == OVERALL else f"--min-accuracy {scope}={least}"
    verbs = {"passed": "reaches", "missed": "is below", "inconclusive": "may lie on either side of"}
    return f"{accuracy(scope, series, least)} {verbs[status]} {rule}"
