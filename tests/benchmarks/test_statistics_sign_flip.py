"""The exact sign-flip test of paired differences."""

from fractions import Fraction
from itertools import product

import pytest
import scipy_says
from hypothesis import assume, given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.statistics.paired import mcnemar_exact, sign_flip_exact

few_differences = st.lists(st.integers(-5, 5), max_size=10)


def _one_sided(differences: list[int]) -> Fraction:
    """The share of the ways to flip signs that lose as much or more: counted, not computed."""
    sums = [sum(flipped) for flipped in product(*((-each, each) for each in differences))]
    return Fraction(sum(each <= sum(differences) for each in sums), len(sums))


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        pytest.param([], Fraction(1), id="no-task"),
        pytest.param([0, 0], Fraction(1), id="nothing-differs"),
        pytest.param([-5], Fraction(1), id="one-task"),
        pytest.param([3, -3], Fraction(1), id="even"),
        pytest.param([-3, -1, 1], Fraction(6, 8), id="two-of-three-lose"),
        pytest.param([-4, -3, -2, -1, 0], Fraction(2, 16), id="all-lose"),
        pytest.param([1, 2, 3, 4, 5, 6], Fraction(2, 64), id="all-gain"),
    ],
)
def test_the_sign_flip_p_is_the_share_of_flips_as_far_from_0(differences: list[int], p: Fraction) -> None:
    assert sign_flip_exact(differences) == p


@unhurried
@given(few_differences)
def test_the_sign_flip_p_is_that_of_all_flips_counted(differences: list[int]) -> None:
    if sum(differences) > 0:
        differences = [-each for each in differences]
    assert sign_flip_exact(differences) == min(1, 2 * _one_sided(differences))


@pytest.mark.parametrize(
    "differences", [[-3, -1, 1, -2], [5, 4, 0, -1, 2, 2], [-1, -2, -3, -4, -5, 1, 1, -1], [2, -2, 3]]
)
def test_the_sign_flip_p_is_scipys(differences: list[int]) -> None:
    assert float(sign_flip_exact(differences)) == pytest.approx(scipy_says.sign_flip_p(differences))


@unhurried
@given(st.lists(st.integers(-1, 1), max_size=60))
def test_the_sign_flip_p_of_single_attempts_is_mcnemars(differences: list[int]) -> None:
    assert sign_flip_exact(differences) == mcnemar_exact(differences.count(1), differences.count(-1))


@unhurried
@given(few_differences.filter(bool), st.data())
def test_a_further_loss_never_raises_the_sign_flip_p(differences: list[int], data: st.DataObject) -> None:
    assume(sum(differences) < 0)
    worse = list(differences)
    worse[data.draw(st.integers(0, len(worse) - 1))] -= 1
    assert sign_flip_exact(worse) <= sign_flip_exact(differences)


@unhurried
@given(few_differences, st.integers(1, 10**30))
def test_the_sign_flip_p_does_not_ask_what_the_unit_is(differences: list[int], unit: int) -> None:
    assert sign_flip_exact([each * unit for each in differences]) == sign_flip_exact(differences)


@unhurried
@given(few_differences)
def test_the_sign_flip_p_does_not_ask_which_run_came_first(differences: list[int]) -> None:
    assert sign_flip_exact([-each for each in differences]) == sign_flip_exact(differences)


def test_the_sign_flip_p_of_hundreds_of_tasks_is_a_number() -> None:
    differences = [n % 11 - 5 for n in range(495)]
    assert sign_flip_exact(differences) == 1
    assert 0 < sign_flip_exact([*differences, *[-5] * 30]) < Fraction(1, 10)
