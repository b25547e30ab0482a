"""What a model says is the same completion in every protocol."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protocol_scene import SERVERS, Said, Server, call, says, spec_of
from scripted_endpoint import QUESTION, SEARCH, ScriptedEndpoint

from harnesses.attempt import StopReason
from harnesses.endpoint.messages import Completion, TokenUsage
from harnesses.endpoint.protocols.bodies import NoCompletionError
from harnesses.endpoint.protocols.translator import TRANSLATORS
from harnesses.final_message import hidden_answer_fault, stop_reason_of
from judges.answer_reader import Answer, read_answer

pytestmark = pytest.mark.asyncio(loop_scope="session")
in_every_protocol = pytest.mark.parametrize("server", SERVERS, ids=[server.protocol for server in SERVERS])

ONE, TWO = call(), call("c2", "visit", '{"url": "http://lintholm.test", "goal": "length"}')
MARKUP = '<tool_call>\n{"name": "search", "arguments": {"q": "x"}}\n</tool_call>'


async def completion_of(server: Server, said: Said) -> Completion:
    client = ScriptedEndpoint(says(server, said)).client(spec_of(server))
    return await client.complete([QUESTION], tools=[SEARCH])


@in_every_protocol
@pytest.mark.parametrize(
    ("said", "finish_reason", "has_reasoning"),
    [
        pytest.param(Said(text="42"), "stop", False, id="answer"),
        pytest.param(Said(calls=(ONE,), ends="tool_calls"), "tool_calls", False, id="one-call"),
        pytest.param(Said(calls=(ONE, TWO), ends="tool_calls"), "tool_calls", False, id="two-calls"),
        pytest.param(
            Said(text="I look.", thought="hm", calls=(ONE, TWO), ends="tool_calls"),
            "tool_calls",
            True,
            id="thought-text-and-calls",
        ),
        pytest.param(Said(text="42", thought="6 times 7"), "stop", True, id="thought-beside-text"),
        pytest.param(Said(thought="FINAL ANSWER: 42"), "stop", True, id="thought-without-text"),
        pytest.param(Said(text="The bri", ends="length"), "length", False, id="cut-text"),
        pytest.param(Said(thought="A, B, A", ends="length"), "length", True, id="cut-thought"),
        pytest.param(Said(ends="length"), "length", False, id="cut-to-nothing"),
        pytest.param(Said(ends="content_filter"), "content_filter", False, id="filtered"),
        pytest.param(Said(text="I ca", ends="content_filter"), "content_filter", False, id="filtered-midway"),
        pytest.param(Said(text=" "), "stop", False, id="blank"),
        pytest.param(Said(text=MARKUP), "stop", False, id="leaked-markup"),
        pytest.param(Said(text="<think>41?</think>42"), "stop", False, id="thinking-in-the-text"),
    ],
)
async def test_a_reply_is_the_same_completion(
    server: Server, said: Said, finish_reason: str, has_reasoning: bool
) -> None:
    completion = await completion_of(server, said)
    assert (completion.text, completion.tool_calls) == (said.text, said.calls)
    assert (completion.finish_reason, completion.has_reasoning) == (finish_reason, has_reasoning)
    assert completion.message.get("content") == (said.text or None)
    assert "verbatim" not in completion.message


@in_every_protocol
async def test_the_evidence_names_what_was_spent_and_who_served(server: Server) -> None:
    completion = await completion_of(server, Said(text="42", tokens=(100, 20, 15)))
    assert completion.usage == TokenUsage(
        input_tokens=100, output_tokens=20, reasoning_tokens=15, n_requests=1
    )
    assert (completion.served_model, completion.status) == ("m-1-served", 200)


@in_every_protocol
@pytest.mark.parametrize("usage", [None, [], {}, {"input_tokens": "9", "prompt_tokens": True}])
async def test_usage_that_nobody_counted_is_unknown(server: Server, usage: Any) -> None:
    payload = {**server.payload(Said(text="42")), "usage": usage}
    assert TRANSLATORS[server.protocol].read_completion(payload, n_requests=2).usage == TokenUsage(
        n_requests=2
    )


@in_every_protocol
@pytest.mark.parametrize(
    ("said", "stop_reason", "answer"),
    [
        pytest.param(Said(text="FINAL ANSWER: 42"), StopReason.COMPLETED, Answer(text="42"), id="answer"),
        pytest.param(
            Said(thought="FINAL ANSWER: 41", text="FINAL ANSWER: 42"),
            StopReason.COMPLETED,
            Answer(text="42"),
            id="thought-beside",
        ),
        pytest.param(
            Said(thought="FINAL ANSWER: 42"),
            StopReason.COMPLETED,
            Answer(text=None, flag="empty_content_with_reasoning"),
            id="thought-alone",
        ),
        pytest.param(
            Said(text="FINAL ANSWER: 4", ends="length"),
            StopReason.TRUNCATED,
            Answer(text="4"),
            id="cut",
        ),
        pytest.param(
            Said(ends="length"),
            StopReason.TRUNCATED,
            Answer(text=None, flag="truncated"),
            id="cut-to-nothing",
        ),
        pytest.param(
            Said(ends="content_filter"),
            StopReason.CONTENT_FILTER,
            Answer(text=None, flag="empty"),
            id="filtered",
        ),
        pytest.param(
            Said(text=MARKUP), StopReason.COMPLETED, Answer(text=None, flag="leaked_tool_call"), id="markup"
        ),
        pytest.param(
            Said(text="41? no\n</think>\n42"), StopReason.COMPLETED, Answer(text="42"), id="orphan-tag"
        ),
        pytest.param(Said(text=" "), StopReason.COMPLETED, Answer(text=None, flag="empty"), id="blank"),
    ],
)
async def test_the_same_answer_is_read_from_it(
    server: Server, said: Said, stop_reason: StopReason, answer: Answer
) -> None:
    completion = await completion_of(server, said)
    assert stop_reason_of(completion) is stop_reason
    assert read_answer(completion.message, completion.finish_reason) == answer


@in_every_protocol
async def test_a_reply_that_is_reasoning_alone_is_a_fault_of_the_server(server: Server) -> None:
    completion = await completion_of(server, Said(thought="FINAL ANSWER: 42"))
    fault = hidden_answer_fault(completion, model_id="m-1")
    assert fault is not None
    assert fault.startswith("model 'm-1' put its whole reply into the reasoning field")


@in_every_protocol
@pytest.mark.parametrize("arguments", ['{"query": "length of', "", "7"], ids=["cut", "none", "number"])
async def test_arguments_that_are_no_object_reach_the_tool_as_text(server: Server, arguments: str) -> None:
    completion = await completion_of(server, Said(calls=(call(arguments=arguments),), ends="tool_calls"))
    assert completion.tool_calls == (call(arguments=arguments),)


CALLED = Said(calls=(ONE,), ends="tool_calls")


@pytest.mark.parametrize(
    ("server", "path"),
    [
        pytest.param(SERVERS[0], ("choices", 0, "message", "tool_calls", 0, "function"), id="chat"),
        pytest.param(SERVERS[1], ("output", 0), id="responses"),
    ],
)
async def test_arguments_as_an_object_are_text_too(server: Server, path: tuple[Any, ...]) -> None:
    payload = server.payload(CALLED)
    holder: Any = payload
    for step in path:
        holder = holder[step]
    holder["arguments"] = {"query": "bridge"}
    completion = TRANSLATORS[server.protocol].read_completion(payload, n_requests=1)
    assert completion.tool_calls == (ONE,)


@in_every_protocol
async def test_a_call_without_an_id_gets_one(server: Server) -> None:
    text = json.dumps(server.payload(CALLED)).replace('"id"', '"no_id"').replace('"call_id"', '"no_id"')
    completion = TRANSLATORS[server.protocol].read_completion(json.loads(text), n_requests=1)
    assert completion.tool_calls == (call("call_0"),)
    assert completion.message["tool_calls"][0]["id"] == "call_0"
    body = TRANSLATORS[server.protocol].request_body(
        spec_of(server), [QUESTION, completion.message, QUESTION]
    )
    assert server.heard(body)[1] == ("call", "call_0", "search", {"query": "bridge"})


@in_every_protocol
async def test_halves_of_characters_are_made_whole(server: Server) -> None:
    payload = server.payload(Said(text="a\ud800b", thought="\udfff", calls=(call(arguments='"\ud800"'),)))
    completion = TRANSLATORS[server.protocol].read_completion(payload, n_requests=1)
    assert completion.text == "a\N{REPLACEMENT CHARACTER}b"
    json.dumps(completion.message, ensure_ascii=False).encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(
    ["message", "reasoning", "function_call", "text", "thinking", "redacted_thinking", "tool_use", "x"]
)
NAMES = st.sampled_from(
    ["content", "text", "thinking", "id", "call_id", "name", "arguments", "input", "summary", "phase"]
)


def part(kind: str, rest: dict[str, Any]) -> dict[str, Any]:
    return {**rest, "type": kind}


PARTS = st.lists(st.builds(part, KINDS, st.dictionaries(NAMES, JSON, max_size=4)), max_size=4)


@in_every_protocol
@settings(deadline=None, database=None, max_examples=30)
@given(parts=PARTS, ended=JSON, usage=JSON, model=JSON)
async def test_any_reply_can_be_kept_and_sent_back(
    server: Server, parts: Any, ended: Any, usage: Any, model: Any
) -> None:
    payload = {"output": parts, "content": parts, "status": ended, "stop_reason": ended}
    payload |= {"choices": [{"message": {"content": parts, "tool_calls": parts}, "finish_reason": ended}]}
    translator = TRANSLATORS[server.protocol]
    try:
        completion = translator.read_completion({**payload, "usage": usage, "model": model}, n_requests=1)
    except NoCompletionError:
        return
    body = translator.request_body(spec_of(server), [QUESTION, completion.message, QUESTION])
    json.dumps([completion.message, dict(completion.evidence()), body], ensure_ascii=False).encode()
