"""The gate: what it decides, and the exit code of a session."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import record, run, unhurried

from benchmarks.results.details import entry_of
from benchmarks.results.facts import facts_of
from benchmarks.results.gate import NO_GATE, GateResult, exit_code_for, judge_gates, strictest
from benchmarks.results.metrics import reduce_run


def _metrics(
    *, correct: int = 0, evaluated: int = 0, total: int | None = None, error: int = 0
) -> dict[str, Any]:
    counts = {
        "correct": correct,
        "evaluated": evaluated,
        "total": evaluated + error if total is None else total,
        "error": error,
    }
    return {"headline": "correct.native@1", "series": {"correct.native@1": {"counts": counts}}}


PASSED = GateResult(status="passed", exit_code=0, sentence="Gate passed.")
MISSED = GateResult(status="missed", exit_code=1, sentence="Gate missed.")
NOT_MEASURED = GateResult(status="not_measured", exit_code=10, sentence="Gate not measured.")


@pytest.mark.parametrize(
    ("counts", "gates", "sentence"),
    [
        pytest.param(
            {"correct": 5, "evaluated": 10},
            {"min_accuracy": 0.6},
            "Gate missed: accuracy 0.500 (5/10) is below --min-accuracy 0.6.",
            id="accuracy-below",
        ),
        pytest.param(
            {"correct": 3, "evaluated": 5},
            {"min_accuracy": 0.6},
            "Gate passed: accuracy 0.600 (3/5) reaches --min-accuracy 0.6; coverage 1.000 (5/5); errors 0.",
            id="three-fifths-reach-0.6",
        ),
        pytest.param(
            {"correct": 5999, "evaluated": 10_000},
            {"min_accuracy": 0.6},
            "Gate missed: accuracy 0.5999 (5999/10000) is below --min-accuracy 0.6.",
            id="just-below-is-not-rounded-up",
        ),
        pytest.param(
            {"correct": 9, "evaluated": 9, "total": 10},
            {"min_accuracy": 0.6},
            "Gate not measured: coverage 0.900 (9/10) is below --min-coverage 1.0 "
            "(its default beside another gate).",
            id="coverage-defaults-to-all",
        ),
        pytest.param(
            {"correct": 9, "evaluated": 9, "total": 10},
            {"min_accuracy": 0.6, "min_coverage": 0.9},
            "Gate passed: accuracy 1.000 (9/9) reaches --min-accuracy 0.6; coverage 0.900 (9/10); errors 0.",
            id="coverage-asked-for",
        ),
        pytest.param(
            {"correct": 0, "evaluated": 8, "total": 10},
            {"min_accuracy": 0.6, "min_coverage": 0.9},
            "Gate not measured: coverage 0.800 (8/10) is below --min-coverage 0.9.",
            id="not-measured-comes-before-missed",
        ),
        pytest.param(
            {"correct": 5, "evaluated": 7, "error": 3},
            {"min_coverage": 0.5, "max_errors": 2},
            "Gate not measured: 3 errors are more than --max-errors 2.",
            id="too-many-errors",
        ),
        pytest.param(
            {"correct": 0, "evaluated": 7, "error": 2},
            {"min_coverage": 0.5, "max_errors": 2},
            "Gate passed: accuracy 0.000 (0/7); coverage 0.778 (7/9); errors 2.",
            id="errors-just-allowed",
        ),
        pytest.param(
            {"total": 10, "error": 10},
            {"min_accuracy": 0.0, "min_coverage": 0.0},
            "Gate not measured: none of 10 planned attempts was evaluated.",
            id="nothing-evaluated-is-never-green",
        ),
        pytest.param(
            {"total": 0},
            {"min_accuracy": 0.5},
            "Gate not measured: none of 0 planned attempts was evaluated.",
            id="nothing-planned-is-never-green",
        ),
        pytest.param({"correct": 1, "evaluated": 1}, {}, "No gate was set.", id="no-gate"),
    ],
)
def test_the_gate_decides_in_one_sentence(
    counts: dict[str, int], gates: dict[str, Any], sentence: str
) -> None:
    assert judge_gates(_metrics(**counts), gates).sentence == sentence


@pytest.mark.parametrize(
    ("correct", "error", "status", "exit_code"),
    [(6, 0, "passed", 0), (5, 0, "missed", 1), (5, 1, "not_measured", 10)],
    ids=["passed", "missed", "not-measured"],
)
def test_status_and_exit_code_go_together(correct: int, error: int, status: str, exit_code: int) -> None:
    result = judge_gates(_metrics(correct=correct, evaluated=10, error=error), {"min_accuracy": 0.6})
    assert (result.status, result.exit_code) == (status, exit_code)


@unhurried
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.integers(0, 1000))
def test_shares_are_compared_exactly(pair: tuple[int, int], thousandths: int) -> None:
    result = judge_gates(
        _metrics(correct=pair[0], evaluated=pair[1]), {"min_accuracy": float(f"{thousandths}e-3")}
    )
    assert (result.status == "passed") is (pair[0] * 1000 >= thousandths * pair[1])


def test_the_gate_reads_the_metrics_that_the_reducer_makes() -> None:
    facts = [facts_of("t-1", 1, entry_of(record("t-1", "incorrect")))]
    metrics = reduce_run(run(["t-1"], gates={"min_accuracy": 0.5}), facts)
    assert metrics["gate"]["sentence"] == "Gate missed: accuracy 0.000 (0/1) is below --min-accuracy 0.5."


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        pytest.param([PASSED, MISSED, NOT_MEASURED], NOT_MEASURED, id="10-before-1"),
        pytest.param([PASSED, MISSED], MISSED, id="1-before-0"),
        pytest.param([NO_GATE, PASSED], PASSED, id="a-gate-before-none"),
        pytest.param([], NO_GATE, id="no-run"),
    ],
)
def test_the_strictest_result_decides_a_session(results: list[GateResult], expected: GateResult) -> None:
    assert strictest(results) == expected


@pytest.mark.parametrize("gate", [PASSED, MISSED, NOT_MEASURED, NO_GATE], ids=lambda gate: gate.status)
@pytest.mark.parametrize("pytest_exit", [2, 3, 4, 5, 6])
def test_exit_codes_2_to_6_are_never_rewritten(pytest_exit: int, gate: GateResult) -> None:
    assert exit_code_for(pytest_exit, gate, only_benchmark_failures=True) == pytest_exit


@pytest.mark.parametrize("pytest_exit", [0, 1])
def test_without_a_gate_the_code_of_pytest_stands(pytest_exit: int) -> None:
    assert exit_code_for(pytest_exit, NO_GATE, only_benchmark_failures=True) == pytest_exit


@pytest.mark.parametrize(
    ("pytest_exit", "gate", "only", "expected"),
    [
        pytest.param(1, PASSED, True, 0, id="wrong-answers-are-allowed"),
        pytest.param(1, PASSED, False, 1, id="another-failing-test-is-not"),
        pytest.param(0, PASSED, True, 0, id="all-right"),
        pytest.param(0, PASSED, False, 0, id="nothing-failed-at-all"),
        pytest.param(1, MISSED, True, 1, id="missed"),
        pytest.param(0, MISSED, True, 1, id="missed-although-no-item-failed"),
        pytest.param(1, NOT_MEASURED, False, 10, id="not-measured-before-a-failing-test"),
        pytest.param(0, NOT_MEASURED, True, 10, id="not-measured-although-no-item-failed"),
    ],
)
def test_the_gate_sets_the_exit_code(pytest_exit: int, gate: GateResult, only: bool, expected: int) -> None:
    assert exit_code_for(pytest_exit, gate, only_benchmark_failures=only) == expected


def test_a_run_that_was_stopped_never_passes_its_gate() -> None:
    metrics = {**_metrics(correct=2, evaluated=2, total=12), "stopped": "interrupted"}
    gate = judge_gates(metrics, {"min_accuracy": 0.5, "min_coverage": 0.1})
    assert gate.exit_code == 10
    assert gate.sentence == "Gate not measured: the run was stopped (interrupted)."
