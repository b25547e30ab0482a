"""The adapter: OpenAI's tool calls out of a model that only obeys schemas."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from demo_scene import KEY, OVERFLOW, SEARCH, NativeStandIn, asks, native_stand_in, with_tools

from harnesses.demo.actions import action_schema
from harnesses.demo.adapter import MAX_REPLY_TOKENS, Adapter
from harnesses.demo.model_client import ModelClient
from harnesses.demo.turns import opening

CALL = '{"tool":"search","arguments":{"query":"depth of Harrow Bay"}}'
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "4 metres"}


@contextmanager
def adapter(**script: Any) -> Generator[tuple[Adapter, NativeStandIn]]:
    with native_stand_in(**script) as native:
        yield Adapter(ModelClient(native.url, KEY), model_id="Tiny-1M"), native


def message_of(reply: tuple[int, dict[str, Any]]) -> dict[str, Any]:
    status, body = reply
    assert status == 200
    return dict(body["choices"][0]["message"])


def test_a_call_comes_back_as_openai_s_tool_calls() -> None:
    with adapter(says=[CALL]) as (demo, _):
        status, body = demo.chat(with_tools())
    function = {"name": "search", "arguments": '{"query": "depth of Harrow Bay"}'}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
    }
    assert status == 200
    assert isinstance(body.pop("created"), int)
    assert body == {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "Tiny-1M",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 7, "total_tokens": 57},
    }


def test_an_answer_comes_back_as_content() -> None:
    with adapter(says=['{"answer":"4 metres"}']) as (demo, _):
        status, body = demo.chat(with_tools())
    assert (status, body["choices"][0]) == (
        200,
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "4 metres"}},
    )


def schemas_of(native: NativeStandIn) -> list[dict[str, Any]]:
    """What the model was held to, request by request."""
    return [body["response_format"]["json_schema"]["schema"] for body in native.conversations]


def test_the_model_has_to_look_before_it_may_answer() -> None:
    with adapter(says=[CALL, '{"answer":"4"}']) as (demo, native):
        call = message_of(demo.chat(with_tools()))
        demo.chat(with_tools(*asks()["messages"], call, RESULT))
    assert schemas_of(native) == [action_schema([SEARCH], may_answer=False), action_schema([SEARCH])]


def test_each_call_of_a_conversation_has_an_id_of_its_own() -> None:
    with adapter(says=[CALL, CALL.replace("depth", "width")]) as (demo, _):
        first = message_of(demo.chat(with_tools()))
        again = message_of(demo.chat(with_tools(*asks()["messages"], first, RESULT)))
    assert [first["tool_calls"][0]["id"], again["tool_calls"][0]["id"]] == ["call_1", "call_3"]


def test_a_call_that_was_made_before_becomes_an_answer_instead() -> None:
    with adapter(says=[CALL, CALL, '{"answer":"4"}']) as (demo, native):
        call = message_of(demo.chat(with_tools()))
        status, body = demo.chat(with_tools(*asks()["messages"], call, RESULT))
    assert (status, body["choices"][0]["finish_reason"]) == (200, "stop")
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "4"}
    assert schemas_of(native)[-1] == action_schema([])


def test_a_reply_cut_at_the_token_limit_says_so() -> None:
    with adapter(says=['{"answer":"four'], finish_reason="length") as (demo, _):
        _, body = demo.chat(with_tools())
    choice = body["choices"][0]
    assert (choice["finish_reason"], choice["message"]["content"]) == ("length", '{"answer":"four')


def test_a_request_without_tools_passes_through_as_plain_text() -> None:
    with adapter(says=["The page says 4 metres."]) as (demo, native):
        message = message_of(demo.chat(asks()))
    (body,) = native.asked
    assert message == {"role": "assistant", "content": "The page says 4 metres."}
    assert body["messages"] == [{"role": "user", "content": "How deep?"}]
    assert "response_format" not in body


def test_the_forced_last_request_goes_on_in_the_same_conversation_and_can_only_answer() -> None:
    with adapter(says=[CALL, '{"answer":"4"}']) as (demo, native):
        call = message_of(demo.chat(with_tools()))
        last = asks(*asks()["messages"], call, RESULT, {"role": "user", "content": "Answer now."})
        message = message_of(demo.chat(last))
    first, second = native.conversations
    assert message["content"] == "4"
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert schemas_of(native)[-1] == action_schema([])


def test_a_last_request_that_comes_first_still_gets_an_answer() -> None:
    with adapter() as (demo, native):
        assert message_of(demo.chat(asks(RESULT)))["content"] == "42"
    assert native.conversations[0]["messages"][: len(opening([]))] == opening([])


@pytest.mark.parametrize(
    ("sent", "used"),
    [
        pytest.param({}, {"temperature": 0, "seed": 0, "max_tokens": MAX_REPLY_TOKENS}, id="nothing"),
        pytest.param({"temperature": 0.7, "seed": 3}, {"temperature": 0.7, "seed": 3}, id="own-sampling"),
        pytest.param({"max_tokens": 20}, {"max_tokens": 20}, id="shorter"),
        pytest.param({"max_completion_tokens": 20}, {"max_tokens": 20}, id="shorter-by-its-newer-name"),
        pytest.param({"max_tokens": 10**6}, {"max_tokens": MAX_REPLY_TOKENS}, id="longer"),
        pytest.param({"max_tokens": None}, {"max_tokens": MAX_REPLY_TOKENS}, id="null"),
        pytest.param({"top_k": 4}, {"top_k": 4}, id="others-unchanged"),
    ],
)
def test_replies_repeat_and_end_unless_the_request_wants_less(
    sent: dict[str, Any], used: dict[str, Any]
) -> None:
    with adapter() as (demo, native):
        demo.chat(asks(**sent))
    assert {key: native.asked[0][key] for key in used} == used
    assert "max_completion_tokens" not in native.asked[0]


def test_a_context_overflow_is_answered_as_llama_cpp_does() -> None:
    with adapter(fails=(400, OVERFLOW)) as (demo, _):
        assert demo.chat(with_tools()) == (400, OVERFLOW)
        assert demo.chat(asks()) == (400, OVERFLOW)


def test_a_server_error_that_is_no_json_gets_an_error_body() -> None:
    with adapter(fails=(500, b"<html>broken")) as (demo, _):
        status, body = demo.chat(asks())
    assert (status, body) == (500, {"error": {"message": "<html>broken", "type": "server_error"}})


def test_a_reply_without_choices_is_an_empty_message() -> None:
    with adapter(fails=(200, {"choices": []})) as (demo, _):
        status, body = demo.chat(asks())
    assert (status, body["choices"][0]["finish_reason"]) == (200, None)
    assert body["choices"][0]["message"] == {"role": "assistant", "content": ""}


def test_a_model_that_is_gone_is_a_server_error() -> None:
    with adapter() as (demo, _):
        pass
    assert demo.chat(asks()) == (
        503,
        {
            "error": {
                "message": "the demo's model does not answer (ConnectionRefusedError)",
                "type": "server_error",
                "code": 503,
            }
        },
    )


@pytest.mark.parametrize(
    "request_body",
    [
        pytest.param([], id="a-list"),
        pytest.param({}, id="no-messages"),
        pytest.param({"messages": []}, id="empty-messages"),
        pytest.param({"messages": "hi"}, id="text-as-messages"),
        pytest.param({"messages": ["hi"]}, id="messages-of-text"),
        pytest.param(asks(stream=True), id="streaming"),
        pytest.param(asks(tools=[{"name": "search"}]), id="tools-of-another-protocol"),
        pytest.param(asks(tools=[{"function": {}}]), id="a-tool-without-a-name"),
    ],
)
def test_a_request_that_cannot_be_read_is_refused_in_openai_s_form(request_body: Any) -> None:
    with adapter() as (demo, native):
        status, body = demo.chat(request_body)
    assert (status, native.asked) == (400, [])
    assert (body["error"]["type"], body["error"]["code"]) == ("invalid_request_error", 400)
    assert body["error"]["message"].startswith("this is no chat request the demo can answer: ")


def test_the_model_is_listed_under_its_public_name() -> None:
    with adapter() as (demo, _):
        status, body = demo.models()
    assert (status, [model["id"] for model in body["data"]]) == (200, ["Tiny-1M"])
