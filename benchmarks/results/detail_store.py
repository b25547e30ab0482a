"""The details of a run in the hands of their one writer: each written at once, small facts held in memory."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.results.details import Entry, detail_of, detail_text, kept_entries
from benchmarks.results.facts import AttemptFacts, UnitKey, facts_of
from benchmarks.results.files import RunFiles, RunFilesError, load_json, write_whole
from benchmarks.results.reading import read_entries, read_entry_facts
from benchmarks.results.record import Outcome


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
    """Keeps one entry for each attempt that came to something, in its task's detail file.

    A detail that cannot be written stays in memory and is tried again; it takes no other with it.

    Args:
        files: The run directory.
        planned: Every attempt that may have an entry, with its category: ``{("t-1", 1): "2"}``.
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

    def kept(self, attempt: UnitKey) -> Kept | None:
        """What is remembered of an attempt, ``None`` when nothing came for it yet."""
        return self._kept[attempt[0]].get(attempt[1]) if attempt[0] in self._kept else None

    def entry(self, attempt: UnitKey) -> Entry:
        """The entry that is kept of an attempt; empty when its file cannot be read any more."""
        stored: Entry = self._stored(attempt[0]).get("attempts", {}).get(str(attempt[1]), {})
        return stored

    def holds(self, attempt: UnitKey, entry: Entry) -> bool:
        """Whether just this entry is kept of an attempt, by itself or inside another."""
        current = self.entry(attempt)
        return entry in [current, *kept_entries(current)]

    def has_success(self, attempts: Iterable[UnitKey]) -> bool:
        """Whether one of these attempts is correct."""
        return Outcome.CORRECT in self._outcomes(attempts)

    def has_ended(self, tries: Sequence[UnitKey]) -> bool:
        """Whether the unit with these tries came to its own end: a success, an error, or all of them made."""
        outcomes = self._outcomes(tries)
        if Outcome.CORRECT in outcomes:
            return True
        if Outcome.UNAVAILABLE in outcomes:
            return False
        return len(outcomes) == len(tries) or any(outcome.is_error for outcome in outcomes)

    def keep(self, attempt: UnitKey, entry: Entry, ground_truth: str | None) -> None:
        """Write `entry` into its task's detail, in place of an older one of the same attempt.

        `ground_truth` is ``None`` where no record brought it; one that is known stays.
        """
        task_id, number = attempt
        stored = self._stored(task_id) if self._kept[task_id] else {}
        attempts = {**stored.get("attempts", {}), str(number): entry}
        truth = stored.get("ground_truth") if ground_truth is None else ground_truth
        self._kept[task_id][number] = Kept.of(facts_of(task_id, number, entry), entry)
        self._unwritten[task_id] = detail_of(task_id, self._planned[attempt], truth, attempts)
        self._write(task_id, last_try=False)

    def write_the_rest(self) -> None:
        """Try again what could not be written; what still fails is told."""
        for task_id in list(self._unwritten):
            self._write(task_id, last_try=True)

    def load(self) -> None:
        """Remember what the files hold of planned attempts, e.g. after the writer was killed.

        Raises:
            RunFilesError: A detail is broken.
        """
        for task_id in dict.fromkeys(task_id for task_id, _ in self._planned):
            self._kept[task_id] = self._on_disk(task_id)

    def facts(self) -> Iterator[AttemptFacts]:
        """The facts of all attempts as the files tell them: a detail that was not written does not count."""
        for task_id, attempts in self._kept.items():
            try:
                written = self._on_disk(task_id) if task_id in self._unwritten else attempts
            except RunFilesError as error:
                self._tell_failure(str(error))
                continue
            yield from (kept.facts for kept in written.values())

    def _outcomes(self, attempts: Iterable[UnitKey]) -> list[Outcome]:
        """The outcomes that are known of these attempts."""
        return [kept.facts.outcome for attempt in attempts if (kept := self.kept(attempt)) is not None]

    def _on_disk(self, task_id: str) -> dict[int, Kept]:
        return {
            attempt[1]: Kept.of(read_entry_facts(self._files, attempt, entry), entry)
            for attempt, entry in read_entries(self._files, task_id)
            if attempt in self._planned
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
