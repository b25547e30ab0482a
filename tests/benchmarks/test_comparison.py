"""Runs compared: what the flips tell, and what several comparisons add up to."""

import re
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from comparison_scene import compared, ended, evidence, flipped
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.comparing.as_json import comparison_as_json, comparisons_as_json
from benchmarks.results.comparing.comparison import ComparisonError, compare, held_against, kept_of
from benchmarks.results.comparing.evidence import Finding
from benchmarks.results.comparing.sentences import shown_p

PAGE = (Path(__file__).parents[2] / "docs" / "comparing.md").read_text("utf-8")


def _documented() -> list[tuple[int, int, str, str, int]]:
    row = re.compile(r"\| (\d+) \| (\d+) \| ([\d.]+) \| `(\w+)` \| (\d+) \|")
    return [
        (int(n_regressed), int(n_improved), p, finding, int(code))
        for n_regressed, n_improved, p, finding, code in row.findall(PAGE)
    ]


def test_the_page_has_a_table_of_examples() -> None:
    assert {finding for *_, finding, _ in _documented()} == {
        finding.value for finding in Finding if finding.status not in {"not_comparable", "not_measured"}
    }


@pytest.mark.parametrize(
    ("n_regressed", "n_improved", "p", "finding", "code"),
    _documented(),
    ids=str,
)
def test_the_examples_of_the_page_are_true(
    n_regressed: int, n_improved: int, p: str, finding: str, code: int
) -> None:
    found = compared(*flipped(n_improved, n_regressed))
    assert (found.finding.value, found.finding.exit_code) == (finding, code)
    assert shown_p(evidence(found.each[0]).all_tasks.p, 0.05) == p


@pytest.mark.parametrize(
    ("n_regressed", "n_improved", "p", "finding", "code"),
    _documented(),
    ids=str,
)
def test_tasks_that_change_in_one_attempt_each_give_the_same_findings_for_any_k(
    n_regressed: int, n_improved: int, p: str, finding: str, code: int
) -> None:
    base = "cii " * n_improved + "cci " * (n_regressed + 3)
    new = "cci " * n_improved + "cii " * n_regressed + "cci " * 3
    found = compared(base, new)
    assert (found.finding.value, found.finding.exit_code) == (finding, code)
    assert shown_p(evidence(found.each[0]).all_tasks.p, 0.05) == p


def _documented_changes() -> list[tuple[str, str, str, int]]:
    row = re.compile(r"\| ([-+]\d(?: [-+]\d)*) \| ([\d.]+) \| `(\w+)` \| (\d+) \|")
    return [(changes, p, finding, int(code)) for changes, p, finding, code in row.findall(PAGE)]


def test_the_page_has_examples_of_several_attempts() -> None:
    assert len(_documented_changes()) >= 6


@pytest.mark.parametrize(("changes", "p", "finding", "code"), _documented_changes(), ids=str)
def test_the_examples_of_three_attempts_are_true(changes: str, p: str, finding: str, code: int) -> None:
    steps = [int(change) for change in changes.split()]
    base = " ".join("c" * max(0, -step) + "i" * (3 - max(0, -step)) for step in steps)
    new = " ".join("c" * max(0, step) + "i" * (3 - max(0, step)) for step in steps)
    found = compared(base, new)
    assert (found.finding.value, found.finding.exit_code) == (finding, code)
    assert shown_p(evidence(found.each[0]).all_tasks.p, 0.05) == p


def test_p_that_equals_the_level_is_enough() -> None:
    assert compared(*flipped(0, 6), alpha=0.03125).finding is Finding.REGRESSION
    assert compared(*flipped(0, 6), alpha=0.03124).finding is Finding.TOO_FEW_FLIPS


@pytest.mark.parametrize(
    ("alpha", "n_needed"), [(0.3, 1), (0.25, 1), (0.24, 2), (0.05, 3), (0.02, 3), (0.01, 4)]
)
def test_a_stricter_level_asks_for_more_improved_tasks_before_it_clears(alpha: float, n_needed: int) -> None:
    too_few, enough = flipped(n_needed - 1, n_needed), flipped(n_needed, n_needed + 1)
    assert compared(*too_few, alpha=alpha).finding is Finding.TOO_FEW_FLIPS
    assert compared(*enough, alpha=alpha).finding is Finding.NO_DIFFERENCE


@pytest.mark.parametrize("n_improved", range(6))
def test_less_than_six_flips_clear_no_new_that_lost_and_show_nothing(n_improved: int) -> None:
    for n_regressed in range(6 - n_improved):
        found = compared(*flipped(n_improved, n_regressed)).finding
        lost = n_regressed > n_improved
        assert found is (Finding.TOO_FEW_FLIPS if lost else Finding.NO_DIFFERENCE)


