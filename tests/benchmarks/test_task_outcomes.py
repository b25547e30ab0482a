"""The outcomes of a run, task by task."""

import pytest
from results_scene import run

from benchmarks.results.facts import AttemptFacts
from benchmarks.results.record import Outcome
from benchmarks.results.task_outcomes import task_outcomes, unit_facts

_LETTERS = {
    "c": Outcome.CORRECT,
    "i": Outcome.INCORRECT,
    "n": Outcome.NOT_ATTEMPTED,
    "r": Outcome.RUN_ERROR,
    "j": Outcome.JUDGE_ERROR,
    "u": Outcome.UNAVAILABLE,
    "s": Outcome.UNSCORED,
}


def _facts(letters: str) -> list[AttemptFacts]:
    return [
        AttemptFacts(task_id="t-1", attempt=n, outcome=_LETTERS[letter])
        for n, letter in enumerate(letters, start=1)
        if letter != "-"
    ]


@pytest.mark.parametrize(
    ("letters", "outcome", "attempt"),
    [
        ("c--", Outcome.CORRECT, 1),
        ("ic-", Outcome.CORRECT, 2),
        ("rjc", Outcome.CORRECT, 3),
        ("iii", Outcome.INCORRECT, 3),
        ("nni", Outcome.INCORRECT, 3),
        ("inn", Outcome.NOT_ATTEMPTED, 3),
        ("iri", Outcome.RUN_ERROR, 2),
        ("jri", Outcome.JUDGE_ERROR, 1),
        ("ij-", Outcome.JUDGE_ERROR, 2),
        ("i--", Outcome.UNAVAILABLE, 2),
        ("---", Outcome.UNAVAILABLE, 1),
        ("sss", Outcome.UNSCORED, 1),
    ],
)
def test_under_pass_one_attempt_decides_the_task(letters: str, outcome: Outcome, attempt: int) -> None:
    description = run(["t-1"], k=3, strategy="pass")
    (unit,) = unit_facts(description, task_outcomes(description, _facts(letters)))
    assert (unit.outcome, unit.attempt) == (outcome, attempt)


def test_under_pass_nothing_is_missed_after_a_success() -> None:
    description = run(["t-1"], k=3, strategy="pass")
    (task,) = task_outcomes(description, _facts("ic"))
    assert task.outcomes == (Outcome.INCORRECT, Outcome.CORRECT, None)


def test_under_avg_each_planned_attempt_has_its_outcome_and_place() -> None:
    planned = (("t-1", 1, "2"), ("t-1", 3, "2"))
    description = run(planned=planned, k=3)
    (task,) = task_outcomes(description, _facts("--c"))
    assert task.outcomes == (Outcome.UNAVAILABLE, None, Outcome.CORRECT)
    assert [unit.attempt for unit in unit_facts(description, [task])] == [1, 3]


@pytest.mark.parametrize(
    ("letters", "line"), [("cc", "was not planned"), ("c", "came twice")], ids=["not-planned", "twice"]
)
def test_facts_that_no_plan_explains_are_our_own_fault(letters: str, line: str) -> None:
    with pytest.raises(RuntimeError, match=line):
        task_outcomes(run(["t-1"]), [*_facts(letters), *_facts("c")])
