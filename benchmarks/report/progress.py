"""The progress of a session: what is done so far, in one line (controller)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from benchmarks.plan import Unit
from benchmarks.results.effort import cost_of_attempt
from benchmarks.results.estimate import Spread
from benchmarks.results.record import Outcome, Record

_FEWEST_FOR_TIME_LEFT = 2
"""Units that must have been asked before a guess of the time left is worth a word."""


@dataclass(kw_only=True)
class RunProgress:
    """What came of one run so far.

    `n_planned` counts units. `is_clustered`: several units belong to one task, so that the interval is one
    over task means. `prices` are as in a run's description. `judges_again`: recorded answers are judged, and
    nothing else is asked.
    """

    key: str
    n_planned: int
    is_clustered: bool = False
    prices: Mapping[str, Any] = field(default_factory=dict[str, Any])
    judges_again: bool = False
    n_done: int = 0
    n_reused: int = 0
    n_errors: int = 0
    n_tokens: int = 0
    cost_usd: float | None = 0.0
    _correct: "defaultdict[str, list[bool]]" = field(default_factory=lambda: defaultdict(list))

    def note(self, task_id: str, records: Sequence[Record]) -> None:
        """Count one unit by the records of its tries, which may be none: then a dead worker cost it."""
        self.n_done += 1
        is_correct = _is_correct(records)
        if is_correct is not None:
            self._correct[task_id].append(is_correct)
        elif not records or any(record.outcome.is_error for record in records):
            self.n_errors += 1
        made = [record for record in records if self._is_made(record)]
        self.n_reused += bool(records) and not made
        for record in made:
            if record.outcome is not Outcome.UNAVAILABLE:
                self._spend(record)

    def _is_made(self, record: Record) -> bool:
        """Whether this session asked anybody for it."""
        return not record.reused or (self.judges_again and record.outcome is not Outcome.RUN_ERROR)

    def _spend(self, record: Record) -> None:
        usage = {role: used for role, used in record.usage.items() if role == "judge" or not record.reused}
        for used in usage.values():
            self.n_tokens += (used.get("input_tokens") or 0) + (used.get("output_tokens") or 0)
        cost = cost_of_attempt(usage, self.prices)
        self.cost_usd = None if cost is None or self.cost_usd is None else self.cost_usd + cost

    @property
    def accuracy(self) -> Spread:
        """The tasks evaluated so far, each by the share of its evaluated attempts that are correct."""
        means = (Fraction(sum(each), len(each)) for each in self._correct.values())
        return Spread.of(means, is_binary=not self.is_clustered)


def _is_correct(records: Iterable[Record]) -> bool | None:
    """Whether a unit is correct; ``None`` where it is not evaluated. One success decides, then one error."""
    outcomes = [record.outcome for record in records]
    if Outcome.CORRECT in outcomes:
        return True
    return False if outcomes and all(outcome.is_evaluated for outcome in outcomes) else None


class Progress:
    """What came of a session so far.

    Args:
        runs: The runs with planned units, at least one, in their order.
    """

    def __init__(self, runs: Iterable[RunProgress]) -> None:
        self._runs = {run.key: run for run in runs}
        self._latest = next(iter(self._runs.values()))

    def note(self, unit: Unit, records: Sequence[Record]) -> None:
        """Count one unit of a run."""
        self._latest = self._runs[unit.run]
        self._latest.note(unit.task.task_id, records)

    @property
    def n_planned(self) -> int:
        """Units of all runs."""
        return sum(run.n_planned for run in self._runs.values())

    @property
    def n_done(self) -> int:
        """Units whose items were reported, at most `n_planned` unless a dead worker's were told twice."""
        return sum(run.n_done for run in self._runs.values())

    def line(self, *, elapsed_s: float, in_flight: str, n_ahead: int = 0) -> str:
        """The progress in one line, what matters most first; of several runs, that of the latest report.

        Example: ``"gaia 34/103 · 16 in flight · accuracy 0.529 (0.368 to 0.685) · about 3 min left · 2 errors
        · 0.42 USD · 1.2 M tokens"``.

        Args:
            elapsed_s: Seconds since the first item began.
            in_flight: How many units are, "16" or "at least 2".
            n_ahead: Units that are finished and whose items come later, where that is known.
        """
        run = self._latest
        parts = [f"{run.key} {run.n_done}/{run.n_planned}"]
        if in_flight not in {"", "0"}:
            parts.append(f"{in_flight} in flight")
        parts.append(_accuracy(run.accuracy))
        left_s = self._left_s(elapsed_s, n_ahead)
        if left_s is not None:
            parts.append(f"about {duration(left_s)} left")
        if run.n_errors:
            parts.append(f"{run.n_errors} error{'s' if run.n_errors > 1 else ''}")
        if run.cost_usd:
            parts.append(f"{run.cost_usd:.2f} USD")
        if run.n_tokens:
            parts.append(f"{_rounded(run.n_tokens)} tokens")
        return " · ".join(parts)

    def _left_s(self, elapsed_s: float, n_ahead: int) -> float | None:
        """Seconds until the end at the pace so far; what an earlier run had done says nothing about it."""
        n_finished = self.n_done + n_ahead
        n_asked = n_finished - sum(run.n_reused for run in self._runs.values())
        n_left = self.n_planned - n_finished
        if n_asked < _FEWEST_FOR_TIME_LEFT or n_left <= 0:
            return None
        return n_left * elapsed_s / n_asked


def duration(seconds: float) -> str:
    """A rough length of time: "40 s", "3 min", "2 h 05 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def _accuracy(spread: Spread) -> str:
    interval = spread.interval()
    if spread.mean is None or interval is None:
        return "accuracy —"
    return f"accuracy {float(spread.mean):.3f} ({interval[0]:.3f} to {interval[1]:.3f})"


def _rounded(n: int) -> str:
    for size, name in ((1_000_000, "M"), (1_000, "k")):
        if n >= size:
            return f"{n / size:.1f} {name}"
    return str(n)
