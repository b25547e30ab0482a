"""Repeats: a unit that several runs have tried, and which of their tries counts.

A rerun is there to mend what erred, never to look for a better answer: so of two verdicts the one that was
started first counts, whatever it says.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from benchmarks.results.details import Entry
from benchmarks.results.facts import UnitKey
from benchmarks.results.record import Outcome

Tries = Mapping[str, Entry]
"""What one run kept of a unit, by the number of the attempt: ``{"1": ENTRY}``; under `pass` all attempts of
the task, which belong together."""

MERGED_AWAY = "merged_away"
"""Where an entry keeps what does not count, under `recorder`: a list of tries."""

_EVALUATED, _ERROR, _UNAVAILABLE = 2, 1, 0
_MAX_LINES = 20


@dataclass(frozen=True, kw_only=True)
class Settled:
    """What counts of a unit. `merged_away` is what does not, in an order of its own; mostly nothing.

    `n_evaluated` and `n_errors` say how many different tries ended so; with none of either, nobody has made
    the unit.
    """

    counted: Tries
    merged_away: tuple[Tries, ...]
    n_evaluated: int
    n_errors: int

    @property
    def entries(self) -> dict[str, Entry]:
        """The attempts as they lie in a detail: the first of them keeps what does not count."""
        entries = dict(self.counted)
        if entries and self.merged_away:
            first = _first(entries)
            recorder = {**entries[first].get("recorder", {}), MERGED_AWAY: list(self.merged_away)}
            entries[first] = {**entries[first], "recorder": recorder}
        return entries


class Repeats:
    """What was met while units were settled: the ones nobody made, and lines on those that were repeated.

    `unavailable` are all that nobody made; of those in `lost` no run has kept anything either.
    """

    def __init__(self) -> None:
        self.unavailable: set[UnitKey] = set()
        self.lost: set[UnitKey] = set()
        self._judged_again: list[str] = []
        self._mended: list[str] = []

    def note(self, unit: UnitKey, settled: Settled, *, name: str) -> None:
        """Keep in mind how a unit was settled. `name` is public, e.g. "t-1 attempt 1"."""
        if settled.n_evaluated > 1:
            self._judged_again.append(f"{name}: evaluated in several runs; what was started first counts")
        elif settled.n_evaluated and settled.n_errors:
            self._mended.append(f"{name}: an error in one run, evaluated in another; the latter counts")
        elif not settled.n_evaluated and not settled.n_errors:
            self.unavailable.add(unit)
            if not settled.counted:
                self.lost.add(unit)

    def lines(self) -> list[str]:
        """Public lines on repeated units, at most twenty of each kind."""
        return [*_bounded(self._judged_again), *_bounded(self._mended)]


def settle(found: Iterable[Tries], *, n_tries: int) -> Settled:
    """What counts of one unit. The order of `found` does not matter, nor whether some were merged before.

    Args:
        found: What each run kept of the unit; a run that kept nothing may bring an empty one.
        n_tries: How many attempts the unit may make until it succeeds: 1 but under `pass`.
    """
    different = {_canonical(tries): tries for one in found for tries in _apart(one) if tries}
    ranks = {text: _rank(tries, n_tries) for text, tries in different.items()}
    order = sorted(different, key=lambda text: (-ranks[text], _started_at(different[text]), text))
    kinds = [ranks[text] for text in order]
    return Settled(
        counted=different[order[0]] if order else {},
        merged_away=tuple(different[text] for text in order[1:]),
        n_evaluated=kinds.count(_EVALUATED),
        n_errors=kinds.count(_ERROR),
    )


def _apart(tries: Tries) -> Iterator[Tries]:
    """The tries without what an earlier merge put away in them, and then that."""
    if not tries:
        return
    first = _first(tries)
    recorder: Mapping[str, Any] = tries[first].get("recorder", {})
    if MERGED_AWAY not in recorder:
        yield tries
        return
    left = {name: value for name, value in recorder.items() if name != MERGED_AWAY}
    bare = {name: value for name, value in tries[first].items() if name != "recorder"}
    yield {**tries, first: {**bare, "recorder": left} if left else bare}
    yield from recorder[MERGED_AWAY]


def _rank(tries: Tries, n_tries: int) -> int:
    """Evaluated before errors before what was never made, as the series of the unit's run counts it."""
    outcomes = [Outcome(entry["outcome"]) for entry in tries.values()]
    is_whole = len(outcomes) >= n_tries and all(
        outcome.is_evaluated or outcome is Outcome.UNSCORED for outcome in outcomes
    )
    if Outcome.CORRECT in outcomes or is_whole:
        return _EVALUATED
    return _ERROR if any(outcome.is_error for outcome in outcomes) else _UNAVAILABLE


def _started_at(tries: Tries) -> float:
    """When its first attempt started, in Unix seconds; what does not say so comes last."""
    timings: list[object] = [entry.get("timing") for entry in tries.values()]
    moments: list[object] = [
        cast("Mapping[str, Any]", timing).get("started_at") for timing in timings if isinstance(timing, dict)
    ]
    known = [float(moment) for moment in moments if isinstance(moment, int | float)]
    return min(known, default=math.inf)


def _first(tries: Tries) -> str:
    return min(tries, key=int)


def _canonical(tries: Tries) -> str:
    return json.dumps(tries, sort_keys=True, allow_nan=False)


def _bounded(lines: list[str]) -> list[str]:
    more = len(lines) - _MAX_LINES
    kind = lines[0].partition(": ")[2] if lines else ""
    return [*lines[:_MAX_LINES], f"and {more} more units: {kind}"] if more > 0 else lines
