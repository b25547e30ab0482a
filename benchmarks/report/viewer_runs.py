"""The runs a viewer shows, read anew whenever something in them changed, also while they go on."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.results.details import Entry, detail_of, entry_of
from benchmarks.results.facts import AttemptFacts, UnitKey, facts_of
from benchmarks.results.files import METRICS_FORMAT, RunFiles, RunFilesError, load_json
from benchmarks.results.metrics import reduce_run
from benchmarks.results.reading import read_description
from benchmarks.results.run_description import RunDescription
from benchmarks.results.spool import Place, places_in

_DEPTH = 4
"""How far below a folder its runs are looked for: `results/<benchmark>/<model>/<run>/`."""

Stamp = tuple[int, int]
"""When a file was last written, and its size: another one means another content."""


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A run as its files tell it at one moment.

    `is_over` is False while it goes on, and where its session was killed; `metrics` are what its records come
    to until then. `changed_at` is the local time of the last change, ``None`` where nothing is kept yet.
    """

    description: RunDescription
    metrics: Mapping[str, Any]
    facts: tuple[AttemptFacts, ...]
    is_over: bool
    changed_at: datetime | None

    @property
    def n_done(self) -> int:
        """Number of attempts that ended."""
        return len(self.facts)

    @property
    def n_planned(self) -> int:
        """Number of attempts that may be made."""
        return len(self.description.attempts)


@dataclass(kw_only=True)
class WatchedRun:
    """One run directory. Not for several threads at once."""

    path: Path
    _stamps: dict[str, Stamp] = field(default_factory=dict[str, Stamp])
    _facts: dict[str, list[AttemptFacts]] = field(default_factory=dict[str, list[AttemptFacts]])
    _spooled: dict[UnitKey, tuple[Place, AttemptFacts]] = field(
        default_factory=dict[UnitKey, tuple[Place, AttemptFacts]]
    )
    _seen: tuple[object, ...] = ()
    _snapshot: Snapshot | None = None

    @property
    def key(self) -> str:
        """What names it in addresses: no path ever stands there."""
        return hashlib.sha256(str(self.path).encode("utf-8", "surrogateescape")).hexdigest()[:12]

    @property
    def files(self) -> RunFiles:
        """Its files."""
        return RunFiles(root=self.path)

    def snapshot(self) -> Snapshot:
        """The run as it stands now.

        Raises:
            RunFilesError: A file that must be there is missing, broken or of another version.
        """
        seen = self._state()
        if self._snapshot is None or seen != self._seen:
            try:
                self._snapshot = self._read()
            except RunFilesError:
                raise
            except Exception as error:
                raise RunFilesError(
                    f"{str(self.path)!r} cannot be shown: {type(error).__name__}: {error}; "
                    f"`python -m benchmarks summary {self.path}` may make its numbers anew"
                ) from error
            self._seen = seen
        return self._snapshot

    def detail(self, task_id: str) -> Entry | None:
        """What is kept of a planned task; ``None`` while nothing is.

        Raises:
            RunFilesError: Its detail is broken.
        """
        if self.files.detail(task_id).exists():
            return load_json(self.files.detail(task_id))
        records = [place.read() for (task, _), (place, _) in self._spooled.items() if task == task_id]
        known = [record for record in records if record is not None]
        if not known:
            return None
        entries = {str(record.attempt): entry_of(record) for record in known}
        return detail_of(task_id, known[0].category, known[0].ground_truth, entries)

    def _state(self) -> tuple[object, ...]:
        """Changes whenever a file of the run does: details are put in place by renaming."""
        files = self.files
        watched = (files.run, files.metrics, files.details, *sorted(files.spools.glob("*.jsonl")))
        return tuple(_stamp(path) for path in watched)

    def _read(self) -> Snapshot:
        description = read_description(self.files)
        facts = self._facts_now(description)
        metrics = load_json(self.files.metrics) if self.files.metrics.exists() else None
        is_over = metrics is not None
        if metrics is None or metrics.get("format") != METRICS_FORMAT:
            metrics = reduce_run(description, facts)
        stamps = [stamp for stamp in (_stamp(self.files.details), *map(_stamp, self._spools())) if stamp]
        changed_at = max((stamp[0] for stamp in stamps), default=None)
        return Snapshot(
            description=description,
            metrics=metrics,
            facts=tuple(facts),
            is_over=is_over,
            changed_at=None if changed_at is None else datetime.fromtimestamp(changed_at / 1e9).astimezone(),
        )

    def _spools(self) -> list[Path]:
        return sorted(self.files.spools.glob("*.jsonl"))

    def _facts_now(self, description: RunDescription) -> list[AttemptFacts]:
        """Facts of what is kept of planned attempts; only what changed since the last time is read."""
        planned = description.attempts
        for task_id in dict.fromkeys(task_id for task_id, _ in planned):
            self._read_detail(task_id)
        facts = {
            each.key: each for of_task in self._facts.values() for each in of_task if each.key in planned
        }
        if not self.files.metrics.exists():
            facts |= dict(self._spooled_facts(planned, facts))
        return list(facts.values())

    def _read_detail(self, task_id: str) -> None:
        path = self.files.detail(task_id)
        stamp = _stamp(path)
        if stamp is None or self._stamps.get(task_id) == stamp:
            return
        attempts = load_json(path)["attempts"]
        self._facts[task_id] = [facts_of(task_id, int(number), entry) for number, entry in attempts.items()]
        self._stamps[task_id] = stamp

    def _spooled_facts(
        self, planned: Mapping[UnitKey, str], told: Mapping[UnitKey, AttemptFacts]
    ) -> Iterator[tuple[UnitKey, AttemptFacts]]:
        """What a process finished and no report has brought yet."""
        for spool in self._spools():
            for unit, place in places_in(spool):
                if unit not in planned or unit in told:
                    continue
                known = self._spooled.get(unit)
                if known is None or known[0] != place:
                    record = place.read()
                    if record is None:
                        continue
                    known = self._spooled[unit] = place, facts_of(*unit, entry_of(record))
                yield unit, known[1]


def find_runs(paths: Iterable[Path]) -> list[Path]:
    """The run directories among `paths`, and those in the folders below them, each once, newest name last."""
    found = (run for path in paths for run in _runs_below(path.resolve(), _DEPTH))
    return list(dict.fromkeys(found))


def _runs_below(folder: Path, depth: int) -> Iterator[Path]:
    if (folder / "run.json").is_file():
        yield folder
        return
    if depth == 0:
        return
    try:
        below = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return
    for name in below:
        yield from _runs_below(folder / name, depth - 1)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
