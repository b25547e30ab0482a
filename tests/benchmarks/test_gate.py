"""The gate: what it decides about a run, in one sentence."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from gate_scene import Part, asked, flipped, judged, means_of_three, series
from hypothesis import given
from hypothesis import strategies as st
from results_scene import record, run, unhurried

from benchmarks.results.details import entry_of
from benchmarks.results.estimate import Estimate
from benchmarks.results.facts import facts_of
from benchmarks.results.gates.gate import judge_gates
from benchmarks.results.gates.thresholds import accuracy
from benchmarks.results.metrics import reduce_run
from benchmarks.results.series import Series
from benchmarks.results.statuses import EXIT_CODES, GateStatus

BOTH = {"overall": 0.6, "level1": 0.8}


@pytest.mark.parametrize(
    ("counts", "gates", "sentence"),
    [
        pytest.param(
            (5, 10),
            {"min_accuracy": 0.6},
            "Gate missed: accuracy 0.500 (5/10) is below --min-accuracy 0.6.",
            id="accuracy-below",
        ),
        pytest.param(
            (3, 5),
            {"min_accuracy": 0.6},
            "Gate passed: accuracy 0.600 (3/5) reaches --min-accuracy 0.6; coverage 1.000 (5/5); errors 0.",
            id="three-fifths-reach-0.6",
        ),
        pytest.param(
            (5999, 10_000),
            {"min_accuracy": 0.6},
            "Gate missed: accuracy 0.5999 (5999/10000) is below --min-accuracy 0.6.",
            id="just-below-is-not-rounded-up",
        ),
        pytest.param(
            (5_999_999_999_999, 10_000_000_000_000),
            {"min_accuracy": 0.6},
            "Gate missed: accuracy just below 0.6 (5999999999999/10000000000000) is below "
            "--min-accuracy 0.6.",
            id="closer-than-eleven-digits-tell",
        ),
        pytest.param(
            (9, 9, 10),
            {"min_accuracy": 0.6},
            "Gate not measured: coverage 0.900 (9/10) is below --min-coverage 1.0 "
            "(its default beside another gate).",
            id="coverage-defaults-to-all",
        ),
        pytest.param(
            (9, 9, 10),
            {"min_accuracy": 0.6, "min_coverage": 0.9},
            "Gate passed: accuracy 1.000 (9/9) reaches --min-accuracy 0.6; coverage 0.900 (9/10); errors 1.",
            id="coverage-asked-for",
        ),
        pytest.param(
            (0, 8, 10),
            {"min_accuracy": 0.6, "min_coverage": 0.9},
            "Gate not measured: coverage 0.800 (8/10) is below --min-coverage 0.9.",
            id="not-measured-comes-before-missed",
        ),
        pytest.param(
            (5, 7, 10),
            {"min_coverage": 0.5, "max_errors": 2},
            "Gate not measured: 3 errors are more than --max-errors 2.",
            id="too-many-errors",
        ),
        pytest.param(
            (5, 7, 10),
            {"min_coverage": 0.8, "max_errors": 2},
            "Gate not measured: coverage 0.700 (7/10) is below --min-coverage 0.8; 3 errors are more than "
            "--max-errors 2.",
            id="all-that-is-amiss-is-named",
        ),
        pytest.param(
            (0, 7, 9),
            {"min_coverage": 0.5, "max_errors": 2},
            "Gate passed: accuracy 0.000 (0/7); coverage 0.778 (7/9); errors 2.",
            id="errors-just-allowed",
        ),
        pytest.param(
            (0, 0, 10),
            {"min_accuracy": 0.0, "min_coverage": 0.0},
            "Gate not measured: none of 10 planned tasks was evaluated.",
            id="nothing-evaluated-is-never-green",
        ),
        pytest.param(
            (0, 0, 0),
            {"min_accuracy": 0.5},
            "Gate not measured: none of 0 planned tasks was evaluated.",
            id="nothing-planned-is-never-green",
        ),
        pytest.param((1, 1), {}, "No gate was set.", id="no-gate"),
        pytest.param((1, 1), {"policy": "confident"}, "No gate was set.", id="a-policy-is-no-gate"),
    ],
)
def test_the_gate_decides_in_one_sentence(
    counts: tuple[int, ...], gates: dict[str, Any], sentence: str
) -> None:
    assert judged(series(*counts), **gates).sentence == sentence


@pytest.mark.parametrize(
    ("headline", "status"),
    [(series(6, 10), "passed"), (series(5, 10), "missed"), (series(5, 10, 11), "not_measured")],
    ids=["passed", "missed", "not-measured"],
)
def test_status_and_exit_code_go_together(headline: Any, status: GateStatus) -> None:
    result = judged(headline, min_accuracy=0.6)
    assert (result.status, result.exit_code) == (status, EXIT_CODES[status])


def test_a_run_that_was_stopped_never_passes_its_gate() -> None:
    gate = judged(series(2, 2, 12), stopped="interrupted", min_accuracy=0.5, min_coverage=0.1)
    assert gate.exit_code == 10
    assert gate.sentence == "Gate not measured: the run was stopped (interrupted)."
    assert {one["status"] for one in gate.each} == {"not_measured"}


def test_a_part_of_the_set_does_not_pose_as_the_whole() -> None:
    gate = judged(series(1, 2), partial=("limit 5", "-k two\nlines"), min_accuracy=0.6)
    assert gate.sentence == (
        "Gate missed on a part of the set (limit 5, -k two lines): accuracy 0.500 (1/2) is below "
        "--min-accuracy 0.6."
    )


@pytest.mark.parametrize(
    ("level1", "status", "sentence"),
    [
        pytest.param(
            (4, 5),
            "passed",
            "Gate passed: accuracy 0.700 (7/10) reaches --min-accuracy 0.6; level1 accuracy 0.800 (4/5) "
            "reaches --min-accuracy level1=0.8; coverage 1.000 (10/10); errors 0.",
            id="a-pass-names-all",
        ),
        pytest.param(
            (3, 5),
            "missed",
            "Gate missed: level1 accuracy 0.600 (3/5) is below --min-accuracy level1=0.8.",
            id="a-miss-names-what-missed",
        ),
        pytest.param(
            (0, 0, 2), "not_measured", "Gate not measured: nothing of level1 was evaluated.", id="0"
        ),
        pytest.param(
            None, "not_measured", "Gate not measured: nothing of level1 was planned.", id="deselected"
        ),
    ],
)
def test_a_scope_is_held_against_its_own_tasks(
    level1: Part | None, status: GateStatus, sentence: str
) -> None:
    levels: dict[str, Part] = {"2": (3, 5)} if level1 is None else {"1": level1}
    gate = judged(series(7, 10, levels=levels), min_accuracy=BOTH)
    assert (gate.status, gate.sentence) == (status, sentence)


def test_all_misses_are_named() -> None:
    gate = judged(series(1, 10, levels={"1": (0, 5)}), min_accuracy=BOTH)
    assert gate.sentence == (
        "Gate missed: accuracy 0.100 (1/10) is below --min-accuracy 0.6; "
        "level1 accuracy 0.000 (0/5) is below --min-accuracy level1=0.8."
    )


def test_a_scope_without_a_category_is_the_whole_run() -> None:
    gate = judged(series(5, 10), min_accuracy={"gaia": 0.6})
    assert gate.sentence == "Gate missed: gaia accuracy 0.500 (5/10) is below --min-accuracy gaia=0.6."


def test_the_primary_alone_decides_and_the_others_are_told() -> None:
    gate = judged(series(7, 10, levels={"1": (0, 5)}), min_accuracy=BOTH, primary="overall")
    assert gate.sentence == (
        "Gate passed: accuracy 0.700 (7/10) reaches --min-accuracy 0.6; level1 accuracy 0.000 (0/5) is below "
        "--min-accuracy level1=0.8, which does not decide; coverage 1.000 (10/10); errors 0."
    )
    assert [(one["scope"], one["status"], one["decides"]) for one in gate.each] == [
        ("overall", "passed", True),
        ("level1", "missed", False),
        ("overall", "passed", True),
    ]


def test_beside_a_primary_coverage_and_errors_still_decide() -> None:
    headline = series(7, 10, 12, levels={"1": (5, 5)})
    assert judged(headline, min_accuracy=BOTH, primary="level1").status == "not_measured"
    errors = judged(headline, min_accuracy=BOTH, primary="level1", min_coverage=0.5, max_errors=1)
    assert errors.sentence == "Gate not measured: 2 errors are more than --max-errors 1."


def test_each_gate_that_was_asked_for_is_told_in_plain_values() -> None:
    gate = judged(series(3, 4, levels={"1": (1, 2)}), min_accuracy={"level1": 0.8}, max_errors=2)
    low, high = series(1, 2).estimate.interval() or (0, 0)
    assert gate.to_json()["each"] == [
        {
            "scope": "level1",
            "kind": "accuracy",
            "threshold": 0.8,
            "value": 0.5,
            "interval_95": [low, high],
            "level": None,
            "status": "missed",
            "decides": True,
        },
        {
            "scope": "overall",
            "kind": "coverage",
            "threshold": 1.0,
            "value": 1.0,
            "interval_95": None,
            "level": None,
            "status": "passed",
            "decides": True,
        },
        {
            "scope": "overall",
            "kind": "errors",
            "threshold": 2,
            "value": 0,
            "interval_95": None,
            "level": None,
            "status": "passed",
            "decides": True,
        },
    ]


def test_several_attempts_are_told_by_the_number_of_tasks() -> None:
    third = Fraction(1, 3)
    gate = judged(means_of_three(third, third, 2 * third), min_accuracy=0.5)
    assert gate.sentence == "Gate missed: accuracy 0.444 (3 tasks) is below --min-accuracy 0.5."


def test_four_ninths_reach_no_threshold_above_them_and_each_at_or_below() -> None:
    third = Fraction(1, 3)
    headline = means_of_three(third, third, 2 * third)
    below, above = (judged(headline, min_accuracy=least).status for least in (0.4444444444, 0.4444444445))
    assert (below, above) == ("passed", "missed")


def test_a_bare_number_of_an_older_run_is_that_of_the_whole_run() -> None:
    old = {"min_accuracy": 0.5, "min_coverage": None, "max_errors": None}
    gate = judge_gates(
        series(2, 4), old, breakdown="level", n_errors=0, stopped=None, partial=(), comparison=None
    )
    assert gate.sentence.startswith("Gate passed: accuracy 0.500 (2/4) reaches --min-accuracy 0.5;")


def test_the_gate_reads_what_the_reducer_makes() -> None:
    facts = [facts_of("t-1", 1, entry_of(record("t-1", "incorrect")))]
    metrics = reduce_run(run(["t-1"], gates=asked(min_accuracy={"level1": 0.5})), facts)
    assert metrics["gate"]["sentence"] == (
        "Gate missed: level1 accuracy 0.000 (0/1) is below --min-accuracy level1=0.5."
    )


@unhurried
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.integers(0, 1000))
def test_shares_are_compared_exactly(pair: tuple[int, int], thousandths: int) -> None:
    result = judged(series(*pair), min_accuracy=float(f"{thousandths}e-3"))
    assert (result.status == "passed") is (pair[0] * 1000 >= thousandths * pair[1])


STRICTNESS = list(EXIT_CODES)
shares = st.integers(0, 20).map(lambda twentieths: twentieths / 20)
parts = st.integers(0, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@unhurried
@given(st.lists(parts, min_size=3, max_size=3), st.lists(shares, min_size=4, max_size=4), st.integers(0, 2))
def test_a_task_that_turns_incorrect_never_makes_the_gate_milder(
    levels: list[Part], least: list[float], turned: int
) -> None:
    """Under `point`, whatever is asked of the whole and of each level."""
    scopes = dict(zip(("overall", "level1", "level2", "level3"), least, strict=True))
    worse = [(c - (n == turned and c > 0), m) for n, (c, m) in enumerate(levels)]
    before, after = (
        judged(
            series(sum(c for c, _ in one), sum(m for _, m in one), levels=dict(zip("123", one, strict=True))),
            min_accuracy=scopes,
        )
        for one in (levels, worse)
    )
    assert STRICTNESS.index(after.status) <= STRICTNESS.index(before.status)


@unhurried
@given(parts, st.integers(0, 5), shares, st.one_of(st.none(), st.integers(0, 6)))
def test_an_error_more_never_makes_the_gate_milder(
    part: Part, n_errors: int, least: float, most: int | None
) -> None:
    """The error is a further planned task; the accuracy over what was evaluated stays."""
    before, after = (
        judged(series(part[0], part[1], part[1] + n), min_accuracy=0.5, min_coverage=least, max_errors=most)
        for n in (n_errors, n_errors + 1)
    )
    assert STRICTNESS.index(after.status) <= STRICTNESS.index(before.status)


def weighed(*, weighs: int, does_not: int) -> Series:
    """A headline of which only some evaluated tasks weigh in the value; these are correct, the others not."""
    total = weighs + does_not
    of_leaf = series(weighs, weighs).estimate.groups
    return replace(series(weighs, total), estimate=Estimate(groups=of_leaf))


def test_tasks_that_a_tree_leaves_out_do_not_carry_the_value() -> None:
    gate = judged(weighed(weighs=3, does_not=6), min_accuracy=0.9)
    assert gate.sentence == (
        "Gate passed: accuracy 1.000 (3 of 9 tasks weigh in it) reaches --min-accuracy 0.9; coverage 1.000 "
        "(9/9); errors 0."
    )


@pytest.mark.parametrize(
    "gates",
    [{"min_coverage": 1.0}, {"min_accuracy": 0.0}, {"max_errors": 0}, {"comparison": flipped(0, 0, 3)}],
    ids=["coverage", "accuracy", "errors", "baseline"],
)
def test_a_run_without_a_value_passes_no_gate_and_is_never_told_as_0(gates: dict[str, Any]) -> None:
    gate = judged(weighed(weighs=0, does_not=3), **gates)
    assert (gate.status, gate.exit_code) == ("not_measured", 10)
    assert gate.sentence == "Gate not measured: none of 3 evaluated tasks weighs in the value."


def test_a_value_that_there_is_not_is_a_dash() -> None:
    assert accuracy("overall", series(0, 0, 4)) == "accuracy — (0/0)"
