"""The details of a run in the hands of their one writer: each written at once, small facts held in memory."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.results.details import Entry, detail_of, detail_text, kept_entries
from benchmarks.results.facts import AttemptFacts, UnitKey, facts_of
from benchmarks.results.files import RunFiles, RunFilesError, load_json, write_whole
from benchmarks.results.reading import read_entries, read_entry_facts


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """What is remembered of an attempt once its entry is written.

    `crash` is the reason when a worker's crash is all that is known of the attempt, else ``None``.
    """

    facts: AttemptFacts
    crash: str | None

    @classmethod
    def of(cls, facts: AttemptFacts, entry: Entry) -> "Kept":
        """What to remember of `entry`."""
        return cls(facts=facts, crash=entry.get("recorder", {}).get("crash"))


class DetailStore:
    """Keeps one entry for each planned unit, in its task's detail file.

    A detail that cannot be written stays in memory and is tried again; it takes no other with it.

    Args:
        files: The run directory.
        planned: Every unit with its category: ``{("t-1", 1): "2"}``.
        tell_failure: Gets one line for each file that could not be written or read.
    """

    def __init__(
        self, files: RunFiles, planned: Mapping[UnitKey, str], *, tell_failure: Callable[[str], None]
    ) -> None:
        self._files = files
        self._planned = planned
        self._tell_failure = tell_failure
        self._kept: defaultdict[str, dict[int, Kept]] = defaultdict(dict)
        self._unwritten: dict[str, dict[str, Any]] = {}

    def kept(self, unit: UnitKey) -> Kept | None:
        """What is remembered of a unit, ``None`` when nothing came for it yet."""
        return self._kept[unit[0]].get(unit[1]) if unit[0] in self._kept else None

    def entry(self, unit: UnitKey) -> Entry:
        """The entry that is kept of a unit; empty when its file cannot be read any more."""
        stored: Entry = self._stored(unit[0]).get("attempts", {}).get(str(unit[1]), {})
        return stored

    def holds(self, unit: UnitKey, entry: Entry) -> bool:
        """Whether just this entry is kept of a unit, by itself or inside another."""
        current = self.entry(unit)
        return entry in [current, *kept_entries(current)]

    def keep(self, unit: UnitKey, entry: Entry, ground_truth: str | None) -> None:
        """Write `entry` into its task's detail, in place of an older one of the same attempt.

        `ground_truth` is ``None`` where no record brought it; one that is known stays.
        """
        task_id, attempt = unit
        stored = self._stored(task_id) if self._kept[task_id] else {}
        attempts = {**stored.get("attempts", {}), str(attempt): entry}
        truth = stored.get("ground_truth") if ground_truth is None else ground_truth
        self._kept[task_id][attempt] = Kept.of(facts_of(task_id, attempt, entry), entry)
        self._unwritten[task_id] = detail_of(task_id, self._planned[unit], truth, attempts)
        self._write(task_id, last_try=False)

    def write_the_rest(self) -> None:
        """Try again what could not be written; what still fails is told."""
        for task_id in list(self._unwritten):
            self._write(task_id, last_try=True)

    def load(self) -> None:
        """Remember what the files hold of planned units, e.g. after the writer was killed.

        Raises:
            RunFilesError: A detail is broken.
        """
        for task_id in dict.fromkeys(task_id for task_id, _ in self._planned):
            self._kept[task_id] = self._on_disk(task_id)

    def facts(self) -> Iterator[AttemptFacts]:
        """The facts of all units as the files tell them: a detail that was not written does not count."""
        for task_id, attempts in self._kept.items():
            try:
                written = self._on_disk(task_id) if task_id in self._unwritten else attempts
            except RunFilesError as error:
                self._tell_failure(str(error))
                continue
            yield from (kept.facts for kept in written.values())

    def _on_disk(self, task_id: str) -> dict[int, Kept]:
        return {
            unit[1]: Kept.of(read_entry_facts(self._files, unit, entry), entry)
            for unit, entry in read_entries(self._files, task_id)
            if unit in self._planned
        }

    def _stored(self, task_id: str) -> dict[str, Any]:
        if task_id in self._unwritten:
            return self._unwritten[task_id]
        try:
            return load_json(self._files.detail(task_id))
        except RunFilesError as error:
            self._tell_failure(str(error))
            return {}

    def _write(self, task_id: str, *, last_try: bool) -> None:
        path = self._files.detail(task_id)
        try:
            write_whole(path, detail_text(self._unwritten[task_id]))
        except OSError as error:
            if last_try:
                self._tell_failure(f"details/{path.name} could not be written: {error.strerror}")
        else:
            del self._unwritten[task_id]
