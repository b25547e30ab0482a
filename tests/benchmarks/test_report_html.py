"""The HTML report's own part: its top, its columns, and a row for every planned attempt."""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from gating_scene import session_of
from report_scene import finished
from results_scene import ANSWER, KEY, QUESTION, TRUTH, record

from benchmarks.redaction import Redactor
from benchmarks.report import html
from benchmarks.report.html_report import HtmlReport
from benchmarks.report.rows import sorted_by
from benchmarks.report.unit_rows import rows_of
from benchmarks.results.files import RunFiles, load_json
from benchmarks.results.record import Record
from benchmarks.run import redactor_key, session_key

PRICES = {
    "model": {
        "id": "org/model_v1",
        "input_usd_per_million_tokens": 100.0,
        "output_usd_per_million_tokens": 1000.0,
        "source": "configuration",
    }
}


class Scene:
    """A session whose run has ended, and pytest-html's page as it hands it over."""

    def __init__(
        self, folder: Path, records: Sequence[Record], *, planned: Sequence[str], **changes: Any
    ) -> None:
        self.run_dir = finished(folder / "run", records, planned=planned, **changes)
        session = session_of()
        gaia = replace(session.runs["gaia"], directory=self.run_dir)
        self.session = replace(session, runs={"gaia": gaia})
        self.config = cast(
            "pytest.Config",
            SimpleNamespace(
                option=SimpleNamespace(htmlpath=str(folder / "report.html")),
                stash={redactor_key: Redactor([KEY], show_ground_truth=False)},
                getoption={"html_links": "local"}.get,
            ),
        )
        self.page = SimpleNamespace(
            title="report.html",
            outcomes=None,
            data={
                "tests": defaultdict(list),
                "renderCollapsed": ["passed"],
                "environment": {"Python": "3", "CI": {"token": KEY, "n": 1}},
            },
        )
        self.page.set_data = self.page.data.__setitem__

    def report(self, *items: tuple[str, str, str]) -> str:
        """The top of the page, after `items` (node id, when, pytest's word) came as in pytest-html."""
        report = HtmlReport(self.config, self.session)
        report.pytest_html_report_title(self.page)
        report.pytest_html_results_table_header([])
        for node_id, when, word in items:
            told = SimpleNamespace(nodeid=node_id, when=when, passed=word == "Passed", duration=1.0)
            row = [f'<td class="col-result">{word}</td>', "", "", '<td class="col-links">mine</td>']
            report.pytest_html_results_table_row(told, row)
            log = ["No log output captured."] if word == "Passed" else ["it failed\n"]
            report.pytest_html_results_table_html(told, log)
            test = {"extras": [], "resultsTableRow": row, "log": "\n".join(log), **sorted_by(row)}
            self.page.data["tests"][node_id].append(test)
        prefix: list[str] = []
        report.pytest_html_results_summary(prefix)
        return "\n".join(map(str, prefix))

    def rows(self) -> dict[str, list[str]]:
        """The text of each row's cells, by what names it."""
        tests = [test for each in self.page.data["tests"].values() for test in each]
        texts = [
            [re.sub(r"<!--.*?-->|<[^>]*>", "", cell) for cell in test["resultsTableRow"]] for test in tests
        ]
        return {row[1]: [unescape(cell) for cell in row] for row in texts}


def node(task_id: str) -> str:
    return f"benchmarks/gaia/test_gaia.py::test_gaia[{task_id}]"


def test_a_row_tells_what_the_attempt_came_to_and_what_it_took(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [record("gaia-0", "correct")], planned=["gaia-0"], prices=PRICES)
    scene.report((node("gaia-0"), "call", "Passed"))
    assert scene.rows() == {
        "gaia-0": [
            "Passed", "gaia-0", "1", "1", "correct", "completed", "1.8 s", "12", "$0.003", "trajectory mine",
        ]
    }  # fmt: skip


