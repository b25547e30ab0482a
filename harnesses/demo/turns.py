"""A conversation with tool calls in it, told in plain turns that any chat template can render."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from harnesses.demo.actions import answer_text, call_text
from harnesses.demo.worked_examples import EXAMPLES
from harnesses.endpoint.json_values import as_object, as_objects, is_list
from harnesses.endpoint.messages import Message, ToolSchema

_INSTRUCTIONS = """\
Answer the question of the user. Reply with one JSON object: a call of a tool, or the answer.
Read the results before you answer. Give the answer in as few words as possible.
Tools:
"""


def opening(tools: Sequence[ToolSchema]) -> list[Message]:
    """What stands before every question: the rules, the tools, and worked examples that use these tools."""
    names = {tool["name"] for tool in tools}
    told = "\n".join(f"- {tool['name']}: {tool.get('description', '')}" for tool in tools)
    examples = [plain_turns(example.messages) for example in EXAMPLES if example.tools <= names]
    rules: Message = {"role": "system", "content": _INSTRUCTIONS + told}
    return [rules, *(turn for example in examples for turn in example)]


def plain_turns(messages: Iterable[Message]) -> list[Message]:
    """`messages` with tool calls and answers as the model writes them, and tool results as turns of the user.

    A tool result ends with the question, which a small model has forgotten by then: on questions of other
    making, 4 of 12 were read right with it and 1 without. Turns of one role in a row become one, because some
    chat templates refuse them.
    """
    turns: list[Message] = []
    question = ""
    for message in messages:
        role, text = _turn(message)
        if message.get("role") == "user":
            question = question or text
        elif message.get("role") == "tool":
            text = f"{text}\n\nQuestion: {question}"
        _add(turns, role, text)
    return turns


def text_turns(messages: Iterable[Message]) -> list[Message]:
    """`messages` without tool calls in them, each content as plain text."""
    turns: list[Message] = []
    for message in messages:
        _add(turns, str(message.get("role")), text_of(message))
    return turns


def text_of(message: Message) -> str:
    """The text of a message's content, which is a text, a list of parts, or nothing."""
    content = message.get("content")
    if is_list(content):
        return "\n".join(str(part.get("text", "")) for part in as_objects(content))
    return "" if content is None else str(content)


def _add(turns: list[Message], role: str, text: str) -> None:
    if turns and turns[-1]["role"] == role:
        turns[-1]["content"] += f"\n\n{text}"
    else:
        turns.append({"role": role, "content": text})


def _turn(message: Message) -> tuple[str, str]:
    role = message.get("role")
    if role != "assistant":
        return ("system" if role in {"system", "developer"} else "user"), text_of(message)
    calls = as_objects(message.get("tool_calls"))
    return "assistant", "\n".join(map(_call, calls)) if calls else answer_text(text_of(message))


def _call(call: dict[str, Any]) -> str:
    function = as_object(call.get("function"))
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = {"text": arguments}
    return call_text(str(function.get("name")), arguments)
