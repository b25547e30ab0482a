"""What is counted: metrics.json as a pure function of the run and its attempts."""

import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import ANSWER, KEY, QUESTION, TRUTH, record, run, sealqa_run, unhurried

from benchmarks.results.details import entry_of
from benchmarks.results.facts import AttemptFacts, facts_of
from benchmarks.results.files import dump_json
from benchmarks.results.metrics import check_counts, reduce_run
from benchmarks.results.record import Outcome, Record
from benchmarks.results.run_description import RunDescription

GOLDEN = Path(__file__).parent / "golden"
outcome_lists = st.lists(st.sampled_from(list(Outcome)), max_size=30)


def _facts(*records: Record) -> list[AttemptFacts]:
    return [facts_of(each.task_id, each.attempt, entry_of(each)) for each in records]


def _reduce(description: RunDescription, *records: Record) -> dict[str, Any]:
    return reduce_run(description, _facts(*records))


def _series(metrics: dict[str, Any]) -> dict[str, Any]:
    series: dict[str, Any] = metrics["series"]["correct.native@1"]
    return series


def _of_outcomes(outcomes: Iterable[str]) -> tuple[RunDescription, list[Record]]:
    records = [record(f"t-{n}", outcome) for n, outcome in enumerate(outcomes)]
    return run([each.task_id for each in records]), records


def golden_run() -> tuple[RunDescription, list[Record]]:
    """A run with every kind of outcome but unscored, a missing record and a gate that is not measured."""
    records = [
        record("t-1", "correct"),
        record("t-2", "incorrect"),
        record("t-3", "not_attempted", stop_reason="max_iterations"),
        record("t-4", "run_error"),
        record("t-5", "judge_error", cause="the judge's reply <could> not|be read"),
        record("t-6", "unavailable", cause="-x", usage={}, timing={}),
    ]
    description = run(
        [*(each.task_id for each in records), "t-7"],
        answer_format="gaia",
        gates={
            **run().gates,
            "min_accuracy": {"overall": 0.5, "level1": 0.25},
            "scopes": {"level1": "1"},
            "max_errors": 1,
        },
        partial=("-k t",),
        n_attachments_unopened=2,
        stopped="-x",
        issues=("t-9 attempt 1: a record came, but it was not planned; kept aside, not counted",),
        volatile={
            "started_at": "2026-11-30T12:00:00Z",
            "finished_at": "2026-11-30T12:01:30Z",
            "versions": {"agent-benchmarks": "0.1.0"},
            "n_workers": 2,
        },
    )
    return description, records


def test_metrics_are_byte_for_byte_the_golden_file() -> None:
    description, records = golden_run()
    assert dump_json(_reduce(description, *records)) == (GOLDEN / "metrics.json").read_text("utf-8")


def test_ten_tasks_of_which_five_fail_are_ten_in_all_five_evaluated_five_errors() -> None:
    description, records = _of_outcomes(["correct"] * 3 + ["incorrect"] * 2 + ["run_error"] * 5)
    series = _series(_reduce(description, *records))
    counts = series["counts"]
    assert (counts["total"], counts["evaluated"], counts["error"]) == (10, 5, 5)
    assert (series["value"], series["value_over_planned"]) == (0.6, 0.3)


def test_a_judge_error_enters_no_mean() -> None:
    description, records = _of_outcomes(["correct", "incorrect", "judge_error"])
    metrics = _reduce(description, *records)
    assert _series(metrics)["value"] == 0.5
    assert metrics["outcomes"]["judge_error"] == 1


def test_answers_that_are_missing_are_evaluated_and_counted_by_name() -> None:
    description, records = _of_outcomes(["correct"] * 97 + ["not_attempted"] * 6)
    metrics = _reduce(description, *records)
    assert _series(metrics)["counts"]["evaluated"] == 103
    assert metrics["outcomes"]["not_attempted"] == 6


