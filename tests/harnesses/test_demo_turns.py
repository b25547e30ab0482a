"""A conversation with tool calls, told in plain turns."""

from typing import Any

import pytest
from demo_scene import SEARCH

from harnesses.demo.turns import opening, plain_turns, text_turns

VISIT = {"name": "visit", "description": "Open a page.", "parameters": {"type": "object"}}


def called(arguments: Any) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def asked(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_a_tool_call_is_told_as_the_model_writes_it_and_its_result_ends_with_the_question() -> None:
    result = {"role": "tool", "tool_call_id": "call_1", "content": "1. Harrow Bay"}
    assert plain_turns([asked("How deep?"), called('{"query": "depth"}'), result]) == [
        {"role": "user", "content": "How deep?"},
        {"role": "assistant", "content": '{"tool":"search","arguments":{"query":"depth"}}'},
        {"role": "user", "content": "1. Harrow Bay\n\nQuestion: How deep?"},
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param({"query": "x"}, '{"query":"x"}', id="an-object"),
        pytest.param('{"query": ', '{"text":"{\\"query\\": "}', id="broken"),
        pytest.param(None, "null", id="none"),
    ],
)
def test_odd_arguments_are_told_all_the_same(arguments: Any, told: str) -> None:
    (turn,) = plain_turns([called(arguments)])
    assert turn["content"] == f'{{"tool":"search","arguments":{told}}}'


def test_an_earlier_answer_is_told_as_an_action() -> None:
    assert plain_turns([{"role": "assistant", "content": "31"}]) == [
        {"role": "assistant", "content": '{"answer":"31"}'}
    ]


def test_turns_of_one_role_in_a_row_become_one() -> None:
    result = {"role": "tool", "content": "nothing"}
    (_, _, turn) = plain_turns([asked("How deep?"), called("{}"), result, asked("Answer now.")])
    assert turn["content"] == "nothing\n\nQuestion: How deep?\n\nAnswer now."


def test_the_developer_s_message_is_a_system_message() -> None:
    assert plain_turns([{"role": "developer", "content": "Be brief."}])[0]["role"] == "system"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("plain", "plain", id="text"),
        pytest.param([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, "c"], "a\nb", id="parts"),
        pytest.param(None, "", id="nothing"),
    ],
)
def test_content_is_read_in_each_of_its_forms(content: Any, text: str) -> None:
    assert text_turns([{"role": "user", "content": content}]) == [{"role": "user", "content": text}]


def test_the_opening_tells_the_rules_the_tools_and_examples_that_use_only_these_tools() -> None:
    rules, *examples = opening([SEARCH])
    assert rules["role"] == "system"
    assert "- search: Search for pages." in rules["content"]
    assert not any('"tool":"visit"' in turn["content"] for turn in examples)
    assert any('"tool":"visit"' in turn["content"] for turn in opening([SEARCH, VISIT]))


def test_examples_take_turns_and_end_with_an_answer() -> None:
    _, *examples = opening([SEARCH, VISIT])
    assert [turn["role"] for turn in examples] == ["user", "assistant"] * (len(examples) // 2)
    assert examples[-1]["content"].startswith('{"answer":')
