import traceback
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_endpoint import KEY, QUESTION, SEARCH, SPEC, ScriptedEndpoint, refuses, reply, says

from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.errors import EndpointError, MalformedReplyError
from harnesses.endpoint.http import HttpClient
from harnesses.endpoint.masked_headers import MaskedHeaders
from harnesses.endpoint.retrying import Retries
from harnesses.endpoint.spec import EndpointSpec

pytestmark = pytest.mark.asyncio


async def test_a_completion_comes_back_with_what_was_spent() -> None:
    script = ScriptedEndpoint(
        refuses(500, {}),
        reply({"content": "42"}, model="m-1-served", usage={"prompt_tokens": 9, "completion_tokens": 2}),
    )
    completion = await script.client().complete([QUESTION])
    assert (completion.text, completion.finish_reason, completion.status) == ("42", "stop", 200)
    assert completion.served_model == "m-1-served"
    usage = completion.usage
    assert (usage.input_tokens, usage.output_tokens, usage.n_requests) == (9, 2, 2)


async def test_the_duration_counts_the_waits_between_retries() -> None:
    times = iter([10.0, 14.5])
    script = ScriptedEndpoint(refuses(500, {}), says("42"))
    client = EndpointClient(
        SPEC, transport=script.transport, sleep=script.sleep, clock=lambda: next(times, 14.5)
    )
    assert (await client.complete([QUESTION])).duration_s == 4.5


async def test_the_request_carries_key_model_messages_tools_and_params() -> None:
    script = ScriptedEndpoint(says("42"))
    spec = EndpointSpec(
        id="m-1", base_url="http://model.test/v1/", api_key=KEY, params={"seed": 7, "top_p": 1}
    )
    await script.client(spec).complete([QUESTION], tools=[SEARCH], overrides={"top_p": None})
    request = script.requests[0]
    assert (request.method, str(request.url)) == ("POST", "http://model.test/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    tools = [{"type": "function", "function": SEARCH}]
    assert script.bodies == [{"model": "m-1", "messages": [QUESTION], "tools": tools, "seed": 7}]


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
async def test_a_turn_goes_back_as_it_came_with_its_reasoning(name: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": {"query": "x"}}}
    script = ScriptedEndpoint(reply({"content": None, name: "hm", "tool_calls": [call]}), says("42"))
    client = script.client()
    turn = await client.complete([QUESTION], tools=[SEARCH])
    await client.complete([QUESTION, turn.message, {"role": "tool", "tool_call_id": "c1", "content": "none"}])
    sent = script.bodies[1]["messages"][1]
    assert sent[name] == "hm"
    assert sent["tool_calls"][0]["function"]["arguments"] == '{"query": "x"}'


async def test_half_characters_in_a_prompt_do_not_stop_the_request() -> None:
    script = ScriptedEndpoint(says("42"))
    await script.client().complete([{"role": "user", "content": "a\ud800b\x00"}])
    assert script.bodies[0]["messages"][0]["content"] == "a\N{REPLACEMENT CHARACTER}b\x00"


@pytest.mark.parametrize(
    ("step", "words", "n_requests"),
    [
        pytest.param(
            httpx.Response(200, html="<html>Hello</html>"),
            "HTTP 200 with HTML instead of JSON, 2 requests; check base_url",
            2,
            id="html",
        ),
        pytest.param(
            httpx.Response(200, text=" <!doctype html>"), "HTML instead of JSON", 2, id="html-without-type"
        ),
        pytest.param(
            httpx.Response(200, json={"choices": []}), "an empty list of choices", 2, id="empty-choices"
        ),
        pytest.param(httpx.Response(200, json={"id": "x"}), "no choices", 2, id="no-choices"),
        pytest.param(httpx.Response(200, json=[]), "JSON that is no object", 2, id="list"),
        pytest.param(httpx.Response(200, json="42"), "JSON that is no object", 2, id="text"),
        pytest.param(
            httpx.Response(200, text='{"choices": [{"mess'),
            "JSON that breaks off .*, 4 requests",
            4,
            id="cut-json",
        ),
        pytest.param(httpx.Response(202), "JSON that breaks off .HTTP 202.", 4, id="empty-202"),
        pytest.param(
            httpx.Response(200, text='data: {"choices": []}\n\n'),
            "a stream, 1 request; remove stream from its params",
            1,
            id="stream",
        ),
        pytest.param(
            httpx.Response(200, text='{"a":' * 100_000 + "1" + "}" * 100_000),
            "JSON that is nested too deeply",
            2,
            id="nested",
        ),
    ],
)
async def test_a_200_that_is_no_completion_is_a_malformed_reply(
    step: httpx.Response, words: str, n_requests: int
) -> None:
    script = ScriptedEndpoint(step)
    with pytest.raises(
        MalformedReplyError, match=rf"^endpoint 'm-1' at http://model.test/v1: .*{words}"
    ) as caught:
        await script.client().complete([QUESTION])
    assert (caught.value.n_requests, len(script.requests)) == (n_requests, n_requests)
    assert caught.value.status == step.status_code


async def test_a_malformed_reply_of_an_endpoint_that_has_answered_is_a_hiccup() -> None:
    page = httpx.Response(200, html="<h1>back soon</h1>")
    script = ScriptedEndpoint(says("41"), page, page, page, says("42"))
    client = script.client()
    await client.complete([QUESTION])
    completion = await client.complete([QUESTION])
    assert (completion.text, completion.usage.n_requests) == ("42", 4)


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(reply({"content": None}, finish_reason="content_filter"), id="content-filter"),
        pytest.param(reply({"content": ""}, finish_reason="length"), id="length"),
        pytest.param(reply({"content": None, "reasoning_content": "42"}), id="reasoning-alone"),
        pytest.param(
            reply({"content": "<tool_call>", "tool_calls": []}, finish_reason="tool_calls"), id="no-calls"
        ),
        pytest.param(reply({}, finish_reason=None), id="bare-message"),
    ],
)
async def test_an_odd_completion_is_still_one(step: httpx.Response) -> None:
    completion = await ScriptedEndpoint(step).client().complete([QUESTION])
    assert (completion.usage.n_requests, completion.tool_calls) == (1, ())


