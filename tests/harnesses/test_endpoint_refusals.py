"""What servers say when they refuse, and what we make of it: the sentences are the servers', shortened."""

from typing import Any

import pytest
from scripted_endpoint import QUESTION, SEARCH, SPEC, ScriptedEndpoint, refuses, says

from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.error_body import read_error
from harnesses.endpoint.errors import (
    ContentFilteredError,
    ContextOverflowError,
    EndpointError,
    EndpointRefusedError,
    EndpointUnavailableError,
    MalformedReplyError,
    RequestRefusedError,
)

pytestmark = pytest.mark.asyncio


def openai(
    message: str, *, code: Any = None, kind: str = "invalid_request_error", **more: Any
) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "code": code, **more}}


def vllm(message: str) -> dict[str, Any]:
    return {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}


async def error_of(
    status: int, body: Any, *, tools: Any = (), after_answer: bool = False
) -> tuple[EndpointError, ScriptedEndpoint]:
    script = ScriptedEndpoint(*([says("42")] if after_answer else []), refuses(status, body))
    client = script.client()
    if after_answer:
        await client.complete([QUESTION])
    with pytest.raises(EndpointError) as caught:
        await client.complete([QUESTION], tools=tools)
    return caught.value, script


OVERFLOWS = [
    (
        400,
        openai(
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545."
        ),
    ),
    (400, openai("Too long.", code="context_length_exceeded")),
    (400, openai("Your input exceeds the context window of this model.")),
    (
        400,
        vllm(
            "The decoder prompt (length 9000) is longer than the maximum model length of 8192. "
            "Reduce the length of the prompt"
        ),
    ),
    (
        400,
        vllm(
            "'max_tokens' or 'max_completion_tokens' is too large: 32768. This model's maximum context "
            "length is 32768 tokens and your request has 500 input tokens."
        ),
    ),
    (400, {"message": "The input (9000 tokens) is longer than the model's context length (8192 tokens)."}),
    (
        400,
        openai(
            "request (1407 tokens) exceeds the available context size (256 tokens), try increasing it",
            code=400,
            kind="exceed_context_size_error",
        ),
    ),
    (
        500,
        openai(
            "the request exceeds the available context size. try increasing the context size",
            code=500,
            kind="exceed_context_size_error",
        ),
    ),
    (400, openai("prompt is too long: 213462 tokens > 200000 maximum")),
    (400, openai("Input is too long for requested model.")),
    (400, openai("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).")),
    (400, openai("This model's maximum prompt length is 131072 but the request contains 537812 tokens.")),
    (400, openai("Please reduce the length of the messages or completion.", code="context_length_exceeded")),
    (
        422,
        {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"},
    ),
    (400, openai("Range of input length should be [1, 129024]")),
    (400, {"message": "Prompt contains 45000 tokens, too large for model with 32768 maximum context length"}),
    (413, {"message": "Payload Too Large"}),
]


@pytest.mark.parametrize(("status", "body"), OVERFLOWS)
async def test_a_prompt_that_does_not_fit_is_a_context_overflow_after_one_request(
    status: int, body: Any
) -> None:
    error, script = await error_of(status, body)
    assert type(error) is ContextOverflowError
    assert (error.status, error.n_requests, len(script.requests)) == (status, 1, 1)
    assert "lower max_tokens" in str(error)


TOOLLESS = [
    (400, vllm('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')),
    (500, openai("tools param requires --jinja flag", code=500, kind="server_error")),
    (500, openai("Unsupported param: tools", code=500, kind="server_error")),
    (400, openai("registry.example/library/tiny:latest does not support tools", kind="api_error")),
    (400, openai("This model does not support function calling.")),
    (
        400,
        openai("tools is not supported in this model. For a list of supported models, refer to the guide."),
    ),
    (404, openai('No endpoints found that support tool use. Try disabling "search".', code=404)),
    (400, {"detail": "tool calling is not enabled on this deployment"}),
]


@pytest.mark.parametrize("after_answer", [False, True], ids=["first", "later"])
@pytest.mark.parametrize(("status", "body"), TOOLLESS)
async def test_a_server_that_knows_no_tools_stops_the_run_at_once(
    status: int, body: Any, after_answer: bool
) -> None:
    error, script = await error_of(status, body, tools=[SEARCH], after_answer=after_answer)
    assert type(error) is EndpointRefusedError
    assert error.stops_run
    assert error.n_requests == 1
    assert "does not serve tools" in str(error)
    assert "--enable-auto-tool-choice" in str(error)
    assert len(script.requests) == 1 + after_answer


async def test_the_same_words_do_not_stop_a_run_that_sent_no_tools() -> None:
    error, _ = await error_of(*TOOLLESS[0])
    assert type(error) is RequestRefusedError


FILTERED = [
    (
        400,
        {
            "error": {
                "code": "content_filter",
                "status": 400,
                "innererror": {
                    "code": "ResponsibleAIPolicyViolation",
                    "content_filter_result": {"violence": {"filtered": True, "severity": "medium"}},
                },
            }
        },
    ),
    (400, openai("The response was filtered due to the prompt triggering the content management policy.")),
    (400, openai("Rejected by the safety system.", code="content_policy_violation")),
    (400, openai("Invalid prompt: your prompt was flagged.", code="invalid_prompt")),
    (400, openai("Input data may contain inappropriate content.", code="data_inspection_failed")),
    (403, openai("The model requires moderation; your input was flagged for violence.", code=403)),
]


@pytest.mark.parametrize(("status", "body"), FILTERED)
async def test_a_content_filter_is_neither_retried_nor_stops_the_run(status: int, body: Any) -> None:
    error, script = await error_of(status, body)
    assert type(error) is ContentFilteredError
    assert not error.stops_run
    assert (error.status, len(script.requests)) == (status, 1)
    assert "its content filter objects to the prompt" in str(error)


@pytest.mark.parametrize(
    "params",
    [{"max_tokens": 100}, {"max_tokens": 100, "temperature": 0}],
    ids=["one-param", "two-params"],
)
async def test_a_parameter_the_model_does_not_take_is_named_with_the_remedy(params: dict[str, Any]) -> None:
    message = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead."
    )
    script = ScriptedEndpoint(refuses(400, openai(message, code="unsupported_parameter", param="max_tokens")))
    with pytest.raises(RequestRefusedError) as caught:
        await script.client().complete([QUESTION], overrides=params)
    assert str(caught.value) == (
        "endpoint 'm-1' at http://model.test/v1 refused the request (HTTP 400): it does not take "
        f"'max_tokens' (null in params removes it): {message}"
    )
    assert len(script.requests) == 1


