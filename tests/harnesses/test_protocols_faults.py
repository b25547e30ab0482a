"""What a server does wrong, and what becomes of it, is the same in every protocol."""

from dataclasses import dataclass

import httpx
import pytest
from protocol_errors import WRONG, error_of, refuses
from protocol_scene import SERVERS, Said, Server, says, spec_of
from scripted_endpoint import KEY, QUESTION, ScriptedEndpoint

from harnesses.endpoint.errors import (
    ContentFilteredError,
    ContextOverflowError,
    EndpointError,
    EndpointRefusedError,
    EndpointUnavailableError,
    RequestRefusedError,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")
in_every_protocol = pytest.mark.parametrize("server", SERVERS, ids=[server.protocol for server in SERVERS])

ANSWER = Said(text="42")


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """What a server says, and what it is to us."""

    status: int = 400
    message: str
    kind: str = WRONG
    code: str | None = None
    error: type[EndpointError]
    words: str


REFUSALS = {
    "key": Refusal(
        status=401,
        message="invalid x-api-key",
        kind="authentication_error",
        error=EndpointRefusedError,
        words="check its api_key",
    ),
    "credit": Refusal(
        status=402,
        message="Pay first.",
        kind="billing_error",
        error=EndpointRefusedError,
        words="no credit left",
    ),
    "credit-in-a-400": Refusal(
        message="Your credit balance is too low to access the API.",
        error=EndpointRefusedError,
        words="answered HTTP 400; its account has no credit left",
    ),
    "spend-limit-in-a-400": Refusal(
        message="You have reached your specified API usage limits.",
        error=EndpointRefusedError,
        words="no credit left",
    ),
    "forbidden": Refusal(
        status=403,
        message="Not for you.",
        kind="permission_error",
        error=EndpointRefusedError,
        words="may use this model",
    ),
    "model": Refusal(
        status=404,
        message="model: m-1",
        kind="not_found_error",
        error=EndpointRefusedError,
        words="check the model id",
    ),
    "overflow": Refusal(
        message="prompt is too long: 213462 tokens > 200000 maximum",
        error=ContextOverflowError,
        words="do not fit into the model's context",
    ),
    "overflow-with-the-limit": Refusal(
        message="input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease them",
        error=ContextOverflowError,
        words="lower max_tokens",
    ),
    "overflow-by-its-code": Refusal(
        message="Your input exceeds the limit.",
        code="context_length_exceeded",
        error=ContextOverflowError,
        words="shorten what tools return",
    ),
    "too-large": Refusal(
        status=413,
        message="Too large.",
        kind="request_too_large",
        error=ContextOverflowError,
        words="do not fit",
    ),
    "filter": Refusal(
        message="Output blocked by content filtering policy",
        error=ContentFilteredError,
        words="its content filter objects to the prompt",
    ),
    "flagged": Refusal(
        message="Invalid prompt: your prompt was flagged.",
        code="invalid_prompt",
        error=ContentFilteredError,
        words="content filter",
    ),
    "no-tools": Refusal(
        message='"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        kind="BadRequestError",
        error=EndpointRefusedError,
        words="does not serve tools",
    ),
    "parameter": Refusal(
        message="`seed` is deprecated for this model.",
        error=RequestRefusedError,
        words=r"it does not take 'seed' \(null in params removes it\): `seed` is deprecated",
    ),
    "parameters-that-exclude-each-other": Refusal(
        message="`seed` and `top_p` cannot both be specified for this model.",
        error=RequestRefusedError,
        words="it does not take 'seed'",
    ),
    "parameter-that-holds-the-prompt": Refusal(
        message="messages, system, input, instructions: Lintholm",
        code="unsupported_parameter",
        error=RequestRefusedError,
        words="it does not know a parameter of the request; the record's details hold which",
    ),
    "other": Refusal(
        message="messages.0: Lintholm is odd", error=RequestRefusedError, words="details hold what it said"
    ),
}


@in_every_protocol
@pytest.mark.parametrize("refusal", [pytest.param(each, id=name) for name, each in REFUSALS.items()])
async def test_a_refusal_is_the_same_error_after_one_request(server: Server, refusal: Refusal) -> None:
    step = refuses(server, refusal.status, refusal.message, refusal.kind, code=refusal.code)
    error, n_requests = await error_of(server, step)
    assert (type(error), n_requests, error.status) == (refusal.error, 1, refusal.status)
    with pytest.raises(refusal.error, match=refusal.words):
        raise error
    assert "Lintholm" not in str(error)
    assert refusal.message[-7:] in error.detail


async def test_a_model_that_does_not_reason_refuses_to_be_asked_for_reasoning() -> None:
    server = SERVERS[1]
    body = server.error("Encrypted content is not supported with this model.", WRONG)
    body["error"]["param"] = "include"
    client = ScriptedEndpoint(httpx.Response(400, json=body)).client(spec_of(server, reasoning={}))
    with pytest.raises(
        RequestRefusedError, match=r"it does not take 'include' \(null in params removes it\)"
    ):
        await client.complete([QUESTION])


@in_every_protocol
async def test_a_404_of_an_endpoint_that_has_answered_is_about_this_request(server: Server) -> None:
    error, _ = await error_of(server, refuses(server, 404, "gone", "not_found_error"), n_answers=1)
    assert type(error) is RequestRefusedError


@in_every_protocol
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (429, "rate_limit_error"),
        (500, "api_error"),
        (503, "overloaded_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ],
)
async def test_what_may_pass_is_asked_again(server: Server, status: int, kind: str) -> None:
    script = ScriptedEndpoint(refuses(server, status, "Later.", kind), says(server, ANSWER))
    completion = await script.client(spec_of(server)).complete([QUESTION])
    assert (completion.text, completion.usage.n_requests) == ("42", 2)


@in_every_protocol
async def test_the_wait_a_server_asks_for_is_kept(server: Server) -> None:
    limit = refuses(server, 429, "slow down", "rate_limit_error", headers={"Retry-After": "7"})
    script = ScriptedEndpoint(limit, says(server, ANSWER))
    await script.client(spec_of(server)).complete([QUESTION])
    assert script.waits_s == [7.0]


@in_every_protocol
async def test_a_server_that_stays_overloaded_is_unavailable(server: Server) -> None:
    error, n_requests = await error_of(server, refuses(server, 529, "Overloaded", "overloaded_error"))
    assert (type(error), n_requests, error.status) == (EndpointUnavailableError, 4, 529)


@in_every_protocol
async def test_a_connection_that_breaks_is_tried_again(server: Server) -> None:
    script = ScriptedEndpoint(httpx.ReadError("reset"), says(server, ANSWER))
    assert (await script.client(spec_of(server)).complete([QUESTION])).usage.n_requests == 2


@in_every_protocol
async def test_a_key_that_a_server_repeats_is_masked(server: Server) -> None:
    error, _ = await error_of(server, refuses(server, 401, f"Incorrect key {KEY}", "authentication_error"))
    assert "***" in error.detail
    assert KEY not in f"{error}{error!r}{error.detail}"


@in_every_protocol
async def test_an_error_names_the_endpoint_and_a_protocol_that_is_not_the_usual_one(server: Server) -> None:
    error, _ = await error_of(server, refuses(server, 401, "No.", "authentication_error"))
    told = "" if server.protocol == "openai-chat" else f" ({server.protocol})"
    assert str(error).startswith(f"endpoint 'm-1' at http://model.test/v1{told} answered HTTP 401; ")
