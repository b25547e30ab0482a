"""OpenAI responses, used without state: each request carries the whole conversation, and nothing is stored.

Sources: https://platform.openai.com/docs/api-reference/responses and the types of openai-python.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from harnesses.endpoint.json_values import as_object, as_objects, is_list
from harnesses.endpoint.messages import Completion, Message, TokenUsage, ToolSchema
from harnesses.endpoint.protocols.bodies import (
    VERBATIM,
    NoCompletionError,
    bearer,
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

_THOUGHTS = "reasoning_details"
"""The field of our messages that keeps reasoning items, one of `openai_chat.REASONING_FIELDS`."""

_READ_ITEMS = frozenset({"message", "reasoning", "function_call"})
_FINISH_REASONS = {"content_filter": "content_filter", "completed": "stop"}
_NO_COMPLETION = {
    "failed": "a response that failed",
    "cancelled": "a response that was cancelled",
    "queued": "a response that is not finished (is background in its params?)",
    "in_progress": "a response that is not finished (is background in its params?)",
}


def path(base_url: str) -> str:  # noqa: ARG001 - another protocol's path depends on the address
    """What is added to the base address."""
    return "/responses"


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

    Example: ``{"model": "m-1", "store": False, "instructions": "…", "input": [...], "tools": [...]}``.
    Tools are not strict, as in chat completions: here a server would make every argument required. Encrypted
    reasoning is asked for where params have `reasoning`: models that do not reason refuse to be asked.
    """
    params = params_of(spec, overrides)
    system = [content_text(message.get("content")) for message in messages if message["role"] == "system"]
    body: dict[str, Any] = {"model": spec.id, "store": False, "input": _input(messages)}
    if system:
        body["instructions"] = "\n\n".join(system)
    if tools:
        body["tools"] = [{"type": "function", "strict": False, **schema} for schema in tools]
    if params.get("reasoning") is not None:
        body["include"] = ["reasoning.encrypted_content"]
    return with_params(body, params)


def read_completion(payload: Mapping[str, Any], *, n_requests: int) -> Completion:
    """The completion in the body of a 200.

    Raises:
        NoCompletionError: There is no output, or none that we know in a response that is whole; or the
            response failed or is not finished.
    """
    status = as_text(payload.get("status"))
    if status in _NO_COMPLETION:
        raise NoCompletionError(_NO_COMPLETION[status])
    if not is_list(payload.get("output")):
        raise NoCompletionError("no output")
    items = [_with_kind(item) for item in as_objects(with_valid_text(payload["output"]))]
    message = _message(items)
    finish_reason = _finish_reason(payload, has_calls="tool_calls" in message)
    kinds = (as_text(item.get("type")) for item in items)
    check_said(kinds, known=_READ_ITEMS, finish_reason=finish_reason, where="output")
    return completion_of(
        message,
        finish_reason=finish_reason,
        served_model=payload.get("model"),
        usage=_usage(payload.get("usage"), n_requests=n_requests),
    )


