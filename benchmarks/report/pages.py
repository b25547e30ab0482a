"""Trajectory pages: what is kept of a task, to be read in a browser. Private: they lie under details/."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from benchmarks.plan import read_plan
from benchmarks.report.rendering import render
from benchmarks.report.trajectory import Reading, reading_of
from benchmarks.results.files import RunFiles, write_whole
from benchmarks.results.run_description import RunDescription


@dataclass(frozen=True, kw_only=True)
class TaskReading:
    """What is kept of one task, ready to be read. `truth` is ``None`` where it is not known.

    `place` says where it stands in the plan: "12 of 103".
    """

    task_id: str
    category: str
    question: str
    truth: str | None
    attempts: tuple[Reading, ...]
    place: str


@dataclass(frozen=True, kw_only=True)
class Way:
    """Where a page leads: names and addresses, e.g. ``(("next task", "t-2.html"),)``."""

    links: tuple[tuple[str, str], ...]


def page_path(files: RunFiles, task_id: str) -> Path:
    """The trajectory page of a task."""
    return files.details / f"{task_id}.html"


def address_of(page: Path, *, seen_from: Path) -> str:
    """The link from a file in the folder `seen_from` to `page`, relative where it can be."""
    try:
        relative = os.path.relpath(page, seen_from)
    except ValueError:  # another drive, on Windows
        return page.absolute().as_uri()
    return quote(Path(relative).as_posix())


def questions_of(files: RunFiles) -> dict[str, str]:
    """The question of each selected task, by its id; empty where the task file is gone."""
    try:
        return {task.task_id: task.question for task in read_plan(files.plan)}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def task_reading(
    detail: Mapping[str, Any] | None, task_id: str, *, category: str, question: str, place: str
) -> TaskReading:
    """What is kept of a task, ready to be read.

    Args:
        detail: The content of its detail; ``None`` while nothing is kept.
        task_id: The task.
        category: Its level or topic.
        question: "" where it is not known.
        place: Where it stands in the plan.
    """
    kept: Mapping[str, Any] = detail or {}
    attempts = sorted((int(number), entry) for number, entry in kept.get("attempts", {}).items())
    return TaskReading(
        task_id=task_id,
        category=category,
        question=question,
        truth=kept.get("ground_truth"),
        attempts=tuple(reading_of(number, entry) for number, entry in attempts),
        place=place,
    )


def page(reading: TaskReading, description: RunDescription, way: Way) -> Markup:
    """The whole page, with its style in it and no script at all."""
    return render("trajectory.html.jinja", task=reading, run=description, way=way.links, is_static=True)


class PageWriter:
    """Writes the pages of a run beside its details.

    Args:
        files: The run directory, its details written.
        description: The run.
        report: The report that links to the pages.
    """

    def __init__(self, files: RunFiles, description: RunDescription, *, report: Path) -> None:
        self._files = files
        self._description = description
        self._questions = questions_of(files)
        self._categories = {task_id: category for task_id, _, category in description.planned}
        self._task_ids = list(self._categories)
        self._places = {task_id: n for n, task_id in enumerate(self._task_ids)}
        self._report = address_of(report, seen_from=files.details)

    def write(self, task_id: str, detail: Mapping[str, Any]) -> Path | None:
        """Write the page of a task from its detail; its path, ``None`` where that cannot be done."""
        place = self._places[task_id]
        reading = task_reading(
            detail,
            task_id,
            category=self._categories[task_id],
            question=self._questions.get(task_id, ""),
            place=f"{place + 1} of {len(self._task_ids)}",
        )
        path = page_path(self._files, task_id)
        try:
            write_whole(path, page(reading, self._description, Way(links=tuple(self._links(place)))))
        except OSError:
            return None
        return path

    def _links(self, place: int) -> Iterator[tuple[str, str]]:
        yield "report", self._report
        if place:
            yield from self._link("previous", self._task_ids[place - 1])
        if place + 1 < len(self._task_ids):
            yield from self._link("next", self._task_ids[place + 1])
        yield "this record as JSON", f"{self._task_ids[place]}.json"

    def _link(self, name: str, task_id: str) -> Iterator[tuple[str, str]]:
        yield f"{name}: {task_id}", f"{task_id}.html"
