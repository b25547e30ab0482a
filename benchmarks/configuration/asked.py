"""Which runs are asked for: one for each benchmark, or one for each category where they are not pooled."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from benchmarks.benchmark import Benchmark
from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.categories import spelled
from benchmarks.configuration.checks import Checks
from benchmarks.configuration.layers import merged_benchmark
from benchmarks.configuration.model import key_of
from benchmarks.configuration.problem import KeyPath
from benchmarks.configuration.validation import shown
from harnesses.endpoint.json_values import is_list


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One run that is asked for, before its parameters are checked.

    `category` is ``None`` where the benchmark pools its categories; it may be none that there is.
    `wanted` is the same as the value it was, whatever its type: it is still to be checked.
    """

    name: str
    category: str | None = None
    wanted: Any = None
    is_one_of_several: bool = False

    @property
    def key(self) -> str:
        """What names the run within the session."""
        return key_of(self.name, self.category)

    @property
    def run_suffix(self) -> str:
        """What the name of the run's directory ends with."""
        return f"-{self.category}" if self.is_one_of_several else ""

    @property
    def at(self) -> KeyPath:
        """Where the most particular settings of this run are written."""
        own: KeyPath = ("benchmarks", self.name)
        return own if self.category is None else (*own, "by_category", self.category)


def asked_runs(names: Iterable[str], checks: Checks) -> list[Asked]:
    """The runs of those `names` that are benchmarks, in their order."""
    return [asked for name in names if name in BENCHMARKS for asked in _runs_of(name, checks)]


def _runs_of(name: str, checks: Checks) -> Iterator[Asked]:
    benchmark = BENCHMARKS[name]
    if benchmark.pools_categories:
        yield Asked(name=name)
        return
    params, _ = merged_benchmark(checks.layers, name)
    wanted = _wanted(benchmark, params)
    at: KeyPath = ("benchmarks", name, "params", "category")
    if not wanted:
        checks.refuse(at, "[] is refused; it must be one category or a list of some, each of which is a run")
    for place, one in enumerate(wanted):
        if one in wanted[:place]:
            checks.refuse(at, f"{shown(one)} is there twice, and each category is one run; keep one of them")
        else:
            yield Asked(name=name, category=str(one), wanted=one, is_one_of_several=len(wanted) > 1)


def _wanted(benchmark: Benchmark, params: Mapping[str, Any]) -> list[Any]:
    """What `category` asks for, in canonical spelling; the benchmark's default where nobody wrote one."""
    (default,) = (item.default for item in fields(benchmark.params_type) if item.name == "category")
    written = params.get("category", default)
    return [spelled(benchmark, one) for one in (written if is_list(written) else [written])]
