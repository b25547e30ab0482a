"""Runs compared: what is paired, what the flips tell, and what several comparisons add up to."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from comparison_scene import compared, ended, evidence, flipped, outcomes
from hypothesis import given
from hypothesis import strategies as st
from results_scene import run, unhurried

from benchmarks.results.comparison import (
    ComparedRun,
    Comparison,
    ComparisonError,
    Comparisons,
    Evidence,
    Finding,
    compare,
)
from benchmarks.results.comparison_json import comparisons_as_json
from benchmarks.results.comparison_sentences import shown_p
from benchmarks.results.facts import AttemptFacts
from benchmarks.results.pairs import Pairs, outcomes_of, pair
from benchmarks.results.record import Outcome
from benchmarks.results.statistics import mcnemar_exact

PAGE = (Path(__file__).parents[2] / "docs" / "comparing.md").read_text("utf-8")
STRICTNESS = (0, 11, 1, 12)
"""Exit codes of comparisons, from the mildest."""

sides = st.lists(st.tuples(*[st.sampled_from("cinrju-")] * 2), min_size=1, max_size=24).filter(
    lambda each: any(side != "-" for both in each for side in both)
)
"""How each task ended in BASE and in NEW."""


@pytest.mark.parametrize("other", "inrju-")
def test_whatever_is_not_correct_counts_as_one(other: str) -> None:
    pairs = pair(outcomes("cc" + other + other), outcomes("c" + other + "c" + other))
    assert (pairs.n_both, pairs.regressed, pairs.improved) == (1, ("t-01",), ("t-02",))
    assert pairs.n_neither == (0 if other == "-" else 1)


def test_tasks_without_a_verdict_are_named_by_reason() -> None:
    pairs = pair(outcomes("crj-ui"), outcomes("-ccicn"))
    assert pairs.base_without_verdict == {
        "judge_error": ("t-02",),
        "not_planned": ("t-03",),
        "run_error": ("t-01",),
        "unavailable": ("t-04",),
    }
    assert pairs.new_without_verdict == {"not_planned": ("t-00",)}


def test_flips_that_only_lack_a_verdict_are_told_apart() -> None:
    pairs = pair(outcomes("ccci-i"), outcomes("ir-ccc"))
    assert (pairs.regressed, pairs.improved) == (("t-00", "t-01", "t-02"), ("t-03", "t-04", "t-05"))
    assert pairs.n_flips_without_verdict == 3
    assert (pairs.n_with_verdicts, pairs.n_regressed_with_verdicts, pairs.n_improved_with_verdicts) == (
        3,
        1,
        2,
    )


def test_a_planned_task_without_facts_is_unavailable() -> None:
    facts = [AttemptFacts(task_id="t-1", attempt=1, outcome=Outcome.CORRECT)]
    assert outcomes_of(run(("t-1", "t-2")), facts) == {
        "t-1": Outcome.CORRECT,
        "t-2": Outcome.UNAVAILABLE,
    }


@unhurried
@given(sides)
def test_every_task_is_counted_once(both: list[tuple[str, str]]) -> None:
    pairs = pair(*_sides(both))
    assert pairs.n == sum(each != ("-", "-") for each in both)
    assert pairs.n_base_correct == sum(base == "c" for base, _ in both)
    assert pairs.n_new_correct == sum(new == "c" for _, new in both)


def _sides(both: Sequence[tuple[str, str]]) -> tuple[dict[str, Outcome], dict[str, Outcome]]:
    return outcomes("".join(base for base, _ in both)), outcomes("".join(new for _, new in both))


def _documented() -> list[tuple[int, int, str, str, int]]:
    row = re.compile(r"\| (\d+) \| (\d+) \| ([\d.]+) \| `(\w+)` \| (\d+) \|")
    return [
        (int(n_regressed), int(n_improved), p, finding, int(code))
        for n_regressed, n_improved, p, finding, code in row.findall(PAGE)
    ]


def test_the_page_has_a_table_of_examples() -> None:
    assert {finding for *_, finding, _ in _documented()} == {
        finding.value for finding in Finding if finding is not Finding.NOT_COMPARABLE
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
    assert shown_p(evidence(found.each[0]).p, 0.05) == p


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
@given(sides)
def test_swapped_runs_swap_their_flips_and_keep_p(both: list[tuple[str, str]]) -> None:
    base, new = _sides(both)
    there, back = pair(base, new), pair(new, base)
    assert (there.improved, there.regressed) == (back.regressed, back.improved)
    assert (there.n_both, there.n_neither) == (back.n_both, back.n_neither)
    assert mcnemar_exact(len(there.improved), len(there.regressed)) == mcnemar_exact(
        len(back.improved), len(back.regressed)
    )


@unhurried
@given(sides, st.randoms(use_true_random=False))
def test_the_order_of_records_and_plan_changes_nothing(both: list[tuple[str, str]], shuffle: Random) -> None:
    ends = _sides(both)
    in_order = compare(*_from_facts(ends, lambda _: None), alpha=0.05)
    shuffled = compare(*_from_facts(ends, shuffle.shuffle), alpha=0.05)
    assert comparisons_as_json(shuffled) == comparisons_as_json(in_order)


def _from_facts(
    ends: Sequence[dict[str, Outcome]], shuffle: Callable[[list[Any]], None]
) -> tuple[ComparedRun, list[ComparedRun]]:
    read: list[ComparedRun] = []
    for outcomes_by_id in ends:
        task_ids = list(outcomes_by_id)
        shuffle(task_ids)
        facts = [
            AttemptFacts(task_id=task_id, attempt=1, outcome=outcomes_by_id[task_id]) for task_id in task_ids
        ]
        shuffle(facts)
        description = run(task_ids)
        read.append(ComparedRun(description=description, outcomes=outcomes_of(description, facts)))
    return read[0], read[1:]


@unhurried
@given(
    st.lists(st.tuples(*[st.sampled_from("cccin")] * 4), min_size=1, max_size=40),
    st.data(),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_an_error_more_in_a_new_never_makes_the_finding_milder(
    rows: list[tuple[str, ...]], data: st.DataObject, alpha: float
) -> None:
    base, *news = ("".join(column) for column in zip(*rows, strict=True))
    before = compared(base, *news, alpha=alpha)
    which, place = data.draw(st.integers(0, 2)), data.draw(st.integers(0, len(base) - 1))
    news[which] = news[which][:place] + "r" + news[which][place + 1 :]
    after = compared(base, *news, alpha=alpha)
    assert STRICTNESS.index(after.finding.exit_code) >= STRICTNESS.index(before.finding.exit_code)
    if before.each[which].finding is Finding.REGRESSION:
        assert after.each[which].finding is Finding.REGRESSION


@pytest.mark.parametrize("n_improved", range(8))
def test_each_task_lost_in_a_row_is_at_least_as_strict(n_improved: int) -> None:
    codes = [compared(*flipped(n_improved, lost)).finding.exit_code for lost in range(n_improved + 1, 30)]
    assert [STRICTNESS.index(code) for code in codes] == sorted(STRICTNESS.index(code) for code in codes)
    assert codes[-1] == 1


def test_holms_correction_takes_back_what_one_comparison_alone_would_show() -> None:
    lost, same = "i" * 7 + "c" * 3, "c" * 10
    assert compared("c" * 10, lost).finding is Finding.REGRESSION
    among = compared("c" * 10, lost, same, same, same)
    assert [evidence(each).p_holm for each in among.each] == [Fraction(4, 64), 1, 1, 1]
    assert among.each[0].finding is Finding.TOO_FEW_FLIPS


def test_several_comparisons_ask_for_more_improved_tasks_before_they_clear() -> None:
    base, new = flipped(3, 4)
    assert compared(base, new, base, base).finding is Finding.NO_DIFFERENCE
    assert compared(base, new, base, base, base).finding is Finding.TOO_FEW_FLIPS


def test_a_regression_that_is_clear_enough_stands_among_several() -> None:
    found = compared("c" * 10, "c" * 10, "i" * 9 + "c")
    assert [each.finding for each in found.each] == [Finding.NO_DIFFERENCE, Finding.REGRESSION]
    assert [each.label for each in found.each] == ["NEW 1", "NEW 2"]


@pytest.mark.parametrize(
    ("findings", "code"),
    [
        pytest.param(("improvement", "no_difference"), 0, id="0"),
        pytest.param(("improvement", "too_few_flips", "no_difference"), 11, id="11"),
        pytest.param(("too_few_flips", "regression", "no_difference"), 1, id="1"),
        pytest.param(("regression", "not_comparable", "too_few_flips"), 12, id="12"),
    ],
)
def test_the_strictest_finding_decides(findings: tuple[str, ...], code: int) -> None:
    pairs = Pairs(
        n_both=1, n_neither=0, improved=(), regressed=(), base_without_verdict={}, new_without_verdict={}
    )
    one = Fraction(1)
    each = tuple(
        Comparison(
            label="NEW",
            new=run(),
            differences=(),
            warnings=(),
            evidence=None
            if finding is Finding.NOT_COMPARABLE
            else Evidence(
                pairs=pairs, p=one, p_holm=one, p_with_verdicts=one, interval=(0.0, 0.0), finding=finding
            ),
        )
        for finding in map(Finding, findings)
    )
    assert Comparisons(base=run(), alpha=0.05, each=each).finding.exit_code == code


def test_runs_that_cannot_be_compared_do_not_count_for_holms_correction() -> None:
    other = ended("c" * 10, answer_format="gaia")
    found = compare(ended("c" * 10), [ended("i" * 6 + "c" * 4), other], alpha=0.05)
    assert [each.finding for each in found.each] == [Finding.REGRESSION, Finding.NOT_COMPARABLE]
    assert evidence(found.each[0]).p_holm == Fraction(2, 64)


def test_runs_that_differ_are_not_compared() -> None:
    (found,) = compare(ended("c"), [ended("i", answer_format="gaia")], alpha=0.05).each
    assert (found.finding, found.evidence, found.is_overridden) == (Finding.NOT_COMPARABLE, None, False)


def test_runs_that_differ_are_compared_if_told_to() -> None:
    new = ended("i" * 6, answer_format="gaia")
    (found,) = compare(ended("c" * 6), [new], alpha=0.05, override=True).each
    assert (found.finding, found.is_overridden) == (Finding.REGRESSION, True)
    assert [each.key for each in found.differences] == ["answer_format"]


@pytest.mark.parametrize(
    ("base", "new", "line"),
    [
        pytest.param(ended("c", k=3), ended("c", k=3), "BASE has k = 3: comparing several", id="k"),
        pytest.param(ended("c"), ended("s"), "NEW is unscored \\('text-103' keeps its", id="unscored"),
        pytest.param(ended(""), ended("-"), "neither BASE nor NEW plans a task", id="no-task"),
    ],
)
def test_runs_that_cannot_be_paired_are_one_line(base: ComparedRun, new: ComparedRun, line: str) -> None:
    with pytest.raises(ComparisonError, match=line):
        compare(base, [new], alpha=0.05)


def test_no_override_makes_several_attempts_comparable() -> None:
    with pytest.raises(ComparisonError, match=r"NEW has k = 3: .* not built yet; name runs with k = 1"):
        compare(ended("c"), [ended("c", k=3)], alpha=0.05, override=True)
