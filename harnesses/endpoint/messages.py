"""What goes to a model and what comes back, whatever protocol the server speaks.

A message is the plain OpenAI-shaped mapping, because that is what records keep and what an answer is read
from: ``{"role": "assistant", "content": "42", "tool_calls": [...]}``. Protocols translate at the border.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Message = dict[str, Any]
ToolSchema = dict[str, Any]
"""A function a model may call: ``{"name": "search", "description": "…", "parameters": {JSON schema}}``."""


@dataclass(frozen=True, kw_only=True)
class TokenUsage:
    """Tokens of one or more calls as the server reported them; ``None`` means it reported nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    n_requests: int = 0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        """Both together; a part unknown on both sides stays unknown."""
        return TokenUsage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            reasoning_tokens=_sum(self.reasoning_tokens, other.reasoning_tokens),
            n_requests=self.n_requests + other.n_requests,
        )


def _sum(one: int | None, other: int | None) -> int | None:
    if one is None and other is None:
        return None
    return (one or 0) + (other or 0)


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A call the model asks for. `arguments` is the text as sent: it may be no JSON at all."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class Completion:
    """One reply of a model.

    `message` is OpenAI-shaped and can be sent back as it is (tool arguments are strings in it).
    `text` is its content with the text parts joined, thinking parts left out; "" when there is none.
    `has_reasoning` tells that a reasoning field held text. `finish_reason` is "stop", "length",
    "tool_calls", "content_filter", another word of the server's, or ``None`` when it sent none.
    `served_model` is the model id the server named, ``None`` if it named none; `status` the HTTP status.
    `duration_s` is the wall time in seconds, waits between retries included.
    """

    message: Message
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    has_reasoning: bool = False
    served_model: str | None = None
    usage: TokenUsage = field(default_factory=TokenUsage)
    duration_s: float = 0.0
    status: int = 200

    def evidence(self) -> Mapping[str, Any]:
        """What tells one odd reply from another: plain JSON values, no text of the model.

        Example: ``{"status": 200, "finish_reason": "length", "n_characters": 0, "has_reasoning": True,
        "served_model": "m-1", "n_tool_calls": 0, "n_requests": 1}``.
        """
        return {
            "status": self.status,
            "finish_reason": self.finish_reason,
            "n_characters": len(self.text),
            "has_reasoning": self.has_reasoning,
            "served_model": self.served_model,
            "n_tool_calls": len(self.tool_calls),
            "n_requests": self.usage.n_requests,
        }
