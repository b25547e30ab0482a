"""The ids of the judges, and what a judgment lets pass."""

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from benchmarks.params import JudgeId
from judges.catalogue import JUDGE_IDS, MODEL_JUDGES, SCORERS
from judges.judge import Judgment, NotCorrectError, no_answer
from judges.verdict import CORRECT, INCORRECT

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_is_found_by_its_evaluation_type(name: str) -> None:
    scorer = SCORERS[name]()

    assert (scorer.evaluation_type, scorer.is_scorer) == (name, True)


def test_the_ids_are_the_model_judges_and_the_scorers() -> None:
    assert JUDGE_IDS == ("llm", "sealqa", "gaia_official", "contains") == get_args(JudgeId)


@pytest.mark.parametrize(
    ("name", "protocol", "evaluation_type"),
    [("llm", "gaia", "llm_judge"), ("sealqa", "sealqa", "sealqa_official_llm_judge")],
)
def test_a_model_judge_has_its_protocol_and_its_name_in_records(
    name: str, protocol: str, evaluation_type: str
) -> None:
    judge = MODEL_JUDGES[name]

    assert (judge.protocol, judge.evaluation_type, judge.is_scorer) == (protocol, evaluation_type, False)


def test_a_process_that_asks_no_judge_loads_no_client() -> None:
    program = "import sys, judges.catalogue; sys.exit('harnesses.endpoint.client' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_only_a_is_correct() -> None:
    Judgment(verdict=CORRECT, evaluation_type="contains").must_be_correct()

    with pytest.raises(NotCorrectError, match=r"^verdict B \(INCORRECT\)$"):
        Judgment(verdict=INCORRECT, evaluation_type="contains").must_be_correct()


def test_an_attempt_without_an_answer_is_graded_c_and_no_judge_is_named() -> None:
    judgment = no_answer("llm_judge")

    assert (judgment.verdict.letter, judgment.verdict.label) == ("C", "NO_ANSWER")
    assert (judgment.judge_model, judgment.raw_response, judgment.usage.n_requests) == (None, None, 0)
