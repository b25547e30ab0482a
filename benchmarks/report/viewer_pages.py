"""The pages of the viewer: from an address to HTML. No part of an address ever becomes a path."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup

from benchmarks.report.overview import name_of, overview, overview_of
from benchmarks.report.pages import TaskReading, questions_of, task_reading
from benchmarks.report.rendering import render
from benchmarks.report.unit_rows import unit_rows
from benchmarks.report.viewer_runs import Snapshot, WatchedRun, find_runs
from benchmarks.results.comparing.comparison import Comparison, ComparisonError, compare
from benchmarks.results.comparing.sentences import sentence
from benchmarks.results.files import RunFilesError

_ALPHA = 0.05


class NotThereError(Exception):
    """No page lies at this address."""


@dataclass(frozen=True, kw_only=True)
class _Side:
    """One of two runs on a page."""

    label: str
    run: WatchedRun
    now: Snapshot

    @property
    def address(self) -> str:
        return f"/run/{self.run.key}"

    @property
    def name(self) -> str:
        return f"{name_of(self.now.metrics)}, {self.now.description.run}"


class ViewerPages:
    """Makes each page from the files as they are at that moment. Not for several threads at once.

    Args:
        paths: Run directories, and folders with runs below them; these are looked through for every list.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._runs: dict[str, WatchedRun] = {}

    def page(self, path: str, query: Mapping[str, str]) -> Markup:
        """The page at an address.

        Args:
            path: Without the query, percent signs decoded: "/run/0f3a…/t-1".
            query: ``{"base": "0f3a…", "new": "77c0…"}``.

        Raises:
            NotThereError: There is none.
            RunFilesError: A file of a run is missing or broken.
        """
        match path.strip("/").split("/"):
            case [""]:
                return self._list()
            case ["run", key]:
                return self._run(self._known(key), query.get("outcome"))
            case ["run", key, task_id]:
                return self._task(self._known(key), task_id)
            case ["compare"]:
                return self._compare(*self._sides(query), anyway="anyway" in query)
            case ["compare", task_id]:
                return self._compare_task(*self._sides(query), task_id)
            case _:
                raise NotThereError(path)

    def _known(self, key: str | None) -> WatchedRun:
        if key not in self._runs:
            self._look()
        if key is None or key not in self._runs:
            raise NotThereError(f"no run {key!r}")
        return self._runs[key]

    def _look(self) -> None:
        for path in find_runs(self._paths):
            run = WatchedRun(path=path)
            self._runs.setdefault(run.key, run)

    def _sides(self, query: Mapping[str, str]) -> tuple[_Side, _Side]:
        base, new = self._known(query.get("base")), self._known(query.get("new"))
        return (
            _Side(label="BASE", run=base, now=base.snapshot()),
            _Side(label="NEW", run=new, now=new.snapshot()),
        )

    def _list(self) -> Markup:
        self._look()
        listed: list[dict[str, Any]] = []
        for run in self._runs.values():
            try:
                now = run.snapshot()
            except RunFilesError as error:
                listed.append({"run": run, "trouble": str(error)})
            else:
                listed.append({"run": run, "now": now, "told": overview_of(_so_far(now)), "trouble": None})
        # Newest first, broken ones last; those of one session in the order of their paths.
        listed.sort(key=lambda each: _started_at(each.get("now")), reverse=True)
        return render("runs.html.jinja", runs=listed, is_static=False)

    def _run(self, run: WatchedRun, outcome: str | None) -> Markup:
        now = run.snapshot()
        done = {facts.key for facts in now.facts}
        rows = [
            (key, row, now.is_over or any((key[0], row.decided_by) == known for known in done))
            for key, row in unit_rows(now.description, now.facts)
        ]
        counts = {word: sum(row.outcome == word for _, row, _ in rows) for word in now.metrics["outcomes"]}
        shown = [(key, row, is_known) for key, row, is_known in rows if outcome in {None, "", row.outcome}]
        return render(
            "run.html.jinja",
            run=run,
            now=now,
            overview=overview(_so_far(now), anchor="run", heading=True),
            rows=shown,
            n_rows=len(rows),
            counts={word: n for word, n in counts.items() if n},
            chosen=outcome or "",
            is_static=False,
        )

    def _task(self, run: WatchedRun, task_id: str) -> Markup:
        now = run.snapshot()
        reading = self._reading(run, now, task_id)
        ids = list(dict.fromkeys(task for task, _, _ in now.description.planned))
        place = ids.index(task_id)
        way = [("runs", "/", ""), ("run", f"/run/{run.key}", "up")]
        way += (
            [(f"previous: {ids[place - 1]}", f"/run/{run.key}/{quote(ids[place - 1])}", "prev")]
            if place
            else []
        )
        if place + 1 < len(ids):
            way.append((f"next: {ids[place + 1]}", f"/run/{run.key}/{quote(ids[place + 1])}", "next"))
        return render(
            "task.html.jinja",
            task=reading,
            run=now.description,
            way=way,
            is_live=not now.is_over and not reading.attempts,
            is_static=False,
        )

    def _reading(self, run: WatchedRun, now: Snapshot, task_id: str) -> TaskReading:
        categories = {task: category for task, _, category in now.description.planned}
        if task_id not in categories:
            raise NotThereError(f"no task {task_id!r}")
        return task_reading(
            run.detail(task_id),
            task_id,
            category=categories[task_id],
            question=questions_of(run.files).get(task_id, ""),
            place=f"{list(categories).index(task_id) + 1} of {len(categories)}",
        )

    def _compare(self, base: _Side, new: _Side, *, anyway: bool) -> Markup:
        def both(task_id: str) -> str:
            return _address(f"/compare/{quote(task_id)}", base, new)

        found, trouble = None, None
        try:
            found = compare(base.now.metrics, [new.now.metrics], alpha=_ALPHA, override=anyway).each[0]
        except ComparisonError as error:
            trouble = str(error)
        return render(
            "compare.html.jinja",
            sides=(base, new),
            overviews=[overview(_so_far(side.now), anchor=side.label, heading=True) for side in (base, new)],
            found=found,
            told=trouble if found is None else f"{sentence(found)}.",
            flips=[] if found is None else list(_flips(found)),
            both=both,
            swapped=_address("/compare", new, base),
            anyway=f"{_address('/compare', base, new)}&anyway=1",
            is_live=not (base.now.is_over and new.now.is_over),
            is_static=False,
        )

    def _compare_task(self, base: _Side, new: _Side, task_id: str) -> Markup:
        readings: list[TaskReading | None] = []
        for side in (base, new):
            try:
                readings.append(self._reading(side.run, side.now, task_id))
            except NotThereError:
                readings.append(None)
        if not any(readings):
            raise NotThereError(f"no task {task_id!r}")
        return render(
            "compare_task.html.jinja",
            task_id=task_id,
            sides=list(zip((base, new), readings, strict=True)),
            back=_address("/compare", base, new),
            is_static=False,
        )


