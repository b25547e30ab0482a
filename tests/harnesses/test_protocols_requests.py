"""What goes over the wire: first alike in every protocol, then the shapes of the two that are not chat."""

from typing import Any

import pytest
from protocol_scene import SERVERS, Said, Server, call, says, spec_of
from scripted_endpoint import KEY, QUESTION, SEARCH, ScriptedEndpoint

from harnesses.endpoint.messages import Message
from harnesses.endpoint.protocols import anthropic, openai_responses
from harnesses.endpoint.spec import EndpointSpec

in_every_protocol = pytest.mark.parametrize("server", SERVERS, ids=[server.protocol for server in SERVERS])

SYSTEM: Message = {"role": "system", "content": "Be brief."}
LAST: Message = {"role": "user", "content": "Give your final answer."}
TOOLS = [SEARCH]


def result(call_id: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


@in_every_protocol
@pytest.mark.asyncio
async def test_the_request_goes_to_its_address_with_key_model_and_params(server: Server) -> None:
    script = ScriptedEndpoint(says(server, Said(text="42")))
    await script.client(spec_of(server, seed=7, top_p=1)).complete([QUESTION], overrides={"top_p": None})
    (request,), (body,) = script.requests, script.bodies
    assert (request.method, str(request.url)) == ("POST", server.address)
    assert KEY in {request.headers.get("x-api-key"), request.headers.get("authorization", "")[7:]}
    assert (body["model"], body["seed"], "top_p" in body) == ("m-1", 7, False)


@in_every_protocol
@pytest.mark.asyncio
async def test_without_a_key_none_is_sent(server: Server) -> None:
    script = ScriptedEndpoint(says(server, Said(text="42")))
    spec = EndpointSpec(id="m-1", base_url="http://model.test/v1", api_protocol=server.protocol)
    await script.client(spec).complete([QUESTION])
    assert not {"authorization", "x-api-key"} & set(script.requests[0].headers)


@in_every_protocol
@pytest.mark.asyncio
async def test_a_conversation_goes_back_whole_and_in_order(server: Server) -> None:
    asked = Said(text="I look.", thought="hm", calls=(call("c1"), call("c2")), ends="tool_calls")
    script = ScriptedEndpoint(says(server, asked), says(server, Said(text="42")))
    client = script.client(spec_of(server))
    turn = await client.complete([SYSTEM, QUESTION], tools=TOOLS)
    results = [result("c1", "none"), result("c2", "42 m")]
    await client.complete([SYSTEM, QUESTION, turn.message, *results, LAST])
    first, second = script.bodies
    opening = [("system", "Be brief."), ("user", "How long is the bridge at Lintholm?")]
    assert server.heard(first) == opening
    assert server.heard(second) == [
        *opening,
        ("thought", "hm"),
        ("assistant", "I look."),
        ("call", "c1", "search", {"query": "bridge"}),
        ("call", "c2", "search", {"query": "bridge"}),
        ("tool", "c1", "none"),
        ("tool", "c2", "42 m"),
        ("user", "Give your final answer."),
    ]
    assert (server.tools(first), server.tools(second)) == (["search"], [])


@in_every_protocol
@pytest.mark.asyncio
async def test_params_of_tools_go_where_the_tools_go(server: Server) -> None:
    script = ScriptedEndpoint(says(server, Said(text="42")))
    client = script.client(spec_of(server, tool_choice="auto", parallel_tool_calls=False))
    await client.complete([QUESTION], tools=TOOLS)
    await client.complete([QUESTION])
    names = ("tools", "tool_choice", "parallel_tool_calls")
    assert [[name in body for name in names] for body in script.bodies] == [[True] * 3, [False] * 3]


def responses_body(*messages: Message, **params: Any) -> dict[str, Any]:
    spec = spec_of(SERVERS[1], **params)
    return openai_responses.request_body(spec, [QUESTION, *messages])


def test_a_response_is_not_stored_and_its_tools_are_not_strict() -> None:
    body = openai_responses.request_body(spec_of(SERVERS[1]), [QUESTION], tools=TOOLS)
    assert body == {
        "model": "m-1",
        "store": False,
        "input": [{"role": "user", "content": "How long is the bridge at Lintholm?"}],
        "tools": [{"type": "function", "strict": False, **SEARCH}],
    }


@pytest.mark.parametrize(
    ("params", "include"),
    [
        ({}, None),
        ({"reasoning": None}, None),
        ({"reasoning": {"effort": "high"}}, ["reasoning.encrypted_content"]),
        ({"reasoning": {"effort": "high"}, "include": None}, None),
        ({"reasoning": {"effort": "high"}, "include": ["x"]}, ["x"]),
    ],
)
def test_encrypted_reasoning_is_asked_for_where_reasoning_is(params: Any, include: Any) -> None:
    assert responses_body(**params).get("include") == include


def output(*items: dict[str, Any]) -> Message:
    payload = {"status": "completed", "output": list(items)}
    return openai_responses.read_completion(payload, n_requests=1).message


THOUGHT: dict[str, Any] = {"id": "rs_1", "type": "reasoning", "summary": [], "status": None}
CALL = {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "search", "arguments": "{}"}
SENT_CALL = {"type": "function_call", "call_id": "c1", "name": "search", "arguments": "{}"}
SEALED: dict[str, Any] = {"type": "reasoning", "summary": [], "encrypted_content": "b64"}
OPEN_THOUGHT = {**THOUGHT, "content": [{"type": "reasoning_text", "text": "hm"}]}


@pytest.mark.parametrize(
    ("items", "sent"),
    [
        pytest.param(
            [{**THOUGHT, "encrypted_content": "b64"}, CALL],
            [SEALED, SENT_CALL],
            id="encrypted-without-id",
        ),
        pytest.param([THOUGHT, CALL], [SENT_CALL], id="not-stored-not-sent"),
        pytest.param([{**SEALED, "status": "completed"}, CALL], [SEALED, SENT_CALL], id="without-status"),
        pytest.param(
            [OPEN_THOUGHT, CALL],
            [{name: held for name, held in OPEN_THOUGHT.items() if held is not None}, SENT_CALL],
            id="open-with-id",
        ),
    ],
)
def test_reasoning_goes_back_if_a_server_can_take_it(items: Any, sent: Any) -> None:
    message = output(*items)
    assert responses_body(message)["input"][1:] == sent
    assert "verbatim" not in message
    assert message["reasoning_details"][0]["type"] == "reasoning"


def test_a_call_that_has_but_an_id_of_its_item_is_answered_under_that() -> None:
    call_of_item = {name: held for name, held in CALL.items() if name != "call_id"}
    assert responses_body(output(call_of_item))["input"][1]["call_id"] == "fc_1"


def spoken(text: str, **more: Any) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
    return {"id": "msg_1", "type": "message", "role": "assistant", "content": [part], **more}


def test_a_comment_before_the_final_answer_is_no_part_of_it_and_goes_back() -> None:
    message = output(spoken("Let me see.", phase="commentary"), spoken("42", phase="final_answer"))
    assert message["content"] == "42"
    assert responses_body(message)["input"][1:] == [
        {"role": "assistant", "content": "Let me see.", "phase": "commentary"},
        {"role": "assistant", "content": "42", "phase": "final_answer"},
    ]


def test_several_messages_are_paragraphs() -> None:
    assert output(spoken("41?"), spoken("42"))["content"] == "41?\n\n42"


def test_items_between_each_other_and_of_the_servers_own_tools_keep_their_place() -> None:
    searched = {"id": "ws_1", "type": "web_search_call", "action": {"query": "x"}}
    message = output(CALL, searched, spoken("Wait."))
    assert message["content"] == "Wait."
    assert responses_body(message)["input"][1:] == [
        SENT_CALL,
        searched,
        {"role": "assistant", "content": "Wait."},
    ]


def test_a_refusal_in_a_response_is_no_text_of_the_answer() -> None:
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}
    message = output(refusal)
    assert message == {"role": "assistant", "content": None, "refusal": "I cannot."}
    assert responses_body(message)["input"][1:] == [{"role": "assistant", "content": "I cannot."}]


