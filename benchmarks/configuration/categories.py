"""Categories that are not pooled: which there are, and how each is spelled."""

from typing import Any, Literal, get_args, get_origin

from benchmarks.benchmark import Benchmark
from benchmarks.configuration.wording import alternatives, bare, field_kinds


def known_categories(benchmark: Benchmark) -> tuple[str, ...]:
    """Every category of a benchmark that does not pool them, e.g. ``("seal_0", "seal_hard", "longseal")``."""
    kinds = [bare(option)[0] for option in alternatives(field_kinds(benchmark.params_type)["category"])]
    return tuple(str(name) for kind in kinds if get_origin(kind) is Literal for name in get_args(kind))


def spelled(benchmark: Benchmark, written: Any) -> Any:
    """A category in its canonical spelling; what is none stays as it was written, to be refused so."""
    name = benchmark.category_name(written) if isinstance(written, str) else written
    return name if name in known_categories(benchmark) else written
