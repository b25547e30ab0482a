"""The tool `visit`: pages in, evidence and a summary for the model's goal out."""

import json
from collections.abc import Mapping
from typing import Any, Final

from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.errors import ContextOverflowError, EndpointError, RequestRefusedError
from harnesses.endpoint.json_values import as_object, is_list
from harnesses.endpoint.messages import TokenUsage, ToolSchema
from harnesses.endpoint.valid_text import as_text
from harnesses.tools.arguments import texts
from harnesses.tools.pages import Pages, PageUnreadableError
from harnesses.tools.thinking import without_thinking
from harnesses.tools.tool import BadArgumentsError, ToolContext, ToolResult

_PROMPT = """Read the page below with this goal: {goal}

Reply with one JSON object and nothing else:
{{"evidence": "passages that serve the goal, word for word", "summary": "what they mean for the goal"}}

Page:
{page}"""

_N_CUTS_AT_MOST = 3
"""A page too long for the model is cut to a quarter, this many times: 150,000 characters end at 2,300."""

_SCHEMA: Final[ToolSchema] = {
    "name": "visit",
    "description": "Open a page and get what it says about your goal.",
    "parameters": {
        "type": "object",
        "properties": {
            "url": {
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
                "description": "Address of the page, or a list of addresses.",
            },
            "goal": {"type": "string", "description": "What you want to learn from it."},
        },
        "required": ["url", "goal"],
    },
}


class VisitTool:
    """Opens pages and has a model read them for a goal.

    Args:
        pages: Where addresses are opened.
        model: Who reads them; its tokens are counted apart from the agent's.
    """

    schema: ToolSchema = _SCHEMA

    def __init__(self, pages: Pages, model: EndpointClient) -> None:
        self._pages = pages
        self._model = model

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Visit each address in order; failed only if every page failed."""
        addresses = texts(arguments, "url")
        goal = " ".join(texts(arguments, "goal")) if arguments.get("goal") else "learn what the page says"
        results = [await self._visit(address, goal, context) for address in addresses]
        return ToolResult(
            text="\n\n".join(result.text for result in results),
            failed=all(result.failed for result in results),
        )

    async def _visit(self, address: str, goal: str, context: ToolContext) -> ToolResult:
        try:
            page = await self._pages.read(address)
        except (PageUnreadableError, BadArgumentsError) as error:
            return ToolResult(text=str(error), failed=True)
        reading = await self._reading(page, goal, context)
        if not reading:
            return ToolResult(text=f"{address} was opened, but no summary of it came", failed=True)
        return ToolResult(text=f"{address}\n{reading}")

    async def _reading(self, page: str, goal: str, context: ToolContext) -> str:
        """Evidence and summary as text; "" when the model brought none."""
        for _ in range(_N_CUTS_AT_MOST + 1):
            question = _PROMPT.format(goal=goal, page=page)
            try:
                completion = await self._model.complete([{"role": "user", "content": question}])
            except EndpointError as error:
                context.spend(TokenUsage(n_requests=error.n_requests))
                if not isinstance(error, RequestRefusedError):
                    raise
                if not isinstance(error, ContextOverflowError):
                    return ""
                page = page[: len(page) // 4]
            else:
                context.spend(completion.usage)
                return as_evidence_and_summary(completion.text)
        return ""


def as_evidence_and_summary(reply: str) -> str:
    """What a reading model replied, as two lines ``Evidence: …`` and ``Summary: …``.

    Thinking before an answer and code fences are taken off. A reply that is no such JSON object is handed on
    as it is, so that what the page said is not lost.
    """
    text = without_thinking(reply)
    start, end = text.find("{"), text.rfind("}")
    try:
        found: Any = json.loads(text[start : end + 1], strict=False) if start >= 0 else None
    except (ValueError, RecursionError):
        found = None
    parts = {name.lower(): value for name, value in as_object(found).items()}
    lines = [
        f"{name.capitalize()}: {_as_line(parts[name])}" for name in ("evidence", "summary") if parts.get(name)
    ]
    return "\n".join(lines) or text


def _as_line(value: Any) -> str:
    return " … ".join(map(as_text, value)) if is_list(value) else as_text(value)
