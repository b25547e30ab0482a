"""Reducers: from the attempts at one task to its value in one series.

Names and rules are AgentCompass 1.0.1's (`agentcompass/runtime/metrics/reducers.py`), where it has them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

Seen = Sequence[bool | None]
"""The attempts at one task: correct, evaluated and not correct, or (``None``) not evaluated."""


@dataclass(frozen=True, kw_only=True)
class Reducer:
    """What makes the values of a series.

    `name` is that of the series, e.g. "correct.avg@3". `is_binary`: a value is 0 or 1. `reduce` gives the
    value of a task, 0 to 1, or ``None`` where too little of it was evaluated. `has_bootstrap`: its series
    gets a second opinion, whose time grows with k for each; k series with one would take minutes.
    """

    name: str
    is_binary: bool
    reduce: Callable[[Seen], Fraction | None]
    has_bootstrap: bool = True


def reducers_of(k: int, strategy: str) -> tuple[Reducer, ...]:
    """The reducers of a run with `k` attempts per task; the first makes the headline.

    Under `pass` the attempts after a success are missing, so that nothing but `pass` can be told.
    """
    if k == 1:
        return (Reducer(name="correct.native@1", is_binary=True, reduce=native),)
    any_right = Reducer(name=f"correct.pass@{k}", is_binary=True, reduce=any_of)
    if strategy == "pass":
        return (any_right,)
    return (
        Reducer(name=f"correct.avg@{k}", is_binary=False, reduce=average),
        any_right,
        Reducer(name=f"correct.all@{k}", is_binary=True, reduce=all_of),
        *(
            Reducer(
                name=f"correct.pass_unbiased@{j}",
                is_binary=j == k,
                reduce=_pass_unbiased(j),
                has_bootstrap=False,
            )
            for j in range(1, k + 1)
        ),
    )


def native(seen: Seen) -> Fraction | None:
    """The value of a single attempt."""
    (only,) = seen
    return None if only is None else Fraction(only)


def average(seen: Seen) -> Fraction | None:
    """The share of correct attempts, where all were evaluated."""
    n_correct = _n_correct(seen)
    return None if n_correct is None else Fraction(n_correct, len(seen))


def any_of(seen: Seen) -> Fraction | None:
    """1 with any success, 0 only where all attempts were evaluated without one."""
    if True in seen:
        return Fraction(1)
    return None if None in seen else Fraction(0)


def all_of(seen: Seen) -> Fraction | None:
    """1 where every attempt is correct, 0 where one is not; only where all were evaluated.

    One wrong attempt would already tell, but tasks with an error would then be counted only if they failed.
    """
    n_correct = _n_correct(seen)
    return None if n_correct is None else Fraction(n_correct == len(seen))


def pass_unbiased(seen: Seen, j: int) -> Fraction | None:
    """The probability that `j` of the attempts, drawn at random, hold a success; where all were evaluated.

    1 - C(k - c, j) / C(k, j) for c correct of k attempts: `pass_unbiased([True, False, False], 2)` is 2/3.

    Source: M. Chen and others, "Evaluating Large Language Models Trained on Code" (2021), arXiv:2107.03374,
    equation 1.
    """
    n_correct, k = _n_correct(seen), len(seen)
    return None if n_correct is None else 1 - Fraction(comb(k - n_correct, j), comb(k, j))


def _pass_unbiased(j: int) -> Callable[[Seen], Fraction | None]:
    return lambda seen: pass_unbiased(seen, j)


def _n_correct(seen: Seen) -> int | None:
    """How many are correct; ``None`` unless all were evaluated."""
    return None if None in seen else sum(correct is True for correct in seen)
