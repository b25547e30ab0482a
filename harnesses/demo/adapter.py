"""Turns a request with tools into one a small model can answer, and its reply back into OpenAI's shape."""

import http.client
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from harnesses.demo.actions import action_schema, as_assistant_message
from harnesses.demo.model_client import ModelClient, ModelReply
from harnesses.demo.turns import opening, plain_turns, text_turns
from harnesses.endpoint.json_values import as_object, as_objects
from harnesses.endpoint.messages import Message, ToolSchema

MAX_REPLY_TOKENS = 128
"""No reply is longer, whatever was asked for: two to four seconds on one core."""

Reply = tuple[int, dict[str, Any]]
"""HTTP status and JSON body."""


class Adapter:
    """Answers OpenAI-chat requests with one local model.

    A request with `tools` is answered by one action (see `actions`). Two rules make up for what a small model
    lacks: before the first tool result the action is a call, because a third of the answers came from nothing
    otherwise, and a call made before is turned into an answer, because it would be repeated to the end. A
    request without tools passes through as plain text; one that goes on from tool calls is held to an answer.
    Temperature is 0 unless the request says otherwise, and the same request gets the same reply.

    Args:
        model: Who answers.
        model_id: The name shown to clients.
    """

    def __init__(self, model: ModelClient, *, model_id: str) -> None:
        self.model_id = model_id
        self._model = model
        # The last tools offered: a request that no longer offers any goes on in the same conversation.
        self._offered: Sequence[ToolSchema] = ()

    def models(self) -> Reply:
        """The list of the one model there is."""
        entry = {"id": self.model_id, "object": "model", "created": 0, "owned_by": "demo"}
        return 200, {"object": "list", "data": [entry]}

    def chat(self, request: Any) -> Reply:
        """The reply to one chat request; every fault of the request or the model as an error body."""
        try:
            messages, tools = _read(request)
        except ValueError as error:
            return refusal(400, f"this is no chat request the demo can answer: {error}")
        body = _with_limits(request)
        try:
            if tools or _has_looked(messages):
                return self._act(body, messages, tools)
            return self._pass_through(body, messages)
        except (OSError, http.client.HTTPException) as error:
            return refusal(503, f"the demo's model does not answer ({type(error).__name__})")

    def _act(self, body: dict[str, Any], messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        self._offered = tools or self._offered
        before = opening(self._offered)
        body["messages"] = [*before, *plain_turns(messages)]
        schema = action_schema(tools, may_answer=_has_looked(messages))
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "action", "schema": schema}}
        reply = self._model.continue_chat(body, n_opening=len(before))
        # Unique within the conversation, and the same each time.
        message = as_assistant_message(reply.text, call_id=f"call_{len(messages)}")
        if tools and _functions([message]) & _functions(messages):
            # A small model that repeats a call goes on repeating it: let it answer from what it has.
            return self._act(body, messages, ())
        return self._completion(reply, message)

    def _pass_through(self, body: dict[str, Any], messages: Sequence[Message]) -> Reply:
        body["messages"] = text_turns(messages)
        reply = self._model.chat(body)
        return self._completion(reply, {"role": "assistant", "content": reply.text})

    def _completion(self, reply: ModelReply, message: Message) -> Reply:
        if reply.status != 200:
            return reply.status, dict(reply.body)
        reason = "tool_calls" if message.get("tool_calls") else reply.finish_reason
        return 200, {
            "id": reply.body.get("id", "chatcmpl-demo"),
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self.model_id,
            "choices": [{"index": 0, "finish_reason": reason, "message": message}],
            "usage": reply.body.get("usage"),
        }


def refusal(status: int, message: str) -> Reply:
    """An error body of OpenAI's shape."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return status, {"error": {"message": message, "type": kind, "code": status}}


def _read(request: Any) -> tuple[Sequence[Message], Sequence[ToolSchema]]:
    parts = as_object(request)
    messages = as_objects(parts.get("messages"))
    if not messages:
        raise ValueError("messages must be a list with at least one message in it")
    if parts.get("stream"):
        raise ValueError("stream must be false")
    tools = [as_object(tool.get("function")) for tool in as_objects(parts.get("tools"))]
    if not all(isinstance(tool.get("name"), str) for tool in tools):
        raise ValueError("each of tools must be a function with a name")
    return messages, tools


def _has_looked(messages: Sequence[Message]) -> bool:
    return any(message.get("role") == "tool" for message in messages)


def _functions(messages: Sequence[Message]) -> set[str]:
    """The calls in `messages`, each as one text."""
    calls = [call for message in messages for call in as_objects(message.get("tool_calls"))]
    return {json.dumps(call.get("function"), sort_keys=True) for call in calls}


def _with_limits(request: Mapping[str, Any]) -> dict[str, Any]:
    """The request's own sampling parameters, with an end to the reply."""
    dropped = {
        "messages",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "model",
        "response_format",
        "stream",
    }
    kept = {key: value for key, value in request.items() if key not in dropped}
    wished = [kept.pop(key, None) for key in ("max_tokens", "max_completion_tokens")]
    limits = [wish for wish in wished if isinstance(wish, int) and wish > 0]
    return {"temperature": 0, "seed": 0, **kept, "max_tokens": min([*limits, MAX_REPLY_TOKENS])}
