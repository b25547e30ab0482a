"""What the model may do next, as a JSON schema, and how its reply is read.

Small models do not write tool calls a server can parse (0 of 32 tried), but they obey a schema. A reply is
one object: ``{"tool": "search", "arguments": {"query": "…"}}`` or ``{"answer": "…"}``.
"""

import json
from collections.abc import Iterable
from typing import Any

from harnesses.endpoint.json_values import as_object, is_list, is_object
from harnesses.endpoint.messages import Message, ToolSchema

MAX_ANSWER_CHARACTERS = 80
"""A small model does not always find an end; a GAIA answer is a few words."""

MAX_ARGUMENT_CHARACTERS = 100
MAX_ARGUMENT_ITEMS = 2


def action_schema(tools: Iterable[ToolSchema], *, may_answer: bool = True) -> dict[str, Any]:
    """The JSON schema of one action: a call of one of `tools` with its arguments, or an answer.

    Without tools it is an answer whatever `may_answer` says.
    """
    calls = [
        _object(
            tool={"const": tool["name"]}, arguments=_bounded(tool.get("parameters") or {"type": "object"})
        )
        for tool in tools
    ]
    answer = _object(answer={"type": "string", "minLength": 1, "maxLength": MAX_ANSWER_CHARACTERS})
    return {"anyOf": [*calls, answer] if may_answer else calls} if calls else answer


def call_text(name: str, arguments: Any) -> str:
    """A call as the model writes it, e.g. ``{"tool":"search","arguments":{"query":"Ombria"}}``."""
    return _compact({"tool": name, "arguments": arguments})


def answer_text(answer: str) -> str:
    """An answer as the model writes it, e.g. ``{"answer":"Ombria"}``."""
    return _compact({"answer": answer})


def as_assistant_message(text: str, *, call_id: str) -> Message:
    """The OpenAI-shaped message that `text` means.

    Text that is no action, because it was cut at the token limit, becomes the content as it stands.
    """
    try:
        action: Any = json.loads(text)
    except ValueError:
        action = None
    parts = as_object(action)
    if "tool" in parts:
        function = {
            "name": parts["tool"],
            "arguments": json.dumps(parts.get("arguments"), ensure_ascii=False),
        }
        call = {"id": call_id, "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = parts.get("answer")
    return {"role": "assistant", "content": answer if isinstance(answer, str) else text}


def _object(**properties: Any) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _bounded(schema: Any) -> Any:
    """`schema` with an end to each text and list in it, so that every reply ends before the token limit."""
    if is_list(schema):
        return [_bounded(part) for part in schema]
    if not is_object(schema):
        return schema
    bounded = {key: _bounded(value) for key, value in schema.items()}
    if bounded.get("type") == "string" and not {"enum", "const"} & set(bounded):
        bounded.setdefault("maxLength", MAX_ARGUMENT_CHARACTERS)
    if bounded.get("type") == "array":
        bounded.setdefault("maxItems", MAX_ARGUMENT_ITEMS)
    return bounded


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
