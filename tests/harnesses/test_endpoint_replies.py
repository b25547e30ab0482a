import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnesses.endpoint.messages import Completion, TokenUsage, ToolCall
from harnesses.endpoint.protocols.bodies import NoCompletionError, parsed
from harnesses.endpoint.protocols.openai_chat import read_completion, request_body
from harnesses.endpoint.spec import EndpointSpec
from harnesses.endpoint.valid_text import as_text, with_valid_text

ASKED = [{"role": "user", "content": "x"}]
SEARCH: dict[str, Any] = {"name": "search", "description": "Searches.", "parameters": {"type": "object"}}
TOOL = {"type": "function", "function": SEARCH}


def read(message: Any, *, finish_reason: Any = "stop", **payload: Any) -> Completion:
    choice = {"finish_reason": finish_reason, "message": message}
    return read_completion({"choices": [choice], **payload}, n_requests=1)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("42", "42", id="text"),
        pytest.param(None, "", id="null"),
        pytest.param("", "", id="empty"),
        pytest.param(42, "42", id="number"),
        pytest.param(True, "true", id="bool"),
        pytest.param({"answer": "42"}, '{"answer": "42"}', id="object"),
        pytest.param([], "", id="no-parts"),
        pytest.param([{"type": "text", "text": "4"}, {"type": "text", "text": "2"}], "42", id="parts"),
        pytest.param(
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "41?"}]},
                {"type": "text", "text": "42"},
            ],
            "42",
            id="thinking-part",
        ),
        pytest.param([{"type": "output_text", "text": "42"}], "42", id="responses-part"),
        pytest.param([{"type": "refusal", "refusal": "no"}], "", id="refusal-part"),
        pytest.param([{"text": "42"}], "42", id="part-without-type"),
        pytest.param(["4", "2", None, 3], "42", id="bare-parts"),
        pytest.param([{"type": ["text"], "text": "41"}, {"type": "text", "text": 42}], "42", id="odd-parts"),
        pytest.param(
            "a\ud800b\udfff", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}", id="lone-surrogates"
        ),
        pytest.param("42\x00", "42\x00", id="nul"),
    ],
)
def test_text_is_read_from_any_content(content: Any, text: str) -> None:
    assert read({"role": "assistant", "content": content}).text == text


def test_a_content_that_is_no_text_can_be_sent_back_as_one() -> None:
    assert read({"content": 42}).message == {"role": "assistant", "content": "42"}


@pytest.mark.parametrize(
    ("name", "value", "has_reasoning"),
    [
        ("reasoning", "So it is 42.", True),
        ("reasoning_content", "So it is 42.", True),
        ("reasoning_details", [{"type": "reasoning.text", "text": "So it is 42."}], True),
        ("reasoning_details", [{"type": "reasoning.summary", "summary": "Counting."}], True),
        ("reasoning_details", [{"type": "reasoning.encrypted", "data": "b64"}], False),
        ("reasoning", {"content": "So it is 42."}, True),
        ("thinking_blocks", [{"type": "thinking", "thinking": "So it is 42."}], True),
        ("reasoning_content", "  \n", False),
        ("reasoning_content", "", False),
        ("reasoning_details", [], False),
        ("reasoning", 7, False),
    ],
)
def test_reasoning_stays_on_the_message_under_the_name_it_came_with(
    name: str, value: Any, has_reasoning: bool
) -> None:
    completion = read({"content": "42", name: value})
    assert completion.message == {"role": "assistant", "content": "42", name: value}
    assert (completion.text, completion.has_reasoning) == ("42", has_reasoning)


def test_a_thinking_part_counts_as_reasoning() -> None:
    assert read({"content": [{"type": "thinking", "thinking": "41?"}]}).has_reasoning


def test_a_message_keeps_only_what_may_be_sent_back() -> None:
    raw: dict[str, Any] = {
        "role": "bot",
        "content": "42",
        "refusal": None,
        "annotations": [],
        "audio": None,
        "function_call": None,
        "tool_calls": [],
        "reasoning_content": None,
    }
    assert read(raw).message == {"role": "assistant", "content": "42"}


def test_a_refusal_stays_on_the_message() -> None:
    assert read({"content": None, "refusal": "I cannot."}).message["refusal"] == "I cannot."


