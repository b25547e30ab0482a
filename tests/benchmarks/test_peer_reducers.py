"""The series agree with AgentCompass 1.0.1's; tests/cases/peer_reducers.jsonl holds what its code told.

A row: `tasks` are ``[[category, [outcome of each attempt, null where none was made]], …]``; `expected` is
what AgentCompass says of each series, null where it makes no report; `differs` is null, or says why ours is
not the same; then `ours` holds what we say.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from results_scene import run

from benchmarks.results.facts import AttemptFacts
from benchmarks.results.metrics import reduce_run
from benchmarks.results.record import Outcome

_CASES = Path(__file__).parent.parent / "cases" / "peer_reducers.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in _CASES.read_text(encoding="utf-8").splitlines()]
Told = dict[str, dict[str, Any]]
"""Series as a row tells them: ``{"correct.native@1": {"value": 0.5, "total": 4, "evaluated": 2, …}}``."""


def each_row(*, differs: bool) -> pytest.MarkDecorator:
    rows = [row for row in ROWS if (row["differs"] is not None) is differs]
    return pytest.mark.parametrize("row", rows, ids=[row["id"] for row in rows])


@pytest.fixture(scope="module")
def ours() -> Mapping[str, Told]:
    """Our series of each row, by the row's id; once for the module."""

    def few(_: int) -> int:
        return 39

    with pytest.MonkeyPatch.context() as patch:
        # Resampling takes most of the time, and what comes of it is not compared.
        patch.setattr("benchmarks.results.aggregation.resamples_for", few)
        return {row["id"]: series_of(row) for row in ROWS}


def series_of(row: Mapping[str, Any]) -> Told:
    k, strategy = row["k"], row["strategy"]
    tasks = [(f"t-{n}", category, outcomes) for n, (category, outcomes) in enumerate(row["tasks"], start=1)]
    n_units = 1 if strategy == "pass" else k
    description = run(
        planned=tuple(
            (task_id, n, category) for task_id, category, _ in tasks for n in range(1, n_units + 1)
        ),
        k=k,
        strategy=strategy,
        aggregation_mode=row["aggregation_mode"],
        category_hierarchy=row["category_hierarchy"],
    )
    facts = [
        AttemptFacts(task_id=task_id, attempt=n, outcome=Outcome(outcome))
        for task_id, _, outcomes in tasks
        for n, outcome in enumerate(outcomes, start=1)
        if outcome is not None
    ]
    told = reduce_run(description, facts)["series"]
    return {name: _as_in_a_row(series) for name, series in told.items()}


def _as_in_a_row(series: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "value": series["value"],
        "total": series["counts"]["total"],
        "evaluated": series["counts"]["evaluated"],
        "categories": _values(series.get("breakdown", {}).get("level", {})),
        "hierarchy": _values(series.get("hierarchy", {})),
    }


def _values(parts: Mapping[str, Mapping[str, Any]]) -> dict[str, float | None]:
    return {name: part["value"] for name, part in parts.items()}


def _near(values: Mapping[str, float | None]) -> dict[str, Any]:
    return {
        name: None if value is None else pytest.approx(value, abs=1e-12, rel=0)
        for name, value in values.items()
    }


@each_row(differs=False)
def test_the_series_are_the_same(row: Mapping[str, Any], ours: Mapping[str, Told]) -> None:
    for name, theirs in row["expected"].items():
        mine = ours[row["id"]][name]
        assert {name: mine["value"]} == _near({name: theirs["value"]})
        assert (mine["total"], mine["evaluated"]) == (theirs["total"], theirs["evaluated"]), name


@each_row(differs=False)
@pytest.mark.parametrize("parts", ["categories", "hierarchy"])
def test_their_parts_are_the_same(row: Mapping[str, Any], parts: str, ours: Mapping[str, Told]) -> None:
    for name, theirs in row["expected"].items():
        assert ours[row["id"]][name][parts] == _near(theirs[parts]), name


@each_row(differs=True)
def test_a_row_that_differs_says_why_and_what_we_say(
    row: Mapping[str, Any], ours: Mapping[str, Told]
) -> None:
    assert row["differs"].strip()
    assert row["ours"] != row["expected"]
    assert {name: ours[row["id"]][name] for name in row["ours"]} == row["ours"]


def test_the_table_covers_what_it_is_for() -> None:
    plans = {(row["k"], row["strategy"], row["aggregation_mode"]) for row in ROWS}
    assert plans >= {
        (k, strategy, mode)
        for k in range(1, 6)
        for strategy in ("avg", "pass")
        for mode in ("micro_weighted", "category_mean")
    }