async def test_a_value_the_model_does_not_take_is_named_by_the_server() -> None:
    message = "Unsupported value: 'temperature' does not support 0 with this model. Only 1 is supported."
    script = ScriptedEndpoint(refuses(400, openai(message, code="unsupported_value", param="temperature")))
    with pytest.raises(
        RequestRefusedError, match=r"'temperature' .null in params removes it.: Unsupported value"
    ):
        await script.client().complete([QUESTION], overrides={"temperature": 0})


async def test_a_sentence_about_a_message_is_not_shown_for_it_may_hold_the_prompt() -> None:
    message = f"Unsupported value: 'messages[0].role' in {QUESTION['content']}"
    error, _ = await error_of(400, openai(message, code="unsupported_value", param="messages[0].role"))
    assert "a parameter of the request; the record's details hold which" in str(error)
    assert "Lintholm" not in str(error)
    assert "Lintholm" in error.detail


async def test_any_other_400_shows_nothing_of_what_the_server_repeats() -> None:
    error, script = await error_of(400, openai(f"I do not like {QUESTION['content']}"))
    assert type(error) is RequestRefusedError
    assert str(error) == (
        "endpoint 'm-1' at http://model.test/v1 refused the request (HTTP 400); "
        "the record's details hold what it said"
    )
    assert "Lintholm" in error.detail
    assert len(script.requests) == 1


async def test_too_many_tokens_asked_for_is_one_request() -> None:
    body = {"message": "'max_tokens' or 'max_completion_tokens' is too large: 32768...", "code": 400}
    error, script = await error_of(400, body)
    assert isinstance(error, RequestRefusedError)
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (401, r"check its api_key \(MODEL_API_KEY for the model, JUDGE_API_KEY for the judge\)"),
        (402, "no credit left"),
        (403, "check that its api_key .* may use this model"),
        (404, "check the model id, and base_url: it ends with the version"),
        (405, "check the model id, and base_url"),
        (301, "check the model id, and base_url"),
    ],
)
async def test_a_first_request_that_no_other_can_better_stops_the_run(status: int, remedy: str) -> None:
    error, script = await error_of(status, {"error": {"message": "no"}})
    assert type(error) is EndpointRefusedError
    assert error.stops_run
    with pytest.raises(
        EndpointRefusedError, match=rf"^endpoint 'm-1' at \S+ answered HTTP {status}; .*{remedy}"
    ):
        raise error
    assert (error.status, error.n_requests, len(script.requests)) == (status, 1, 1)


@pytest.mark.parametrize(
    ("status", "stops"), [(401, True), (402, True), (403, False), (404, False), (451, False)]
)
async def test_an_endpoint_that_has_answered_is_refused_for_good_by_401_and_402_alone(
    status: int, stops: bool
) -> None:
    error, _ = await error_of(status, {"error": "no"}, after_answer=True)
    assert error.stops_run is stops
    assert isinstance(error, EndpointRefusedError if stops else RequestRefusedError)


async def test_a_422_is_the_requests_own_fault() -> None:
    error, _ = await error_of(422, {"detail": [{"msg": "Field required", "input": QUESTION["content"]}]})
    assert type(error) is RequestRefusedError


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (
            500,
            openai(
                "The model produced output that does not match the expected peg-native format",
                code=500,
                kind="server_error",
            ),
        ),
        (
            500,
            openai(
                "Failed to parse tool call arguments as JSON: unexpected end", code=500, kind="server_error"
            ),
        ),
        (500, openai("error parsing tool call: raw='{\"q\"', err=unexpected end", kind="api_error")),
        (400, openai("Failed to call a function. Please adjust your prompt.", code="tool_use_failed")),
    ],
)
async def test_text_that_a_server_cannot_parse_is_asked_for_once_more(status: int, body: Any) -> None:
    error, script = await error_of(status, body, tools=[SEARCH])
    assert type(error) is MalformedReplyError
    assert (error.status, error.n_requests, len(script.requests)) == (status, 2, 2)
    assert "could not parse what its model wrote" in str(error)


