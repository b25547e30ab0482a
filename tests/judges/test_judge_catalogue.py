"""The ids of the judges, and what a judgment lets pass."""

import pytest

from judges.catalogue import JUDGE_IDS, SCORERS
from judges.judge import Judgment, NotCorrectError, no_answer
from judges.verdict import CORRECT, INCORRECT


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_is_found_by_its_evaluation_type(name: str) -> None:
    scorer = SCORERS[name]()

    assert (scorer.evaluation_type, scorer.is_scorer) == (name, True)


def test_the_ids_are_the_model_judge_and_the_scorers() -> None:
    assert JUDGE_IDS == ("llm", "gaia_official", "contains")


def test_only_a_is_correct() -> None:
    Judgment(verdict=CORRECT, evaluation_type="contains").must_be_correct()

    with pytest.raises(NotCorrectError, match=r"^verdict B \(INCORRECT\)$"):
        Judgment(verdict=INCORRECT, evaluation_type="contains").must_be_correct()


def test_an_attempt_without_an_answer_is_graded_c_and_no_judge_is_named() -> None:
    judgment = no_answer("llm_judge")

    assert (judgment.verdict.letter, judgment.verdict.label) == ("C", "NO_ANSWER")
    assert (judgment.judge_model, judgment.raw_response, judgment.usage.n_requests) == (None, None, 0)
