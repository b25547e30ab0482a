"""Gates that know about noise: the interval decides, and several gates share one 5 %."""

from fractions import Fraction
from typing import Any

import pytest
from gate_scene import Part, judged, means_of_three, series
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

TWO = {"overall": 0.6, "level1": 0.8}
THREE = {"level1": 0.5, "level2": 0.5, "level3": 0.5}


def confident(overall: Part, least: Any = 0.6, **more: Any) -> Any:
    levels = more.pop("levels", None)
    return judged(series(*overall, levels=levels), min_accuracy=least, policy="confident", **more)


@pytest.mark.parametrize(
    ("n_correct", "status"),
    [(50, "missed"), (51, "inconclusive"), (60, "inconclusive"), (69, "inconclusive"), (70, "passed")],
)
def test_the_95_percent_interval_decides(n_correct: int, status: str) -> None:
    assert confident((n_correct, 100)).status == status


@pytest.mark.parametrize(
    ("overall", "least", "status"),
    [
        pytest.param((5, 5), 1.0, "inconclusive", id="no number of tasks makes 1.0 certain"),
        pytest.param((0, 5), 0.0, "passed", id="0 is always reached"),
        pytest.param((4, 5), 1.0, "missed", id="one wrong answer misses 1.0"),
    ],
)
def test_at_the_ends_of_the_scale(overall: Part, least: float, status: str) -> None:
    assert confident(overall, least).status == status


@pytest.mark.parametrize(
    ("n_correct", "sentence"),
    [
        pytest.param(
            50,
            "Gate missed: accuracy 0.500 (50/100) is below --min-accuracy 0.6 (95 % interval 0.404 to "
            "0.596).",
            id="missed",
        ),
        pytest.param(
            60,
            "Gate inconclusive: accuracy 0.600 (60/100) may lie on either side of --min-accuracy 0.6 "
            "(95 % interval 0.502 to 0.691).",
            id="inconclusive",
        ),
        pytest.param(
            70,
            "Gate passed: accuracy 0.700 (70/100) reaches --min-accuracy 0.6 (95 % interval 0.604 to 0.781); "
            "coverage 1.000 (100/100); errors 0.",
            id="passed",
        ),
    ],
)
def test_the_sentence_tells_the_interval(n_correct: int, sentence: str) -> None:
    assert confident((n_correct, 100)).sentence == sentence


def test_inconclusive_is_exit_code_11() -> None:
    assert confident((6, 10)).exit_code == 11


@pytest.mark.parametrize(
    ("overall", "level1", "status", "levels_of_confidence"),
    [
        pytest.param(70, 38, "passed", {"level1": 0.975, "overall": 0.95}, id="one clears, then the other"),
        pytest.param(
            70, 37, "inconclusive", {"level1": 0.975, "overall": 0.975}, id="neither clears at 97.5"
        ),
        pytest.param(71, 37, "passed", {"level1": 0.95, "overall": 0.975}, id="the other way round"),
        pytest.param(69, 38, "inconclusive", {"level1": 0.975, "overall": 0.95}, id="one is left undecided"),
        pytest.param(
            50, 38, "missed", {"level1": 0.975, "overall": 0.95}, id="a pass helps the other to miss"
        ),
        pytest.param(
            49, 36, "missed", {"level1": 0.95, "overall": 0.975}, id="a miss before an inconclusive"
        ),
    ],
)
def test_two_gates_share_the_5_percent_by_steps(
    overall: int, level1: int, status: str, levels_of_confidence: dict[str, float]
) -> None:
    gate = confident((overall, 100), TWO, levels={"1": (level1, 40)})
    assert gate.status == status
    assert {one["scope"]: one["level"] for one in gate.each if one["kind"] == "accuracy"} == (
        levels_of_confidence
    )


def test_the_sentence_tells_how_many_gates_were_undecided() -> None:
    gate = confident((70, 100), TWO, levels={"1": (37, 40)})
    assert gate.sentence == (
        "Gate inconclusive: accuracy 0.700 (70/100) may lie on either side of --min-accuracy 0.6 (97.5 % "
        "interval 0.590 to 0.791, one of 2 undecided gates); level1 accuracy 0.925 (37/40) may lie on either "
        "side of --min-accuracy level1=0.8 (97.5 % interval 0.778 to 0.978, one of 2 undecided gates)."
    )