@settings(deadline=None, database=None)
@given(
    text=st.text() | st.from_regex(r'\{"(choices|error)": [\[\{"a-z:,1\]\}]{0,30}\}?'),
    status=st.sampled_from([200, 400, 404, 500]),
)
async def test_whatever_a_server_sends_the_error_is_one_of_ours(text: str, status: int) -> None:
    script = ScriptedEndpoint(httpx.Response(status, content=text.encode(errors="surrogatepass")))
    with pytest.raises(EndpointError) as caught:
        await script.client(max_retries=1).complete([QUESTION])
    assert "\n" not in str(caught.value)
    caught.value.detail.encode()


def shown_by(error: BaseException) -> str:
    """What a traceback with locals shows of our own frames; there must be no other error behind this one."""
    assert error.__context__ is None
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = [frame for frame in frames if "/harnesses/endpoint/" in frame.f_code.co_filename]
    return "\n".join(repr(value) for frame in ours for value in frame.f_locals.values())


ECHO = {"error": {"message": f"Incorrect key {KEY}", "code": "unsupported_parameter", "param": "seed"}}


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(refuses(401, ECHO), id="401"),
        pytest.param(refuses(400, ECHO), id="400"),
        pytest.param(refuses(503, ECHO), id="503"),
        pytest.param(httpx.Response(200, html=f"<p>{KEY}</p>"), id="html"),
        pytest.param(httpx.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'"), id="transport"),
    ],
)
async def test_no_error_shows_the_key_anywhere(step: Any) -> None:
    script = ScriptedEndpoint(step)
    client = script.client(max_retries=1)
    with pytest.raises(EndpointError) as caught:
        await client.complete([QUESTION], overrides={"seed": 1})
    assert "***" in caught.value.detail
    assert KEY not in "\n".join(
        [shown_by(caught.value), str(caught.value), repr(caught.value), caught.value.detail]
    )


async def test_no_repr_shows_the_key() -> None:
    client = ScriptedEndpoint(says("42")).client()
    assert KEY not in "\n".join(
        [repr(SPEC), str(SPEC), repr(client), repr(MaskedHeaders({"X-API-KEY": KEY}))]
    )


async def test_a_transport_that_cannot_be_made_does_not_show_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "gopher://proxy.test")
    with pytest.raises(ValueError, match="proxy") as caught:
        HttpClient(base_url="http://service.test", headers={"X-API-KEY": KEY})
    assert "'X-API-KEY': ***" in shown_by(caught.value)
    assert KEY not in shown_by(caught.value)


async def test_a_key_in_a_header_of_one_request_is_not_shown() -> None:
    script = ScriptedEndpoint(refuses(503, {}))
    client = HttpClient(
        base_url="http://s.test",
        transport=script.transport,
        sleep=script.sleep,
        retries=Retries(max_retries=0),
    )
    with pytest.raises(EndpointError) as caught:
        await client.send("GET", "/", headers=MaskedHeaders({"Authorization": KEY}))
    assert "'Authorization': ***" in shown_by(caught.value)
    assert KEY not in shown_by(caught.value)


@pytest.mark.parametrize(
    ("base_url", "api_key", "rule"),
    [
        (
            "model.test/v1",
            "",
            r"base_url 'model.test/v1' is not an http or https address; write it like",
        ),
        ("ftp://model.test", "", "is not an http or https address"),
        ("http://", "", "is not an http or https address"),
        ("http://model.test:port/v1", "", "is not an http or https address"),
        ("http://[::1/v1", "", "is not an http or https address"),
        (
            "http://user:word@model.test/v1",
            "",
            "base_url holds a user name or password.*use api_key",
        ),
        ("http://user:word@model.test:port", "", "base_url holds a user name or password"),
        (
            "http://model.test/v1",
            "sk-1\n",
            r"api_key \(masked\) holds a blank, a line end or a character outside ASCII",
        ),
        ("http://model.test/v1", "sk 1", "copy it again"),
        ("http://model.test/v1", "sk-…", "copy it again"),
    ],
)
async def test_an_endpoint_that_cannot_be_asked_is_refused_when_it_is_made(
    base_url: str, api_key: str, rule: str
) -> None:
    with pytest.raises(ValueError, match=rule) as caught:
        EndpointSpec(id="m-1", base_url=base_url, api_key=api_key)
    assert "word" not in str(caught.value).replace("password", "")


@pytest.mark.parametrize(
    ("url", "is_same"),
    [
        ("http://model.test/v1", True),
        ("http://MODEL.test:80/v1/", True),
        ("https://model.test/v1", False),
        ("http://model.test/v2", False),
    ],
)
async def test_one_model_is_known_again_by_id_and_address(url: str, is_same: bool) -> None:
    assert SPEC.is_same_model(EndpointSpec(id="m-1", base_url=url)) is is_same
    assert not SPEC.is_same_model(EndpointSpec(id="m-2", base_url=url))
