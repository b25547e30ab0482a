"""The protocol of the top floor: what a benchmark brings."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from benchmarks.params import BenchmarkParams
from benchmarks.task import Task
from harnesses.downloads import Tell


class DatasetError(Exception):
    """The tasks cannot be had or are broken: one line with the value, the rule and the remedy."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Loaded tasks and where they came from.

    `source` is one public word or path, e.g. "hub", "archive" or the file's name; `revision` is the Hub
    revision or the file's SHA-256, ``None`` if neither is known. `warnings` are public lines for the summary.
    `partial` are the reasons why `tasks` is a part of the set, e.g. ``("category 1",)``.
    """

    tasks: tuple[Task, ...]
    name: str
    subset: str
    source: str
    revision: str | None = None
    warnings: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()


class Benchmark(Protocol):
    """One set of tasks and how they are asked.

    `name` is the folder under `benchmarks/` and the key in the configuration; `breakdown` is the word for a
    task's category in tables, e.g. "level"; `scorers` are the judges without a model that always run beside
    the primary one, at least one. `pools_categories` says what a list of categories means: one run over all
    of them (True), or a run of its own for each (False); `category` in `params_type` is then one value with a
    default, and its type names every category there is.
    """

    name: ClassVar[str]
    params_type: ClassVar[type[BenchmarkParams]]
    breakdown: ClassVar[str]
    scorers: ClassVar[tuple[str, ...]]
    pools_categories: ClassVar[bool]

    def load(self, params: Any, *, tell: Tell) -> Dataset:
        """All tasks of the dataset, before `sample_ids` and `limit`, after `category`.

        Args:
            params: An instance of `params_type`.
            tell: Shows one line of progress to the user.

        Raises:
            DatasetError: The tasks cannot be had, or are broken.
        """
        ...

    def category_name(self, value: Any) -> Any:
        """The canonical spelling of a category as a user may write it; what is none comes back unchanged.

        Only asked where categories are not pooled; a benchmark that pools them gives back `value`.
        Example: ``category_name("LongSeal") == "longseal"``.
        """
        ...

    def default_harness(self, params: Any) -> str:
        """The id of the harness that asks where the user named none, e.g. "naive_search_agent"."""
        ...

    def harness_fault(self, params: Any, *, searches: bool) -> str | None:
        """Why a harness may not ask these tasks: the rule and the remedy in one line; ``None`` if it may.

        Args:
            params: An instance of `params_type`.
            searches: Whether the harness brings a search of its own.
        """
        ...

    def prompt_text(self, task: Task, params: Any) -> str:
        """The whole text that is asked."""
        ...

    def judges_whole_text(self, params: Any) -> bool:
        """Whether a model judge gets the whole final message without thinking instead of the read answer."""
        ...