def error_in(payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The body of an error that came with a 200, ``None`` if there is none."""
    return payload if is_error(payload) else None


def _with_kind(item: dict[str, Any]) -> dict[str, Any]:
    """An item of the output; a message need not say that it is one, as in the input."""
    is_message = item.get("type") is None and item.get("role") == "assistant"
    return {**item, "type": "message"} if is_message else item


def _input(messages: Sequence[Message]) -> list[dict[str, Any]]:
    ids = CallIds()
    return [item for message in messages if message["role"] != "system" for item in _items(message, ids)]


def _items(message: Message, ids: CallIds) -> list[dict[str, Any]]:
    content = message.get("content")
    if message["role"] == "tool":
        call_id = ids.of_result(message["tool_call_id"])
        return [{"type": "function_call_output", "call_id": call_id, "output": content_text(content)}]
    if message["role"] == "assistant":
        ids.begin_turn()
        return [
            {**item, "call_id": ids.of_call(item["call_id"])} if item.get("type") == "function_call" else item
            for item in message.get(VERBATIM) or _turn(message)
        ]
    parts = [_input_part(part) for part in content] if is_list(content) else content
    return [{"role": message["role"], "content": parts}]


def _input_part(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a user's content; what is no text goes as it is."""
    return {**part, "type": "input_text"} if part.get("type") == "text" else part


def _turn(message: Message) -> list[dict[str, Any]]:
    """A turn of the model as input items: thoughts, text, calls."""
    thoughts = [_as_input(item) for item in as_objects(message.get(_THOUGHTS))]
    text = content_text(message.get("content")) or message.get("refusal")
    spoken = [{"role": "assistant", "content": text}] if text else []
    calls = [
        {"type": "function_call", "call_id": call["id"], **call["function"]}
        for call in message.get("tool_calls", ())
    ]
    return [*filter(None, thoughts), *spoken, *calls]


def _as_input(item: dict[str, Any]) -> dict[str, Any] | None:
    """An item of the output as it goes back, ``None`` for one that must not.

    Ids stay away: they name what was not stored, and bind a call to thoughts that may not go back
    (https://github.com/openai/openai-python/issues/2561). Servers of open models want thoughts with their id.
    """
    kept = {key: value for key, value in without_nulls(item).items() if key != "status"}
    kind = item.get("type")
    if kind == "reasoning":
        if item.get("encrypted_content"):
            return {key: value for key, value in kept.items() if key != "id"}
        return kept if item.get("content") else None
    if kind == "message":
        text = content_text(item.get("content")) or _refusal([item])
        phase = {"phase": item["phase"]} if item.get("phase") else {}
        return {"role": "assistant", "content": text, **phase} if text else None
    if kind == "function_call":
        names = ("type", "call_id", "name", "arguments")
        return {name: as_text(item.get(name)) for name in names}
    return kept


def _message(items: list[dict[str, Any]]) -> Message:
    """The output as one of our messages."""
    spoken = [item for item in items if item.get("type") == "message"]
    final = [item for item in spoken if item.get("phase") == "final_answer"] or spoken
    texts = [content_text(item.get("content")) for item in final]
    message: Message = {"role": "assistant", "content": "\n\n".join(filter(None, texts)) or None}
    if refusal := _refusal(final):
        message["refusal"] = refusal
    if thoughts := [without_nulls(item) for item in items if item.get("type") == "reasoning"]:
        message[_THOUGHTS] = thoughts
    if calls := [item for item in items if item.get("type") == "function_call"]:
        message["tool_calls"] = [_call(item, position) for position, item in enumerate(calls)]
        for item, call in zip(calls, message["tool_calls"], strict=True):
            item["call_id"] = call["id"]
    verbatim = [sent for item in items if (sent := _as_input(item))]
    if verbatim != _turn(message):
        message[VERBATIM] = verbatim
    return message


def _call(item: dict[str, Any], position: int) -> dict[str, Any]:
    return call_as_kept(
        call_id=item.get("call_id") or item.get("id"),
        name=item.get("name"),
        arguments=item.get("arguments"),
        position=position,
    )


def _refusal(messages: Sequence[dict[str, Any]]) -> str:
    parts = [part for item in messages for part in as_objects(item.get("content"))]
    return "".join(as_text(part.get("refusal")) for part in parts if part.get("type") == "refusal")


def _finish_reason(payload: Mapping[str, Any], *, has_calls: bool) -> str | None:
    """Our word for how a response ended; one that is incomplete for no known reason was cut."""
    status = payload.get("status")
    if status == "incomplete":
        reason = as_object(payload.get("incomplete_details")).get("reason")
        return _FINISH_REASONS.get(as_text(reason), "length")
    if has_calls:
        return "tool_calls"
    if status is None:
        return None
    word: str = with_valid_text(as_text(status))
    return _FINISH_REASONS.get(word, word)


def _usage(raw: Any, *, n_requests: int) -> TokenUsage:
    usage = as_object(raw)
    return TokenUsage(
        input_tokens=count(usage.get("input_tokens")),
        output_tokens=count(usage.get("output_tokens")),
        reasoning_tokens=count(as_object(usage.get("output_tokens_details")).get("reasoning_tokens")),
        n_requests=n_requests,
    )
