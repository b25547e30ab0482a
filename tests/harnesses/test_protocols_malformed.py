"""A 200 that is no completion is the same fault in every protocol."""

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protocol_errors import WRONG, error_of
from protocol_scene import SERVERS, Server, spec_of
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