@pytest.mark.parametrize(
    ("outcomes", "counted", "value"),
    [
        (["correct", "incorrect", "incorrect", "not_attempted"], (1, 2, 1), 1 / 3),
        (["correct", "not_attempted"], (1, 0, 1), 1.0),
        (["not_attempted", "not_attempted", "run_error"], (0, 0, 2), None),
        (["judge_error"], (0, 0, 0), None),
    ],
    ids=["mixed", "never-wrong", "nothing-attempted", "nothing-evaluated"],
)
def test_accuracy_given_attempted_leaves_out_what_was_not_attempted(
    outcomes: list[str], counted: tuple[int, int, int], value: float | None
) -> None:
    description, records = _of_outcomes(outcomes)
    series = _series(_reduce(description, *records))
    counts = series["counts"]
    assert (counts["correct"], counts["incorrect"], counts["not_attempted"]) == counted
    assert series["value_given_attempted"] == value


def test_a_planned_unit_without_a_record_is_unavailable() -> None:
    metrics = _reduce(run(["t-1", "t-2"]), record("t-1"))
    assert metrics["unavailable"] == {"no record in details/": 1}
    assert _series(metrics)["counts"]["total"] == 2


@pytest.mark.parametrize("outcome", ["run_error", "judge_error", "unavailable"])
def test_nothing_evaluated_is_null_and_never_0(outcome: str) -> None:
    description, records = _of_outcomes([outcome] * 3)
    series = _series(_reduce(description, *records))
    values = (series["value"], series["value_over_planned"], series["interval_95"])
    assert values == (None, None, None)
    assert series["flags"] == []


def test_one_unscored_unit_leaves_no_value_over_planned() -> None:
    description, records = _of_outcomes(["correct", "unscored"])
    series = _series(_reduce(description, *records))
    assert (series["value"], series["value_over_planned"]) == (1.0, None)


def test_an_unscored_run_has_no_value() -> None:
    description, records = _of_outcomes(["unscored", "unscored", "run_error"])
    series = _series(_reduce(description, *records))
    assert (series["value"], series["value_over_planned"], series["counts"]["unscored"]) == (None, None, 2)


@pytest.mark.parametrize(
    ("outcomes", "flags"),
    [
        (["incorrect", "not_attempted", "run_error"], ["all_zero"]),
        (["correct", "correct", "judge_error"], ["all_one"]),
        (["correct", "incorrect"], []),
    ],
    ids=["zero", "one", "mixed"],
)
def test_all_right_and_all_wrong_are_flagged(outcomes: list[str], flags: list[str]) -> None:
    description, records = _of_outcomes(outcomes)
    assert _series(_reduce(description, *records))["flags"] == flags


def test_the_breakdown_groups_by_the_planned_category() -> None:
    description, records = _of_outcomes(["correct", "incorrect", "run_error", "incorrect"])
    levels = _series(_reduce(description, *records))["breakdown"]["level"]
    assert {level: series["value"] for level, series in levels.items()} == {"1": 0.5, "2": 0.0, "3": None}


def test_a_task_with_several_values_of_a_group_counts_under_each() -> None:
    groups = {"question type": {"t-0": ("reasoning", "filtering"), "t-1": ("reasoning", "reasoning")}}
    description, records = _of_outcomes(["correct", "incorrect"])
    breakdown = _series(_reduce(replace(description, groups=groups), *records))["breakdown"]
    totals = {value: series["counts"]["total"] for value, series in breakdown["question type"].items()}
    assert totals == {"filtering": 1, "reasoning": 2}
    assert breakdown["question type"]["reasoning"]["value"] == 0.5
    assert list(breakdown["question type"]) == ["filtering", "reasoning"]


def test_a_task_without_a_value_of_a_group_counts_in_none_of_it() -> None:
    description, records = _of_outcomes(["correct", "incorrect"])
    grouped = replace(description, groups={"freshness": {"t-0": ("slow",)}, "topic": {}})
    breakdown = _series(_reduce(grouped, *records))["breakdown"]
    assert breakdown["freshness"]["slow"]["counts"]["total"] == 1
    assert breakdown["topic"] == {}


