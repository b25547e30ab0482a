"""What the model may do next, as a schema, and how its reply is read."""

import json

import pytest
from demo_scene import SEARCH

from harnesses.demo.actions import (
    MAX_ANSWER_CHARACTERS,
    MAX_ARGUMENT_CHARACTERS,
    MAX_ARGUMENT_ITEMS,
    action_schema,
    answer_text,
    as_assistant_message,
    call_text,
)

ANSWER = {
    "type": "object",
    "properties": {"answer": {"type": "string", "minLength": 1, "maxLength": MAX_ANSWER_CHARACTERS}},
    "required": ["answer"],
    "additionalProperties": False,
}


def test_with_a_tool_the_model_may_call_it_or_answer() -> None:
    query = {"type": "string", "maxLength": MAX_ARGUMENT_CHARACTERS}
    call = {
        "type": "object",
        "properties": {
            "tool": {"const": "search"},
            "arguments": {"type": "object", "properties": {"query": query}, "required": ["query"]},
        },
        "required": ["tool", "arguments"],
        "additionalProperties": False,
    }
    assert action_schema([SEARCH]) == {"anyOf": [call, ANSWER]}


def test_a_model_that_may_not_answer_yet_can_only_call() -> None:
    only = action_schema([SEARCH], may_answer=False)["anyOf"]
    assert only == action_schema([SEARCH])["anyOf"][:1]


def test_without_a_tool_the_model_may_only_answer() -> None:
    assert action_schema([]) == ANSWER


def test_a_tool_that_tells_no_parameters_takes_any_object() -> None:
    call = action_schema([{"name": "now"}])["anyOf"][0]
    assert call["properties"]["arguments"] == {"type": "object"}


@pytest.mark.parametrize(
    ("sent", "bounded"),
    [
        pytest.param({"type": "string"}, {"type": "string", "maxLength": MAX_ARGUMENT_CHARACTERS}, id="text"),
        pytest.param({"type": "string", "maxLength": 5}, {"type": "string", "maxLength": 5}, id="own-limit"),
        pytest.param({"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["a"]}, id="choice"),
        pytest.param({"type": "integer"}, {"type": "integer"}, id="number"),
        pytest.param(
            {"anyOf": [{"type": "array", "items": {"type": "integer"}}]},
            {"anyOf": [{"type": "array", "items": {"type": "integer"}, "maxItems": MAX_ARGUMENT_ITEMS}]},
            id="list-inside",
        ),
    ],
)
def test_arguments_get_an_end(sent: dict[str, object], bounded: dict[str, object]) -> None:
    assert (
        action_schema([{"name": "t", "parameters": sent}])["anyOf"][0]["properties"]["arguments"] == bounded
    )


def test_a_call_becomes_a_tool_call_with_its_arguments_as_text() -> None:
    message = as_assistant_message(call_text("search", {"query": "Höhe"}), call_id="call_1")
    function = {"name": "search", "arguments": '{"query": "Höhe"}'}
    assert message == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
    }


def test_an_answer_becomes_plain_content() -> None:
    assert as_assistant_message(answer_text("31 m"), call_id="x") == {"role": "assistant", "content": "31 m"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"tool":"search","argu', id="cut-call"),
        pytest.param('{"answer":"thirty', id="cut-answer"),
        pytest.param("", id="empty"),
        pytest.param("[31]", id="a-list"),
        pytest.param('{"answer": 31}', id="a-number"),
    ],
)
def test_what_is_no_action_stays_as_the_model_wrote_it(text: str) -> None:
    assert as_assistant_message(text, call_id="x") == {"role": "assistant", "content": text}


def test_actions_are_written_without_blanks_between_their_parts() -> None:
    assert call_text("search", {"query": "a b"}) == '{"tool":"search","arguments":{"query":"a b"}}'
    assert json.loads(answer_text('say "no"')) == {"answer": 'say "no"'}