def test_every_planned_attempt_has_a_row_though_no_report_told_of_it(tmp_path: Path) -> None:
    crashed = record("gaia-1", "run_error", cause="worker crashed: the worker process ended")
    scene = Scene(tmp_path, [record("gaia-0", "correct"), crashed], planned=["gaia-0", "gaia-1", "gaia-2"])
    scene.report((node("gaia-0"), "call", "Passed"))
    assert {name: (row[0], row[4]) for name, row in scene.rows().items()} == {
        "gaia-0": ("Passed", "correct"),
        "gaia-1": ("Error", "run error"),
        "gaia-2": ("Skipped", "unavailable"),
    }


def test_a_row_says_nothing_that_is_private(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [record("gaia-0", "incorrect")], planned=["gaia-0", "gaia-1"])
    top = scene.report((node("gaia-0"), "call", "Failed"))
    told = top + json.dumps(scene.page.data) + scene.page.title
    assert not [secret for secret in (TRUTH, ANSWER, QUESTION, KEY) if secret in told]
    assert scene.page.data["environment"] == {"Python": "3", "CI": {"token": "***", "n": 1}}


def test_a_tear_down_and_an_item_of_someone_else_have_rows_too(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [record("gaia-0", "correct")], planned=["gaia-0"])
    scene.report(
        (node("gaia-0"), "call", "Passed"),
        (node("gaia-0"), "teardown", "Error"),
        ("t.py::test_x", "call", "Passed"),
    )
    rows = scene.rows()
    assert rows["gaia-0 (tear-down)"][:5] == ["Error", "gaia-0 (tear-down)", "1", "1", "correct"]
    assert rows["t.py::test_x"] == ["Passed", "t.py::test_x", "", "", "–", "–", "1.0 s", "–", "–", "mine"]


def test_a_passed_row_unfolds_to_its_tokens_and_a_failed_one_to_its_lines_too(tmp_path: Path) -> None:
    records = [record("gaia-0", "correct"), record("gaia-1", "incorrect")]
    scene = Scene(tmp_path, records, planned=["gaia-0", "gaia-1"])
    scene.report((node("gaia-0"), "call", "Passed"), (node("gaia-1"), "call", "Failed"))
    logs = [test["log"] for each in scene.page.data["tests"].values() for test in each]
    assert logs == ["tokens, model: 10 in, 2 out", "it failed\ntokens, model: 10 in, 2 out"]


def test_title_and_top_have_the_sentences_of_every_other_report(tmp_path: Path) -> None:
    gates = {"min_accuracy": {"overall": 0.9}, "scopes": {}, "policy": "point"}
    scene = Scene(tmp_path, [record("gaia-0", "incorrect")], planned=["gaia-0"], gates=gates)
    top = scene.report((node("gaia-0"), "call", "Failed"))
    metrics = load_json(scene.run_dir / "metrics.json")
    assert metrics["gate"]["status"] == "missed" and metrics["gate"]["sentence"] in top
    assert scene.page.title.startswith(
        "GAIA text-103, org/model_v1: Accuracy 0.000 (0 of 1 evaluated, 1 planned)"
    )
    assert (
        scene.page.title.removeprefix("GAIA text-103, org/model_v1: ")
        in (scene.run_dir / "summary.md").read_text()
    )


def test_rows_are_folded_unless_the_ini_file_says_otherwise(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [], planned=["gaia-0"])
    scene.report()
    assert scene.page.data["renderCollapsed"] == ["all"]
    scene.page.data["renderCollapsed"] = ["failed"]
    scene.report()
    assert scene.page.data["renderCollapsed"] == ["failed"]


def test_a_report_without_links_has_no_page_either(tmp_path: Path) -> None:
    files = RunFiles(root=finished(tmp_path / "run", {"t-1": "correct"}))
    assert [row.page for _, row in rows_of(files, report=None)] == [None]
    assert not list(files.details.glob("*.html"))


