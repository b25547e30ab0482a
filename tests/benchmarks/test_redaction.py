"""What may be said in public."""

from typing import Any

import pytest

from benchmarks.redaction import Redactor
from benchmarks.results.record import Outcome, Record
from benchmarks.task import Task

TASK = Task(
    task_id="t-1",
    question="Which of the nine lighthouses of Orland was painted green in the year of the flood?",
    ground_truth="Tern Rock",
    category="1",
)


def record(answer: str | None, *, outcome: Outcome = Outcome.INCORRECT, **more: Any) -> Record:
    return Record(
        task_id="t-1",
        attempt=1,
        category="1",
        ground_truth="Tern Rock",
        outcome=outcome,
        final_answer=answer,
        **more,
    )


def strict(*secrets: str) -> Redactor:
    return Redactor(secrets, show_ground_truth=False)


def test_a_key_is_masked_wherever_it_stands() -> None:
    assert strict("sk-abc", "sk-abcdef").mask_keys("a sk-abcdef b sk-abc") == "a *** b ***"


def test_a_wrong_answer_is_shown() -> None:
    assert strict().answer(record("Gull Point"), TASK) == "Gull Point"


@pytest.mark.parametrize("answer", ["It is Tern Rock.", "tern\nrock", "TernRock", "the Tern-Rock light"])
def test_a_wrong_answer_that_holds_the_truth_is_hidden(answer: str) -> None:
    assert strict().answer(record(answer), TASK) == "(hidden: it holds the ground truth)"


def test_a_number_inside_another_number_is_no_leak() -> None:
    task = Task(task_id="t", question="How many oars?", ground_truth="3", category="1")
    assert strict().answer(record("13"), task) == "13"


def test_an_answer_that_any_scorer_takes_as_correct_is_hidden() -> None:
    scored = record("Turn Rock", scoring={"contains": {"correct": True}})
    assert strict().answer(scored, TASK) == "(hidden: a scorer takes it as correct)"


def test_a_missing_answer_says_why() -> None:
    assert strict().answer(record(None, answer_flag="truncated"), TASK) == "none (truncated)"


def test_a_line_that_quotes_the_question_is_hidden() -> None:
    said = "400: bad prompt: ...of the nine lighthouses of Orland was..."
    assert strict().line(said, TASK).startswith("(hidden: it quotes the question")


def test_a_line_with_words_of_the_question_here_and_there_is_shown() -> None:
    assert strict().line("the year of 503 from the server", TASK) == "the year of 503 from the server"


def test_a_short_truth_does_not_hide_a_line_about_an_error() -> None:
    task = Task(task_id="t", question="How many oars?", ground_truth="503", category="1")
    assert strict().line("HTTP 503 after 3 requests", task) == "HTTP 503 after 3 requests"


def test_control_characters_and_line_breaks_do_not_reach_a_report() -> None:
    assert strict().line("a\x1b[31m\r\nb\x00c\ud800", TASK) == "a [31m b c"


def test_a_long_line_is_cut() -> None:
    assert strict().line("x" * 300, TASK) == "x" * 200 + "…"


def test_show_ground_truth_shows_everything_but_keys() -> None:
    open_handed = Redactor(["sk-1"], show_ground_truth=True)
    assert open_handed.answer(record("Tern Rock sk-1"), TASK) == "Tern Rock ***"


def test_a_truth_of_punctuation_alone_is_found_too() -> None:
    task = Task(task_id="t", question="Which mark?", ground_truth="??", category="1")
    assert strict().answer(record("a ?? b"), task) == "(hidden: it holds the ground truth)"


@pytest.mark.parametrize(
    ("truth", "answer"),
    [("Alice, Bob, Carol", "Bob, Alice and Carol"), ("Zürich", "in Zurich"), ("Zurich", "in ZU\u0308RICH")],
    ids=["a list in another order", "without its accent", "with an accent"],
)
def test_a_truth_in_another_dress_is_hidden(truth: str, answer: str) -> None:
    task = Task(task_id="t", question="Who was there?", ground_truth=truth, category="1")
    assert strict().answer(record(answer), task) == "(hidden: it holds the ground truth)"


def test_a_key_is_masked_before_the_line_is_cut() -> None:
    key = "sk-secret-1234567890"
    assert "sk-" not in strict(key).line("y" * 190 + key, TASK)


def test_a_key_with_an_invisible_mark_inside_is_masked() -> None:
    assert strict("sk-secret-12345").line("it is sk-secret-\u200b12345", TASK) == "it is ***"


def test_a_text_of_combining_marks_is_looked_at_in_linear_time() -> None:
    # 300,000 marks: a normalisation of the whole text would take minutes.
    assert strict().line("a" + "\u0301\u0327" * 150_000, TASK).endswith("…")
