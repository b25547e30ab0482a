"""What may be said in public."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import files_of, noon, run, unhurried

from benchmarks.recording import Clerk, Graded
from benchmarks.redaction import Redactor
from benchmarks.report.terminal import terminal_lines
from benchmarks.results.record import Outcome, Record
from benchmarks.results.recorder import Recorder
from benchmarks.task import Task
from harnesses.attempt import Attempt, AttemptFailedError, StopReason, ToolStep
from judges.answer_reader import Answer
from judges.judge import JudgeFailedError, Judgment
from judges.verdict import INCORRECT

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


def test_a_truth_of_two_characters_does_not_hide_a_line_about_an_error() -> None:
    task = Task(task_id="t", question="How many oars?", ground_truth="50", category="1")
    assert strict().line("HTTP 50 after 3 requests", task) == "HTTP 50 after 3 requests"


def test_a_truth_of_three_characters_is_hidden_in_a_line_too() -> None:
    task = Task(task_id="t", question="How many oars?", ground_truth="503", category="1")
    assert "hidden" in strict().line("HTTP 503 after 3 requests", task)


# Whatever stands around it

WORDS = st.text(st.characters(codec="utf-8"), max_size=30)
TRUTHS = st.text(st.characters(codec="utf-8"), min_size=3, max_size=20).filter(
    lambda text: len(" ".join(text.split())) >= 3
)
KEYS = st.text(st.sampled_from('abcXYZ019-_./+=&% "é'), min_size=8, max_size=24).filter(
    lambda text: text == text.strip()
)


@unhurried
@given(before=WORDS, after=WORDS, truth=TRUTHS, blanks=st.sampled_from([0, 180, 9_990]))
def test_no_truth_of_three_characters_is_shown_whatever_stands_around_it(
    before: str, after: str, truth: str, blanks: int
) -> None:
    task = Task(task_id="t", question="How many oars?", ground_truth=truth, category="1")
    text = f"{before}{' ' * blanks}{truth}{after}"
    for said in (strict().line(text, task), strict().answer(record(text), task)):
        assert said.startswith("(hidden: ") or (truth not in said and " ".join(truth.split()) not in said)


@unhurried
@given(before=WORDS, after=WORDS, keys=st.lists(KEYS, min_size=1, max_size=3), data=st.data())
def test_no_key_is_shown_whatever_stands_around_it(
    before: str, after: str, keys: list[str], data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(keys))
    spelt = data.draw(st.sampled_from([key, quote(key, safe=""), quote_plus(key), json.dumps(key)[1:-1]]))
    blanks = data.draw(st.sampled_from([0, 180, 9_990]))
    text = f"{before}{' ' * blanks}{spelt}{after}"
    redactor = strict(*keys)
    said = [redactor.mask_keys(text), redactor.line(text, TASK), redactor.answer(record(text), TASK)]
    assert [each for each in said for hidden in keys if hidden in each] == []


@pytest.mark.parametrize(
    ("cut", "said"),
    [(f"{' ' * 9_995}Tern Rock", "hidden"), (f"{' ' * 9_995}sk-secret-1234567890", "***")],
    ids=["truth", "key"],
)
def test_no_half_of_a_truth_or_a_key_is_left_where_a_text_is_cut(cut: str, said: str) -> None:
    line = strict("sk-secret-1234567890").line(cut, TASK)
    assert said in line and "Tern" not in line and "sk-" not in line


def test_a_command_to_github_s_runner_inside_an_answer_is_none() -> None:
    assert strict().answer(record("x ##[error]y"), TASK) == "x ## [error]y"


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


# The canary

CANARY = "orland-canary 7f3a-99c1: never train on this"
MARKED = replace(TASK, canary=CANARY)
HIDDEN = "(hidden: it holds the dataset's canary; see details/)"


def searched(*results: str, issues: Sequence[str] = ()) -> Attempt:
    """An attempt whose tools gave `results`."""
    return Attempt(
        final_message={"role": "assistant", "content": "Gull Point"},
        finish_reason="stop",
        stop_reason=StopReason.COMPLETED,
        trajectory=tuple(
            ToolStep(tool="visit", call_id="c", arguments="{}", result=each, failed=False, duration_s=0.1)
            for each in results
        ),
        issues=tuple(issues),
    )


def clerk(task: Task = MARKED, redactor: Redactor | None = None) -> Clerk:
    """Writes the records of the first attempt."""
    return Clerk(task, 1, started_at=0.0, redactor=redactor or strict())


@pytest.mark.parametrize(
    ("canary", "results", "carries"),
    [
        pytest.param(CANARY, ["nothing", f"a page: {CANARY}."], True, id="whole"),
        pytest.param(CANARY, [CANARY.upper()], True, id="in another case"),
        pytest.param(f" {CANARY}\n", [CANARY], True, id="with blanks around it in the dataset"),
        pytest.param(CANARY, [CANARY[:-1], CANARY[1:]], False, id="a part"),
        pytest.param(CANARY, [CANARY.replace(" ", "  ")], True, id="with other blanks"),
        pytest.param(CANARY.replace(" ", "\n"), [CANARY], True, id="on several lines in the dataset"),
        pytest.param(CANARY, [], False, id="no tool"),
        pytest.param(None, ["anything"], False, id="a dataset without one"),
        pytest.param(" ", ["any thing"], False, id="a blank one"),
    ],
)
def test_a_record_tells_whether_a_tool_result_carried_the_canary(
    canary: str | None, results: list[str], carries: bool
) -> None:
    made = clerk(replace(TASK, canary=canary)).unscored(searched(*results), Answer(text="x"), run_s=1.0)
    assert made.carries_canary is carries


def test_the_canary_in_what_the_model_said_is_no_leak_of_the_web() -> None:
    said = replace(searched(), final_message={"role": "assistant", "content": CANARY})
    assert not clerk().unscored(said, Answer(text=CANARY), run_s=1.0).carries_canary


def test_the_canary_of_an_attempt_that_failed_later_is_noticed() -> None:
    error = AttemptFailedError("HTTP 503", partial=searched(CANARY))
    assert clerk().run_error(error, run_s=1.0).carries_canary


@pytest.mark.parametrize("open_handed", [False, True], ids=["strict", "show-ground-truth"])
@pytest.mark.parametrize(
    "text",
    [
        CANARY,
        f"HTTP 400: {CANARY}",
        f"{'y ' * 95}{CANARY}",
        CANARY.replace(" ", "\n"),
        CANARY.upper(),
        "ORLAND CANARY 7f3a 99c1 never train",
        "oRlAnDcAnArY7f3a99c1nevertrainonthis",
    ],
    ids=["alone", "in-a-line", "across-the-cut", "broken", "loud", "its-first-words", "without-blanks"],
)
def test_a_text_that_holds_the_canary_is_hidden(text: str, open_handed: bool) -> None:
    redactor = Redactor([], show_ground_truth=open_handed)
    assert redactor.line(text, MARKED) == HIDDEN
    assert redactor.answer(record(text), MARKED) == HIDDEN


@pytest.mark.parametrize("canary", [None, "", "  ", CANARY])
def test_a_text_without_the_canary_is_shown(canary: str | None) -> None:
    assert strict().line("never train with an empty net", replace(TASK, canary=canary)) == (
        "never train with an empty net"
    )


def the_records(task: Task, canary: str, redactor: Redactor) -> list[Record]:
    """One record of each making, with the canary wherever foreign text goes."""
    wrong = Judgment(verdict=INCORRECT, evaluation_type="llm_judge", raw_response=f"B {canary}")
    attempt, answer = searched(canary, issues=[canary]), Answer(text=f"Gull {canary}")
    tasks = [replace(task, task_id=f"t-{n}") for n in range(1, 5)]
    clerks = [clerk(each, redactor) for each in tasks]
    graded = Graded(judgment=wrong, model_answer=canary)
    return [
        clerks[0].judged([graded], attempt, answer, run_s=1.0, judge_s=1.0),
        clerks[1].run_error(AttemptFailedError(f"HTTP 400: {canary}", partial=attempt), run_s=1.0),
        clerks[2].judge_error(JudgeFailedError(canary), [graded], attempt, answer, run_s=1.0, judge_s=1.0),
        clerks[3].run_error(ValueError(canary), run_s=1.0),
    ]


@unhurried
@given(
    canary=st.from_regex(r"[A-Za-z0-9]{4,12}(?:[ :_-][A-Za-z0-9]{4,12}){1,8}", fullmatch=True),
    open_handed=st.booleans(),
)
def test_the_canary_leaves_details_by_no_way(canary: str, open_handed: bool) -> None:
    redactor = Redactor([], show_ground_truth=open_handed)
    records = the_records(replace(TASK, canary=canary), canary, redactor)
    with TemporaryDirectory() as name:
        folder = Path(name)
        recorder = Recorder(folder, run([each.task_id for each in records], has_canary=True), now=noon)
        for each in records:
            recorder.add(each)
        metrics = recorder.finish(stopped=redactor.line(canary, replace(TASK, canary=canary)))
        files = files_of(folder)
    public = {path: content.decode() for path, content in files.items() if not path.startswith("details")}
    said = {
        **public,
        "terminal": "\n".join(terminal_lines(metrics)),
        "answer": redactor.answer(records[0], replace(TASK, canary=canary)),
    }
    assert sorted(public) == ["metrics.json", "run.json", "summary.md"]
    assert metrics["canary"] == {"n": 3, "task_ids": ["t-1", "t-2", "t-3"]}
    assert canary in files["details/t-1.json"].decode()
    assert [place for place, text in said.items() if canary.casefold() in text.casefold()] == []


def test_a_question_with_other_separators_is_hidden_too() -> None:
    asked = "Which seven green stones lie under the old mill of Quill Harbour?"
    task = replace(TASK, question=asked)
    assert "hidden" in strict().line(asked.replace(" ", "_"), task)


def test_of_an_endless_text_only_the_beginning_is_looked_at() -> None:
    line = strict().line("a b " * 5_000_000, TASK)
    assert line.startswith("a b a b") and len(line) < 300
