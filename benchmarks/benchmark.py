"""The protocol of the top floor: what a benchmark brings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    `partial` are the reasons why `tasks` is a part of the set, e.g. ``("category 1",)``. `settings` are the
    parameters that decide the tasks beside subset and revision, as public plain values, e.g.
    ``{"longseal_document_count": 12, "longseal_seed": 0}``: runs in which they differ do not compare.
    """

    tasks: tuple[Task, ...]
    name: str
    subset: str
    source: str
    revision: str | None = None
    warnings: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Benchmark(Protocol):
    """One set of tasks and how they are asked. `PlainBenchmark` has what most of them say to the rest.

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
        """The id of the harness that asks where the user named none, e.g. "naive_search_agent".

        The page of all keys asks too: there, a parameter without a default is ``None``.
        """
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

    def answer_format(self, params: Any) -> str:
        """What the prompt asks of the form of the answer, in one public word; "none" where it asks nothing.

        Example: "gaia" where it asks for a `FINAL ANSWER:` line. Runs in which it differs do not compare.
        """
        ...

    def is_scored(self, params: Any) -> bool:
        """Whether there are ground truths to judge by: no gate can be held against tasks without."""
        ...


class PlainBenchmark:
    """What a benchmark says that makes no demands: build on it, and write only what is different.

    Its categories make one run, the search agent asks unless another harness is named, every harness may,
    and the judge finds the answer in the text, since nothing is asked of its form.
    """

    pools_categories: ClassVar[bool] = True

    def category_name(self, value: Any) -> Any:
        """A category as it was written."""
        return value

    def default_harness(self, params: Any) -> str:  # noqa: ARG002  # the protocol's signature
        """The harness with search."""
        return "naive_search_agent"

    def harness_fault(self, params: Any, *, searches: bool) -> str | None:  # noqa: ARG002  # as above
        """None: every harness may ask."""
        return None

    def judges_whole_text(self, params: Any) -> bool:  # noqa: ARG002  # as above
        """True: no line marks the answer, so the judge finds it in the text."""
        return True

    def answer_format(self, params: Any) -> str:  # noqa: ARG002  # as above
        """Nothing is asked of its form."""
        return "none"

    def is_scored(self, params: Any) -> bool:  # noqa: ARG002  # as above
        """Every task has its ground truth."""
        return True
