"""A run at a glance: what stands at the top of the report and of the viewer's pages."""

from pathlib import Path
from typing import Any

import pytest
from report_scene import finished

from benchmarks.report.overview import overview, overview_of
from benchmarks.results.files import load_json


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"demo": True}, "A demo run: its model is small, and its accuracy is not the point."),
        ({"partial": ["limit 5"]}, "Part of the set only (limit 5): not to be compared with the whole set."),
        ({"stopped": "interrupted"}, "The run was stopped: interrupted"),
        (
            {"canary": {"n": 2, "task_ids": []}},
            "Attempts in which a tool result carried the dataset's canary string: 2.",
        ),
        (
            {"baseline": {"base": {"run": "r-0"}, "sentence": "Regression: so"}},
            "Against the baseline, run r-0: Regression: so",
        ),
    ],
    ids=["demo", "part", "stopped", "canary", "baseline"],
)
def test_the_top_notes_what_a_reader_must_not_miss(
    change: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    metrics = load_json(finished(tmp_path / "run", {"t-1": "correct", "t-2": "incorrect"}) / "metrics.json")
    assert overview_of({**metrics, **change}).notes == (expected,)


def test_a_sign_tells_the_gate_without_colour(tmp_path: Path) -> None:
    metrics = load_json(finished(tmp_path / "run", {"t-1": "correct"}) / "metrics.json")
    signs = [
        overview_of({**metrics, "gate": {**metrics["gate"], "status": status}}).sign
        for status in ("passed", "missed", "not_measured", "inconclusive", "not_comparable", "none")
    ]
    assert len(set(signs)) == len(signs)


def test_the_top_is_text_whatever_a_model_is_called(tmp_path: Path) -> None:
    metrics = load_json(finished(tmp_path / "run", {"t-1": "correct"}) / "metrics.json")
    text = overview({**metrics, "model": "<script>x</script>"}, anchor="a", heading=True)
    assert "<script>" not in text and "&lt;script&gt;x" in text


def test_several_attempts_and_their_number_are_among_the_facts(tmp_path: Path) -> None:
    outcomes = {"t-1": "correct", "t-2": "incorrect"}
    metrics = load_json(finished(tmp_path / "run", outcomes, k=3, strategy="pass") / "metrics.json")
    assert ("Attempts", "3 for each task (pass)") in overview_of(metrics).facts
