"""What a session leaves for people and for CI, whole."""

import xml.etree.ElementTree as ET

import pytest
from journey import Suite
from junit_schema import faults
from pseudo_terminal import run_on_a_terminal
from test_github import read_outputs
from test_journey_leaks import as_in_actions


def some_tasks(suite: Suite) -> None:
    suite.add_right("r-1", "r-2", level=1)
    suite.add_wrong("w-1", level=2)
    suite.add("e-1", answer=500, level=3)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])
def test_on_a_terminal_the_progress_leaves_pytest_s_lines_as_they_are(
    suite: Suite, workers: tuple[str, ...]
) -> None:
    suite.add_right("a", "b", "c", "d")
    screen = run_on_a_terminal(suite, "--no-header", *workers)
    (dots,) = [line for line in screen.lines if "...." in line]
    assert dots.split()[-2:] == ["....", "[100%]"]
    assert not [line for line in screen.lines if line.startswith("gaia ")]
    told = [line for line in screen.seen if line.startswith("gaia ")]
    assert told[0].startswith("gaia 0/4 · at least 1 in flight · accuracy —")
    assert [line for line in told if line.startswith("gaia 3/4 · ") and "accuracy 1.000 (" in line]


@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
def test_the_junit_file_tells_every_end_with_times_and_properties(suite: Suite, family: str) -> None:
    some_tasks(suite)
    workers = ("-n", "2") if family == "xunit1" else ()
    suite.run("--junitxml=junit.xml", "-o", f"junit_family={family}", "--min-accuracy=0.5", *workers)
    text = (suite.folder / "junit.xml").read_text()
    assert faults(text, family=family) == []
    root = ET.fromstring(text)  # noqa: S314 - our own writer made it
    cases = {case.get("name", ""): case for case in root.iter("testcase")}
    ends = {name: [child.tag for child in case if child.tag != "properties"] for name, case in cases.items()}
    assert ends == {
        "test_gaia[r-1]": [],
        "test_gaia[r-2]": [],
        "test_gaia[w-1]": ["failure"],
        "test_gaia[e-1]": ["error"],
    }
    assert all(0 < float(case.get("time", "")) < 60 for case in cases.values())
    suite_wide = {
        each.get("name"): each.get("value") for each in root.findall("testsuite/properties/property")
    }
    assert suite_wide["gaia: gate"] == "not_measured"
    told = {each.get("name"): each.get("value") for each in cases["test_gaia[w-1]"].iter("property")}
    if family == "xunit2":
        assert told == {}
        return
    assert told.pop("run_s") and told.pop("judge_s")
    assert told == {
        "level": "2",
        "outcome": "incorrect",
        "verdict": "B",
        "attempt": "1",
        "stop_reason": "completed",
        "input_tokens": "20",
        "output_tokens": "10",
    }


def test_the_gate_s_sentence_is_the_same_everywhere(suite: Suite) -> None:
    some_tasks(suite)
    as_in_actions(suite)
    ended = suite.run("--min-accuracy=0.5", "--min-coverage=0.5", "--junitxml=junit.xml")
    sentence = "Gate passed: accuracy 0.667 (2/3) reaches --min-accuracy 0.5; coverage 0.750 (3/4); errors 1."
    assert ended.code == 0, ended.out
    assert ended.metrics["gate"]["sentence"] == sentence
    assert sentence in ended.out.splitlines()
    summary = (ended.run / "summary.md").read_text()
    assert sentence in summary
    assert sentence in (suite.folder / "junit.xml").read_text()
    assert (suite.folder / "GITHUB_STEP_SUMMARY").read_text() == summary
    assert read_outputs(suite.folder / "GITHUB_OUTPUT") == {
        "exit_code": "0",
        "gate": "passed",
        "accuracy": str(2 / 3),
        "run": str(ended.run),
    }
    commands = [line for line in ended.out.splitlines() if line.startswith("::")]
    assert [line.partition("::1 attempt: ")[0] for line in commands] == ["::error title=gaia%3A run error"]


def test_a_failed_item_is_four_lines_and_one_in_the_short_summary(suite: Suite) -> None:
    some_tasks(suite)
    out = suite.run("-n", "2").out.splitlines()
    at = out.index("w-1")
    assert not [line for line in out if line.startswith("[gw")]
    assert out[at + 1 : at + 3] == ["verdict: B (INCORRECT)", "answer: pebble of 1-w"]
    assert out[at + 3].startswith("reason: stop reason completed, graded by llm_judge; record: /")
    assert out[out.index("e-1") + 1 :][:2] == ["verdict: none (run error)", "answer: none (no final message)"]
    (short,) = [line for line in out if line.startswith("FAILED ")]
    assert " - v" in short
