"""What a GAIA model is asked."""

from typing import Any

import pytest

from benchmarks.gaia.benchmark import Gaia
from benchmarks.gaia.params import GaiaParams
from benchmarks.gaia.prompt import ANSWER_RULES
from benchmarks.task import Task

QUESTION = "How many ducks are on the pond?"


def prompt(*attachments: str, **params: Any) -> str:
    task = Task(task_id="pond-1", question=QUESTION, ground_truth="7", category="1", attachments=attachments)
    return Gaia().prompt_text(task, GaiaParams(**params))


def test_without_an_answer_format_the_question_stands_alone() -> None:
    assert prompt(answer_format="none") == QUESTION


def test_the_gaia_format_adds_the_rules_and_the_line_to_end_with() -> None:
    text = prompt(answer_format="gaia")
    assert text == f"{QUESTION}\n\n{ANSWER_RULES.rstrip()}"
    assert "FINAL ANSWER: <your answer>" in text


@pytest.mark.parametrize(
    ("judge", "answer_format", "has_rules"),
    [
        pytest.param("llm", "auto", False, id="a model judges"),
        pytest.param("gaia_official", "auto", True, id="the leaderboard's scorer judges"),
        pytest.param("contains", "auto", False, id="another scorer judges"),
        pytest.param("llm", "gaia", True, id="asked for"),
        pytest.param("gaia_official", "none", False, id="asked against"),
    ],
)
def test_auto_adds_the_rules_when_the_leaderboards_scorer_judges(
    judge: str, answer_format: str, has_rules: bool
) -> None:
    assert ("FINAL ANSWER" in prompt(judge=judge, answer_format=answer_format)) is has_rules


@pytest.mark.parametrize(("answer_format", "whole"), [("none", True), ("gaia", False), ("auto", True)])
def test_a_model_judge_gets_the_whole_text_where_no_line_marks_the_answer(
    answer_format: Any, whole: bool
) -> None:
    assert Gaia().judges_whole_text(GaiaParams(answer_format=answer_format)) is whole


@pytest.mark.parametrize("answer_format", ["none", "gaia"])
def test_attachments_are_named_as_they_lie_in_the_working_folder(answer_format: str) -> None:
    text = prompt("/cache/somewhere/map.png", answer_format=answer_format)
    assert "can be found in your working folder: map.png" in text
    assert "/cache" not in text


def test_several_attachments_are_named_in_one_sentence() -> None:
    assert (
        "These files belong to the question and can be found in your working folder: a.csv, b.png"
        in prompt("/x/a.csv", "/x/b.png")
    )


def test_the_ground_truth_is_in_no_prompt() -> None:
    assert "7" not in prompt(answer_format="gaia")