def test_parts_of_a_question_are_input_parts() -> None:
    image = {"type": "input_image", "image_url": "data:,"}
    question: Message = {"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]}
    body = openai_responses.request_body(spec_of(SERVERS[1]), [question])
    assert body["input"][0]["content"] == [{"type": "input_text", "text": "What is this?"}, image]


@pytest.mark.parametrize(
    ("ended", "finish_reason"),
    [
        ({"status": "completed"}, "stop"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"status": "incomplete", "incomplete_details": None}, "length"),
        ({"status": "odd"}, "odd"),
        ({}, None),
    ],
)
def test_the_status_of_a_response_is_its_finish_reason(ended: Any, finish_reason: str | None) -> None:
    payload = {"output": [spoken("42")], **ended}
    assert openai_responses.read_completion(payload, n_requests=1).finish_reason == finish_reason


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("failed", "failed"),
        ("cancelled", "cancelled"),
        ("queued", "is not finished .is background"),
        ("in_progress", "is not finished"),
    ],
)
def test_a_response_without_an_end_is_no_completion(status: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        openai_responses.read_completion({"status": status, "output": []}, n_requests=1)


@pytest.mark.parametrize(
    ("base_url", "path"),
    [
        ("https://api.example", "/v1/messages"),
        ("https://api.example/", "/v1/messages"),
        ("https://api.example/anthropic?key=1", "/v1/messages"),
        ("https://api.example/v1", "/messages"),
        ("https://api.example/v1/?version=2", "/messages"),
    ],
)
def test_messages_are_under_the_version_whether_the_address_names_it_or_not(base_url: str, path: str) -> None:
    assert anthropic.path(base_url) == path


def test_the_version_of_the_messages_api_is_sent_beside_the_key() -> None:
    assert anthropic.headers("k") == {"anthropic-version": "2023-06-01", "x-api-key": "k"}
