"""Records as they travel and are kept."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import record, unhurried

from benchmarks.results.record import Outcome, Record


def test_a_record_comes_back_as_it_was() -> None:
    values = json.loads(json.dumps(record("t-1", issues=("one",)).to_json()))
    assert Record.from_json(values) == record("t-1", issues=("one",))


def test_the_trajectory_of_a_record_that_came_back_is_a_tuple() -> None:
    assert isinstance(Record.from_json(record().to_json()).trajectory, tuple)


def test_a_foreign_object_in_the_trajectory_becomes_text_and_the_record_stays() -> None:
    values = record(trajectory=({"kind": "tool", "result": object()},)).to_json()
    assert values["trajectory"][0]["result"].startswith("<object object")
    assert values["task_id"] == "t-1"


@pytest.mark.parametrize("name", ["usage", "timing", "scoring", "benchmark_meta", "private", "trajectory"])
def test_a_whole_field_that_is_foreign_does_not_lose_the_record(name: str) -> None:
    changes: dict[str, Any] = {name: object()}
    values = record("t-1", **changes).to_json()
    json.dumps(values, allow_nan=False)
    assert values["outcome"] == "correct"


@unhurried
@given(text=st.text(st.characters(categories=("Cs", "Cc", "Ll"))), number=st.floats())
def test_a_record_survives_any_text_and_any_number(text: str, number: float) -> None:
    made = record(final_answer=text, private={text: number}, timing={"run_s": number})
    once = json.loads(json.dumps(made.to_json(), allow_nan=False, ensure_ascii=False).encode())
    assert Record.from_json(once).to_json() == made.to_json()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"outcome": "splendid"}, "splendid", id="unknown-outcome"),
        pytest.param({"task_id": 7}, "task_id 7", id="task-id-no-text"),
        pytest.param({"attempt": None}, "attempt None", id="no-attempt"),
        pytest.param({"surplus": 1}, "surplus", id="unknown-field"),
        pytest.param({"trajectory": 1}, "int", id="trajectory-no-list"),
    ],
)
def test_values_that_are_no_record_are_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=f"these values are no record: .*{reason}"):
        Record.from_json({**record().to_json(), **change})


def test_each_outcome_is_evaluated_or_error_or_neither_and_never_both() -> None:
    assert [outcome for outcome in Outcome if outcome.is_evaluated and outcome.is_error] == []


@pytest.mark.parametrize(
    "name",
    ["record", "reducers", "statistics", "metrics", "gates.gate", "summary", "recorder", "merging.merge"],
)
def test_what_reduces_imports_neither_pytest_nor_an_http_client(name: str) -> None:
    program = (
        f"import sys, benchmarks.results.{name}\n"
        "sys.exit(str(sorted({'pytest', 'httpx', 'pydantic', 'datasets'} & set(sys.modules)) or ''))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.stderr.strip() == ""
