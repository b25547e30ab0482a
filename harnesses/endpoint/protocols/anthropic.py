"""Anthropic messages, as Anthropic, vLLM, llama.cpp, Ollama and gateways serve them.

Sources: https://platform.claude.com/docs/en/api/messages, its pages on stop reasons and errors, and the types
of anthropic-sdk-python.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from harnesses.endpoint.json_values import as_object, as_objects, is_list, is_object
from harnesses.endpoint.messages import Completion, Message, TokenUsage, ToolSchema
from harnesses.endpoint.protocols.bodies import (
    VERBATIM,
    NoCompletionError,
    check_said,
    count,
    is_error,
    params_of,
    with_params,
    without_nulls,
)
from harnesses.endpoint.protocols.call_ids import CallIds
from harnesses.endpoint.protocols.openai_chat import call_as_kept, completion_of, content_text
from harnesses.endpoint.spec import EndpointSpec
from harnesses.endpoint.valid_text import as_text, with_valid_text

VERSION = "2023-06-01"
"""The only version of the API there is; sent as `anthropic-version`."""

MAX_TOKENS = 16_384
"""The limit on a reply where params set none: the API requires one. Every model from Claude 3.7 on takes it,
and a reply of that length arrives within the ten minutes that a connection without news should last."""

_THOUGHTS = "thinking_blocks"
"""The field of our messages that keeps thinking, one of `openai_chat.REASONING_FIELDS`: it must go back."""

_THINKING_BLOCKS = frozenset({"thinking", "redacted_thinking"})
_READ_BLOCKS = frozenset({"text", "tool_use", *_THINKING_BLOCKS})
_FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",
    "refusal": "content_filter",
}
"""A paused turn, which only a server's own tools bring about, is not continued: what came of it was cut."""


def path(base_url: str) -> str:
    """What is added to the base address, which may end with the version or not."""
    is_versioned = urlsplit(base_url).path.rstrip("/").endswith("/v1")
    return "/messages" if is_versioned else "/v1/messages"


def headers(api_key: str) -> dict[str, str]:
    """The version, and the key under its own name."""
    return {"anthropic-version": VERSION, **({"x-api-key": api_key} if api_key else {})}