def test_each_group_of_the_run_is_a_breakdown_beside_the_category_s() -> None:
    description, records = sealqa_run()
    breakdown = _series(_reduce(description, *records))["breakdown"]
    assert sorted(breakdown) == ["effective year", "freshness", "question type", "topic"]
    assert breakdown["freshness"]["never-changing"]["value_given_attempted"] == 1.0


def test_a_group_named_like_the_category_does_not_replace_it() -> None:
    description, records = _of_outcomes(["correct"])
    grouped = replace(description, groups={"level": {"t-0": ("elsewhere",)}})
    assert list(_series(_reduce(grouped, *records))["breakdown"]["level"]) == ["1"]


def test_attempts_in_which_the_canary_came_up_are_counted() -> None:
    records = [record("t-2", carries_canary=True), record("t-1", "run_error", carries_canary=True)]
    metrics = _reduce(run(["t-1", "t-2", "t-3"], has_canary=True), *records, record("t-3"))
    assert metrics["canary"] == {"n": 2, "task_ids": ["t-1", "t-2"]}


def test_a_dataset_without_a_canary_has_no_count_of_it() -> None:
    assert _reduce(run(), record("t-1"))["canary"] is None


def test_the_card_of_the_run_says_which_set_it_was() -> None:
    description, records = _of_outcomes(["correct"])
    metrics = _reduce(description, *records)
    assert metrics["dataset"] == description.dataset
    assert metrics["judge"]["prompt_digest"] == "0a" * 32
    assert metrics["harness"]["params"]["tool_model_name"] == ""


def test_causes_are_cut_to_one_line_of_200_characters() -> None:
    made = record("t-1", "run_error", cause="a\n" + "b" * 500)
    (cause,) = _reduce(run(["t-1"]), made)["errors"]["run_error"]
    assert len(cause) == 200
    assert cause.startswith("a bbb")


def test_an_error_without_a_cause_says_so() -> None:
    errors = _reduce(run(["t-1"]), record("t-1", "run_error", cause=None))["errors"]
    assert errors["run_error"] == {"no cause given": 1}


def test_each_scorer_has_its_own_denominator() -> None:
    description, records = _of_outcomes(["correct", "incorrect", "judge_error"])
    scorers = _reduce(description, *records)["scorers"]
    assert scorers["gaia_official"] == {"value": 0.5, "counts": {"correct": 1, "evaluated": 2, "total": 3}}


def test_a_scorer_counts_although_the_judge_failed() -> None:
    made = record("t-1", "judge_error", scoring={"contains": {"correct": True}})
    assert _reduce(run(["t-1"]), made)["scorers"]["contains"]["value"] == 1.0


def test_a_scorer_that_never_graded_has_no_value() -> None:
    scorers = _reduce(run(["t-1"]), record("t-1", "run_error"))["scorers"]
    assert scorers["contains"] == {"value": None, "counts": {"correct": 0, "evaluated": 0, "total": 1}}


def test_the_primary_is_not_its_own_second_scorer() -> None:
    judge = {"primary": "gaia_official", "scorers": ["gaia_official", "contains"]}
    assert list(_reduce(run(["t-1"], judge=judge))["scorers"]) == ["contains"]


def test_disagreements_are_counted_where_the_answer_format_is_gaia() -> None:
    unjudged = record("t-3", "judge_error", scoring={"contains": {"correct": True}})
    records = [record("t-2", "incorrect"), record("t-1", "incorrect"), unjudged]
    found = _reduce(run(["t-3", "t-2", "t-1"], answer_format="gaia"), *records)["disagreements"]
    assert found["contains"] == {
        "n_compared": 2,
        "n": 2,
        "judge_alone": [],
        "scorer_alone": ["t-1", "t-2"],
        "task_ids": ["t-1", "t-2"],
        "kappa": 0.0,
    }
    assert (found["gaia_official"]["n"], found["gaia_official"]["kappa"]) == (0, None)


