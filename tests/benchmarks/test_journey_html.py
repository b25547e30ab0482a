"""`--html` as a user runs it: pytest-html's own page, with our rows, links and pages."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from journey import Ended, Suite


def rows_in(report: Path) -> dict[str, dict[str, Any]]:
    """What pytest-html's script makes rows of, by what each is called."""
    (blob,) = re.findall(r'data-jsonblob="([^"]*)"', report.read_text(encoding="utf-8"))
    data = json.loads(unescape(blob))
    return {
        re.sub("<!--.*?-->", "", test["testId"]): test for each in data["tests"].values() for test in each
    }


def links_in(tests: dict[str, dict[str, Any]]) -> list[str]:
    return [
        link for test in tests.values() for link in re.findall(r'href="([^"]*)"', test["resultsTableRow"][-1])
    ]


def run_with(suite: Suite, *more: str) -> Ended:
    suite.add_right("right-1")
    suite.add_wrong("wrong-1", level=2)
    suite.add("error-1", answer=500, level=2)
    return suite.run("--min-accuracy=0.9", "--min-coverage=0.5", *more)


def test_the_report_of_two_workers_links_each_row_to_a_page_that_is_there(suite: Suite) -> None:
    suite.environment["CI"] = ""
    ended = run_with(suite, "-n", "2", "--html=out/report.html")
    report = suite.folder / "out" / "report.html"
    text, tests = report.read_text(), rows_in(report)
    assert {name: test["result"] for name, test in tests.items()} == {
        "right-1": "Passed",
        "wrong-1": "Failed",
        "error-1": "Error",
    }
    pages = [(report.parent / unquote(link)).resolve() for link in links_in(tests)]
    assert sorted(pages) == sorted(ended.run / "details" / f"{name}.html" for name in tests)
    assert "Which stone lies under &lt;wrong-1&gt;?" in (ended.run / "details" / "wrong-1.html").read_text()
    assert ended.metrics["gate"]["sentence"] in text and ended.metrics["gate"]["sentence"] in ended.out
    assert (report.parent / "assets" / "style.css").exists()


def test_in_ci_the_report_is_whole_in_one_file_and_leads_nowhere(suite: Suite) -> None:
    suite.environment["CI"] = "true"
    ended = run_with(suite, "--html=report.html", "--self-contained-html")
    report = suite.folder / "report.html"
    tests = rows_in(report)
    assert len(tests) == 3 and links_in(tests) == []
    assert not list(ended.run.glob("details/*.html")), "no page is made that nothing leads to"
    assert not re.search(r'<(?:link|script|img)[^>]*(?:href|src)="(?!")', report.read_text())


def test_an_attempt_whose_worker_died_has_its_row(suite: Suite) -> None:
    (suite.folder / "conftest.py").write_text(
        "import os, pytest\n"
        "@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_runtest_setup(item):\n"
        "    if 'dies-1' in item.nodeid:\n"
        "        os._exit(1)\n"
    )
    suite.add_right("right-1")
    suite.add("dies-1", answer="stone dies-1")
    ended = suite.run("-n", "1", "--html=report.html", f"--confcutdir={suite.folder}", "-p", "conftest")
    tests = rows_in(suite.folder / "report.html")
    assert ended.metrics["outcomes"]["run_error"] == 1
    assert {name: test["result"] for name, test in tests.items()} == {"right-1": "Passed", "dies-1": "Error"}
