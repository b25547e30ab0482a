"""What is paired: the value of each task in both runs, and which tasks are measured."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from comparison_scene import ended
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.comparing.paired_tests import interval_95, interval_method, p_value
from benchmarks.results.comparing.pairs import Pairs, pair, results_of

SIDES = st.lists(st.tuples(*[st.sampled_from("cinrju-")] * 2), min_size=1, max_size=24).filter(
    lambda each: any(side != "-" for both in each for side in both)
)
"""How each task ended in BASE and in NEW."""


def paired(base: str, new: str) -> Pairs:
    return pair(ended(base), ended(new))


def _values(pairs: Pairs) -> list[tuple[float, float]]:
    return [(float(each.base.value), float(each.new.value)) for each in pairs.each]


@pytest.mark.parametrize("other", "inrju-")
def test_whatever_is_not_correct_counts_as_one(other: str) -> None:
    pairs = paired("cc" + other + other, "c" + other + "c" + other)
    assert _values(pairs) == [(1, 1), (1, 0), (0, 1), (0, 0)][: 3 if other == "-" else 4]
    assert (pairs.regressed, pairs.improved) == (("t-01",), ("t-02",))


def test_tasks_without_a_verdict_are_named_by_reason() -> None:
    pairs = paired("crj-ui", "-ccicn")
    assert pairs.lacking_in_base == {
        "judge_error": ("t-02",),
        "not_planned": ("t-03",),
        "run_error": ("t-01",),
        "unavailable": ("t-04",),
    }
    assert pairs.lacking_in_new == {"not_planned": ("t-00",)}


def test_flips_that_only_lack_a_verdict_are_told_apart() -> None:
    pairs = paired("ccci-i", "ir-ccc")
    assert (pairs.regressed, pairs.improved) == (("t-00", "t-01", "t-02"), ("t-03", "t-04", "t-05"))
    assert pairs.n_flips_not_measured == 3
    both = pairs.measured_in_both
    assert (both.n, both.regressed, both.improved) == (3, ("t-00",), ("t-03", "t-05"))
    assert [each.task_id for each in pairs.measured_in_base.each] == ["t-00", "t-01", "t-02", "t-03", "t-05"]


@pytest.mark.parametrize(
    ("word", "value", "lacks"),
    [
        pytest.param("ccc", Fraction(1), (), id="all"),
        pytest.param("cin", Fraction(1, 3), (), id="some"),
        pytest.param("nii", Fraction(0), (), id="none"),
        pytest.param("crj", Fraction(1, 3), ("judge_error", "run_error"), id="errors"),
        pytest.param("rrc", Fraction(1, 3), ("run_error",), id="a-reason-once"),
        pytest.param("c.u", Fraction(1, 3), ("not_planned", "unavailable"), id="left-out"),
    ],
)
def test_under_avg_a_task_is_worth_its_correct_attempts_among_all_k(
    word: str, value: Fraction, lacks: tuple[str, ...]
) -> None:
    (result,) = results_of(ended(f"{word} ")).values()
    assert (result.value, result.lacks) == (value, lacks)


@pytest.mark.parametrize(
    ("word", "value", "lacks"),
    [
        pytest.param("c..", 1, (), id="at-once"),
        pytest.param("ric", 1, (), id="after-an-error"),
        pytest.param("ini", 0, (), id="none"),
        pytest.param("iri", 0, ("run_error",), id="an-error"),
        pytest.param("iju", 0, ("judge_error", "unavailable"), id="cut-short"),
        pytest.param("i..", 0, ("unavailable",), id="not-made"),
    ],
)
def test_under_pass_any_success_makes_a_task_and_only_k_verdicts_unmake_it(
    word: str, value: int, lacks: tuple[str, ...]
) -> None:
    (result,) = results_of(ended(f"{word} ", strategy="pass")).values()
    assert result.value == value
    assert result.lacks == lacks


def test_changes_are_counted_in_attempts() -> None:
    pairs = paired("ccc iii cci ici", "cii cci cci ccc")
    assert (pairs.scale, pairs.changes) == (3, (-2, 2, 0, 2))
    assert (pairs.accuracy_base, pairs.accuracy_new) == (Fraction(6, 12), Fraction(8, 12))
    assert pairs.difference == Fraction(1, 6)


def test_runs_of_another_k_meet_on_a_common_scale() -> None:
    pairs = paired("cc ci", "cci iii")
    assert (pairs.scale, pairs.changes) == (6, (-2, -3))
    assert pairs.difference == Fraction(-5, 12)


def test_task_means_are_tested_by_flipped_signs_and_their_interval_is_students() -> None:
    pairs = paired("ccc ccc iii", "iii cii cii")
    assert (pairs.changes, p_value(pairs)) == ((-3, -2, 1), Fraction(4, 8))
    low, high = interval_95(pairs)
    assert interval_method(pairs) == "student_t"
    assert -1 <= low < pairs.difference < high <= 1


def test_task_means_that_all_change_alike_have_an_interval_all_the_same() -> None:
    pairs = paired("ccc ccc", "cci cci")
    assert interval_method(pairs) == "newcombe_10"
    low, high = interval_95(pairs)
    assert low < pairs.difference < high


@unhurried
@given(SIDES)
def test_every_task_is_counted_once(both: list[tuple[str, str]]) -> None:
    pairs = paired(*_sides(both))
    assert pairs.n == sum(each != ("-", "-") for each in both)
    assert pairs.accuracy_base * pairs.n == sum(base == "c" for base, _ in both)
    assert pairs.accuracy_new * pairs.n == sum(new == "c" for _, new in both)


@unhurried
@given(SIDES)
def test_swapped_runs_swap_their_flips_and_keep_p(both: list[tuple[str, str]]) -> None:
    base, new = _sides(both)
    there, back = paired(base, new), paired(new, base)
    assert (there.improved, there.regressed) == (back.regressed, back.improved)
    assert there.difference == -back.difference
    assert p_value(there) == p_value(back)


def _sides(both: Sequence[tuple[str, str]]) -> tuple[str, str]:
    return "".join(base for base, _ in both), "".join(new for _, new in both)