def test_agreement_beyond_chance_is_cohen_s_kappa() -> None:
    right, wrong = {"contains": {"correct": True}}, {"contains": {"correct": False}}
    judged = {"c": "correct", "i": "incorrect"}
    pairs = [("c", right)] * 4 + [("c", wrong)] + [("i", right)] + [("i", wrong)] * 4
    records = [record(f"t-{n}", judged[letter], scoring=scoring) for n, (letter, scoring) in enumerate(pairs)]
    description = run([each.task_id for each in records], answer_format="gaia")
    found = _reduce(description, *records)["disagreements"]["contains"]
    assert found["kappa"] == pytest.approx(0.6)
    assert (found["judge_alone"], found["scorer_alone"]) == (["t-4"], ["t-5"])


def test_disagreements_are_not_counted_otherwise() -> None:
    assert _reduce(run(), record("t-1", "incorrect"))["disagreements"] is None


@pytest.mark.parametrize(
    "change",
    [
        {"usage": {"model": {"input_tokens": "nan"}}},
        {"usage": "<usage>"},
        {"timing": {"run_s": float("inf"), "judge_s": True}},
        {"timing": object()},
        {"n_tool_calls": object()},
        {"scoring": {"llm_judge": object()}},
        {"scoring": object()},
        {"benchmark_meta": object()},
        {"stop_reason": 7},
    ],
    ids="-".join,
)
def test_a_field_that_had_to_become_text_does_not_lose_the_attempt(change: dict[str, Any]) -> None:
    metrics = _reduce(run(["t-1"]), record("t-1", **change))
    assert _series(metrics)["value"] == 1.0


def test_metrics_hold_no_key_question_truth_or_answer() -> None:
    description, records = golden_run()
    text = dump_json(_reduce(description, *records))
    assert [secret for secret in (TRUTH, ANSWER, QUESTION, KEY) if secret in text] == []


@unhurried
@given(outcome_lists, st.randoms(use_true_random=False))
def test_the_order_of_the_records_changes_nothing(outcomes: list[Outcome], rng: random.Random) -> None:
    description, records = _of_outcomes(outcomes)
    shuffled = rng.sample(records, len(records))
    assert dump_json(_reduce(description, *shuffled)) == dump_json(_reduce(description, *records))


@unhurried
@given(outcome_lists)
def test_the_counts_always_add_up(outcomes: list[Outcome]) -> None:
    description, records = _of_outcomes(outcomes)
    metrics = _reduce(description, *records)
    series = _series(metrics)
    assert sum(metrics["outcomes"].values()) == len(outcomes)
    for counts in [series["counts"], *(level["counts"] for level in series["breakdown"]["level"].values())]:
        parts = counts["evaluated"] + counts["error"] + counts["unavailable"] + counts["unscored"]
        assert parts == counts["total"]
        assert counts["correct"] + counts["incorrect"] + counts["not_attempted"] == counts["evaluated"]
    assert sum(level["counts"]["total"] for level in series["breakdown"]["level"].values()) == len(outcomes)


def test_facts_of_a_unit_that_was_not_planned_are_an_internal_error() -> None:
    with pytest.raises(RuntimeError, match=r"internal error: unit \('t-9', 1\) was not planned"):
        _reduce(run(), record("t-9"))


def test_facts_that_come_twice_are_an_internal_error() -> None:
    with pytest.raises(RuntimeError, match=r"internal error: unit \('t-1', 1\) came twice"):
        _reduce(run(), record("t-1"), record("t-1"))


def test_counts_that_do_not_add_up_are_an_internal_error() -> None:
    with pytest.raises(RuntimeError, match="internal error: 2 units were planned, but 1 outcomes counted"):
        check_counts(2, {"correct": 1})
