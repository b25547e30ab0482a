"""metrics.json as OpenMetrics text."""

from pathlib import Path

import pytest
from results_scene import record, run, sealqa_run
from test_metrics import GOLDEN, golden_run

from benchmarks.__main__ import main
from benchmarks.report.openmetrics import SameSetTwiceError, openmetrics
from benchmarks.results.details import entry_of
from benchmarks.results.facts import facts_of
from benchmarks.results.metrics import reduce_run
from benchmarks.results.record import Record
from benchmarks.results.run_description import RunDescription


def told(description: RunDescription, *records: Record) -> list[str]:
    facts = [facts_of(each.task_id, each.attempt, entry_of(each)) for each in records]
    return openmetrics([reduce_run(description, facts)]).splitlines()


def test_the_accuracy_of_the_whole_and_of_each_level_is_told() -> None:
    description, records = golden_run()
    lines = told(description, *records)
    of_run = 'benchmark="gaia",subset="text-103"'
    assert lines[:5] == [
        "# TYPE agent_benchmarks_accuracy gauge",
        f'agent_benchmarks_accuracy{{{of_run},series="correct.native@1"}} 0.3333333333333333',
        f'agent_benchmarks_accuracy{{{of_run},series="correct.native@1",level="1"}} 1.0',
        f'agent_benchmarks_accuracy{{{of_run},series="correct.native@1",level="2"}} 0.0',
        f'agent_benchmarks_accuracy{{{of_run},series="correct.native@1",level="3"}} 0.0',
    ]
    assert f'agent_benchmarks_units{{{of_run},outcome="run_error"}} 1' in lines
    assert lines[-2:] == [f"agent_benchmarks_gate_exit_code{{{of_run}}} 10", "# EOF"]


def test_what_was_not_measured_is_left_out() -> None:
    lines = told(run(["t-1"]))
    assert [line for line in lines if "accuracy" in line or "gate" in line] == []
    assert lines[-1] == "# EOF"


def test_a_label_holds_whatever_text_a_topic_has() -> None:
    planned = (("t-1", 1, 'a "b" \\ c'),)
    lines = told(run(breakdown="a topic", planned=planned), record("t-1", category='a "b" \\ c'))
    assert 'a_topic="a \\"b\\" \\\\ c"} 1.0' in lines[2]


def test_a_second_run_stands_among_the_first() -> None:
    description, records = sealqa_run()
    facts = [facts_of(each.task_id, each.attempt, entry_of(each)) for each in records]
    both = openmetrics([reduce_run(description, facts), reduce_run(golden_run()[0], [])])
    assert both.count("# TYPE agent_benchmarks_units gauge") == 1
    assert 'subset="seal_0",outcome="correct"} 1' in both


def test_two_runs_of_one_set_have_no_labels_to_tell_them_apart() -> None:
    metrics = reduce_run(golden_run()[0], [])
    with pytest.raises(SameSetTwiceError, match=r"the labels 'gaia text-103'.*give one run of each set"):
        openmetrics([metrics, {**metrics, "model": "org/another"}])


def test_the_command_prints_or_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "metrics.txt"
    assert main(["openmetrics", str(GOLDEN / "metrics.json")]) == 0
    printed = capsys.readouterr().out
    assert main(["openmetrics", str(GOLDEN / "metrics.json"), f"--output={path}"]) == 0
    assert path.read_text() == printed and printed.endswith("# EOF\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["openmetrics", "no-such-run"],
        ["openmetrics", str(GOLDEN / "metrics.json"), "--output=/dev/null/x"],
        ["openmetrics", str(GOLDEN / "metrics.json"), str(GOLDEN / "metrics.json")],
    ],
    ids=["no run", "no file", "one set twice"],
)
def test_what_cannot_be_done_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 4
    assert len(capsys.readouterr().err.splitlines()) == 1
