"""The shapes of Anthropic's messages: what its API insists on, and what only it says."""

from typing import Any

import pytest
from protocol_scene import SERVERS, spec_of
from scripted_endpoint import QUESTION, SEARCH

from harnesses.endpoint.messages import Completion, Message, TokenUsage
from harnesses.endpoint.protocols import anthropic

ASKED = {"role": "user", "content": [{"type": "text", "text": "How long is the bridge at Lintholm?"}]}
BODY = {"model": "m-1", "max_tokens": anthropic.MAX_TOKENS, "messages": [ASKED]}
TOOL: dict[str, Any] = {
    "name": "search",
    "description": "Searches.",
    "input_schema": {"type": "object", "properties": {}},
}


def body_of(*messages: Message, tools: Any = (), **params: Any) -> dict[str, Any]:
    return anthropic.request_body(spec_of(SERVERS[2], **params), [QUESTION, *messages], tools=tools)


def read(*content: Any, stop_reason: Any = "end_turn", **payload: Any) -> Completion:
    whole = {"content": list(content), "stop_reason": stop_reason, **payload}
    return anthropic.read_completion(whole, n_requests=1)


def test_a_tool_goes_out_with_its_input_schema() -> None:
    assert body_of(tools=[SEARCH]) == {**BODY, "tools": [TOOL]}


@pytest.mark.parametrize(
    ("params", "max_tokens"),
    [
        ({}, 16_384),
        ({"max_tokens": 256}, 256),
        ({"thinking": {"type": "enabled", "budget_tokens": 10_000}}, 26_384),
        ({"thinking": {"type": "adaptive"}}, 16_384),
        ({"max_tokens": None}, None),
    ],
)
def test_a_limit_is_sent_where_params_set_none(params: Any, max_tokens: int | None) -> None:
    assert body_of(**params).get("max_tokens") == max_tokens


CALL: Message = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}],
}


def test_a_last_request_declares_the_tools_that_were_called_and_forbids_them() -> None:
    answered: Message = {"role": "tool", "tool_call_id": "c1", "content": "42"}
    body = body_of(CALL, answered, tool_choice={"type": "any"})
    assert body["tools"] == [{"name": "search", "input_schema": {"type": "object"}}]
    assert body["tool_choice"] == {"type": "none"}


def test_a_call_of_no_name_declares_no_tool() -> None:
    unnamed = read({"type": "tool_use", "id": "c1", "name": "", "input": {}}).message
    assert "tools" not in body_of(unnamed)


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"query": "x"}', {"query": "x"}),
        ("", {}),
        ("[]", {"INVALID_JSON": "[]"}),
        ('{"query": "len', {"INVALID_JSON": '{"query": "len'}),
        ("[" * 100_000, {"INVALID_JSON": "[" * 100_000}),
    ],
    ids=["object", "none", "list", "cut", "nested"],
)
def test_arguments_go_back_as_an_object(arguments: str, sent: Any) -> None:
    block = {"type": "tool_use", "id": "c1", "name": "search", "input": arguments}
    completion = read(block, stop_reason="tool_use")
    assert completion.tool_calls[0].arguments == arguments
    (called,) = body_of(completion.message)["messages"][1]["content"]
    assert called == {"type": "tool_use", "id": "c1", "name": "search", "input": sent}


@pytest.mark.parametrize("text", ["", " \n", None])
def test_blank_texts_are_not_sent(text: str | None) -> None:
    blank: Message = {"role": "assistant", "content": text}
    parts: Message = {"role": "user", "content": [{"type": "text", "text": text}]}
    assert body_of(blank, parts)["messages"] == [ASKED]
    emptied: Message = {"role": "tool", "tool_call_id": "c1", "content": text}
    assert body_of(CALL, emptied)["messages"][2]["content"] == [{"type": "tool_result", "tool_use_id": "c1"}]