@unhurried
@given(
    st.lists(st.tuples(*[st.sampled_from("cinrju-")] * 2), max_size=24),
    st.randoms(use_true_random=False),
)
def test_the_order_of_tasks_changes_nothing(both: list[tuple[str, str]], shuffle: Random) -> None:
    base, new = (ended("c" + "".join(side)) for side in (zip(*both, strict=True) if both else ("", "")))
    in_order = comparisons_as_json(compare(base, [new], alpha=0.05))
    for run in (base, new):
        rows = list(run["outcomes_by_task"].items())
        shuffle.shuffle(rows)
        run["outcomes_by_task"] = dict(rows)
    assert comparisons_as_json(compare(base, [new], alpha=0.05)) == in_order


def test_holms_correction_takes_back_what_one_comparison_alone_would_show() -> None:
    lost, same = "i" * 7 + "c" * 3, "c" * 10
    assert compared("c" * 10, lost).finding is Finding.REGRESSION
    among = compared("c" * 10, lost, same, same, same)
    assert [evidence(each).all_tasks.p_holm for each in among.each] == [Fraction(4, 64), 1, 1, 1]
    assert among.each[0].finding is Finding.TOO_FEW_FLIPS


def test_a_new_that_won_does_not_make_the_loss_of_another_count() -> None:
    base = "i" * 9 + "c" * 6
    lost, won, won_less = "i" * 15, "c" * 15, "c" * 5 + "i" * 4 + "c" * 6
    for other in (won, won_less):
        found = compared(base, lost, other)
        assert evidence(found.each[0]).all_tasks.p_holm == Fraction(2, 32)
        assert found.finding is Finding.TOO_FEW_FLIPS
    assert compared(base, won, won_less).each[0].finding is Finding.IMPROVEMENT


def test_several_comparisons_ask_for_more_improved_tasks_before_they_clear() -> None:
    base, new = flipped(3, 4)
    assert compared(base, new, base, base).finding is Finding.NO_DIFFERENCE
    assert compared(base, new, base, base, base).finding is Finding.TOO_FEW_FLIPS


def test_a_regression_that_is_clear_enough_stands_among_several() -> None:
    found = compared("c" * 10, "c" * 10, "i" * 9 + "c")
    assert [each.finding for each in found.each] == [Finding.NO_DIFFERENCE, Finding.REGRESSION]
    assert [each.label for each in found.each] == ["NEW 1", "NEW 2"]


WON, SAME, LOST, LOST_ONE = "c" * 18, "i" * 9 + "c" * 9, "i" * 18, "i" * 10 + "c" * 8


@pytest.mark.parametrize(
    ("news", "finding", "code"),
    [
        pytest.param((WON, SAME), Finding.NO_DIFFERENCE, 0, id="0"),
        pytest.param((WON, LOST_ONE, SAME), Finding.TOO_FEW_FLIPS, 11, id="11"),
        pytest.param((LOST_ONE, LOST, WON), Finding.REGRESSION, 1, id="1"),
        pytest.param((LOST, None, LOST_ONE), Finding.NOT_COMPARABLE, 12, id="12"),
    ],
)
def test_the_strictest_finding_decides(news: tuple[str | None, ...], finding: Finding, code: int) -> None:
    runs = [ended("c", answer_format="gaia") if new is None else ended(new) for new in news]
    found = compare(ended(SAME), runs, alpha=0.05)
    assert (found.finding, found.finding.exit_code) == (finding, code)


def test_runs_that_cannot_be_compared_do_not_count_for_holms_correction() -> None:
    other = ended("c" * 10, answer_format="gaia")
    found = compare(ended("c" * 10), [ended("i" * 6 + "c" * 4), other], alpha=0.05)
    assert [each.finding for each in found.each] == [Finding.REGRESSION, Finding.NOT_COMPARABLE]
    assert evidence(found.each[0]).all_tasks.p_holm == Fraction(2, 64)


def test_runs_that_differ_are_not_compared() -> None:
    (found,) = compare(ended("c"), [ended("i", answer_format="gaia")], alpha=0.05).each
    assert (found.finding, found.evidence, found.is_overridden) == (Finding.NOT_COMPARABLE, None, False)


def test_runs_that_differ_are_compared_if_told_to() -> None:
    new = ended("i" * 6, answer_format="gaia")
    (found,) = compare(ended("c" * 6), [new], alpha=0.05, override=True).each
    assert (found.finding, found.is_overridden) == (Finding.REGRESSION, True)
    assert [each.key for each in found.differences] == ["answer_format"]


def test_an_override_compares_one_attempt_per_task_with_several() -> None:
    (found,) = compare(ended("c" * 6), [ended("cii " * 6)], alpha=0.05, override=True).each
    assert (found.finding, evidence(found).difference) == (Finding.REGRESSION, Fraction(-2, 3))
    assert [each.key for each in found.differences] == ["k"]