async def test_text_that_a_server_cannot_parse_may_be_fine_the_second_time() -> None:
    body = openai("output does not match the expected native format", code=500, kind="server_error")
    completion = await ScriptedEndpoint(refuses(500, body), says("42")).client().complete([QUESTION])
    assert (completion.text, completion.usage.n_requests) == ("42", 2)


@pytest.mark.parametrize(
    ("body", "kind", "n_requests", "status"),
    [
        pytest.param(
            {"id": "g", "error": {"message": "Upstream error: overloaded", "code": 502}},
            EndpointUnavailableError,
            4,
            502,
            id="502",
        ),
        pytest.param(
            {"error": {"message": "slow down", "code": "429"}},
            EndpointUnavailableError,
            4,
            429,
            id="429-as-text",
        ),
        pytest.param(
            {"error": {"message": "slow down", "type": "rate_limit_error"}},
            EndpointUnavailableError,
            4,
            429,
            id="word",
        ),
        pytest.param({"error": {"message": "no", "code": 400}}, RequestRefusedError, 1, 400, id="400"),
        pytest.param({"error": {"message": "no", "code": 401}}, EndpointRefusedError, 1, 401, id="401"),
        pytest.param(
            {"error": {"message": "no", "code": "invalid_api_key"}},
            EndpointRefusedError,
            1,
            401,
            id="key-word",
        ),
        pytest.param(
            {"error": {"message": "no", "code": "insufficient_quota"}},
            EndpointRefusedError,
            1,
            402,
            id="quota-word",
        ),
        pytest.param(
            openai("Too long", code="context_length_exceeded"), ContextOverflowError, 1, 400, id="context"
        ),
        pytest.param({"error": {"code": "content_filter"}}, ContentFilteredError, 1, 400, id="filter"),
        pytest.param(
            {"object": "error", "message": "no", "code": 404}, EndpointRefusedError, 1, 404, id="bare"
        ),
        pytest.param(
            {"choices": [{"error": {"message": "no", "code": 502}, "message": {"content": ""}}]},
            EndpointUnavailableError,
            4,
            502,
            id="in-the-choice",
        ),
        pytest.param({"error": "Upstream failed"}, MalformedReplyError, 2, 200, id="text-alone"),
        pytest.param({"error": {"message": "?", "code": 7}}, MalformedReplyError, 2, 200, id="unknown-code"),
        pytest.param({"error": [1]}, MalformedReplyError, 2, 200, id="odd"),
    ],
)
async def test_an_error_inside_a_200_follows_the_rule_of_its_own_code(
    body: Any, kind: type[EndpointError], n_requests: int, status: int
) -> None:
    error, script = await error_of(200, body)
    assert type(error) is kind
    assert (error.n_requests, len(script.requests), error.status) == (n_requests, n_requests, status)
    assert error.detail


async def test_an_outage_inside_a_200_may_pass() -> None:
    body = {
        "id": "gen-1",
        "error": {"message": "Upstream error: Service temporarily overloaded", "code": 502},
    }
    completion = await ScriptedEndpoint(refuses(200, body), says("42")).client().complete([QUESTION])
    assert (completion.text, completion.usage.n_requests) == ("42", 2)


async def test_retry_after_of_a_model_is_waited_for() -> None:
    script = ScriptedEndpoint(refuses(429, openai("slow down"), retry_after="1"), says("42"))
    completion = await script.client().complete([QUESTION])
    assert (completion.usage.n_requests, script.waits_s) == (2, [1.0])


async def test_a_rate_limit_that_stays_is_an_unavailable_endpoint() -> None:
    error, script = await error_of(429, openai("slow down"))
    assert type(error) is EndpointUnavailableError
    assert (error.status, len(script.requests)) == (429, 4)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": "text"}, "text"),
        ({"error": {"message": "deep"}}, "deep"),
        ({"error": {"message": 7}}, "7"),
        ({"message": "flat"}, "flat"),
        ({"detail": "fast"}, "fast"),
        ({"detail": [{"msg": "a", "input": "secret"}, {"msg": "b"}, 3]}, "a; b"),
        (None, ""),
        ([], ""),
        ("text", ""),
        ({"error": None, "message": None}, ""),
    ],
)
async def test_the_message_of_an_error_is_found_in_every_known_shape(body: Any, message: str) -> None:
    assert read_error(body).message == message


async def test_a_client_with_the_default_retries_sends_eleven_requests() -> None:
    script = ScriptedEndpoint(refuses(503, {}))
    client = EndpointClient(SPEC, transport=script.transport, sleep=script.sleep)
    with pytest.raises(EndpointUnavailableError, match="HTTP 503, 11 requests"):
        await client.complete([QUESTION])
