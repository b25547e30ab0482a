"""One model that three servers put into words: what it says is the same, only the protocol differs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import httpx
from scripted_endpoint import KEY

from harnesses.endpoint.messages import ToolCall
from harnesses.endpoint.spec import ApiProtocol, EndpointSpec

Heard = tuple[Any, ...]
"""A part of a conversation in any protocol, e.g. ``("user", "How long?")`` or ``("tool", "c1", "42")``."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the model says. `arguments` of calls that are no JSON text go out as the text they are."""

    text: str = ""
    thought: str = ""
    calls: tuple[ToolCall, ...] = ()
    ends: str = "stop"
    tokens: tuple[int, int, int] = (10, 7, 5)


def call(call_id: str = "c1", name: str = "search", arguments: str = '{"query": "bridge"}') -> ToolCall:
    return ToolCall(call_id=call_id, name=name, arguments=arguments)


def as_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


class Server(Protocol):
    """How one protocol tells what was said, what went wrong, and what it heard."""

    protocol: ClassVar[ApiProtocol]
    address: ClassVar[str]
    limit: ClassVar[str]
    """The param that limits a reply."""

    def payload(self, said: Said) -> dict[str, Any]: ...
    def error(self, message: str, kind: str, code: str | None = None) -> dict[str, Any]: ...
    def heard(self, body: Mapping[str, Any]) -> list[Heard]: ...
    def tools(self, body: Mapping[str, Any]) -> list[str]: ...


def spec_of(server: Server, **params: Any) -> EndpointSpec:
    return EndpointSpec(
        id="m-1",
        base_url="http://model.test/v1",
        api_key=KEY,
        api_protocol=server.protocol,
        params=params,
    )


def says(server: Server, said: Said) -> httpx.Response:
    return httpx.Response(200, json=server.payload(said))


class ChatServer:
    protocol: ClassVar[ApiProtocol] = "openai-chat"
    address: ClassVar[str] = "http://model.test/v1/chat/completions"
    limit: ClassVar[str] = "max_tokens"

    def payload(self, said: Said) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
        if said.thought:
            message["reasoning"] = said.thought
        if said.calls:
            message["tool_calls"] = [
                {"id": c.call_id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in said.calls
            ]
        read, written, thought = said.tokens
        usage = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "completion_tokens_details": {"reasoning_tokens": thought},
        }
        choice = {"index": 0, "finish_reason": said.ends, "message": message}
        return {"id": "x", "model": "m-1-served", "choices": [choice], "usage": usage}

    def error(self, message: str, kind: str, code: str | None = None) -> dict[str, Any]:
        return {"error": {"message": message, "type": kind, "code": code, "param": None}}

    def heard(self, body: Mapping[str, Any]) -> list[Heard]:
        return [part for message in body["messages"] for part in self._parts(message)]

    def tools(self, body: Mapping[str, Any]) -> list[str]:
        return [tool["function"]["name"] for tool in body.get("tools", ())]

    def _parts(self, message: Mapping[str, Any]) -> list[Heard]:
        if message["role"] == "tool":
            return [("tool", message["tool_call_id"], message["content"])]
        thought = [("thought", message["reasoning"])] if "reasoning" in message else []
        spoken = [(message["role"], message["content"])] if message["content"] else []
        calls = [
            ("call", c["id"], c["function"]["name"], as_json(c["function"]["arguments"]))
            for c in message.get("tool_calls", ())
        ]
        return [*thought, *spoken, *calls]


