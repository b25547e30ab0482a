"""The recorder: the one writer of a run directory, in the controller.

Whatever arrives (reports, spools, news of a dead worker), in whatever order and however often, every planned
unit ends with exactly one outcome: that of its attempt or, under `pass`, what its attempts come to.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.results.aside import Aside
from benchmarks.results.crashes import Crashes
from benchmarks.results.detail_store import DetailStore, Kept
from benchmarks.results.details import (
    NEVER_REACHED,
    Entry,
    differing_entry,
    entry_of,
    kept_entries,
    never_reached_entry,
    unavailable_entry,
)
from benchmarks.results.facts import UnitKey
from benchmarks.results.files import RunFiles, dump_json, write_whole
from benchmarks.results.metrics import reduce_run
from benchmarks.results.plain import one_line, plain
from benchmarks.results.planned import Planned
from benchmarks.results.reading import read_description
from benchmarks.results.record import Outcome, Record
from benchmarks.results.run_description import RunDescription
from benchmarks.results.spool import read_spools
from benchmarks.results.summary import render_summary

NEVER_STARTED = "never started"
KILLED = "the session was killed before it could end"


def utc_now() -> datetime:
    """The time now."""
    return datetime.now(UTC)


class Recorder:
    """Keeps the records of one run and, at its end, reduces them.

    run.json is written at once, a detail with each record, so that a killed controller loses nothing that was
    reported. `failures` are lines about files that could not be written: the session must not end green over
    them. `issues` are lines worth reading about records that did not come as planned.

    Args:
        run_dir: The run directory, made if it is missing.
        description: The run. `volatile.started_at` is set to now when it is missing.
        now: The clock, in UTC.

    Raises:
        OSError: run.json cannot be written.
        ValueError: A unit is planned twice.
    """

    def __init__(
        self, run_dir: Path, description: RunDescription, *, now: Callable[[], datetime] = utc_now
    ) -> None:
        volatile = {"started_at": _iso(now()), "finished_at": None, **description.volatile}
        self._description = _as_read_back(replace(description, volatile=volatile))
        self._planned = Planned(self._description)
        self._now: Callable[[], datetime] | None = now
        self._files = RunFiles(root=run_dir)
        self._issues: set[str] = set(description.issues)
        self._has_crashed = False
        self.failures: list[str] = []
        self._store = DetailStore(self._files, self._planned.attempts, tell_failure=self.failures.append)
        self._crashes = Crashes(self._planned, self._store)
        self._aside = Aside(self._files.aside, tell_failure=self.failures.append)
        self._files.details.mkdir(parents=True, exist_ok=True)
        write_whole(self._files.run, dump_json(self._description.to_json()))

    @classmethod
    def reopen(cls, run_dir: Path) -> "Recorder":
        """The recorder of a run whose controller was killed, with all that was reported until then.

        Raises:
            OSError: run.json cannot be written.
            RunFilesError: run.json or a detail is missing or broken.
        """
        recorder = cls(run_dir, read_description(RunFiles(root=run_dir)))
        recorder._now = None  # when the run ended is unknown, and stays so
        recorder._store.load()
        recorder._crashes.load()
        return recorder

    @property
    def issues(self) -> tuple[str, ...]:
        """Public lines about records that did not come as planned, sorted."""
        return tuple(sorted(self._issues))

    def add(self, record: Record) -> None:
        """Keep the record that a report brought; its detail is on disk when this returns.

        The same record twice is one record; two that differ are one run error, with both kept in the detail.
        A record of an attempt that was not planned is kept aside and never counted.
        """
        attempt = (record.task_id, record.attempt)
        if attempt in self._planned.attempts:
            self._keep(attempt, entry_of(record), record.ground_truth)
        else:
            self._put_aside(record)

    def add_crash(self, task_id: str, attempt: int, reason: str) -> None:
        """A worker died on a unit: a run error, unless all it needs was finished and came or still comes.

        Args:
            task_id: The task.
            attempt: The unit's first attempt, from 1.
            reason: One public line, e.g. "Not properly terminated".
        """
        self._has_crashed = True
        unit, line = (task_id, attempt), one_line(reason)
        if unit in self._planned.attempts:
            self._crashes.note(self._planned.unit_of(unit), line)
        else:
            self._issues.add(
                f"{_name(unit)}: a worker crashed on it ({line}), but it was not planned; not counted"
            )

    def finish(self, stopped: str | None = None) -> dict[str, Any]:
        """Fold the spools, give every unit left an outcome, and write run.json, metrics.json and summary.md.

        Args:
            stopped: The line that ended the session early; the cause of units never started. A run that was
                whole by then was not stopped: another run of the session was.

        Returns:
            The content of metrics.json, also when it could not be written; empty where it could not even be
            made (see `failures` for both). Whatever went wrong, the other runs of a session go on.
        """
        line = None if stopped is None else one_line(stopped)
        self._has_crashed |= self._files.dead.exists()
        self._guard("what the spools hold could not be taken over", self._fold_all)
        is_whole = self._fill_up(line or NEVER_STARTED)
        self._store.write_the_rest()
        finished_at = _iso(self._now()) if self._now else None
        volatile = {**self._description.volatile, "finished_at": finished_at}
        description = replace(
            self._description, stopped=None if is_whole else line, issues=self.issues, volatile=volatile
        )
        metrics: dict[str, Any] = {}
        self._guard(
            "metrics.json and summary.md could not be made",
            lambda: metrics.update(reduce_run(description, self._store.facts())),
        )
        self._write(self._files.run, lambda: dump_json(description.to_json()))
        if metrics:
            self._write(self._files.metrics, lambda: dump_json(metrics))
            self._write(self._files.summary, lambda: render_summary(metrics))
        return metrics

    def _fold_all(self) -> None:
        for record in read_spools(
            self._files.spools, tell=self._issues.add, passes_over=self._needs_no_folding
        ):
            self._fold(record)
        for attempt, reason in self._crashes.book_all():
            self._issues.add(
                f"{_name(attempt)}: a worker crashed on it ({reason}); its finished record came and counts"
            )

    def _fill_up(self, cause: str) -> bool:
        """Make every attempt unavailable that a unit still owes; whether none owed any by then."""
        is_whole = True
        for tries in self._planned.units():
            is_whole &= self._store.has_ended(tries)
            owed = () if self._store.has_success(tries) else tries
            for attempt in owed:
                if self._store.kept(attempt) is None:
                    self._store.keep(attempt, unavailable_entry(cause), None)
        return is_whole

    def _keep(self, attempt: UnitKey, entry: Entry, ground_truth: str) -> None:
        kept = self._store.kept(attempt)
        if kept is None or kept.crash is not None:
            self._store.keep(attempt, entry, ground_truth)
            self._crashes.book(self._planned.unit_of(attempt))
        elif not self._store.holds(attempt, entry):
            current = self._store.entry(attempt)
            entries = [*(kept_entries(current) or [current]), entry]
            self._store.keep(attempt, differing_entry(entries), ground_truth)

    def _needs_no_folding(self, attempt: UnitKey) -> bool:
        """Most records were reported too: where no worker died, each unit was made by one process alone."""
        kept = self._store.kept(attempt)
        if kept is None or _was_not_reached(kept) or kept.crash is not None:
            return False
        return not self._has_crashed

    def _fold(self, record: Record) -> None:
        """A record from a spool: of an attempt that was reported, crashed, or never reached."""
        attempt = (record.task_id, record.attempt)
        kept = self._store.kept(attempt)
        if attempt not in self._planned.attempts:
            self._put_aside(record)
        elif self._crashes.cost(attempt):
            self._keep(attempt, entry_of(record), record.ground_truth)
        elif record.outcome is not Outcome.UNAVAILABLE and _was_not_reached(kept):
            self._keep_ahead(attempt, kept, record)
        elif kept is not None and not self._store.holds(attempt, entry_of(record)):
            # A worker that died had finished it ahead, and another worker ran it again and reported it.
            self._issues.add(
                f"{_name(attempt)}: run twice after a worker crashed; the reported record counts"
            )

    def _keep_ahead(self, attempt: UnitKey, kept: Kept | None, record: Record) -> None:
        finished = entry_of(record)
        current = unavailable_entry(NEVER_REACHED) if kept is None else self._store.entry(attempt)
        if kept is None or not self._store.holds(attempt, finished):
            entry = never_reached_entry(current, [*kept_entries(current), finished])
            self._store.keep(attempt, entry, record.ground_truth)

    def _put_aside(self, record: Record) -> None:
        attempt = (record.task_id, record.attempt)
        self._issues.add(f"{_name(attempt)}: a record came, but it was not planned; kept aside, not counted")
        self._aside.put(record)

    def _write(self, path: Path, text: Callable[[], str]) -> None:
        self._guard(f"{path.name} could not be written", lambda: write_whole(path, text()))

    def _guard(self, failure: str, act: Callable[[], None]) -> None:
        """Act; whatever is wrong becomes a line in `failures`."""
        try:
            act()
        except Exception as error:  # noqa: BLE001 - one file, one run must not hide another, whatever is wrong
            self.failures.append(one_line(f"{failure}: {type(error).__name__}: {error}", 400))


def _was_not_reached(kept: Kept | None) -> bool:
    return kept is None or kept.facts.outcome is Outcome.UNAVAILABLE


def _as_read_back(description: RunDescription) -> RunDescription:
    """The description as run.json gives it back, so that a rebuild starts from the very same values."""
    return RunDescription.from_json(plain(description.to_json()))


def _name(attempt: UnitKey) -> str:
    return one_line(f"{attempt[0]} attempt {attempt[1]}", 120)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