@pytest.mark.parametrize(
    ("raw", "call"),
    [
        pytest.param(
            {"id": "c1", "function": {"name": "search", "arguments": '{"query": "x"}'}},
            ToolCall(call_id="c1", name="search", arguments='{"query": "x"}'),
            id="text",
        ),
        pytest.param(
            {"id": "c1", "function": {"name": "search", "arguments": {"query": "münze"}}},
            ToolCall(call_id="c1", name="search", arguments='{"query": "münze"}'),
            id="object",
        ),
        pytest.param(
            {"id": "c1", "function": {"name": "search", "arguments": '{"query": "length of'}},
            ToolCall(call_id="c1", name="search", arguments='{"query": "length of'),
            id="broken",
        ),
        pytest.param(
            {"id": "c1", "function": {"name": "search", "arguments": None}},
            ToolCall(call_id="c1", name="search", arguments=""),
            id="null",
        ),
        pytest.param(
            {"function": {"name": "search", "arguments": "{}"}},
            ToolCall(call_id="call_0", name="search", arguments="{}"),
            id="no-id",
        ),
        pytest.param(
            {"id": 7, "function": {"name": 8}}, ToolCall(call_id="7", name="8", arguments=""), id="numbers"
        ),
        pytest.param({"id": "c1"}, ToolCall(call_id="c1", name="", arguments=""), id="no-function"),
    ],
)
def test_a_tool_call_is_read_and_sent_back_with_its_arguments_as_text(raw: Any, call: ToolCall) -> None:
    completion = read({"content": None, "tool_calls": [raw]}, finish_reason="tool_calls")
    assert completion.tool_calls == (call,)
    (sent,) = completion.message["tool_calls"]
    assert (sent["id"], sent["type"]) == (call.call_id, "function")
    assert (sent["function"]["name"], sent["function"]["arguments"]) == (call.name, call.arguments)


def test_what_a_provider_adds_to_a_tool_call_goes_back_to_it() -> None:
    raw = {"id": "c1", "extra_content": {"thought": "sig"}, "function": {"name": "search", "arguments": "{}"}}
    assert read({"content": None, "tool_calls": [raw]}).message["tool_calls"][0]["extra_content"] == {
        "thought": "sig"
    }


@pytest.mark.parametrize("calls", [None, [], "search", {"name": "search"}, [None, "search", 7]])
def test_odd_tool_calls_are_none(calls: Any) -> None:
    completion = read({"content": "<tool_call>…", "tool_calls": calls}, finish_reason="tool_calls")
    assert (completion.tool_calls, completion.finish_reason) == ((), "tool_calls")
    assert "tool_calls" not in completion.message


