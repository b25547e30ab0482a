"""A conversation with tool calls in it, told in plain turns that any chat template can render."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from harnesses.demo.actions import answer_text, call_text
from harnesses.demo.worked_examples import EXAMPLES
from harnesses.endpoint.json_values import as_objects, is_list
from harnesses.endpoint.messages import Message, ToolSchema

_INSTRUCTIONS = """Answer the question of the user. Reply with one JSON object: a call of a tool, or the answer.
Read the results before you answer. Give the answer in as few words as possible.
Tools:
"""


def opening(tools: Sequence[ToolSchema]) -> list[Message]:
    """What stands before every question: the rules, the tools, and worked examples that use these tools."""
    names = {tool["name"] for tool in tools}
    examples = [message for example in EXAMPLES if example.tools <= names for message in example.messages]
    told = "\n".join(f"- {tool['name']}: {tool.get('description', '')}" for tool in tools)
    return [{"role": "system", "content": _INSTRUCTIONS + told}, *plain_turns(examples, as_actions=True)]


def plain_turns(messages: Iterable[Message], *, as_actions: bool) -> list[Message]:
    """`messages` with tool calls as text and tool results as turns of the user.

    Turns of one role in a row become one, because some chat templates refuse them.

    Args:
        messages: OpenAI-shaped.
        as_actions: Whether answers of the assistant stand as JSON, as the model is to write them.
    """
    turns: list[Message] = []
    for message in messages:
        role, text = _turn(message, as_actions=as_actions)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += f"\n\n{text}"
        else:
            turns.append({"role": role, "content": text})
    return turns


def _turn(message: Message, *, as_actions: bool) -> tuple[str, str]:
    role, text = message.get("role"), _text(message.get("content"))
    if role == "tool":
        return "user", text
    if role != "assistant":
        return ("system" if role in {"system", "developer"} else "user"), text
    calls = message.get("tool_calls") or ()
    if calls:
        return "assistant", "\n".join(_call(call) for call in calls)
    return "assistant", answer_text(text) if as_actions else text


def _call(call: Any) -> str:
    function = call["function"]
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = {"text": arguments}
    return call_text(function["name"], arguments)


def _text(content: Any) -> str:
    """The text of a message's content, which is a text, a list of parts, or nothing."""
    if is_list(content):
        return "\n".join(str(part.get("text", "")) for part in as_objects(content))
    return "" if content is None else str(content)
