"""GAIA as the house sees it: its name, its parameters, its tasks and its prompt."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from benchmarks.benchmark import Dataset, PlainBenchmark
from benchmarks.gaia.dataset import LEVELS, n_named_attachments, tasks_from
from benchmarks.gaia.params import GaiaParams, Subset
from benchmarks.gaia.prompt import prompt_text
from benchmarks.gaia.sources import archive, hub, local
from benchmarks.params import BenchmarkParams
from benchmarks.selection import keep_categories
from benchmarks.sources.rows import Rows
from benchmarks.task import Task
from harnesses.downloads import Tell

_PUBLISHED: Mapping[Subset, tuple[int, int, int]] = {
    "text-103": (39, 52, 12),
    "validation": (53, 86, 26),
}
"""Tasks of level 1, 2 and 3. Which GAIA a number stands for is half of its meaning."""
_N_TEST_TASKS = 301


class Gaia(PlainBenchmark):
    """General questions whose answers are short: a number, a phrase or a list (arXiv 2311.12983)."""

    name: ClassVar[str] = "gaia"
    params_type: ClassVar[type[BenchmarkParams]] = GaiaParams
    breakdown: ClassVar[str] = "level"
    scorers: ClassVar[tuple[str, ...]] = ("gaia_official", "contains")

    def load(self, params: GaiaParams, *, tell: Tell) -> Dataset:
        """The tasks of the chosen subset and levels.

        Raises:
            DatasetError: They cannot be had, or are broken, or no task has such a level.
        """
        rows = _rows(params, tell)
        tasks = tasks_from(rows, is_scored=self.is_scored(params), text_only=params.subset == "text")
        origin = {"dataset_subset": _subset(params), "dataset_revision": rows.revision}
        tasks = tuple(replace(task, metadata={**task.metadata, **origin}) for task in tasks)
        kept = keep_categories(tasks, params.category)
        return Dataset(
            tasks=kept,
            name="GAIA",
            subset=_subset(params),
            source=rows.source,
            revision=rows.revision,
            warnings=(*rows.warnings, *_count_warnings(params.subset, tasks, rows)),
            partial=(_category_reason(kept),) if len(kept) < len(tasks) else (),
        )

    def prompt_text(self, task: Task, params: GaiaParams) -> str:
        """The question, with its attachments named and, under `answer_format: gaia`, the answer rules."""
        return prompt_text(task, params.resolved_answer_format())

    def judges_whole_text(self, params: GaiaParams) -> bool:
        """True under `answer_format: none`: without a marked line the judge finds the answer in the text."""
        return self.answer_format(params) == "none"

    def answer_format(self, params: GaiaParams) -> str:
        """The param of that name, "auto" decided."""
        return params.resolved_answer_format()

    def is_scored(self, params: GaiaParams) -> bool:
        """Not the subset `test`, whose ground truths are withheld."""
        return params.subset != "test"


def _rows(params: GaiaParams, tell: Tell) -> Rows:
    if params.dataset_path is not None:
        return local.read(params.dataset_path, params.subset, tell=tell)
    if params.subset == "text-103":
        return archive.read(params.archive_url, params.archive_sha256, tell=tell)
    return hub.read(params.dataset_revision, params.subset, tell=tell)


def _subset(params: GaiaParams) -> str:
    if params.dataset_path is None:
        return params.subset
    return f"local {params.subset}" if params.subset in {"text", "test"} else "local"


def _category_reason(tasks: Sequence[Task]) -> str:
    return f"category {', '.join(sorted({task.category for task in tasks}))}"


def _count_warnings(subset: Subset, tasks: Sequence[Task], rows: Rows) -> tuple[str, ...]:
    """Lines about what is not as published: another number of tasks, attachments that are not shipped."""
    lines: list[str] = []
    sizes = Counter(task.category for task in tasks)
    found = tuple(sizes[level] for level in LEVELS)
    if rows.is_pinned and found != _PUBLISHED.get(subset, found):
        published = _PUBLISHED[subset]
        lines.append(f"{_counted(found)}, not {_counted(published)} as published for {subset}")
    if rows.is_pinned and subset == "test" and len(tasks) != _N_TEST_TASKS:
        lines.append(f"{len(tasks)} tasks, not {_N_TEST_TASKS} as published for test")
    n_without_file = n_named_attachments(rows) if rows.folder is None else 0
    if n_without_file:
        lines.append(f"{n_without_file} tasks name an attachment that the {rows.source} does not ship")
    return tuple(lines)


def _counted(sizes: Sequence[int]) -> str:
    return f"{sum(sizes)} tasks ({'/'.join(map(str, sizes))} by level)"
