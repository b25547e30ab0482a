"""Search through Serper (https://serper.dev): `POST /search` with the key in `X-API-KEY`."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from harnesses.endpoint.errors import EndpointUnavailableError, MalformedReplyError
from harnesses.endpoint.http import HttpReply
from harnesses.endpoint.json_values import as_object, as_objects
from harnesses.tools.keyed_service import KeyedService
from harnesses.tools.search import Hit
from harnesses.tools.tool import BadArgumentsError, ToolOutageError, ToolRefusedError

SERPER_BASE_URL = "https://google.serper.dev"
SERPER_VARIABLE = "SERPER_API_KEY"


class SerperSearch:
    """Google results by way of Serper."""

    def __init__(self, service: KeyedService) -> None:
        self._service = service

    async def search(self, query: str) -> Sequence[Hit]:
        """The organic results; parts that a hit lacks are "", a reply without results is empty.

        Raises:
            BadArgumentsError: The service does not take this query.
            ToolOutageError: Down after every retry, or what it answers is no JSON object.
            ToolRefusedError: A refused key, an empty account, a wrong base address.
        """
        try:
            reply = await self._service.ask("POST", "/search", asked=query, json={"q": query})
        except EndpointUnavailableError as error:
            raise ToolOutageError(
                f"the search service at {self._service.address!r} still failed after {error.n_requests} "
                "requests: try later, or use search_backend: local",
                detail=error.detail,
            ) from error
        except MalformedReplyError as error:
            line = f"the search service at {error}, or correct serper_base_url"
            raise ToolOutageError(line, detail=error.detail) from error
        self._check(reply)
        return list(_hits(as_object(json.loads(reply.text))))

    def _check(self, reply: HttpReply) -> None:
        if reply.status in {404, 405} or 300 <= reply.status < 400:
            raise ToolRefusedError(
                f"no search service answers at {self._service.address!r} (HTTP {reply.status}): "
                "correct serper_base_url",
                detail=self._service.detail(reply),
            )
        if reply.status >= 400:
            raise BadArgumentsError(f"the search service does not take this query (HTTP {reply.status})")


def _hits(body: dict[str, Any]) -> Iterator[Hit]:
    for parts in as_objects(body.get("organic")):
        hit = Hit(
            title=_text(parts, "title"),
            address=_text(parts, "link"),
            snippet=_text(parts, "snippet"),
            date=_text(parts, "date"),
        )
        if hit != Hit():
            yield hit


def _text(parts: dict[str, Any], name: str) -> str:
    value = parts.get(name)
    return value.strip() if isinstance(value, str) else ""