def test_three_gates_step_down_one_by_one() -> None:
    levels = {"1": (26, 36), "2": (25, 36), "3": (24, 36)}
    gate = confident((75, 108), THREE, levels=levels)
    found = [(one["status"], one["level"]) for one in gate.each if one["kind"] == "accuracy"]
    assert found == [("passed", 1 - 0.05 / 3), ("passed", 0.975), ("passed", 0.95)]
    assert "(98.33 % interval 0.523 to 0.860, one of 3 undecided gates)" in gate.sentence


def test_a_gate_that_is_not_measured_takes_no_part_in_the_sharing() -> None:
    gate = confident((70, 100), TWO, levels={"1": (0, 0)})
    assert gate.status == "not_measured"
    assert gate.each[0]["level"] == 0.95


def test_a_primary_gate_is_held_alone_at_95_percent() -> None:
    gate = confident((70, 100), TWO, levels={"1": (20, 40)}, primary="overall")
    assert gate.status == "passed"
    assert [one["level"] for one in gate.each if one["kind"] == "accuracy"] == [0.95, 0.95]
    assert "level1=0.8 (95 % interval 0.352 to 0.648), which does not decide" in gate.sentence


def test_the_interval_is_that_of_task_means_with_several_attempts() -> None:
    third = Fraction(1, 3)
    headline = means_of_three(*[third, 2 * third] * 20)
    assert headline.estimate.method == "student_t"
    gates = [judged(headline, min_accuracy=least, policy="confident").status for least in (0.44, 0.5, 0.56)]
    assert gates == ["passed", "inconclusive", "missed"]


parts = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
shares = st.integers(0, 20).map(lambda twentieths: twentieths / 20)


@unhurried
@given(parts, shares)
def test_what_is_decided_with_confidence_is_decided_the_same_by_the_value(part: Part, least: float) -> None:
    sure, plain = confident(part, least), judged(series(*part), min_accuracy=least)
    assert sure.status in {"inconclusive", plain.status}


@unhurried
@given(st.lists(parts, min_size=3, max_size=3), st.lists(shares, min_size=3, max_size=3))
def test_what_is_decided_among_several_is_decided_the_same_alone(
    levels: list[Part], least: list[float]
) -> None:
    """Sharing the 5 % only ever leaves more undecided."""
    scopes = dict(zip(THREE, least, strict=True))
    together = confident((1, 2), scopes, levels=dict(zip("123", levels, strict=True)))
    for one, part in zip(together.each, levels, strict=False):
        assert one["status"] in {"inconclusive", confident(part, one["threshold"]).status}


@pytest.mark.parametrize(
    ("scopes", "levels"),
    [
        pytest.param({"overall": 0.6, "gaia": 0.6}, {}, id="two names of the whole"),
        pytest.param({"overall": 0.6, "level1": 0.6}, {"1": (70, 100)}, id="a level that is the whole"),
        pytest.param({"overall": 0.6, "gaia": 0.5}, {}, id="a lower threshold beside it"),
    ],
)
def test_a_question_asked_once_more_makes_no_answer_weaker(
    scopes: dict[str, float], levels: dict[str, Part]
) -> None:
    gate = confident((70, 100), scopes, levels=levels)
    assert gate.status == confident((70, 100)).status == "passed"
    assert [one["level"] for one in gate.each if one["kind"] == "accuracy"] == [0.95, 0.95]


def test_of_two_thresholds_of_the_same_tasks_the_higher_one_stands_for_both() -> None:
    gate = confident((70, 100), {"overall": 0.65, "gaia": 0.3})
    assert gate.status == "inconclusive"
    assert [one["status"] for one in gate.each if one["kind"] == "accuracy"] == ["inconclusive", "passed"]


def test_two_levels_that_ended_alike_are_two_questions() -> None:
    gate = confident((74, 120), {"level1": 0.8, "level2": 0.8}, levels={"1": (37, 40), "2": (37, 40)})
    assert [one["level"] for one in gate.each if one["kind"] == "accuracy"] == [0.975, 0.975]
