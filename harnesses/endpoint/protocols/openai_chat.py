"""OpenAI chat completions, as OpenAI, vLLM, SGLang, llama.cpp, Ollama and the gateways serve them.

Our own messages have this shape, so what a message says is read here for the other protocols too.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from harnesses.endpoint.json_values import as_object, as_objects, is_list, is_object
from harnesses.endpoint.messages import Completion, Message, TokenUsage, ToolCall, ToolSchema
from harnesses.endpoint.protocols.bodies import (
    NoCompletionError,
    bearer,
    count,
    is_error,
    params_of,
    with_params,
)
from harnesses.endpoint.spec import EndpointSpec
from harnesses.endpoint.valid_text import as_text, with_valid_text

REASONING_FIELDS = ("reasoning", "reasoning_content", "reasoning_details", "thinking_blocks")
"""Where servers put thoughts; what came in one of them goes back in the same one (vLLM renamed its field:
https://github.com/vllm-project/vllm/issues/27755).
"""

_KEPT_FIELDS = ("refusal", *REASONING_FIELDS)
_TEXT_PARTS = frozenset({"text", "output_text"})
_THINKING_PARTS = frozenset({"thinking", "reasoning"})
_THOUGHTS = ("text", "summary", "thinking", "content")
_FINISH_REASONS = {
    "max_tokens": "length",
    "model_length": "length",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "safety": "content_filter",
}
"""Words of other protocols that gateways pass on, and ours."""

_BROKEN_OFF = frozenset({"error", "abort"})
"""OpenRouter and SGLang end a choice so when their model failed midway."""


def path(base_url: str) -> str:  # noqa: ARG001 - another protocol's path depends on the address
    """What is added to the base address."""
    return "/chat/completions"


def headers(api_key: str) -> dict[str, str]:
    """The key as a bearer token."""
    return bearer(api_key)


def request_body(
    spec: EndpointSpec,
    messages: Sequence[Message],
    *,
    tools: Sequence[ToolSchema] = (),
    overrides: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The body of one request: ours, then `spec.params`, then `overrides`; a null removes its key.

    Example: ``{"model": "m-1", "messages": [...], "tools": [...], "temperature": 0}``. Where no tools are
    left, `tool_choice` and `parallel_tool_calls` go too: servers refuse them alone.
    """
    body: dict[str, Any] = {"model": spec.id, "messages": list(messages)}
    if tools:
        body["tools"] = [{"type": "function", "function": schema} for schema in tools]
    return with_params(body, params_of(spec, overrides))


def read_completion(payload: Mapping[str, Any], *, n_requests: int) -> Completion:
    """The completion in the body of a 200.

    Raises:
        NoCompletionError: There is no choice with a message in it.
    """
    choice = _first_choice(payload)
    raw = choice.get("message")
    if not is_object(raw):
        raise NoCompletionError("a choice without a message")
    if _finish_reason(choice.get("finish_reason")) in _BROKEN_OFF:
        raise NoCompletionError("a choice that broke off")
    return completion_of(
        _message(as_object(with_valid_text(raw))),
        finish_reason=_finish_reason(choice.get("finish_reason")),
        served_model=payload.get("model"),
        usage=_usage(payload.get("usage"), n_requests=n_requests),
    )


def completion_of(
    message: Message, *, finish_reason: str | None, served_model: Any, usage: TokenUsage
) -> Completion:
    """The completion that an assistant's message is; `served_model` is a JSON value, best a text."""
    content = message["content"]
    return Completion(
        message=message,
        text=content_text(content),
        tool_calls=tuple(_tool_call(call) for call in message.get("tool_calls", ())),
        finish_reason=finish_reason,
        has_reasoning=any(_holds_text(message.get(name)) for name in REASONING_FIELDS)
        or _has_thinking(content),
        served_model=with_valid_text(served_model) if isinstance(served_model, str) else None,
        usage=usage,
    )


def error_in(payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The body of an error that came with a 200, ``None`` if there is none.

    Gateways may put it into the choice.
    """
    if is_error(payload):
        return payload
    return next((choice for choice in as_objects(payload.get("choices"))[:1] if choice.get("error")), None)


def _first_choice(payload: Mapping[str, Any]) -> dict[str, Any]:
    choices = payload.get("choices")
    if not is_list(choices):
        raise NoCompletionError("no choices")
    if not choices:
        raise NoCompletionError("an empty list of choices")
    return as_object(choices[0])


def _message(raw: dict[str, Any]) -> Message:
    """`raw` with only what may be sent back: servers refuse keys they do not know."""
    content = raw.get("content")
    if content is not None and not is_list(content):
        content = as_text(content)
    message: Message = {"role": "assistant", "content": content}
    message |= {name: raw[name] for name in _KEPT_FIELDS if raw.get(name) is not None}
    calls = as_objects(raw.get("tool_calls"))
    if calls:
        message["tool_calls"] = [_call_as_sent(call, position) for position, call in enumerate(calls)]
    return message


def call_as_kept(*, call_id: Any, name: Any, arguments: Any, position: int) -> dict[str, Any]:
    """A tool call as our messages hold it, from any JSON values; a missing id is made up.

    Example: ``{"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}``.
    """
    function = {"name": as_text(name), "arguments": as_text(arguments)}
    return {"id": as_text(call_id) or f"call_{position}", "type": "function", "function": function}


def _call_as_sent(raw: dict[str, Any], position: int) -> dict[str, Any]:
    """`raw` with an id and with arguments as text.

    llama.cpp once sent an object and took only a string back
    (https://github.com/ggml-org/llama.cpp/issues/20198).
    """
    known = as_object(raw.get("function"))
    kept = call_as_kept(
        call_id=raw.get("id"), name=known.get("name"), arguments=known.get("arguments"), position=position
    )
    return {**raw, **kept, "function": {**known, **kept["function"]}}


def _tool_call(call: dict[str, Any]) -> ToolCall:
    function = call["function"]
    return ToolCall(call_id=call["id"], name=function["name"], arguments=function["arguments"])


def content_text(content: Any) -> str:
    """The text of a message's content: its text parts joined, thinking and other parts left out.

    Content may be a text, a list of parts, one part, another JSON value or ``None`` ("").
    """
    if is_list(content):
        return "".join(map(_part_text, content))
    return _part_text(content) if is_object(content) else as_text(content)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    known = as_object(part)
    return as_text(known.get("text")) if as_text(known.get("type", "text")) in _TEXT_PARTS else ""


def _has_thinking(content: Any) -> bool:
    return any(as_text(part.get("type")) in _THINKING_PARTS for part in as_objects(content))


def _holds_text(value: Any) -> bool:
    """Whether a reasoning field says anything: a text, or parts with one (encrypted parts do not count)."""
    if isinstance(value, str):
        return bool(value.strip())
    if is_list(value):
        return any(_holds_text(item) for item in value)
    return is_object(value) and any(_holds_text(value.get(name)) for name in _THOUGHTS)


def _finish_reason(value: Any) -> str | None:
    if value is None:
        return None
    word: str = with_valid_text(as_text(value))
    return _FINISH_REASONS.get(word.lower(), word)


def _usage(raw: Any, *, n_requests: int) -> TokenUsage:
    usage = as_object(raw)
    details = as_object(usage.get("completion_tokens_details"))
    return TokenUsage(
        input_tokens=count(usage.get("prompt_tokens")),
        output_tokens=count(usage.get("completion_tokens")),
        reasoning_tokens=count(details.get("reasoning_tokens", usage.get("reasoning_tokens"))),
        n_requests=n_requests,
    )