def test_a_link_leads_to_the_attempt_that_decided(tmp_path: Path) -> None:
    tries = [record("t-1", "incorrect"), record("t-1", "correct", attempt=2)]
    files = RunFiles(root=finished(tmp_path / "run", tries, planned=["t-1"], k=3, strategy="pass"))
    ((_, row),) = rows_of(files, report=tmp_path / "report.html")
    assert (row.page, row.attempt, row.outcome) == ("run/details/t-1.html#attempt-2", "2 of 3", "correct")
    assert (row.time_s, row.n_tokens) == (3.5, 24), "what all its tries took"


def test_a_detail_that_is_broken_costs_its_row_the_numbers_only(tmp_path: Path) -> None:
    files = RunFiles(root=finished(tmp_path / "run", {"t-1": "correct", "t-2": "correct"}))
    files.detail("t-1").write_text("{")
    rows = {key[0]: row for key, row in rows_of(files, report=tmp_path / "report.html")}
    assert (rows["t-1"].outcome, rows["t-1"].page, rows["t-1"].time_s) == ("unavailable", None, None)
    assert rows["t-2"].page == "run/details/t-2.html"


def test_a_run_whose_numbers_are_gone_leaves_a_report_all_the_same(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [record("gaia-0", "correct")], planned=["gaia-0"])
    (scene.run_dir / "metrics.json").unlink()
    scene.report((node("gaia-0"), "call", "Passed"))
    assert scene.page.title == "Benchmark report: nothing was run"
    assert scene.rows()["gaia-0"][:5] == ["Passed", "gaia-0", "1", "1", "–"]


def test_with_several_runs_each_has_its_heading_and_its_rows_their_name(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [record("gaia-0", "correct")], planned=["gaia-0"])
    other = finished(tmp_path / "other", {"gaia-1": "incorrect"})
    second = replace(scene.session.runs["gaia"], directory=other)
    both = {"gaia": scene.session.runs["gaia"], "gaia again": second}
    scene.session = replace(scene.session, runs=both)
    top = scene.report((node("gaia-0"), "call", "Passed"))
    assert top.count("<h2>") == 2 and scene.page.title.startswith("2 runs: GAIA text-103")
    assert "gaia: gaia-1" in scene.rows(), "each row is named after the run it belongs to"


def test_pictures_of_a_users_fixture_are_left_in_place(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [], planned=["gaia-0"])
    assert 'data-media="none"' in scene.report()
    scene.page.data["tests"]["x"].append({"extras": [{"format_type": "image"}], "resultsTableRow": []})
    assert 'data-media="some"' in scene.report()


@pytest.mark.parametrize(
    ("option", "ci", "expected"),
    [
        (None, None, True),
        (None, "", True),
        (None, "true", False),
        ("local", "true", True),
        ("none", None, False),
    ],
    ids=["at a desk", "CI is empty", "in CI", "asked for in CI", "not wanted"],
)
def test_links_are_left_out_where_reports_are_published(
    option: str | None, ci: str | None, expected: bool
) -> None:
    config = cast("pytest.Config", SimpleNamespace(getoption={"html_links": option}.get))
    assert html.links_are_wanted(config, ci) is expected


@pytest.mark.parametrize("why", ["no session", "a worker", "no --html", "--collect-only", "all is there"])
def test_the_report_is_ours_only_where_one_is_written(why: str, tmp_path: Path) -> None:
    session = session_of()
    directory = None if why == "--collect-only" else tmp_path
    session = replace(session, runs={"gaia": replace(session.runs["gaia"], directory=directory)})
    registered: list[str] = []

    def register(_: object, name: str) -> None:
        registered.append(name)

    option = SimpleNamespace(htmlpath="report.html")
    values: dict[str, Any] = {
        "option": option,
        "stash": {redactor_key: None, **({} if why == "no session" else {session_key: session})},
        "getoption": {"htmlpath": None if why == "no --html" else option.htmlpath, "html_links": None}.get,
        "pluginmanager": SimpleNamespace(register=register),
        **({"workerinput": {}} if why == "a worker" else {}),
    }
    html.pytest_configure(cast("pytest.Config", SimpleNamespace(**values)))
    assert registered == (["benchmarks-html"] if why == "all is there" else [])
