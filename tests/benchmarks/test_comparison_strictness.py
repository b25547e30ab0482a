"""Nothing makes a comparison milder: no attempt that NEW loses, no verdict that is missing in BASE."""

from fractions import Fraction

import pytest
from comparison_scene import compared, ended, evidence, flipped
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.comparing.comparison import Comparisons, compare
from benchmarks.results.comparing.evidence import Finding

STRICTNESS = (0, 11, 1, 12)
"""Exit codes of comparisons, from the mildest."""
LEVELS = st.sampled_from([0.01, 0.05, 0.2])


def strictness(comparisons: Comparisons) -> int:
    return STRICTNESS.index(comparisons.finding.exit_code)


@unhurried
@given(st.lists(st.tuples(*[st.sampled_from("cccin")] * 4), min_size=1, max_size=40), st.data(), LEVELS)
def test_an_error_more_in_a_new_never_makes_the_finding_milder(
    rows: list[tuple[str, ...]], data: st.DataObject, alpha: float
) -> None:
    base, *news = ("".join(column) for column in zip(*rows, strict=True))
    before = compared(base, *news, alpha=alpha)
    which, place = data.draw(st.integers(0, 2)), data.draw(st.integers(0, len(base) - 1))
    news[which] = news[which][:place] + "r" + news[which][place + 1 :]
    after = compared(base, *news, alpha=alpha)
    assert strictness(after) >= strictness(before)
    if before.each[which].finding is Finding.REGRESSION:
        assert after.each[which].finding is Finding.REGRESSION


WORDS = st.text("cir", min_size=3, max_size=3)
MOSTLY_RIGHT = st.one_of(st.just("ccc"), st.sampled_from(["cci", "cii"]), WORDS)


@pytest.mark.parametrize("strategy", ["avg", "pass"])
@unhurried
@given(
    st.lists(st.tuples(MOSTLY_RIGHT, WORDS), min_size=4, max_size=16),
    st.data(),
    LEVELS,
)
def test_an_attempt_more_that_a_new_loses_never_makes_the_finding_milder(
    strategy: str, rows: list[tuple[str, str]], data: st.DataObject, alpha: float
) -> None:
    base, new = ["ccc", *(word for word, _ in rows)], ["ccc", *(word for _, word in rows)]
    task = data.draw(st.sampled_from([n for n, word in enumerate(new) if "c" in word]))
    lost = [*new[:task], new[task].replace("c", "i", 1), *new[task + 1 :]]
    before, after = (
        compared(" ".join(base), " ".join(words), alpha=alpha, strategy=strategy) for words in (new, lost)
    )
    assert strictness(after) >= strictness(before)
    assert evidence(after.each[0]).difference <= evidence(before.each[0]).difference


@pytest.mark.parametrize("n_improved", range(8))
def test_each_task_lost_in_a_row_is_at_least_as_strict(n_improved: int) -> None:
    found = [compared(*flipped(n_improved, lost)) for lost in range(n_improved + 1, 30)]
    codes = [strictness(each) for each in found]
    assert codes == sorted(codes)
    assert found[-1].finding is Finding.REGRESSION


@pytest.mark.parametrize("n_gained", range(5))
def test_each_attempt_lost_in_a_row_is_at_least_as_strict(n_gained: int) -> None:
    base = "iii " * n_gained + "ccc " * 10
    n_attempts = [*range(1, 31)]
    found = [compared(base, "cii " * n_gained + _with_lost(n)) for n in n_attempts]
    codes = [strictness(each) for each in found]
    assert codes == sorted(codes)
    assert found[-1].finding is Finding.REGRESSION


def _with_lost(n_attempts: int) -> str:
    """Ten tasks of three attempts, of which so many are lost, a task at a time."""
    letters = "i" * n_attempts + "c" * (30 - n_attempts)
    return " ".join(letters[place : place + 3] for place in range(0, 30, 3))


@pytest.mark.parametrize("other", "rju-")
def test_what_base_lacks_hides_no_regression(other: str) -> None:
    base, new = "c" * 7 + other * 7, "i" * 6 + "c" * 8
    found = evidence(compared(base, new).each[0])
    assert (found.all_tasks.finding, found.measured_in_base.finding) == (
        Finding.NO_DIFFERENCE,
        Finding.REGRESSION,
    )
    assert found.finding is Finding.REGRESSION
    assert found.deciding is found.measured_in_base
    assert (found.difference, found.interval) == (Fraction(-6, 7), found.measured_in_base.interval)


@pytest.mark.parametrize("other", "rju-")
def test_what_new_lacks_counts_as_not_correct_among_the_tasks_measured_in_base_too(other: str) -> None:
    found = evidence(compared("c" * 6 + "r", other * 6 + "c").each[0])
    assert (found.measured_in_base.finding, found.measured_in_base.pairs.n) == (Finding.REGRESSION, 6)


def test_what_base_lacks_shows_no_improvement() -> None:
    assert compared("rrrrrrrc", "cccccccc").finding is Finding.NO_DIFFERENCE


def test_a_base_that_is_measured_whole_decides_by_all_tasks() -> None:
    found = evidence(compared("c" * 6, "i" * 5 + "r").each[0])
    assert found.deciding is found.all_tasks
    assert found.measured_in_base == found.all_tasks


def test_under_avg_a_base_task_with_an_attempt_missing_still_counts_among_all() -> None:
    found = evidence(compared("ccr " * 6 + "ccc", "iii " * 6 + "ccc").each[0])
    assert (found.measured_in_base.pairs.n, found.measured_in_base.finding) == (1, Finding.NO_DIFFERENCE)
    assert (found.finding, found.difference) == (Finding.REGRESSION, Fraction(-4, 7))
    assert found.deciding is found.all_tasks


def test_under_pass_a_base_task_without_success_is_measured_only_by_k_verdicts() -> None:
    base, new = ended("iir iii c..", strategy="pass"), ended("c.. iii c..", strategy="pass")
    found = evidence(compare(base, [new], alpha=0.05).each[0])
    assert [each.task_id for each in found.measured_in_base.pairs.each] == ["t-01", "t-02"]


@unhurried
@given(
    st.lists(st.tuples(st.sampled_from("ccin"), st.sampled_from("cir")), min_size=1, max_size=24),
    st.data(),
    LEVELS,
)
def test_a_verdict_missing_in_base_where_it_was_wrong_never_makes_the_finding_milder(
    rows: list[tuple[str, str]], data: st.DataObject, alpha: float
) -> None:
    base, new = "c" + "".join(one for one, _ in rows), "c" + "".join(other for _, other in rows)
    wrong = [place for place, letter in enumerate(base) if letter in "in"]
    missing = set(data.draw(st.lists(st.sampled_from(wrong)))) if wrong else set[int]()
    less = "".join("u" if place in missing else letter for place, letter in enumerate(base))
    assert strictness(compared(less, new, alpha=alpha)) >= strictness(compared(base, new, alpha=alpha))
