"""Which error a refusal is, by its status and by what the server says.

The sentences are those of OpenAI, Azure, Anthropic and Google behind gateways, OpenRouter, Groq, Mistral,
vLLM, SGLang, llama.cpp and Ollama. They are looked for in the server's message and codes alone.
"""

import re
from collections.abc import Mapping
from typing import Any

from harnesses.endpoint.error_body import ErrorBody
from harnesses.endpoint.errors import (
    ContentFilteredError,
    ContextOverflowError,
    EndpointError,
    EndpointRefusedError,
    RequestRefusedError,
)


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_CONTEXT = _any_of(
    "context[_ ]length[_ ]exceeded|exceed_context_size",
    "(?:maximum|max|model'?s?) context (?:length|window|size)",
    "(?:exceeds?|exceeded|exceeding|longer than|greater than|larger than)[^.]{0,60}context",
    "context (?:length|window|size)[^.]{0,40}(?:exceed|too small|overflow)",
    "(?:prompt|input|request)[^.]{0,30} (?:is |are )?too (?:long|large)",
    "input token count[^.]{0,60}exceeds|exceeded model token limit|maximum prompt length",
    "reduce the length of (?:the|your) (?:messages|prompt|input)",
    r"inputs` tokens \+ `max_new_tokens` must be|range of input length",
)
_TOOLS = _any_of(
    "tool choice requires|--enable-auto-tool-choice|tool-call-parser",
    "tools param requires|unsupported param: tools|--jinja",
    "(?:not|n't) support[^.]{0,20} (?:tools?|tool use|tool calling|function calling|functions?)(?:$|[^a-z_])",
    "tools?(?: use| calling| calls)? (?:is|are) not (?:supported|enabled|available)",
    "function calling (?:is )?not (?:supported|enabled)|no endpoints found that support tool use",
)
_FILTER = _any_of(
    "content[_ ]filter|content_policy_violation|responsibleaipolicyviolation|content management policy",
    "data_inspection_failed|input was flagged|prompt was flagged|^invalid_prompt$",
)
_PARAMETER = _any_of(
    "unsupported[_ ](?:parameter|value)|unknown[_ ]parameter|(?:unrecognized|unknown) request argument",
    "extra inputs are not permitted|unexpected keyword|parameter is not supported",
    "encrypted content is not supported|deprecated for this model|cannot both be specified",
)
_NO_CREDIT = _any_of("credit balance is too low", "reached your specified (?:workspace )?api usage limits")
"""Anthropic's words for an empty account come with a 400."""

_MODEL_FAILURE = _any_of(
    "does not match the expected[^.]{0,60}format",
    "failed to parse (?:tool call|input at pos|the model)|error parsing tool call",
    "^tool_use_failed$|^output_parse_failed$",
)
"""The model broke the format its server parses: asking again rarely helps, and nothing is out of order."""


def is_model_failure(body: ErrorBody) -> bool:
    """Whether an error status only says that the model's own text could not be parsed by its server."""
    return body.says(_MODEL_FAILURE)


def is_lasting(body: ErrorBody, *, has_tools: bool) -> bool:
    """Whether a 5xx says something that no retry changes: llama.cpp refuses tools and long prompts so."""
    return body.says(_CONTEXT) or (has_tools and body.says(_TOOLS))


def refusal(
    status: int, body: ErrorBody, *, where: str, sent: Mapping[str, Any], has_answered: bool
) -> EndpointError:
    """The error for a reply that is not worth asking again for.

    Args:
        status: HTTP status, or the one named inside a 200.
        body: What the server says.
        where: The endpoint in words, e.g. "endpoint 'm-1' at https://api.example/v1".
        sent: The request body.
        has_answered: Whether this endpoint gave a completion before.
    """
    said = f"{where} refused the request (HTTP {status})"
    if status in {401, 402}:
        return _refused_endpoint(status, where)
    if body.says(_NO_CREDIT):
        return _refused_endpoint(status, where, like=402)
    if sent.get("tools") and body.says(_TOOLS):
        return EndpointRefusedError(
            f"{where} does not serve tools (HTTP {status}); start the server with its tool options (vLLM: "
            "--enable-auto-tool-choice --tool-call-parser …, llama.cpp: --jinja), choose a model that knows "
            "tools, or use a harness without them (openai_chat)"
        )
    about_this_request = _refused_request(status, body, said, sent)
    if about_this_request or status in {400, 415, 422} or has_answered:
        return about_this_request or RequestRefusedError(f"{said}; the record's details hold what it said")
    return _refused_endpoint(status, where)


def _refused_request(
    status: int, body: ErrorBody, said: str, sent: Mapping[str, Any]
) -> RequestRefusedError | None:
    if body.says(_FILTER):
        return ContentFilteredError(f"{said}: its content filter objects to the prompt")
    if status == 413 or body.says(_CONTEXT):
        remedy = "shorten what tools return" if "tools" in sent else "ask a model with a longer one"
        return ContextOverflowError(
            f"{said}: prompt and reply do not fit into the model's context; lower max_tokens in its params, "
            f"or {remedy}"
        )
    if body.says(_PARAMETER):
        return RequestRefusedError(f"{said}: {_parameter(body, sent)}")
    return None


def _refused_endpoint(status: int, where: str, *, like: int | None = None) -> EndpointRefusedError:
    """`like` is the status whose remedy helps, where it is not `status` itself."""
    remedies = {
        401: "check its api_key (MODEL_API_KEY for the model, JUDGE_API_KEY for the judge)",
        402: "its account has no credit left: top it up, or use another api_key",
        403: "check that its api_key (MODEL_API_KEY, JUDGE_API_KEY) may use this model",
    }
    remedy = remedies.get(
        like or status,
        "check the model id, and base_url: it ends with the version, e.g. https://api.example/v1",
    )
    return EndpointRefusedError(f"{where} answered HTTP {status}; {remedy}")


_NOT_PARAMS = frozenset({"model", "messages", "input", "instructions", "system", "tools"})


def _parameter(body: ErrorBody, sent: Mapping[str, Any]) -> str:
    """The parameter in public words.

    Only names that were sent, and the server's sentence where it is about one of them: a sentence about a
    message might repeat the prompt.
    """
    ours = [name for name in sent if name not in _NOT_PARAMS]
    named = [
        name for name in ours if name == body.param or re.search(rf"\b{re.escape(name)}\b", body.message)
    ]
    if not named:
        return "it does not know a parameter of the request; the record's details hold which"
    sentence = " ".join(body.message.split())[:300]
    return f"it does not take {named[0]!r} (null in params removes it): {sentence}"
