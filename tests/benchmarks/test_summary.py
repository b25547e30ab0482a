"""summary.md: the numbers for people."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from results_scene import ANSWER, KEY, QUESTION, TRUTH, record, run, sealqa_run
from test_metrics import GOLDEN, golden_run

from benchmarks.report.terminal import exit_code_line, terminal_lines
from benchmarks.results.details import entry_of
from benchmarks.results.facts import facts_of
from benchmarks.results.markdown import escape, table
from benchmarks.results.metrics import reduce_run
from benchmarks.results.record import Record
from benchmarks.results.run_description import RunDescription
from benchmarks.results.summary import headline_sentence, render_summary
from benchmarks.results.summary_tables import number


def _metrics(description: RunDescription, *records: Record) -> dict[str, Any]:
    facts = [facts_of(each.task_id, each.attempt, entry_of(each)) for each in records]
    return reduce_run(description, facts)


def _summary(description: RunDescription, *records: Record) -> str:
    return render_summary(_metrics(description, *records))


@pytest.mark.parametrize(
    ("made", "golden"),
    [(golden_run, "summary.md"), (sealqa_run, "sealqa_summary.md")],
    ids=["gaia", "sealqa"],
)
def test_the_summary_is_byte_for_byte_the_golden_file(
    made: Callable[[], tuple[RunDescription, list[Record]]], golden: str
) -> None:
    description, records = made()
    assert _summary(description, *records) == (GOLDEN / golden).read_text("utf-8")


def test_the_first_line_is_the_result_and_the_gate() -> None:
    text = _summary(run(["t-1"], gates={**run().gates, "min_accuracy": {"overall": 1.0}}), record("t-1"))
    assert text.splitlines()[0] == (
        "# Accuracy 1.000 (1 of 1 evaluated, 1 planned), 95 % interval 0.207 to 1.000 · gate passed"
    )


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        ("incorrect", "Accuracy 0.000 (0 of 1 evaluated, 1 planned), 95 % interval 0.000 to 0.793"),
        ("run_error", "Accuracy — (nothing evaluated, 1 planned)"),
        ("unscored", "Unscored: 1 answers recorded, 1 planned"),
    ],
)
def test_the_headline_fits_the_outcome(outcome: str, sentence: str) -> None:
    assert headline_sentence(_metrics(run(["t-1"]), record("t-1", outcome))) == sentence


def test_nothing_evaluated_prints_a_dash_and_no_zero() -> None:
    text = _summary(run(["t-1"]), record("t-1", "run_error"))
    assert "| correct.native@1 | — | — | — | — | — | 0 | 0 | 1 | 0 | 1 |" in text
    assert number(None) == "—"


def test_an_unscored_run_has_a_column_for_it() -> None:
    text = _summary(run(["t-1"]), record("t-1", "unscored"))
    assert "| Error | Unavailable | Unscored |" in text


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"partial": ("limit 5",)}, "**Part of the set only** (limit 5): do not compare"),
        ({"demo": True}, "A demo run: its model is small"),
        ({"stopped": "the key was refused"}, "**The run was stopped:** the key was refused"),
        ({}, "**Every evaluated task is correct"),
    ],
    ids=["partial", "demo", "stopped", "all-one"],
)
def test_what_limits_the_result_is_said_at_the_top(changes: dict[str, Any], line: str) -> None:
    text = _summary(run(["t-1"], **changes), record("t-1"))
    assert line in text.partition("| Model |")[0]


@pytest.mark.parametrize(
    "word",
    ["Part of the set", "demo", "was stopped", "## Issues", "## Errors", "Further", "anary", "was found in"],
)
def test_what_does_not_apply_is_not_mentioned(word: str) -> None:
    assert word not in _summary(run(["t-1"]), record("t-1"))


def test_levels_are_listed_in_the_order_of_numbers() -> None:
    planned = tuple((f"t-{n}", 1, name) for n, name in enumerate(["10", "unknown", "9"]))
    rows = _summary(run(planned=planned)).partition("| Level |")[2].splitlines()[2:5]
    assert [row.split(" | ")[0] for row in rows] == ["| 9", "| 10", "| unknown"]


def test_causes_beyond_twenty_are_counted() -> None:
    records = [record(f"t-{n}", "run_error", cause=f"cause {n:02}") for n in range(23)]
    text = _summary(run([each.task_id for each in records]), *records)
    assert "cause 19" in text
    assert "cause 20" not in text
    assert "And 3 more causes in metrics.json." in text


def test_ids_of_disagreements_beyond_twenty_are_counted() -> None:
    records = [record(f"t-{n:02}", "incorrect") for n in range(23)]
    text = _summary(run([each.task_id for each in records], answer_format="gaia"), *records)
    assert (
        "- contains: 23 of 23 attempts, Cohen's kappa 0.00; correct for the scorer alone: t-00, t-01" in text
    )
    assert "t-19, and 3 more" in text


def test_what_was_right_wrong_and_not_attempted_stands_beside_the_total() -> None:
    records = [record("t-1"), record("t-2", "not_attempted"), record("t-3", "not_attempted")]
    text = _summary(run(), *records)
    assert "| Total | Evaluated | Correct | Incorrect | Not attempted |" in text
    assert "| 3 | 3 | 1 | 0 | 2 | 0 | 0 |" in text
    assert "| correct.native@1 | 0.333 | 0.061 to 0.792 | 0.000 to 1.000 | 0.333 | 1.000 | 1 | 3 |" in text


def test_breakdowns_stand_in_the_same_order_whatever_order_they_came_in() -> None:
    description, records = sealqa_run()
    turned = replace(description, groups=dict(reversed(list(description.groups.items()))))
    assert _summary(turned, *records) == _summary(description, *records)


def test_a_group_without_values_has_no_table() -> None:
    text = _summary(run(groups={"freshness": {}, "effective year": {"t-1": ("2024",)}}), record("t-1"))
    assert "| Effective year |" in text
    assert "Freshness" not in text


def test_the_terminal_shows_the_category_s_breakdown_alone() -> None:
    description, records = sealqa_run()
    lines = terminal_lines(_metrics(description, *records))
    assert lines == [
        "Accuracy 0.333 (1 of 3 evaluated, 4 planned), 95 % interval 0.061 to 0.792",
        "topic     accuracy  95 % interval   evaluated/planned",
        "other     —         —               0/1",
        "politics  0.000     0.000 to 0.793  1/1",
        "sports    0.500     0.095 to 0.905  2/2",
        "No gate was set.",
    ]


@pytest.mark.parametrize(
    ("statuses", "exit_code", "line"),
    [
        (["none", "none"], 1, None),
        ([], 0, None),
        (["none", "missed"], 1, "exit code 1"),
        (["passed"], 0, "exit code 0 (the gate decides; what pytest calls failed are wrong answers)"),
    ],
    ids=["no gate", "no run", "one of two missed", "passed"],
)
def test_the_exit_code_of_a_session_with_a_gate_is_told(
    statuses: list[str], exit_code: int, line: str | None
) -> None:
    runs = [{"gate": {"status": status}} for status in statuses]
    assert exit_code_line(runs, exit_code=exit_code) == line


def test_the_canary_s_attempts_are_counted_and_their_ids_beyond_twenty() -> None:
    records = [record(f"t-{n:02}", carries_canary=True) for n in range(23)]
    text = _summary(run([each.task_id for each in records], has_canary=True), *records)
    assert "In 23 attempts a tool result carried the dataset's canary string: the tasks " in text
    assert "t-19, and 3 more)." in text


def test_a_canary_that_never_came_up_is_a_line_among_how_it_was_measured() -> None:
    text = _summary(run(["t-1"], has_canary=True), record("t-1"))
    assert "- Canary: the dataset has one; attempts in which a tool result carried it: 0" in text
    assert "was found in" not in text


def test_a_scorer_as_judge_is_named_as_such() -> None:
    text = _summary(run(judge={"primary": "gaia_official", "id": "gaia_official", "scorers": ["contains"]}))
    assert "- Judge: gaia\\_official, a scorer (no model)" in text


def test_what_model_and_harness_were_set_to_is_told_and_cut() -> None:
    text = _summary(
        run(
            model_params={"temperature": 0, "note": "a `b` | c"},
            harness={"id": "h", "params": {"prompt": "y" * 900, "unset": None}},
        )
    )
    assert '- Model: org/model\\_v1, params `{"note": "a b | c", "temperature": 0}`' in text
    assert '- Harness: h, params `{"prompt": "yyy' in text and "unset" not in text
    assert "y" * 501 not in text


def test_the_summary_stands_on_a_bare_description() -> None:
    text = _summary(run(dataset={}, judge={}, harness={}))
    assert "revision unknown" in text


def test_foreign_text_is_shown_as_it_is_written() -> None:
    made = record("t-1", "run_error", cause="<b>no</b> | `x` *y*\n# not a heading")
    text = _summary(run(["t-1"], model="org/a_b|<i>"), made)
    assert "| org/a\\_b\\|&lt;i&gt; |" in text
    assert "| &lt;b&gt;no&lt;/b&gt; \\| \\`x\\` \\*y\\* # not a heading | run error | 1 |" in text


def test_the_summary_holds_no_key_question_truth_or_answer() -> None:
    description, records = golden_run()
    text = _summary(description, *records)
    assert [secret for secret in (TRUTH, ANSWER, QUESTION, KEY) if secret in text] == []


def test_escaping_keeps_a_text_on_one_line_of_limited_length() -> None:
    assert escape("a\nb" + "c" * 300, 10) == "a bcccccc…"


def test_a_table_has_a_head_a_rule_and_rows() -> None:
    assert table(["Level", "Total"], [["1", 39]]) == ["| Level | Total |", "| --- | ---: |", "| 1 | 39 |"]
