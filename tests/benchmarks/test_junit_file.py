"""The JUnit file: what pytest's writer gets, and what it makes of hostile text."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from _pytest.junitxml import LogXML  # the writer itself: what it makes of our reports is what is tested
from hypothesis import given
from hypothesis import strategies as st
from junit_schema import faults
from results_scene import unhurried

from benchmarks.report.failed_items import put_in_four_lines
from benchmarks.report.junit import JUnitFile

FAMILIES = ("xunit1", "xunit2")
PROPERTIES: list[tuple[str, object]] = [("level", "1"), ("attempt", 1), ("reused", True)]


def watcher(
    family: str, plugins: Mapping[str, object] | None = None, *, path: str | None = "x.xml"
) -> JUnitFile:
    def getoption(_name: str, _default: None) -> str | None:
        return path

    def getini(_name: str) -> str:
        return family

    config = SimpleNamespace(
        getoption=getoption,
        getini=getini,
        pluginmanager=SimpleNamespace(get_plugins=lambda: list((plugins or {}).values())),
    )
    return JUnitFile(cast(pytest.Config, config))


def report(
    when: str, outcome: str = "passed", text: str = "", node_id: str = "t.py::t[a]"
) -> pytest.TestReport:
    longrepr: Any = ("t.py", 1, text) if outcome == "skipped" else text or None
    return pytest.TestReport(
        nodeid=node_id,
        location=("t.py", 1, "t[a]"),
        keywords={},
        outcome=cast(Any, outcome),
        longrepr=longrepr,
        when=cast(Any, when),
        duration=1.5,
        user_properties=cast(Any, list(PROPERTIES)),
    )


def written(family: str, folder: Path, *reports: pytest.TestReport) -> str:
    path = folder / "junit.xml"
    writer, junit = LogXML(path, None, family=cast(Any, family)), watcher(family)
    writer.pytest_sessionstart()
    for each in reports:
        junit.watch(each)
        put_in_four_lines(each)
        writer.pytest_runtest_logreport(each)
    writer.pytest_sessionfinish()
    return path.read_text("utf-8")


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "reports",
    [
        [("setup", "passed"), ("call", "passed"), ("teardown", "passed")],
        [("setup", "passed"), ("call", "failed"), ("teardown", "passed")],
        [("setup", "failed"), ("teardown", "passed")],
        [("setup", "skipped"), ("teardown", "passed")],
        [("setup", "passed"), ("call", "failed"), ("teardown", "failed")],
        [("setup", "passed"), ("call", "passed"), ("teardown", "failed")],
        [("???", "failed")],
    ],
    ids=[
        "right",
        "wrong",
        "trouble",
        "never ran",
        "wrong, tear-down fails",
        "tear-down fails",
        "dead worker",
    ],
)
def test_every_end_of_an_item_is_within_the_schema_of_its_family(
    family: str, reports: list[tuple[str, str]], tmp_path: Path
) -> None:
    text = written(family, tmp_path, *(report(when, outcome, "a\nb\nc\nd") for when, outcome in reports))
    assert faults(text, family=family) == []
    cases = ET.fromstring(text).findall(".//testcase")  # noqa: S314 - pytest made it
    assert cases
    told = [case.find("properties") is not None for case in cases]
    assert any(told) is (family == "xunit1" and reports != [("???", "failed")])


def test_the_rules_find_what_pytest_alone_would_write(tmp_path: Path) -> None:
    text = written("xunit1", tmp_path, report("call"), report("teardown"))
    assert faults(text, family="xunit1") == []
    assert faults(text, family="xunit2") == [
        "testcase may not have file",
        "testcase may not have line",
        "testcase may not hold properties",
    ]


@pytest.mark.parametrize(
    ("xml", "fault"),
    [
        ("<x/>", "the root is x"),
        ("<testsuites><testsuite name='a' tests='1' failures='0'/></testsuites>", "testsuite lacks errors"),
        ("<testsuites time='soon'/>", "testsuites has time 'soon'"),
        ("<testsuites>words</testsuites>", "testsuites holds text"),
        ("<testsuites><testcase name='a'/></testsuites>", "testsuites may not hold testcase"),
    ],
)
def test_the_rules_find_a_fault(xml: str, fault: str) -> None:
    assert fault in faults(xml, family="xunit2")


@unhurried
@given(text=st.text(st.characters(), max_size=80))
def test_no_text_takes_the_file_out_of_its_schema(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("junit", numbered=True)
    failed = report("call", "failed", f"t\nverdict: B\nanswer: {text}\nreason: x")
    for family in FAMILIES:
        assert faults(written(family, folder, failed, report("teardown")), family=family) == []


def test_a_failure_says_verdict_and_answer_in_its_message_and_all_in_its_text(tmp_path: Path) -> None:
    lines = "t-1\nverdict: B (INCORRECT)\nanswer: Gull\nreason: stop reason completed; record: d/t-1.json"
    text = written("xunit2", tmp_path, report("call", "failed", lines), report("teardown"))
    failure = ET.fromstring(text).find(".//failure")  # noqa: S314 - pytest made it
    assert failure is not None
    assert failure.get("message") == "verdict: B (INCORRECT), answer: Gull"
    assert failure.text == lines


def test_reports_keep_their_properties_for_other_writers() -> None:
    junit = watcher("xunit2")
    call, end = report("call"), report("teardown")
    junit.watch(call)
    junit.watch(end)
    assert (call.user_properties, end.user_properties) == (PROPERTIES, [])


@pytest.mark.parametrize(("family", "path"), [("xunit1", "x.xml"), ("xunit2", None)])
def test_without_a_strict_file_nothing_is_taken_off(family: str, path: str | None) -> None:
    end = report("teardown")
    watcher(family, path=path).watch(end)
    assert end.user_properties == PROPERTIES


def test_result_and_gate_are_properties_of_the_test_suite() -> None:
    writer = LogXML("x.xml", None)
    runs = [
        ("gaia", _metrics(0.5, "passed", "Gate passed: fine.")),
        ("sealqa seal_0", _metrics(None, "not_measured", "Gate not measured: nothing.")),
    ]
    watcher("xunit2", {"junit": writer, "other": object()}).tell(runs)
    assert writer.global_properties == [
        ("gaia: accuracy", "0.5"),
        ("gaia: gate", "passed"),
        ("gaia: gate sentence", "Gate passed: fine."),
        ("sealqa seal_0: accuracy", "not measured"),
        ("sealqa seal_0: gate", "not_measured"),
        ("sealqa seal_0: gate sentence", "Gate not measured: nothing."),
    ]


def _metrics(value: float | None, status: str, sentence: str) -> dict[str, Any]:
    return {
        "headline": "h",
        "series": {"h": {"value": value}},
        "gate": {"status": status, "sentence": sentence},
    }