@pytest.mark.parametrize(
    ("raw", "finish_reason"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("max_tokens", "length"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("SAFETY", "content_filter"),
        ("tool_use", "tool_calls"),
        ("eos", "eos"),
        (None, None),
        (3, "3"),
        ({"type": "stop"}, '{"type": "stop"}'),
        ("st\ud800", "st\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_the_finish_reason_is_one_of_our_words_or_the_servers(raw: Any, finish_reason: str | None) -> None:
    assert read({"content": "42"}, finish_reason=raw).finish_reason == finish_reason


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        (None, (None, None, None)),
        ([], (None, None, None)),
        ({}, (None, None, None)),
        ({"prompt_tokens": 12, "completion_tokens": 0}, (12, 0, None)),
        ({"prompt_tokens": 12.0, "completion_tokens": 3.5}, (12, None, None)),
        ({"prompt_tokens": "12", "completion_tokens": -1}, (None, None, None)),
        ({"prompt_tokens": True, "completion_tokens": float("nan")}, (None, None, None)),
        ({"prompt_tokens": float("inf"), "completion_tokens": None}, (None, None, None)),
        (
            {
                "prompt_tokens": 1,
                "completion_tokens": 9,
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
            (1, 9, 5),
        ),
        ({"prompt_tokens": 1, "completion_tokens": 9, "reasoning_tokens": 5}, (1, 9, 5)),
        ({"prompt_tokens": 1, "completion_tokens": 9, "completion_tokens_details": None}, (1, 9, None)),
    ],
)
def test_usage_is_what_the_server_counted_or_unknown(
    raw: Any, usage: tuple[int | None, int | None, int | None]
) -> None:
    counted = read({"content": "42"}, usage=raw).usage
    assert (counted.input_tokens, counted.output_tokens, counted.reasoning_tokens) == usage
    assert counted.n_requests == 1


@pytest.mark.parametrize(
    ("model", "served"),
    [("m-1-2026", "m-1-2026"), (None, None), (7, None), ("m\ud800", "m\N{REPLACEMENT CHARACTER}")],
)
def test_the_served_model_is_noted(model: Any, served: str | None) -> None:
    assert read({"content": "42"}, model=model).served_model == served


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({}, "no choices"),
        ({"choices": None}, "no choices"),
        ({"choices": {"0": {}}}, "no choices"),
        ({"choices": []}, "an empty list of choices"),
        ({"choices": [None]}, "a choice without a message"),
        ({"choices": [{"message": None}]}, "a choice without a message"),
        ({"choices": [{"text": "42"}]}, "a choice without a message"),
        ({"choices": [{"finish_reason": "error", "message": {"content": "4"}}]}, "a choice that broke off"),
        ({"choices": [{"finish_reason": "abort", "message": {"content": "4"}}]}, "a choice that broke off"),
    ],
)
def test_what_holds_no_message_is_no_completion(payload: Any, words: str) -> None:
    with pytest.raises(NoCompletionError, match=words):
        read_completion(payload, n_requests=1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["role", "content", "tool_calls", "reasoning", "reasoning_details", "refusal", "name"]
)
MESSAGES = st.dictionaries(FIELDS, JSON, max_size=4)


@settings(deadline=None, database=None)
@given(message=MESSAGES, finish_reason=JSON, usage=JSON, model=JSON)
def test_any_message_is_read_into_text_that_can_be_encoded(
    message: Any, finish_reason: Any, usage: Any, model: Any
) -> None:
    try:
        completion = read(message, finish_reason=finish_reason, usage=usage, model=model)
    except NoCompletionError:
        return
    completion.text.encode()
    json.dumps([completion.message, dict(completion.evidence())], ensure_ascii=False).encode()


def test_evidence_tells_replies_apart_without_their_text() -> None:
    completion = read({"content": "", "reasoning": "hm"}, finish_reason="length", model="m-1")
    assert completion.evidence() == {
        "status": 200,
        "finish_reason": "length",
        "n_characters": 0,
        "has_reasoning": True,
        "served_model": "m-1",
        "n_tool_calls": 0,
        "n_requests": 1,
    }


def test_usage_adds_up_and_unknown_stays_unknown() -> None:
    one = TokenUsage(input_tokens=1, n_requests=1)
    other = TokenUsage(input_tokens=2, output_tokens=3, n_requests=2)
    assert one + other == TokenUsage(input_tokens=3, output_tokens=3, reasoning_tokens=None, n_requests=3)


@pytest.mark.parametrize(
    ("params", "overrides", "added"),
    [
        ({}, None, {}),
        ({"temperature": 0, "extra_body": {"x": None}}, None, {"temperature": 0, "extra_body": {"x": None}}),
        ({"max_tokens": 8}, {"max_tokens": 16}, {"max_tokens": 16}),
        ({"max_tokens": None}, {"max_tokens": 16}, {"max_tokens": 16}),
        ({"max_tokens": 8}, {"max_tokens": None}, {}),
        ({"tool_choice": "auto", "parallel_tool_calls": True}, None, {}),
        ({"tool_choice": "auto", "tools": [TOOL]}, None, {"tool_choice": "auto", "tools": [TOOL]}),
    ],
)
def test_params_go_into_the_body_and_a_null_removes_its_key(params: Any, overrides: Any, added: Any) -> None:
    spec = EndpointSpec(id="m-1", base_url="http://model.test/v1", params=params)
    assert request_body(spec, ASKED, overrides=overrides) == {"model": "m-1", "messages": ASKED, **added}


def test_a_null_removes_a_key_of_ours() -> None:
    spec = EndpointSpec(id="m-1", base_url="http://model.test/v1", params={"model": None})
    assert request_body(spec, ASKED) == {"messages": ASKED}


def test_tools_go_out_as_functions() -> None:
    spec = EndpointSpec(id="m-1", base_url="http://model.test/v1", params={"tool_choice": "required"})
    body = request_body(spec, ASKED, tools=[SEARCH])
    assert (body["tools"], body["tool_choice"]) == ([TOOL], "required")


@pytest.mark.parametrize(
    "text", ["", "{", "nope", '{"n": ' + "9" * 5000 + "}"], ids=["empty", "cut", "word", "long"]
)
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parsed(text)


def test_a_byte_order_mark_is_no_part_of_the_json() -> None:
    assert parsed('\ufeff{"a": 1}') == {"a": 1}


def test_text_is_made_valid_at_every_depth() -> None:
    assert with_valid_text({"\ud800": ["\udfff", 1, None, {"a": "ok"}]}) == {
        "\N{REPLACEMENT CHARACTER}": ["\N{REPLACEMENT CHARACTER}", 1, None, {"a": "ok"}]
    }


@pytest.mark.parametrize(("value", "text"), [(None, ""), ("x", "x"), (1.5, "1.5"), (["ä"], '["ä"]')])
def test_any_json_value_has_a_text(value: Any, text: str) -> None:
    assert as_text(value) == text
