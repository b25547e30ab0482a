"""The chart of a run: what it shows, that it can be read without colour and without eyes."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from report_scene import finished

from benchmarks.report.chart import bars_of, chart
from benchmarks.results.files import load_json

SVG = "{http://www.w3.org/2000/svg}"
GATES: dict[str, Any] = {
    "min_accuracy": {"overall": 0.6, "level2": 0.9},
    "scopes": {"level2": "2"},
    "min_coverage": 0.0,
    "max_errors": None,
    "baseline": None,
    "max_regression": None,
    "baseline_anyway": False,
    "policy": "point",
    "primary": None,
}


def metrics_of(folder: Path, outcomes: dict[str, str], **changes: Any) -> dict[str, Any]:
    return load_json(finished(folder / "run", outcomes, **changes) / "metrics.json")


def drawn(metrics: dict[str, Any]) -> ET.Element:
    return ET.fromstring(str(chart(metrics, name="c")))  # noqa: S314 - our own text


def test_the_whole_run_comes_first_then_its_levels_in_their_order(tmp_path: Path) -> None:
    bars = bars_of(metrics_of(tmp_path, {"t-1": "correct", "t-2": "incorrect", "t-3": "correct"}))
    assert [(bar.label, bar.value, bar.counts) for bar in bars] == [
        ("All", 2 / 3, "2 of 3"),
        ("level 1", 1.0, "1 of 1"),
        ("level 2", 0.0, "0 of 1"),
        ("level 3", 1.0, "1 of 1"),
    ]


def test_a_gate_is_drawn_where_it_asks(tmp_path: Path) -> None:
    metrics = metrics_of(tmp_path, {"t-1": "correct", "t-2": "incorrect"}, gates=GATES)
    assert [bar.threshold for bar in bars_of(metrics)] == [0.6, None, 0.9]
    assert len(drawn(metrics).findall(f".//{SVG}line[@class='chart-gate']")) == 2


def test_a_level_without_a_verdict_says_so_and_has_no_mark(tmp_path: Path) -> None:
    metrics = metrics_of(tmp_path, {"t-1": "correct", "t-2": "run_error"})
    picture = drawn(metrics)
    assert "nothing evaluated" in "".join(picture.itertext())
    assert len(picture.findall(f".//{SVG}circle")) == 2


def test_several_attempts_are_counted_in_tasks(tmp_path: Path) -> None:
    metrics = metrics_of(
        tmp_path, {"t-1": "correct", "t-2": "incorrect"}, k=2, planned=["t-1", "t-2"], strategy="pass"
    )
    assert bars_of(metrics)[0].counts == "1 of 2 tasks"


def test_who_cannot_see_it_is_told_all_of_it(tmp_path: Path) -> None:
    picture = drawn(metrics_of(tmp_path, {"t-1": "correct", "t-2": "incorrect"}, gates=GATES))
    title, told = picture.find(f"{SVG}title"), picture.find(f"{SVG}desc")
    assert title is not None and told is not None and told.text is not None
    assert title.text == "Accuracy by level"
    assert "All: 0.500 (95 % interval 0.095 to 0.905), 1 of 2, the gate asks for 0.6." in told.text
    assert picture.attrib["aria-labelledby"].split() == [title.attrib["id"], told.attrib["id"]]


def test_no_mark_depends_on_its_colour(tmp_path: Path) -> None:
    text = str(chart(metrics_of(tmp_path, {"t-1": "correct"}, gates=GATES), name="c"))
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', text)) == {"currentColor"}
    assert "style=" not in text, "a page that forbids inline styles shows it all the same"


def test_marks_at_the_ends_lie_within_the_picture(tmp_path: Path) -> None:
    picture = drawn(metrics_of(tmp_path, {"t-1": "correct", "t-2": "incorrect"}))
    places = [float(mark.attrib["cx"].removesuffix("%")) for mark in picture.iter(f"{SVG}circle")]
    assert min(places) > 0 and max(places) < 100


def test_a_category_is_text_whatever_it_is_called(tmp_path: Path) -> None:
    metrics = metrics_of(tmp_path, {"t-1": "correct"})
    levels = metrics["series"][metrics["headline"]]["breakdown"]["level"]
    levels["<b onload=x>&"] = levels.pop("1")
    assert "level <b onload=x>&" in "".join(drawn(metrics).itertext())


def test_a_run_without_ground_truths_has_no_chart(tmp_path: Path) -> None:
    assert chart(metrics_of(tmp_path, {"t-1": "unscored"}), name="c") == ""
