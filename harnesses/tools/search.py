"""The tool `search`: queries in, numbered results out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from harnesses.endpoint.messages import ToolSchema
from harnesses.tools.arguments import texts
from harnesses.tools.tool import ToolContext, ToolResult


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One result of a search; any part may be "" where the service left it out."""

    title: str = ""
    address: str = ""
    snippet: str = ""
    date: str = ""


class SearchBackend(Protocol):
    """Where queries are looked up."""

    async def search(self, query: str) -> Sequence[Hit]:
        """Results, best first; empty when nothing was found.

        Raises:
            BadArgumentsError: The service does not take this query.
            ToolTroubleError: The service is down or refuses the key.
        """
        ...


_SCHEMA: Final[ToolSchema] = {
    "name": "search",
    "description": "Search for pages. Returns titles, addresses and snippets.",
    "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to search for."}},
        "required": ["query"],
    },
}


class SearchTool:
    """Looks queries up in one backend."""

    schema: ToolSchema = _SCHEMA

    def __init__(self, backend: SearchBackend) -> None:
        self._backend = backend

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:  # noqa: ARG002 - the protocol's form
        """Run one query, or each of a list of queries, in order."""
        queries = texts(arguments, "query")
        found = [_as_text(query, await self._backend.search(query)) for query in queries]
        return ToolResult(text="\n\n".join(found))


def _as_text(query: str, hits: Sequence[Hit]) -> str:
    if not hits:
        return f"No results for {query!r}. Try other words."
    return "\n".join([f"Results for {query!r}:", *(_entry(n, hit) for n, hit in enumerate(hits, start=1))])


def _entry(number: int, hit: Hit) -> str:
    lines = (
        hit.title or "(no title)",
        hit.address or "(no address)",
        ". ".join(filter(None, (hit.date, hit.snippet))),
    )
    return f"{number}. " + "\n   ".join(line for line in lines if line)
