"""The tool `browse`: the text of one page, as it is."""

from collections.abc import Mapping
from typing import Any, Final

from harnesses.endpoint.messages import ToolSchema
from harnesses.tools.arguments import texts
from harnesses.tools.pages import Pages, PageUnreadableError
from harnesses.tools.tool import ToolContext, ToolResult

_SCHEMA: Final[ToolSchema] = {
    "name": "browse",
    "description": "Open a page and return its text.",
    "parameters": {
        "type": "object",
        "properties": {"url": {"type": "string", "description": "Address of the page."}},
        "required": ["url"],
    },
}


class BrowseTool:
    """Hands the text of a page to the model, without another model in between."""

    schema: ToolSchema = _SCHEMA

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:  # noqa: ARG002 - the protocol's form
        """Open the page named by `url`."""
        address, *others = texts(arguments, "url")
        try:
            text = await self._pages.read(address)
        except PageUnreadableError as error:
            return ToolResult(text=str(error), failed=True)
        note = f"(Only the first of {len(others) + 1} addresses was opened.)\n" if others else ""
        return ToolResult(text=note + text)
