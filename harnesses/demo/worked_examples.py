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


def _returned(text: str) -> Message:
    return {"role": "tool", "content": text}


def _found(query: str, *pages: tuple[str, str]) -> Message:
    """What a search returns; a page is its title and a snippet."""
    lines = (
        f"{n}. {title}\n   local://{title.lower().replace(' ', '-')}.md\n   # {title} {snippet}"
        for n, (title, snippet) in enumerate(pages, start=1)
    )
    return _returned("\n".join([f"Results for {query!r}:", *lines]))


def _answered(text: str) -> Message:
    return {"role": "assistant", "content": text}


_SEARCH = frozenset({"search"})

EXAMPLES = (
    Example(
        tools=frozenset({"search", "visit"}),
        messages=(
            _asked("Who runs the bakery in Cooper Lane?"),
            _called("search", query="bakery in Cooper Lane"),
            _found("bakery in Cooper Lane", ("Ombria Bakers", "Ombria has three bakeries …")),
            _called("visit", url="local://ombria-bakers.md", goal="who runs the bakery in Cooper Lane"),
            _returned("local://ombria-bakers.md\nEvidence: The bakery in Cooper Lane is run by Ludo Brenk."),
            _answered("Ludo Brenk"),
        ),
    ),
    Example(
        tools=_SEARCH,
        messages=(
            _asked("How many rooms has the house where the painter Ilka Doon lived?"),
            _called("search", query="painter Ilka Doon house"),
            _found("painter Ilka Doon house", ("Ilka Doon", "The painter Ilka Doon lived in Thistle House.")),
            _called("search", query="Thistle House rooms"),
            _found("Thistle House rooms", ("Thistle House", "Thistle House has 14 rooms.")),
            _answered("14"),
        ),
    ),
    Example(
        tools=_SEARCH,
        messages=(
            _asked("Which instrument did the composer Rosal Timm play?"),
            _called("search", query="composer Rosal Timm instrument"),
            _found(
                "composer Rosal Timm instrument",
                ("Rosal Timm", "Rosal Timm was a composer. She played the viola and taught it too."),
                ("Anders Fenn", "Anders Fenn was a composer. He played the horn."),
            ),
            _answered("viola"),
        ),
    ),
    Example(
        tools=_SEARCH,
        messages=(
            _asked("What is the colour of the door of the Swan Inn?"),
            _called("search", query="door of the Swan Inn"),
            _found("door of the Swan Inn", ("The Swan Inn", "The Swan Inn has 8 beds. Its door is green.")),
            _answered("green"),
        ),
    ),
)