def test_a_blank_text_beside_a_call_is_not_sent_back() -> None:
    message = read({"type": "text", "text": "\n"}, USE, stop_reason="tool_use").message
    assert body_of(message)["messages"][1]["content"] == [USE]
    assert "verbatim" not in message


def test_neighbours_of_one_role_are_one_turn() -> None:
    parts: Message = {"role": "user", "content": [{"type": "text", "text": "And how wide?"}]}
    assert body_of(parts)["messages"] == [
        {"role": "user", "content": [*ASKED["content"], {"type": "text", "text": "And how wide?"}]}
    ]


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "sig"}
HIDDEN = {"type": "redacted_thinking", "data": "b64"}
TEXT = {"type": "text", "text": "I look."}
USE: dict[str, Any] = {"type": "tool_use", "id": "c1", "name": "search", "input": {}}


@pytest.mark.parametrize(
    ("blocks", "is_verbatim"),
    [
        pytest.param([THOUGHT, HIDDEN, TEXT, USE], False, id="usual"),
        pytest.param([THOUGHT, USE, THOUGHT, {**USE, "id": "c2"}], True, id="thinking-between-calls"),
        pytest.param([TEXT, TEXT], True, id="two-texts"),
        pytest.param([{**TEXT, "citations": [{"cited_text": "x"}]}], True, id="citations"),
        pytest.param(
            [{**USE, "type": "server_tool_use", "id": "s1"}, TEXT],
            True,
            id="a-tool-of-the-server",
        ),
    ],
)
def test_blocks_go_back_as_they_came(blocks: list[dict[str, Any]], is_verbatim: bool) -> None:
    message = read(*blocks, stop_reason="tool_use").message
    assert body_of(message)["messages"][1]["content"] == blocks
    assert ("verbatim" in message) is is_verbatim


def test_a_turn_is_not_sent_back_with_thinking_at_its_end() -> None:
    assert body_of(read(TEXT, THOUGHT).message)["messages"][1]["content"] == [TEXT]
    assert body_of(read(THOUGHT, stop_reason="max_tokens").message)["messages"] == [ASKED]


@pytest.mark.parametrize("hidden", [HIDDEN, {"type": "thinking", "thinking": "", "signature": "sig"}])
def test_thinking_that_cannot_be_read_is_kept_but_is_no_text_in_the_wrong_place(hidden: Any) -> None:
    completion = read(hidden, TEXT)
    assert (completion.has_reasoning, completion.text) == (False, "I look.")
    assert completion.message["thinking_blocks"] == [hidden]


@pytest.mark.parametrize(
    ("stop_reason", "finish_reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "length"),
        ("refusal", "content_filter"),
        ("compaction", "compaction"),
        (None, None),
        (7, "7"),
    ],
)
def test_the_stop_reason_is_one_of_our_words_or_the_servers(
    stop_reason: Any, finish_reason: str | None
) -> None:
    assert read(TEXT, stop_reason=stop_reason).finish_reason == finish_reason


def test_tool_use_without_a_call_is_a_reply_without_one() -> None:
    completion = read({"type": "text", "text": "<tool_call>…"}, stop_reason="tool_use")
    assert (completion.tool_calls, completion.finish_reason) == ((), "tool_calls")


def test_content_may_be_a_text() -> None:
    completion = anthropic.read_completion({"content": "42"}, n_requests=1)
    assert completion.message == {"role": "assistant", "content": "42"}


@pytest.mark.parametrize(
    ("usage", "n_input"),
    [
        ({"input_tokens": 3}, 3),
        ({"input_tokens": 3, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100}, 123),
        ({"input_tokens": 3, "cache_read_input_tokens": None}, 3),
        ({"cache_read_input_tokens": 100}, 100),
        ({}, None),
    ],
)
def test_tokens_of_the_cache_are_input_too(usage: Any, n_input: int | None) -> None:
    assert read(TEXT, usage=usage).usage == TokenUsage(input_tokens=n_input, n_requests=1)