NOT_MEASURED = (
    "BASE has no task with a verdict on every attempt, so that nothing can be held against it: name"
)


@pytest.mark.parametrize(
    ("base", "new", "line"),
    [
        pytest.param(ended("c"), ended("s"), "NEW is unscored \\('text-103' keeps its", id="unscored"),
        pytest.param(ended("s"), ended("c"), "BASE is unscored \\('text-103' keeps its", id="base"),
        pytest.param(ended(""), ended("c"), NOT_MEASURED, id="no-task"),
        pytest.param(ended("rju"), ended("ccc"), NOT_MEASURED, id="no-verdict"),
        pytest.param(ended("c.. .ci"), ended("ccc ccc"), NOT_MEASURED, id="no-whole-task"),
    ],
)
def test_runs_that_cannot_be_paired_are_one_line(
    base: dict[str, Any], new: dict[str, Any], line: str
) -> None:
    with pytest.raises(ComparisonError, match=line):
        compare(base, [new], alpha=0.05)


@pytest.mark.parametrize(("letters", "line"), [("s", "BASE is unscored"), ("", NOT_MEASURED)])
def test_what_nothing_can_be_held_against_is_not_kept(letters: str, line: str) -> None:
    with pytest.raises(ComparisonError, match=line):
        kept_of(ended(letters))


def test_what_is_kept_of_a_baseline_compares_as_the_whole_does() -> None:
    base, new = ended("ccc cii ccr ciu"), ended("cci iii ccc ccc", model_params={"temperature": 1})
    kept = kept_of({**base, "series": {}, "gate": {}})
    assert "series" not in kept and kept["volatile"] == {"run": base["volatile"]["run"]}
    whole = compare(base, [new], alpha=0.05).each[0]
    assert comparison_as_json(held_against(kept, new)) == comparison_as_json(whole)


def test_a_baseline_is_held_against_at_the_level_and_with_the_override_asked_for() -> None:
    base, new = kept_of(ended("c" * 6)), ended("i" * 6, answer_format="gaia")
    assert held_against(base, new).finding is Finding.NOT_COMPARABLE
    assert held_against(base, new, override=True).finding is Finding.REGRESSION
    assert held_against(base, new, override=True, alpha=0.01).finding is Finding.TOO_FEW_FLIPS


def test_a_part_of_the_set_is_held_against_the_same_part_of_its_baseline() -> None:
    base, part = ended("cccccc"), ended("cc----", partial=("-k t",))
    comparison = held_against(base, part)
    assert comparison.finding is Finding.NO_DIFFERENCE
    assert evidence(comparison).all_tasks.pairs.n == 2


@pytest.mark.parametrize(
    ("base", "part"),
    [
        pytest.param("rrcccc", "cc----", id="errors"),
        pytest.param("--cccc", "cc----", id="tasks-it-did-not-plan"),
        pytest.param("crc rcc ccc", "ccc ccc -", id="an-attempt-of-each-is-missing"),
        pytest.param("irr irr ccc", "c.. c.. -", id="until-a-success"),
    ],
)
def test_nothing_is_found_of_a_part_that_the_baseline_never_measured(base: str, part: str) -> None:
    strategy = "pass" if "." in part else "avg"
    comparison = held_against(
        ended(base, strategy=strategy), ended(part, partial=("-k t",), strategy=strategy)
    )
    assert (comparison.finding, comparison.evidence) == (Finding.NOT_MEASURED, None)
    assert comparison.finding.exit_code == 10
    assert comparison_as_json(comparison)["sentence"] == (
        "Not measured: BASE has a verdict on every attempt at none of the tasks that NEW planned"
    )


def test_a_comparison_that_proves_impossible_at_the_end_is_told_and_not_raised() -> None:
    comparison = held_against(ended("c"), ended("s"))
    assert comparison.finding is Finding.NOT_MEASURED
    assert str(comparison.unpaired).startswith("NEW is unscored")


def test_what_forbids_to_compare_goes_before_a_part_that_was_not_measured() -> None:
    comparison = held_against(ended("rc"), ended("c-", partial=("-k t",), answer_format="gaia"))
    assert (comparison.finding, comparison.unpaired) == (Finding.NOT_COMPARABLE, None)


def test_a_baseline_is_told_as_it_is_where_a_part_of_it_is_paired() -> None:
    told = comparison_as_json(held_against(ended("cccccc"), ended("cc----", partial=("-k t",))))
    assert (told["base"]["n_planned"], told["base"]["partial"]) == (6, [])
    assert "of the 6 tasks that BASE planned, 2 are paired: those that NEW planned too" in told["warnings"]
    assert not any("are paired" in line for line in comparison_as_json(held_against(*both()))["warnings"])


def both() -> tuple[dict[str, Any], dict[str, Any]]:
    return ended("cc"), ended("cc", partial=("limit 2",))
