"""Worked examples that show the model what a reply looks like: invented, and about nothing the tasks ask."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harnesses.endpoint.messages import Message


@dataclass(frozen=True, kw_only=True)
class Example:
    """A question carried to its answer. `tools` are the names it needs, `messages` are OpenAI-shaped."""

    tools: frozenset[str]
    messages: Sequence[Message]


def _asked(text: str) -> Message:
    return {"role": "user", "content": text}


def _called(name: str, **arguments: Any) -> Message:
    return {"role": "assistant", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


def _found(text: str) -> Message:
    return {"role": "tool", "content": text}


def _answered(text: str) -> Message:
    return {"role": "assistant", "content": text}


EXAMPLES = (
    Example(
        tools=frozenset({"search"}),
        messages=(
            _asked("Which instrument did the composer Rosal Timm play?"),
            _called("search", query="composer Rosal Timm instrument"),
            _found(
                "1. Rosal Timm\n   local://rosal-timm.md\n   Rosal Timm was a composer. She played the viola "
                "and wrote nine quartets.\n2. Anders Fenn\n   local://anders-fenn.md\n   Anders Fenn was a "
                "composer. He played the horn."
            ),
            _answered("viola"),
        ),
    ),
    Example(
        tools=frozenset({"search", "visit"}),
        messages=(
            _asked("In which street is the bakery of Ludo Brenk?"),
            _called("search", query="bakery of Ludo Brenk street"),
            _found("1. Bakers of Ombria\n   local://bakers.md\n   Three bakers work in Ombria. Ludo Brenk …"),
            _called("visit", url="local://bakers.md", goal="street of the bakery of Ludo Brenk"),
            _found("local://bakers.md\nEvidence: Ludo Brenk bakes rye bread in Cooper Lane."),
            _answered("Cooper Lane"),
        ),
    ),
    Example(
        tools=frozenset({"search"}),
        messages=(
            _asked("How many rooms has the house where the painter Ilka Doon lived?"),
            _called("search", query="painter Ilka Doon house"),
            _found("1. Ilka Doon\n   local://ilka-doon.md\n   The painter Ilka Doon lived in Thistle House."),
            _called("search", query="Thistle House rooms"),
            _found(
                "1. Thistle House\n   local://thistle-house.md\n   Thistle House has 14 rooms and a walled garden."
            ),
            _answered("14"),
        ),
    ),
)
