r"""What is read as the answer in a final message, and when there is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from judges.answer_reader import Answer, read_answer, read_whole_text

_CASES = Path(__file__).parent.parent / "cases" / "answer.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in _CASES.read_text(encoding="utf-8").splitlines()]

_WIDE_BAR = "\N{FULLWIDTH VERTICAL LINE}"


def _said(content: Any, finish_reason: str | None = "stop", **fields: Any) -> Answer:
    return read_answer({"role": "assistant", "content": content, **fields}, finish_reason)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_vector_row_is_read_as_allowed(row: dict[str, Any]) -> None:
    answer = read_answer(row["message"], row["finish_reason"])

    assert answer.text in [row["expected"], *row["also_ok"]]
    assert row["flag"] == "soft" or answer.flag == row["flag"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_hard_vector_row_is_read_as_expected(row: dict[str, Any]) -> None:
    assert row["flag"] == "soft" or read_answer(row["message"], row["finish_reason"]).text == row["expected"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("**Final Answer:** 42", "42"),
        ("FINAL ANSWER: **42**", "42"),
        ("### Final Answer\n\n42", "42"),
        ("FINAL ANSWER: 41\nNo, wait.\nFINAL ANSWER: 42", "42"),
        ("FINAL ANSWER: 42\nFINAL ANSWER: [YOUR FINAL ANSWER]", "42"),
        ("FINAL ANSWER:\n1. apple\n2. banana\n\nThat is all.", "apple, banana"),
        ("FINAL ANSWER: 'a' and 'b'", "'a' and 'b'"),
        ("FINAL ANSWER: f(x) = {y}", "f(x) = {y}"),
        ("FINAL ANSWER: __heron__", "heron"),
        ("FINAL ANSWER: \\text{heron}", "heron"),
        ("FINAL ANSWER: \\boxed{42}.", "42"),
        ("<answer>**42**</answer>\nFINAL ANSWER: 41", "42"),
        ("Put it in <answer> tags. <answer>42</answer>", "42"),
        ("**42**", "42"),
        ("The answer is 72, in total, so that is it.", "The answer is 72, in total, so that is it."),
        ("Okay, the user asks...\n</think>\n42", "42"),
        ("<think>41? no</think>42", "42"),
        (["42"], "42"),
        ([{"type": "text", "text": "4"}, None, {"type": "image"}, {"text": "2"}], "42"),
        ({"type": "text", "text": "42"}, "42"),
        ("FINAL ANSWER: 42\n<tool_call>{}</tool_call>", "42"),
        ("FINAL ANSWER: \ud83d", "\N{REPLACEMENT CHARACTER}"),
        ("[1, 2]", "1, 2"),
        ("FINAL ANSWER:\n```\n42\n```", "42"),
        ("FINAL ANSWER: ```text\n42\n```", "42"),
        ("FINAL ANSWER: ```42```", "42"),
        ("FINAL ANSWER:\n~~~\n42\n~~~", "42"),
        ("FINAL ANSWER:\n---\n42", "42"),
        ("<answer>\n```text\n42\n```\n</answer>", "42"),
        ("```\n42\n```", "42"),
        ("The answer is 42.\n\\boxed{}", "The answer is 42."),
        ("It is 42.\nFINAL ANSWER:", "It is 42."),
        ("It is 42. <answer>[your answer]</answer>", "It is 42."),
        ("<answer></answer> It is\n42", "It is\n42"),
        ("\\boxed{42} and \\boxed{}", "42"),
        ("\\boxed{42} and \\boxed{\\text{your answer}}", "42"),
        ("\\boxed{42}\nFINAL ANSWER:", "42"),
        ("FINAL ANSWER: 42\nFINAL ANSWER:\n'FINAL ANSWER: [your answer]'", "42"),
        ("`FINAL ANSWER: 42`", "42"),
        ("`FINAL ANSWER: 42` is what I found", "42"),
        ("'FINAL ANSWER: it's 5'", "it's 5"),
        ('"FINAL ANSWER: 42".', "42"),
        ("(FINAL ANSWER: 42)", "42"),
        ("***FINAL ANSWER: 42***", "42"),
        ("**FINAL ANSWER: 42**.", "42"),
        ("**FINAL ANSWER: 42** (rounded", "42** (rounded"),
        ("FINAL ANSWER: 2**10", "2**10"),
        ("**My FINAL ANSWER: 42**", "42"),
        ("FINAL ANSWER: 6'", "6'"),
        ("FINAL ANSWER: 42 … 'FINAL ANSWER: [your answer]'", "42"),
        ("FINAL ANSWER: 42\nThe form was 'FINAL ANSWER: [your answer]'", "42"),
        ("FINAL ANSWER: 42\n`FINAL ANSWER: [YOUR FINAL ANSWER]` was the form.", "42"),
        ("FINAL ANSWER: 42. The form was 'FINAL ANSWER: [your answer]'.", "42"),
        ("FINAL ANSWER: U.K. 'FINAL ANSWER: [your answer]'", "U.K."),
        ("FINAL ANSWER: 42 (in the form `FINAL ANSWER: [your answer]`)", "42"),
        ("FINAL ANSWER: FINAL ANSWER: 42", "42"),
        ("[]", "[]"),
        ("{not JSON}", "{not JSON}"),
        ("[" * 100_000 + "]", "[" * 100_000 + "]"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_the_answer_is_read_where_it_is_announced(content: Any, expected: str) -> None:
    assert _said(content).text == expected


@pytest.mark.parametrize(
    ("content", "finish_reason", "flag"),
    [
        ("</think> </think> </think>", "stop", "empty"),
        ("<think>A, B, A, B, A", "length", "truncated"),
        ("<think>41?", "stop", "truncated"),
        ("<think>long</think>", "length", "truncated"),
        ("Let me think about the list again, first ", "length", "truncated"),
        ("**FINAL ANSWER:**", "stop", "empty"),
        ("FINAL ANSWER:\n```\n```", "stop", "empty"),
        ("**\\boxed{}**", "stop", "empty"),
        ("The answer is 42.\n\\boxed{}", "length", "truncated"),
        ("FINAL ANSWER:\n**[YOUR FINAL ANSWER]**", "stop", "template_echo"),
        ("So it is clear.\nFINAL ANSWER:", "length", "truncated"),
        ("<answer></answer>", "stop", "empty"),
        ("<answer>4", "length", "truncated"),
        ("<answer>your answer here</answer>", "stop", "template_echo"),
        ("I'll look.\n<tool_call>\n{}\n</tool_call>", "tool_calls", "leaked_tool_call"),
        (f"<{_WIDE_BAR}DSML{_WIDE_BAR}function_calls>...", "stop", "leaked_tool_call"),
        ('{"name": "search", "arguments": {"query": "x"}}', "stop", "leaked_tool_call"),
        ('[{"name": "search", "parameters": {}}]', "stop", "leaked_tool_call"),
        ([{"type": "thinking", "thinking": "41?"}], "stop", "empty"),
        (None, "content_filter", "empty"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_there_is_no_answer_and_the_flag_says_why(content: Any, finish_reason: str, flag: str) -> None:
    assert _said(content, finish_reason) == Answer(text=None, flag=flag)


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content", "reasoning_details"])
def test_an_answer_in_a_reasoning_field_is_none(field: str) -> None:
    answer = _said(None, **{field: "FINAL ANSWER: 42"})

    assert answer == Answer(text=None, flag="empty_content_with_reasoning")


def test_an_answer_announced_before_the_cut_counts() -> None:
    assert _said("FINAL ANSWER: 42\n\nThis follows from the", "length").text == "42"


@pytest.mark.parametrize("content", ["I can’t say.", "FINAL ANSWER: N/A", "I was unable to open the page."])
def test_words_that_decline_are_kept_and_flagged(content: str) -> None:
    answer = _said(content)

    assert answer.text
    assert answer.flag == "not_attempted"


def test_the_whole_text_is_given_without_thinking() -> None:
    message = {"content": "<think>41?</think>It is 42.\n\nFINAL ANSWER: 42"}

    assert read_whole_text(message, "stop") == Answer(text="It is 42.\n\nFINAL ANSWER: 42")


@pytest.mark.parametrize("row", [row for row in ROWS if row["flag"] != "soft"], ids=lambda row: row["id"])
def test_there_is_a_whole_text_exactly_where_there_is_an_answer(row: dict[str, Any]) -> None:
    whole = read_whole_text(row["message"], row["finish_reason"])
    answer = read_answer(row["message"], row["finish_reason"])

    assert (whole.text is None, whole.flag) == (answer.text is None, answer.flag)


@pytest.mark.parametrize(
    "piece",
    [
        "\\boxed{",
        "<answer>",
        "FINAL ANSWER:\n",
        "FINAL ANSWER: ",
        "- a\n",
        "**",
        "[",
        "\n ",
        "\\text{",
        "'FINAL ANSWER: ",
        "```\n",
    ],
)
def test_two_hundred_kilobytes_of_one_piece_are_read_to_the_end(piece: str) -> None:
    content = piece * (200_000 // len(piece))

    assert isinstance(_said(content), Answer)
    assert isinstance(read_whole_text({"content": content}, "stop"), Answer)
