"""What a run directory holds of finished attempts, whether the run ended, was stopped or was killed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.results.details import Entry, finished_entry, record_of
from benchmarks.results.facts import UnitKey
from benchmarks.results.files import RunFiles, RunFilesError, load_json
from benchmarks.results.planned import Planned
from benchmarks.results.reading import read_description, read_entries
from benchmarks.results.record import Outcome, Record
from benchmarks.results.run_description import RunDescription
from benchmarks.results.spool import Place, places_in

NOT_JUDGED = "not judged: the session ended before"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """The best that is known of an attempt: its outcome, and the spool it lies in (``None``: its detail).

    `is_to_be_judged`: what its record says of a verdict was to be judged again, and was not.
    """

    outcome: Outcome
    place: Place | None
    is_to_be_judged: bool = False

    def record(self) -> Record | None:
        """The record that lies in the spool; ``None`` where that was taken away."""
        record = None if self.place is None else self.place.read()
        if record is None or not self.is_to_be_judged or record.outcome is Outcome.RUN_ERROR:
            return record
        return replace(record, outcome=self.outcome, cause=NOT_JUDGED, primary=None, scoring={})


class FinishedAttempts:
    """The finished attempts of one run, each once: what was evaluated wins over what erred.

    A detail wins over a spool, which a killed session leaves unfolded; what the run had taken over from its
    own parent comes last, and what it had only to judge is an answer without a judgment. Attempts with
    differing records, and those nobody finished, are not in it.

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
        self._differing: set[UnitKey] = set()
        try:
            self._look()
        except OSError as error:
            line = (
                f"{str(run_dir)!r} cannot be read: {error.strerror}; it has to be readable with its details"
            )
            raise RunFilesError(line) from error

    def _look(self) -> None:
        if not self._files.details.is_dir():
            raise RunFilesError(f"{str(self._files.details)!r} is missing: what was finished is kept in it")
        next(self._files.details.iterdir(), None)  # one that may not be read holds nothing for `glob`
        for task_id in self._task_ids():
            for unit, entry in read_entries(self._files, task_id):
                self._note_entry(unit, entry)
        for path in (*sorted(self._files.spools.glob("*.jsonl")), self._files.made_before):
            for unit, place in places_in(path):
                self._note_place(unit, place)
        for unit, place in places_in(self._files.to_judge):
            self._note_place(unit, place, is_to_be_judged=True)

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
                found = self._found[unit]
                record = kept.get(unit) if found.place is None else found.record()
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
        if "differing" in entry.get("recorder", {}):
            self._differing.add(unit)
        if outcome is not None and unit in self._planned.attempts:
            self._found[unit] = _Found(outcome=outcome, place=None)

    def _note_place(self, unit: UnitKey, place: Place, *, is_to_be_judged: bool = False) -> None:
        known = self._found.get(unit)
        if (
            unit in self._differing
            or unit not in self._planned.attempts
            or (known is not None and not known.outcome.is_error)
        ):
            return
        record = place.read()
        if record is None or record.outcome is Outcome.UNAVAILABLE:
            return
        outcome = record.outcome
        if is_to_be_judged and outcome is not Outcome.RUN_ERROR:
            outcome = Outcome.JUDGE_ERROR
        if known is None or _rank(outcome) > _rank(known.outcome):
            self._found[unit] = _Found(outcome=outcome, place=place, is_to_be_judged=is_to_be_judged)

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
