from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnesses.attempt import Prompt
from harnesses.prompt_template import fill_template, template_faults


def prompt(text: str) -> Prompt:
    return Prompt(prompt_id="p", attempt=1, text=text, folder=Path("unused"), fields={"level": "2"})


@pytest.mark.parametrize(
    ("template", "asked"),
    [
        (None, "Why?"),
        ("{problem_statement}", "Why?"),
        ("Level {level}: {problem_statement}", "Level 2: Why?"),
        ("{problem_statement} {problem_statement}", "Why? Why?"),
        ('{problem_statement} Reply {"answer": "…"}', 'Why? Reply {"answer": "…"}'),
        ("{problem_statement} {topic} {} {{level}}", "Why? {topic} {} {2}"),
        ("{problem_statement} {problem statement}", "Why? {problem statement}"),
        ("", ""),
    ],
)
def test_the_places_of_a_template_are_filled_and_other_braces_stand(template: str | None, asked: str) -> None:
    assert fill_template(template, prompt("Why?")) == asked


@settings(deadline=None, database=None)
@given(st.text())
def test_the_question_is_asked_as_it_is(text: str) -> None:
    question = f"{{level}} {{problem_statement}} {text}"
    assert fill_template("<{problem_statement}>", prompt(question)) == f"<{question}>"


def test_a_template_without_a_place_for_the_question_is_told_with_its_remedy() -> None:
    assert template_faults("agent_prompt", "Answer!") == [
        "agent_prompt 'Answer!' does not hold {problem_statement}: the question would not be asked; add it"
    ]


@pytest.mark.parametrize("template", [None, "{problem_statement}"])
def test_a_template_that_asks_the_question_has_no_fault(template: str | None) -> None:
    assert template_faults("agent_prompt", template) == []
