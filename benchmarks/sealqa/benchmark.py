"""SealQA as the house sees it: its name, its parameters, its tasks and its prompt."""

from collections.abc import Mapping
from typing import Any, ClassVar

from benchmarks.benchmark import Dataset, PlainBenchmark
from benchmarks.params import BenchmarkParams
from benchmarks.sealqa import longseal, source
from benchmarks.sealqa.dataset import absent_columns, n_without_documents, tasks_from
from benchmarks.sealqa.params import Category, SealQAParams
from benchmarks.sources.rows import Rows
from benchmarks.task import Task
from harnesses.downloads import Tell

_PUBLISHED: Mapping[Category, int] = {"seal_0": 111, "seal_hard": 254, "longseal": 254}
"""Tasks of each category at the pinned revision."""


class SealQA(PlainBenchmark):
    """Questions on which search results conflict, are noisy or do not help (arXiv 2506.01062)."""

    name: ClassVar[str] = "sealqa"
    params_type: ClassVar[type[BenchmarkParams]] = SealQAParams
    breakdown: ClassVar[str] = "topic"
    scorers: ClassVar[tuple[str, ...]] = ("contains",)
    pools_categories: ClassVar[bool] = False

    def load(self, params: SealQAParams, *, tell: Tell) -> Dataset:
        """The tasks of the chosen category.

        Raises:
            DatasetError: They cannot be had, or are broken.
        """
        rows = source.read(params, tell=tell)
        tasks = tasks_from(rows, params)
        return Dataset(
            tasks=tasks,
            name="SealQA",
            subset=params.category if params.dataset_path is None else f"local {params.category}",
            source=rows.source,
            revision=rows.revision,
            warnings=(*rows.warnings, *_warnings(params.category, tasks, rows)),
            settings=_settings(params),
        )

    def category_name(self, value: Any) -> Any:
        """A category as `SealQAParams` spells it: "SEAL-0" is "seal_0", "LongSeal" is "longseal".

        Whatever is no category is given back as it is, for validation to refuse.
        """
        if not isinstance(value, str):
            return value
        spelt = value.strip().lower().replace("-", "_")
        spelt = "longseal" if spelt == "long_seal" else spelt
        return spelt if spelt in _PUBLISHED else value

    def default_harness(self, params: SealQAParams) -> str:
        """One completion for `longseal`, whose prompt holds its documents; else the harness with search."""
        return "openai_chat" if params.category == "longseal" else "naive_search_agent"

    def harness_fault(self, params: SealQAParams, *, searches: bool) -> str | None:
        """`longseal` refuses a harness with search unless `allow_search` is set."""
        if params.category != "longseal" or not searches or params.allow_search:
            return None
        return (
            "category 'longseal' measures what a model makes of the documents in its prompt, so a harness "
            "that searches is refused; choose harness 'openai_chat', or set allow_search to true"
        )

    def prompt_text(self, task: Task, params: SealQAParams) -> str:
        """The question; for `longseal` after its documents, which are read from the cache here.

        Raises:
            DatasetError: The documents are no longer in the cache.
        """
        if params.category != "longseal":
            return task.question
        return longseal.prompt_text(task, seed=params.longseal_seed)


def _settings(params: SealQAParams) -> Mapping[str, Any]:
    """What decides a `longseal` prompt; elsewhere the question stands alone."""
    if params.category != "longseal":
        return {}
    names = ("longseal_document_count", "longseal_seed")
    return {name: getattr(params, name) for name in names}


def _warnings(category: Category, tasks: tuple[Task, ...], rows: Rows) -> tuple[str, ...]:
    """Lines about what is not as published: another number of tasks, columns or documents that lack."""
    lines: list[str] = []
    if rows.is_pinned and len(tasks) != _PUBLISHED[category]:
        lines.append(f"{len(tasks)} tasks, not {_PUBLISHED[category]} as published for {category}")
    absent = absent_columns(rows)
    if absent:
        lines.append(f"no row has the columns {', '.join(absent)}; what they tell of a task is unknown")
    n_bare = n_without_documents(tasks)
    if n_bare:
        lines.append(f"{n_bare} tasks have no document: their prompt is the question alone")
    return tuple(lines)