def request_body(
    spec: EndpointSpec,
    messages: Sequence[Message],
    *,
    tools: Sequence[ToolSchema] = (),
    overrides: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The body of one request: ours, then `spec.params`, then `overrides`; a null removes its key.

    Example: ``{"model": "m-1", "max_tokens": 16384, "system": "…", "messages": [...], "tools": [...]}``.
    """
    params = params_of(spec, overrides)
    system = [content_text(message.get("content")) for message in messages if message["role"] == "system"]
    body: dict[str, Any] = {
        "model": spec.id,
        "max_tokens": MAX_TOKENS + (count(as_object(params.get("thinking")).get("budget_tokens")) or 0),
        "messages": _messages(messages),
    }
    if system:
        body["system"] = "\n\n".join(system)
    if tools:
        body["tools"] = [_tool(schema) for schema in tools]
    body = with_params(body, params)
    used = _used_tools(messages)
    if used and not body.get("tools"):
        # The API refuses a conversation with calls in it that declares no tools.
        body |= {"tools": used, "tool_choice": {"type": "none"}}
    return body


def read_completion(payload: Mapping[str, Any], *, n_requests: int) -> Completion:
    """The completion in the body of a 200.

    Raises:
        NoCompletionError: It has no content, or is whole and has none that we know.
    """
    content = with_valid_text(payload.get("content"))
    if isinstance(content, str):
        content = [content]
    if not is_list(content):
        raise NoCompletionError("no content")
    blocks = as_objects([_as_block(part) for part in content])
    stop_reason = payload.get("stop_reason")
    word: str | None = None if stop_reason is None else with_valid_text(as_text(stop_reason))
    finish_reason = _FINISH_REASONS.get(word, word) if word else None
    kinds = (as_text(block.get("type")) for block in blocks)
    check_said(kinds, known=_READ_BLOCKS, finish_reason=finish_reason, where="content")
    return completion_of(
        _message(blocks),
        finish_reason=finish_reason,
        served_model=payload.get("model"),
        usage=_usage(payload.get("usage"), n_requests=n_requests),
    )


def error_in(payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The body of an error that came with a 200, ``None`` if there is none."""
    return payload if is_error(payload) else None


def _as_block(part: Any) -> Any:
    """A part of the content; a text is a block also where it does not say so."""
    if isinstance(part, str):
        return {"type": "text", "text": part}
    is_plain = is_object(part) and part.get("type") is None and isinstance(part.get("text"), str)
    return {**part, "type": "text"} if is_plain else part


def _tool(schema: ToolSchema) -> dict[str, Any]:
    tool = {key: value for key, value in schema.items() if key != "parameters"}
    return {**tool, "input_schema": schema.get("parameters") or {"type": "object"}}


def _used_tools(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The tools that were called so far, by name alone."""
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    names = dict.fromkeys(call["function"]["name"] for call in calls)
    return [{"name": name, "input_schema": {"type": "object"}} for name in names if name]


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation in turns: neighbours of one role together, empty ones left out, as the API wants."""
    turns: list[dict[str, Any]] = []
    ids = CallIds()
    for message in messages:
        if message["role"] == "system":
            continue
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = _blocks(message, ids)
        if turns and blocks and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: Message, ids: CallIds) -> list[dict[str, Any]]:
    content = message.get("content")
    if message["role"] == "tool":
        text = content_text(content)
        result = {"type": "tool_result", "tool_use_id": ids.of_result(message["tool_call_id"])}
        return [{**result, "content": text} if text.strip() else result]
    if message["role"] == "assistant":
        ids.begin_turn()
        blocks = [
            {**block, "id": ids.of_call(block["id"])} if block.get("type") == "tool_use" else block
            for block in message.get(VERBATIM) or _turn(message)
        ]
        while blocks and blocks[-1].get("type") in _THINKING_BLOCKS:  # a turn may not end with one
            blocks.pop()
        return blocks
    return [part for part in content if not _is_blank(part)] if is_list(content) else _text(content)


def _text(content: Any) -> list[dict[str, Any]]:
    """`content` as one block; none for a blank one, which the API refuses."""
    text = content_text(content)
    return [{"type": "text", "text": text}] if text.strip() else []


def _is_blank(block: dict[str, Any]) -> bool:
    return block.get("type") == "text" and not as_text(block.get("text")).strip()


def _turn(message: Message) -> list[dict[str, Any]]:
    """A turn of the model as blocks: thinking, text, calls."""
    calls = [
        {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": _as_input(call["function"]["arguments"]),
        }
        for call in message.get("tool_calls", ())
    ]
    return [*as_objects(message.get(_THOUGHTS)), *_text(message.get("content")), *calls]


def _as_input(arguments: str) -> dict[str, Any]:
    """Arguments as the object the API wants; what is none is wrapped, as Anthropic's docs do with such JSON.

    https://platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming
    """
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        value = None
    return value if is_object(value) else {"INVALID_JSON": arguments}


def _message(blocks: list[dict[str, Any]]) -> Message:
    """The content of a reply as one of our messages."""
    message: Message = {"role": "assistant", "content": content_text(blocks) or None}
    kept = [without_nulls(block) for block in blocks]
    if thoughts := [block for block in kept if block.get("type") in _THINKING_BLOCKS]:
        message[_THOUGHTS] = thoughts
    calls = [block for block in kept if block.get("type") == "tool_use"]
    if calls:
        message["tool_calls"] = [_call(block, position) for position, block in enumerate(calls)]
        for block, call in zip(calls, message["tool_calls"], strict=True):
            block.update(id=call["id"], input=_as_input(call["function"]["arguments"]))
            if block.get("caller") == {"type": "direct"}:  # the usual one says nothing
                del block["caller"]
    verbatim = [block for block in kept if not _is_blank(block)]
    if verbatim != _turn(message):
        message[VERBATIM] = verbatim
    return message


def _call(block: dict[str, Any], position: int) -> dict[str, Any]:
    return call_as_kept(
        call_id=block.get("id"), name=block.get("name"), arguments=block.get("input"), position=position
    )


def _usage(raw: Any, *, n_requests: int) -> TokenUsage:
    """What was spent; tokens written to and read from the cache are input tokens too."""
    usage = as_object(raw)
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    read = [n_tokens for name in names if (n_tokens := count(usage.get(name))) is not None]
    return TokenUsage(
        input_tokens=sum(read) if read else None,
        output_tokens=count(usage.get("output_tokens")),
        reasoning_tokens=count(as_object(usage.get("output_tokens_details")).get("thinking_tokens")),
        n_requests=n_requests,
    )
