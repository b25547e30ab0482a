"""The gate of a baseline: regressed, too little to tell, not comparable, or within what is allowed."""

from typing import Any

import pytest
from gate_scene import against, flipped, judged, series
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statuses import EXIT_CODES

HEADLINE = series(5, 10)
CONFIDENT = {"policy": "confident"}


@pytest.mark.parametrize(
    ("n_improved", "n_regressed", "status"),
    [(0, 6, "missed"), (0, 1, "inconclusive"), (3, 4, "passed"), (0, 0, "passed"), (6, 0, "passed")],
    ids=["regression", "too-few-flips", "no-difference", "no-flip", "improvement"],
)
def test_without_a_limit_what_was_found_decides(n_improved: int, n_regressed: int, status: str) -> None:
    gate = judged(HEADLINE, comparison=flipped(n_improved, n_regressed, 20))
    assert (gate.status, gate.exit_code) == (status, EXIT_CODES[gate.status])


@pytest.mark.parametrize(
    ("n_regressed", "policy", "status"),
    [
        pytest.param(5, "point", "passed", id="a-fall-of-0.05-is-allowed"),
        pytest.param(6, "point", "missed", id="more-is-not"),
        pytest.param(0, "confident", "passed", id="surely-less"),
        pytest.param(6, "confident", "inconclusive", id="maybe-less"),
        pytest.param(20, "confident", "missed", id="surely-more"),
    ],
)
def test_with_a_limit_the_fall_decides(n_regressed: int, policy: str, status: str) -> None:
    comparison = flipped(0, n_regressed, 100 - n_regressed)
    assert judged(HEADLINE, comparison=comparison, max_regression=0.05, policy=policy).status == status


def test_a_significant_regression_within_the_limit_passes() -> None:
    comparison = flipped(0, 6, 94)
    assert comparison.finding == "regression"
    assert judged(HEADLINE, comparison=comparison, max_regression=0.06).status == "passed"


@pytest.mark.parametrize(
    ("n_regressed", "gates", "sentence"),
    [
        pytest.param(
            6,
            {},
            "Gate missed: a difference of -0.300 to the baseline (95 % interval -0.519 to -0.077) is a "
            "regression.",
            id="regression",
        ),
        pytest.param(
            1,
            {},
            "Gate inconclusive: a difference of -0.050 to the baseline (95 % interval -0.236 to 0.116) rests "
            "on too few flips to tell.",
            id="too-few-flips",
        ),
        pytest.param(
            1,
            {"max_regression": 0.1},
            "Gate passed: accuracy 0.500 (5/10); a difference of -0.050 to the baseline (95 % interval "
            "-0.236 to 0.116) is within --max-regression 0.1; coverage 1.000 (10/10); errors 0.",
            id="within-a-limit",
        ),
        pytest.param(
            6,
            {"max_regression": 0.1},
            "Gate missed: a difference of -0.300 to the baseline (95 % interval -0.519 to -0.077) is beyond "
            "--max-regression 0.1.",
            id="beyond-a-limit",
        ),
        pytest.param(
            6,
            {"max_regression": 0.1, **CONFIDENT},
            "Gate inconclusive: a difference of -0.300 to the baseline (95 % interval -0.519 to -0.077) may "
            "lie on either side of --max-regression 0.1.",
            id="maybe-beyond-a-limit",
        ),
    ],
)
def test_the_sentence_tells_the_difference(n_regressed: int, gates: dict[str, Any], sentence: str) -> None:
    assert (
        judged(HEADLINE, comparison=flipped(0, n_regressed, 20 - n_regressed), **gates).sentence == sentence
    )


def test_what_forbids_to_compare_is_named() -> None:
    comparison = against("cc", "ci", answer_format="gaia")
    gate = judged(HEADLINE, comparison=comparison, min_accuracy=0.9)
    assert gate.exit_code == 12, "before the accuracy that is missed"
    assert gate.sentence == "Gate not comparable: answer_format: 'none' in BASE, 'gaia' in NEW."


def test_what_is_overridden_is_named_too() -> None:
    comparison = against("cc", "cc", override=True, answer_format="gaia")
    gate = judged(HEADLINE, comparison=comparison, max_regression=0.5)
    assert gate.status == "passed"
    assert "is within --max-regression 0.5, though they differ in answer_format;" in gate.sentence


def test_a_part_that_the_baseline_never_measured_neither_passes_nor_misses() -> None:
    comparison = against("rc", "c", partial=("-k t-000",))
    asked: list[dict[str, Any]] = [{}, {"max_regression": 0.05}, {"max_regression": 0.05, **CONFIDENT}]
    for gates in asked:
        gate = judged(HEADLINE, comparison=comparison, partial=("-k t-000",), **gates)
        assert (gate.status, gate.exit_code) == ("not_measured", 10)
        assert gate.sentence == (
            "Gate not measured on a part of the set (-k t-000): nothing can be held against the baseline: "
            "BASE has a verdict on every attempt at none of the tasks that NEW planned."
        )


@pytest.mark.parametrize(
    "changes",
    [
        {"aggregation_mode": "category_mean"},
        {"category_hierarchy": {"overall": {"aggregation": "unweighted", "children": {"1": {}, "2": {}}}}},
    ],
    ids=["category mean", "tree"],
)
def test_beside_a_value_in_which_categories_weigh_the_difference_is_said_to_be_of_tasks(
    changes: dict[str, Any],
) -> None:
    gate = judged(HEADLINE, comparison=against("cc", "ci", **changes), max_regression=0.5)
    assert "a difference of -0.500 to the baseline in plain means over tasks (95 % interval" in gate.sentence


def test_not_measured_comes_before_not_comparable() -> None:
    comparison = against("cc", "ci", answer_format="gaia")
    assert judged(series(5, 9, 10), comparison=comparison).status == "not_measured"


def test_it_is_told_in_plain_values() -> None:
    comparison = flipped(0, 6, 14)
    assert comparison.evidence is not None
    gate = judged(HEADLINE, comparison=comparison, max_regression=0.1, policy="confident")
    assert gate.each[0] == {
        "scope": "overall",
        "kind": "baseline",
        "threshold": 0.1,
        "value": -0.3,
        "interval_95": list(comparison.evidence.interval),
        "level": 0.95,
        "status": "inconclusive",
        "decides": True,
    }


def test_a_primary_scope_does_not_silence_the_baseline() -> None:
    gate = judged(HEADLINE, comparison=flipped(0, 6, 14), min_accuracy={"overall": 0.1}, primary="overall")
    assert gate.status == "missed"


@unhurried
@given(
    st.text("ci", min_size=1, max_size=12).flatmap(
        lambda base: st.tuples(st.just(base), st.text("ci", min_size=len(base), max_size=len(base)))
    ),
    st.integers(0, 20).map(lambda twentieths: twentieths / 20),
)
def test_a_task_that_turns_incorrect_never_makes_the_gate_milder(
    letters: tuple[str, str], most: float
) -> None:
    base, new = letters
    worse = new.replace("c", "i", 1)
    before, after = (
        judged(HEADLINE, comparison=against(base, one), max_regression=most) for one in (new, worse)
    )
    strictness = list(EXIT_CODES)
    assert strictness.index(after.status) <= strictness.index(before.status)