def _started_at(now: Snapshot | None) -> str:
    return "" if now is None else str(now.description.volatile.get("started_at") or "")


def _so_far(now: Snapshot) -> Mapping[str, Any]:
    """The metrics of a run; where it goes on, with a line in place of a gate that is not decided yet."""
    if now.is_over:
        return now.metrics
    line = (
        f"Going on: {now.n_done} of {now.n_planned} attempts ended. "
        "What is not made yet counts as unavailable; the gate is decided at the end."
    )
    gate = now.metrics["gate"]
    status = "none" if gate["status"] == "none" else "not_decided_yet"
    return {**now.metrics, "gate": {**gate, "status": status, "sentence": line}}


def _address(path: str, base: _Side, new: _Side) -> str:
    return f"{path}?{urlencode({'base': base.run.key, 'new': new.run.key})}"


def _flips(found: Comparison) -> Iterator[tuple[str, tuple[str, ...]]]:
    if found.evidence is None:
        return
    pairs = found.evidence.all_tasks.pairs
    lists: tuple[tuple[str, Callable[[], tuple[str, ...]]], ...] = (
        ("Regressed", lambda: pairs.regressed),
        ("Improved", lambda: pairs.improved),
    )
    for name, task_ids in lists:
        yield name, task_ids()
    moved = {*pairs.regressed, *pairs.improved}
    yield "Same in both", tuple(pair.task_id for pair in pairs.each if pair.task_id not in moved)
