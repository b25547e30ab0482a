"""Crashes: which attempt the death of a worker is booked on."""

from collections.abc import Iterator

from benchmarks.results.detail_store import DetailStore
from benchmarks.results.details import crash_entry
from benchmarks.results.facts import UnitKey
from benchmarks.results.planned import Planned


class Crashes:
    """Books a crash on the first attempt of its unit that has no record, unless one before it succeeded.

    The entry is written at once, so that a killed controller loses nothing. A record that comes later takes
    its place, and the crash moves on.

    Args:
        planned: The plan of the run.
        store: Where entries are kept.
    """

    def __init__(self, planned: Planned, store: DetailStore) -> None:
        self._planned = planned
        self._store = store
        self._reasons: dict[UnitKey, str] = {}

    def load(self) -> None:
        """Remember the crashes that the store holds, e.g. after its writer was killed."""
        for attempt in self._planned.attempts:
            kept = self._store.kept(attempt)
            if kept is not None and kept.crash is not None:
                self._reasons[self._planned.unit_of(attempt)] = kept.crash

    def cost(self, attempt: UnitKey) -> bool:
        """Whether a crash kept this attempt from being reported, by itself or with another of its unit."""
        unit = self._planned.unit_of(attempt)
        if unit not in self._reasons:
            return False
        if self._store.kept(attempt) is not None:
            return self._is_booked_on(attempt)
        return any(map(self._is_booked_on, self._planned.tries_of(unit)))

    def note(self, unit: UnitKey, reason: str) -> None:
        """A worker died on a unit. `reason` is one public line."""
        self._reasons.setdefault(unit, reason)
        self.book(unit)

    def book(self, unit: UnitKey) -> None:
        """Write the entry of a crash where it belongs by now; nothing if nobody died on this unit."""
        if unit in self._reasons:
            attempt = self._attempt_of(unit)
            if attempt is not None and self._store.kept(attempt) is None:
                self._store.keep(attempt, crash_entry(self._reasons[unit]), None)

    def book_all(self) -> Iterator[tuple[UnitKey, str]]:
        """Book every crash; those that cost nothing: the attempt their unit ended with, and the reason."""
        for unit, reason in self._reasons.items():
            self.book(unit)
            if self._attempt_of(unit) is None:
                tries = self._planned.tries_of(unit)
                yield next((one for one in tries if self._store.has_success([one])), tries[-1]), reason

    def _attempt_of(self, unit: UnitKey) -> UnitKey | None:
        """The attempt that a crash on this unit cost; ``None`` if all it needed was made."""
        for attempt in self._planned.tries_of(unit):
            if self._store.kept(attempt) is None or self._is_booked_on(attempt):
                return attempt
            if self._store.has_success([attempt]):
                return None
        return None

    def _is_booked_on(self, attempt: UnitKey) -> bool:
        kept = self._store.kept(attempt)
        return kept is not None and kept.crash is not None