class ResponsesServer:
    protocol: ClassVar[ApiProtocol] = "openai-responses"
    address: ClassVar[str] = "http://model.test/v1/responses"
    limit: ClassVar[str] = "max_output_tokens"

    _REASONS: ClassVar[dict[str, str]] = {"length": "max_output_tokens", "content_filter": "content_filter"}

    def payload(self, said: Said) -> dict[str, Any]:
        output: list[dict[str, Any]] = []
        if said.thought:
            told = {"type": "summary_text", "text": said.thought}
            output.append({"id": "rs_1", "type": "reasoning", "summary": [told], "encrypted_content": "b64"})
        if said.text:
            part: dict[str, Any] = {
                "type": "output_text",
                "text": said.text,
                "annotations": [],
                "logprobs": [],
            }
            spoken: dict[str, Any] = {
                "id": "msg_1",
                "status": "completed",
                "role": "assistant",
                "content": [part],
            }
            output.append({"type": "message", **spoken})
        for n, c in enumerate(said.calls):
            asked = {"call_id": c.call_id, "name": c.name, "arguments": c.arguments}
            output.append({"id": f"fc_{n}", "type": "function_call", "status": "completed", **asked})
        read, written, thought = said.tokens
        reason = self._REASONS.get(said.ends)
        return {
            "id": "resp_1",
            "object": "response",
            "status": "incomplete" if reason else "completed",
            "incomplete_details": {"reason": reason} if reason else None,
            "error": None,
            "model": "m-1-served",
            "output": output,
            "usage": {
                "input_tokens": read,
                "input_tokens_details": {"cached_tokens": 4},
                "output_tokens": written,
                "output_tokens_details": {"reasoning_tokens": thought},
            },
        }

    def error(self, message: str, kind: str, code: str | None = None) -> dict[str, Any]:
        return {"error": {"message": message, "type": kind, "code": code, "param": None}}

    def heard(self, body: Mapping[str, Any]) -> list[Heard]:
        assert body["store"] is False
        assert not any("id" in item for item in body["input"])
        system = [("system", body["instructions"])] if "instructions" in body else []
        return [*system, *map(self._part, body["input"])]

    def tools(self, body: Mapping[str, Any]) -> list[str]:
        return [tool["name"] for tool in body.get("tools", ())]

    def _part(self, item: Mapping[str, Any]) -> Heard:
        if item.get("type") == "reasoning":
            assert item["encrypted_content"] == "b64"
            return ("thought", item["summary"][0]["text"])
        if item.get("type") == "function_call":
            return ("call", item["call_id"], item["name"], as_json(item["arguments"]))
        if item.get("type") == "function_call_output":
            return ("tool", item["call_id"], item["output"])
        return (item["role"], item["content"])


class AnthropicServer:
    protocol: ClassVar[ApiProtocol] = "anthropic"
    address: ClassVar[str] = "http://model.test/v1/messages"
    limit: ClassVar[str] = "max_tokens"

    _REASONS: ClassVar[dict[str, str]] = {
        "stop": "end_turn",
        "tool_calls": "tool_use",
        "length": "max_tokens",
        "content_filter": "refusal",
    }

    def payload(self, said: Said) -> dict[str, Any]:
        content: list[dict[str, Any]] = []
        if said.thought:
            content.append({"type": "thinking", "thinking": said.thought, "signature": "sig"})
        if said.text:
            content.append({"type": "text", "text": said.text, "citations": None})
        for c in said.calls:
            asked = {"id": c.call_id, "name": c.name, "input": as_json(c.arguments)}
            content.append({"type": "tool_use", "caller": {"type": "direct"}, **asked})
        read, written, thought = said.tokens
        usage = {
            "input_tokens": read - 6,
            "cache_creation_input_tokens": 2,
            "cache_read_input_tokens": 4,
            "output_tokens": written,
            "output_tokens_details": {"thinking_tokens": thought},
        }
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m-1-served",
            "content": content,
            "stop_reason": self._REASONS[said.ends],
            "stop_sequence": None,
            "usage": usage,
        }

    def error(self, message: str, kind: str, code: str | None = None) -> dict[str, Any]:
        return {"type": "error", "error": {"type": code or kind, "message": message}, "request_id": "req_1"}

    def heard(self, body: Mapping[str, Any]) -> list[Heard]:
        roles = [message["role"] for message in body["messages"]]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
        system = [("system", body["system"])] if "system" in body else []
        parts = [self._part(m["role"], b) for m in body["messages"] for b in m["content"]]
        assert body.get("tools") or not any(part[0] in {"call", "tool"} for part in parts)
        return [*system, *parts]

    def tools(self, body: Mapping[str, Any]) -> list[str]:
        callable_ = body.get("tool_choice") != {"type": "none"}
        return [tool["name"] for tool in body.get("tools", ())] if callable_ else []

    def _part(self, role: str, block: Mapping[str, Any]) -> Heard:
        if block["type"] == "thinking":
            assert block["signature"] == "sig"
            return ("thought", block["thinking"])
        if block["type"] == "tool_use":
            return ("call", block["id"], block["name"], block["input"])
        if block["type"] == "tool_result":
            return ("tool", block["tool_use_id"], block.get("content", ""))
        return (role, block["text"])


SERVERS: tuple[Server, ...] = (ChatServer(), ResponsesServer(), AnthropicServer())
