"""What a run directory holds of finished attempts, whether the run ended, was stopped or was killed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results.details import Entry, finished_entry, record_of
from benchmarks.results.facts import UnitKey
from benchmarks.results.files import RunFiles, RunFilesError, load_json
from benchmarks.results.planned import Planned
from benchmarks.results.reading import read_description, read_entries
from benchmarks.results.record import Outcome, Record
from benchmarks.results.run_description import RunDescription
from benchmarks.results.spool import Place, places_in


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """The best that is known of an attempt: its outcome, and the spool it lies in (``None``: its detail)."""

    outcome: Outcome
    place: Place | None


class FinishedAttempts:
    """The finished attempts of one run, each once: what was evaluated wins over what erred.

    A detail wins over a spool, which a killed session leaves unfolded; what the run had taken over from its
    own parent comes last. Attempts with differing records, and those nobody finished, are not in it.

    Args:
        run_dir: The run directory.

    Raises:
        RunFilesError: run.json or a detail is missing or broken.
    """

    def __init__(self, run_dir: Path) -> None:
        self._files = RunFiles(root=run_dir)
        self.description: RunDescription = read_description(self._files)
        self._planned = Planned(self.description)
        self._found: dict[UnitKey, _Found] = {}
        for task_id in self._task_ids():
            for unit, entry in read_entries(self._files, task_id):
                self._note_entry(unit, entry)
        for path in (*sorted(self._files.spools.glob("*.jsonl")), self._files.made_before):
            for unit, place in places_in(path):
                self._note_place(unit, place)

    def outcomes(self) -> dict[UnitKey, Outcome]:
        """What each finished attempt came to: ``{("t-1", 1): Outcome.CORRECT}``."""
        return {unit: found.outcome for unit, found in self._found.items()}

    def tries_of(self, unit: UnitKey) -> tuple[UnitKey, ...]:
        """The attempts of the unit that an attempt belongs to."""
        return self._planned.tries_of(self._planned.unit_of(unit))

    def records(self) -> Iterator[Record]:
        """All of them, one in memory at a time, task by task in plan order."""
        by_task: dict[str, list[UnitKey]] = {task_id: [] for task_id in self._task_ids()}
        for unit in sorted(self._found):
            by_task[unit[0]].append(unit)
        for task_id, units in by_task.items():
            kept = self._kept_of(task_id) if units else {}
            for unit in units:
                place = self._found[unit].place
                record = kept.get(unit) if place is None else place.read()
                if record is not None:
                    yield record

    def _task_ids(self) -> list[str]:
        return list(dict.fromkeys(task_id for task_id, _ in self._planned.attempts))

    def _note_entry(self, unit: UnitKey, entry: Entry) -> None:
        try:
            finished = finished_entry(entry)
            outcome = None if finished is None else Outcome(finished["outcome"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._no_detail(unit[0], error) from error
        if outcome is not None and unit in self._planned.attempts:
            self._found[unit] = _Found(outcome=outcome, place=None)

    def _note_place(self, unit: UnitKey, place: Place) -> None:
        known = self._found.get(unit)
        if unit not in self._planned.attempts or (known is not None and not known.outcome.is_error):
            return
        record = place.read()
        if record is None or record.outcome is Outcome.UNAVAILABLE:
            return
        if known is None or _rank(record.outcome) > _rank(known.outcome):
            self._found[unit] = _Found(outcome=record.outcome, place=place)

    def _kept_of(self, task_id: str) -> dict[UnitKey, Record]:
        """The finished records in one detail."""
        if not any(found.place is None for unit, found in self._found.items() if unit[0] == task_id):
            return {}
        detail = load_json(self._files.detail(task_id))
        try:
            return {
                unit: record_of(detail, unit[1], finished)
                for unit, entry in read_entries(self._files, task_id)
                if (finished := finished_entry(entry)) is not None
            }
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._no_detail(task_id, error) from error

    def _no_detail(self, task_id: str, error: Exception) -> RunFilesError:
        path = self._files.detail(task_id)
        return RunFilesError(f"{str(path)!r} is no detail of this version ({error!r}): restore the file")


def _rank(outcome: Outcome) -> int:
    """An answer without a judgment is worth more than none."""
    return {Outcome.RUN_ERROR: 0, Outcome.JUDGE_ERROR: 1}.get(outcome, 2)
