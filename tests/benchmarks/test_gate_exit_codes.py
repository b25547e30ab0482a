"""What a gate makes of the exit code: which result decides, and what becomes of pytest's own."""

from itertools import permutations

import pytest

from benchmarks.results.gates.exit_codes import (
    NO_GATE,
    GateResult,
    exit_code_for,
    nothing_planned,
    strictest,
)
from benchmarks.results.statuses import EXIT_CODES, GateStatus

IN_ORDER: tuple[GateStatus, ...] = (
    "not_measured",
    "not_comparable",
    "missed",
    "inconclusive",
    "passed",
    "none",
)


def ended(status: GateStatus) -> GateResult:
    return GateResult(status=status, exit_code=EXIT_CODES[status], sentence=f"Gate {status}.")


def test_every_status_has_its_exit_code() -> None:
    assert [EXIT_CODES[status] for status in IN_ORDER] == [10, 12, 1, 11, 0, None]


@pytest.mark.parametrize("pair", list(permutations(range(6), 2)), ids=str)
def test_the_stricter_of_two_results_decides_in_whatever_order(pair: tuple[int, int]) -> None:
    results = [ended(IN_ORDER[place]) for place in pair]
    assert strictest(results).status == IN_ORDER[min(pair)]


def test_a_session_without_a_run_has_no_gate() -> None:
    assert strictest([]) == NO_GATE


def test_the_first_of_equal_results_decides() -> None:
    first, second = (GateResult(status="missed", exit_code=1, sentence=text) for text in "ab")
    assert strictest([first, second]) is first


@pytest.mark.parametrize("status", IN_ORDER)
@pytest.mark.parametrize("pytest_exit", [2, 3, 4, 5, 6])
def test_exit_codes_2_to_6_are_never_rewritten(pytest_exit: int, status: GateStatus) -> None:
    assert exit_code_for(pytest_exit, ended(status), only_benchmark_failures=True) == pytest_exit


@pytest.mark.parametrize("pytest_exit", [0, 1])
def test_without_a_gate_the_code_of_pytest_stands(pytest_exit: int) -> None:
    assert exit_code_for(pytest_exit, NO_GATE, only_benchmark_failures=True) == pytest_exit


@pytest.mark.parametrize(
    ("pytest_exit", "status", "only", "expected"),
    [
        pytest.param(1, "passed", True, 0, id="wrong-answers-are-allowed"),
        pytest.param(1, "passed", False, 1, id="another-failing-test-is-not"),
        pytest.param(0, "passed", True, 0, id="all-right"),
        pytest.param(0, "passed", False, 0, id="nothing-failed-at-all"),
        pytest.param(1, "missed", True, 1, id="missed"),
        pytest.param(0, "missed", True, 1, id="missed-although-no-item-failed"),
        pytest.param(0, "inconclusive", True, 11, id="inconclusive-although-no-item-failed"),
        pytest.param(1, "inconclusive", True, 11, id="inconclusive-with-wrong-answers"),
        pytest.param(1, "inconclusive", False, 1, id="another-failing-test-before-inconclusive"),
        pytest.param(0, "not_comparable", True, 12, id="not-comparable"),
        pytest.param(1, "not_comparable", False, 12, id="not-comparable-before-a-failing-test"),
        pytest.param(1, "not_measured", False, 10, id="not-measured-before-a-failing-test"),
        pytest.param(0, "not_measured", True, 10, id="not-measured-although-no-item-failed"),
    ],
)
def test_the_gate_sets_the_exit_code(pytest_exit: int, status: GateStatus, only: bool, expected: int) -> None:
    assert exit_code_for(pytest_exit, ended(status), only_benchmark_failures=only) == expected


def test_a_result_comes_back_from_its_plain_values() -> None:
    result = GateResult(status="missed", exit_code=1, sentence="Gate missed.", each=({"scope": "overall"},))
    again = GateResult(**result.to_json())
    assert (again.sentence, list(again.each)) == ("Gate missed.", [{"scope": "overall"}])


def test_a_gate_does_not_go_with_the_tasks_of_its_run() -> None:
    result = nothing_planned("sealqa longseal")
    assert (result.status, result.exit_code) == ("not_measured", 10)
    assert result.sentence == "Gate not measured (sealqa longseal): none of its tasks was left to ask."
