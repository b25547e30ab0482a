"""The page of all configuration keys, made from the dataclasses that validate them.

`python -m benchmarks.configuration.table > docs/configuration.md` writes it; a test holds it.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from benchmarks.benchmark import Benchmark
from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration import options as top_floor
from benchmarks.configuration.categories import known_categories
from benchmarks.configuration.execution import Execution
from benchmarks.configuration.gathering import JSON_OPTIONS, SINGLE_OPTIONS
from benchmarks.configuration.model import Gates, Placement, Prices
from benchmarks.configuration.problem import KeyPath, dotted
from benchmarks.configuration.variables import JUDGE_KEY, MODEL_KEY
from benchmarks.configuration.wording import bare, documentation, field_kinds, in_words, value_kind
from benchmarks.params import BenchmarkParams
from harnesses import options as ground_floor
from harnesses.catalogue import HARNESSES
from harnesses.endpoint.spec import EndpointSpec

_Row = tuple[str, str, str, str]
"""Key, value, default, meaning."""
_PAGE = Path(__file__).parent / "page.md"
_PLACE = re.compile(r"^<!-- (\w+) -->$", re.MULTILINE)


def page() -> str:
    """The whole page in Markdown: `page.md` with its tables filled in."""
    tables = {
        "options": _options(),
        "model": _table(EndpointSpec, keys={"api_key": f"variable `{MODEL_KEY}`"}),
        "benchmark": _table(BenchmarkParams),
        "benchmarks": _per_benchmark(),
        "harnesses": _per_harness(),
        "execution": _table(Execution),
        "run": _table(Placement),
        "gates": _table(Gates),
        "prices": _table(Prices),
        "judge_key": f"`judge_model.api_key` that is not given comes from the variable `{JUDGE_KEY}`.",
    }
    return _PLACE.sub(lambda place: tables[place[1]], _PAGE.read_text(encoding="utf-8"))


def _per_benchmark() -> str:
    shared = set(_rows(BenchmarkParams, "", {}))
    return "\n\n".join(
        "\n\n".join(
            [f"### `{name}`", _default_harnesses(benchmark), _table(benchmark.params_type, leave_out=shared)]
        )
        for name, benchmark in BENCHMARKS.items()
    )


def _default_harnesses(benchmark: Benchmark) -> str:
    """Which harness asks where none is named, by category where each is a run."""
    if benchmark.pools_categories:
        return f"The harness, where none is named: {_code(_default_harness(benchmark))}."
    by_category = (
        f"{_code(_default_harness(benchmark, category=category))} for {_code(category)}"
        for category in known_categories(benchmark)
    )
    return f"The harness, where none is named: {', '.join(by_category)}. Each category is a run of its own."


def _default_harness(benchmark: Benchmark, **known: Any) -> str:
    """The harness for params that are `known`, else by default, else None: nothing is checked here."""
    params = object.__new__(benchmark.params_type)
    for item in fields(params):
        default = None if _is_required(item) else _default_value(item)
        object.__setattr__(params, item.name, known.get(item.name, default))
    return benchmark.default_harness(params)


def _per_harness() -> str:
    parts: list[str] = []
    for name, harness in HARNESSES.items():
        keys = {
            key: f"variable `{key.upper()}`"
            for key in field_kinds(harness.Params)
            if key.endswith("_api_key")
        }
        parts.append(f"### `{name}`\n\n{_table(harness.Params, keys=keys)}")
    return "\n\n".join(parts)


def _table(kind: Any, *, keys: Mapping[str, str] | None = None, leave_out: Iterable[_Row] = ()) -> str:
    """A table of the fields of a dataclass; `keys` says where a key comes from when it is not given."""
    rows = [row for row in _rows(kind, "", keys or {}) if row not in set(leave_out)]
    lines = [" | ".join([f"`{name}`", *(_cell(text) for text in rest)]) for name, *rest in rows]
    return "\n".join(
        ["| key | value | default | meaning |", "|---|---|---|---|", *(f"| {line} |" for line in lines)]
    )


def _rows(kind: Any, prefix: str, keys: Mapping[str, str]) -> Iterator[_Row]:
    kinds = field_kinds(kind)
    for item in fields(kind):
        annotation = kinds[item.name]
        inner, _ = bare(annotation)
        if is_dataclass(inner):
            yield from _rows(inner, f"{prefix}{item.name}.", keys)
            continue
        of_each = value_kind(inner)
        if is_dataclass(of_each):
            yield from _rows(of_each, f"{prefix}{item.name}.<id>.", keys)
            continue
        default = keys.get(item.name) or _default(item)
        value = in_words(annotation, say=_code)
        yield f"{prefix}{item.name}", value, default, documentation(annotation)


def _default(item: "Field[Any]") -> str:
    if _is_required(item):
        return "required"
    default = _default_value(item)
    return _code(default if isinstance(default, str) and default else json.dumps(default))


def _is_required(item: "Field[Any]") -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _default_value(item: "Field[Any]") -> Any:
    return item.default if item.default_factory is MISSING else item.default_factory()


def _code(text: str) -> str:
    return f"`{text}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


class _OptionList:
    """Stands in for pytest's parser and for its group: keeps what is added."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []

    def getgroup(self, name: str, description: str) -> "_OptionList":
        del name, description
        return self

    def addoption(self, flag: str, *, help: str, metavar: str = "", **_: Any) -> None:  # noqa: A002 - argparse's
        self.rows.append((flag, f"{flag} {metavar}".strip(), help))


def _options() -> str:
    listed = _OptionList()
    for add_options in (ground_floor.add_options, top_floor.add_options):
        add_options(cast("pytest.Parser", listed))
    keys: Mapping[str, KeyPath] = {**JSON_OPTIONS, **SINGLE_OPTIONS}
    rows: list[str] = []
    for flag, usage, text in listed.rows:
        key = keys.get(flag.removeprefix("--").replace("-", "_"), ())
        rows.append(f"| {_code(_cell(usage))} | {_code(dotted(key)) if key else ''} | {_cell(text)} |")
    return "\n".join(["| option | key in YAML | meaning |", "|---|---|---|", *rows])


if __name__ == "__main__":
    sys.stdout.write(page())
