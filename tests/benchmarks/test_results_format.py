"""docs/results_format.md names every key that is written."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from results_scene import record, sealqa_run
from test_metrics import golden_run

from benchmarks.results.details import detail_of, differing_entry, entry_of
from benchmarks.results.facts import facts_of
from benchmarks.results.metrics import reduce_run

PAGE = (Path(__file__).parents[2] / "docs" / "results_format.md").read_text("utf-8")
NAMES_OF_OTHERS = re.compile(
    r"t-\d+|\d+|llm_judge|gaia_official|correct\.native@1|the .*|-x|no record.*|worker .*"
)
"""Keys that are values: task ids, categories, scorers, causes."""
FREE = frozenset({"versions", "params", "harness", "trajectory", "configuration", "private", "groups"})
"""Their content belongs to others."""


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, list | tuple):
        for part in cast("Sequence[Any]", value):
            yield from _keys(part)
    if isinstance(value, dict):
        for name, part in cast("Mapping[str, Any]", value).items():
            yield name
            if name not in FREE:
                yield from _keys(part)


def _written() -> Mapping[str, Any]:
    description, records = golden_run()
    entries = [entry_of(each) for each in records]
    facts = [facts_of(each.task_id, 1, entry) for each, entry in zip(records, entries, strict=True)]
    sealqa, _ = sealqa_run()
    return {
        "metrics.json": reduce_run(description, facts),
        "metrics.json of SealQA": {"canary": reduce_run(sealqa, [])["canary"]},
        "run.json": description.to_json(),
        "detail": detail_of("t-1", "1", "x", {"1": differing_entry([entry_of(record())])}),
    }


@pytest.mark.parametrize("name", ["metrics.json", "metrics.json of SealQA", "run.json", "detail"])
def test_every_key_is_named_in_the_page(name: str) -> None:
    documented = set(re.findall(r"[\w]+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
    keys = {key for key in _keys(_written()[name]) if not NAMES_OF_OTHERS.fullmatch(key)}
    assert sorted(keys - documented) == []
