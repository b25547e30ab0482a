"""A 200 that is no completion is the same fault in every protocol."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protocol_errors import WRONG, error_of
from protocol_scene import SERVERS, Said, Server, says, spec_of
from scripted_endpoint import QUESTION, ScriptedEndpoint

from harnesses.endpoint.errors import (
    ContentFilteredError,
    ContextOverflowError,
    EndpointError,
    EndpointRefusedError,
    EndpointUnavailableError,
    MalformedReplyError,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")
in_every_protocol = pytest.mark.parametrize("server", SERVERS, ids=[server.protocol for server in SERVERS])


@in_every_protocol
@pytest.mark.parametrize(
    ("kind", "code", "error_type", "n_requests"),
    [
        pytest.param("overloaded_error", None, EndpointUnavailableError, 4, id="overloaded"),
        pytest.param("timeout_error", None, EndpointUnavailableError, 4, id="timeout"),
        pytest.param("conflict_error", None, EndpointUnavailableError, 4, id="conflict"),
        pytest.param("request_too_large", None, ContextOverflowError, 1, id="too-large"),
        pytest.param("authentication_error", None, EndpointRefusedError, 1, id="key"),
        pytest.param(WRONG, "context_length_exceeded", ContextOverflowError, 1, id="overflow"),
        pytest.param(WRONG, "invalid_prompt", ContentFilteredError, 1, id="flagged"),
        pytest.param("strange_error", None, MalformedReplyError, 2, id="without-a-code"),
    ],
)
async def test_an_error_in_a_200_is_what_its_words_say(
    server: Server, kind: str, code: str | None, error_type: type[EndpointError], n_requests: int
) -> None:
    step = httpx.Response(200, json=server.error("Not now.", kind, code))
    error, n_sent = await error_of(server, step)
    assert (type(error), n_sent) == (error_type, n_requests)


@in_every_protocol
@pytest.mark.parametrize("mark", ["object", "type"])
async def test_an_error_in_a_200_may_be_flat(server: Server, mark: str) -> None:
    flat = {mark: "error", "message": "prompt is too long", "code": 400}
    error, n_requests = await error_of(server, httpx.Response(200, json=flat))
    assert (type(error), n_requests) == (ContextOverflowError, 1)


@in_every_protocol
@pytest.mark.parametrize(
    ("step", "words", "n_requests"),
    [
        pytest.param(httpx.Response(200, html="<html>Hello</html>"), "HTML instead of JSON", 2, id="html"),
        pytest.param(httpx.Response(200, text='{"content": [{"te'), "JSON that breaks off", 4, id="cut-json"),
        pytest.param(httpx.Response(200), "JSON that breaks off", 4, id="nothing"),
        pytest.param(httpx.Response(200, json=[]), "JSON that is no object", 2, id="list"),
        pytest.param(httpx.Response(200, json={"id": "x"}), "no (choices|output|content)", 2, id="no-reply"),
        pytest.param(httpx.Response(200, text="event: x\ndata: {}\n\n"), "a stream", 1, id="stream"),
    ],
)
async def test_a_200_that_is_no_completion_is_a_malformed_reply(
    server: Server, step: httpx.Response, words: str, n_requests: int
) -> None:
    error, n_sent = await error_of(server, step)
    assert n_sent == n_requests
    with pytest.raises(MalformedReplyError, match=words):
        raise error


def whole(server: Server, parts: Any, **more: Any) -> dict[str, Any]:
    """A reply that says it is whole, with these parts in place of what the model said."""
    payload = server.payload(Said(text="42"))
    if server.protocol == "openai-chat":
        return payload | {"choices": parts} | more
    return payload | {"output" if server.protocol == "openai-responses" else "content": parts} | more


@in_every_protocol
@pytest.mark.parametrize("parts", [[], [7, None]], ids=["nothing", "no-objects"])
async def test_a_whole_reply_with_nothing_of_the_models_in_it_is_no_silence(
    server: Server, parts: list[Any]
) -> None:
    """A model that says nothing is not correct; a server that hands nothing on says nothing about it."""
    step = httpx.Response(200, json=whole(server, parts))
    error, n_requests = await error_of(server, step, n_answers=1)
    assert type(error) is MalformedReplyError
    assert n_requests == (4 if server.protocol == "openai-chat" else 2)


@pytest.mark.parametrize("server", SERVERS[1:], ids=[server.protocol for server in SERVERS[1:]])
async def test_parts_that_are_all_unknown_are_no_silence_either(server: Server) -> None:
    step = httpx.Response(200, json=whole(server, [{"type": "server_tool_use", "id": "s1"}]))
    error, n_requests = await error_of(server, step)
    assert n_requests == 2
    with pytest.raises(MalformedReplyError, match="that holds no part we know, 2 requests; check the server"):
        raise error


async def test_a_text_beside_an_empty_output_is_not_read() -> None:
    """A server that tells its text so has no place for calls: better said aloud than half understood."""
    server = SERVERS[1]
    error, _ = await error_of(server, httpx.Response(200, json=whole(server, [], output_text="42")))
    with pytest.raises(MalformedReplyError, match="output that holds nothing"):
        raise error


@in_every_protocol
@pytest.mark.parametrize("ends", ["length", "content_filter"])
async def test_a_reply_that_was_cut_to_nothing_is_one(server: Server, ends: str) -> None:
    script = ScriptedEndpoint(says(server, Said(ends=ends)))
    completion = await script.client(spec_of(server)).complete([QUESTION])
    assert (completion.text, completion.finish_reason) == ("", ends)


@pytest.mark.parametrize(
    ("server", "parts"),
    [
        pytest.param(SERVERS[1], [{"role": "assistant", "content": "42"}], id="responses-without-a-type"),
        pytest.param(SERVERS[1], [{"type": "message", "content": "42"}], id="responses-plain-text"),
        pytest.param(SERVERS[1], [{"type": "message", "content": ["4", "2"]}], id="responses-plain-texts"),
        pytest.param(SERVERS[2], "42", id="anthropic-plain-text"),
        pytest.param(SERVERS[2], ["4", "2"], id="anthropic-plain-texts"),
        pytest.param(SERVERS[2], [{"text": "42"}], id="anthropic-without-a-type"),
    ],
)
async def test_a_text_is_read_however_plainly_it_is_told(server: Server, parts: Any) -> None:
    script = ScriptedEndpoint(httpx.Response(200, json=whole(server, parts)), says(server, Said(text="ok")))
    client = script.client(spec_of(server))
    completion = await client.complete([QUESTION])
    assert completion.text == "42"
    await client.complete([QUESTION, completion.message, QUESTION])
    assert "42" in "".join(str(part[1]) for part in server.heard(json.loads(script.requests[1].content)))


@in_every_protocol
async def test_a_malformed_reply_of_an_endpoint_that_has_answered_is_a_hiccup(server: Server) -> None:
    page = httpx.Response(200, html="<h1>back soon</h1>")
    _, n_requests = await error_of(server, page, n_answers=1)
    assert n_requests == 4


@in_every_protocol
@settings(deadline=None, database=None, max_examples=30)
@given(
    text=st.from_regex(r'\{"(output|content|error|status|type)": [\[\{"a-z:,1\]\}]{0,30}\}?'),
    status=st.sampled_from([200, 400, 404, 500]),
)
async def test_whatever_a_server_sends_the_error_is_one_of_ours(
    server: Server, text: str, status: int
) -> None:
    script = ScriptedEndpoint(httpx.Response(status, content=text.encode(errors="surrogatepass")))
    with pytest.raises(EndpointError) as caught:
        await script.client(spec_of(server), max_retries=1).complete([QUESTION])
    assert "\n" not in str(caught.value)
    caught.value.detail.encode()
