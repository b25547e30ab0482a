"""Stand-ins for a model, Serper and Jina Reader behind one transport that never leaves the process."""

import json
from collections.abc import Awaitable, Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from harnesses.attempt import Attempt, Prompt
from harnesses.endpoint.spec import EndpointSpec
from harnesses.naive_search_agent import NaiveSearchAgent
from harnesses.search_agent_params import NaiveSearchAgentParams

MODEL = EndpointSpec(id="m-1", base_url="http://model.test/v1", api_key="sk-model-1")
SEARCH_URL = "http://search.test"
PAGES_URL = "http://pages.test"

Reply = httpx.Response | Callable[[httpx.Request], Awaitable[httpx.Response]]
Respond = Callable[[httpx.Request], httpx.Response]


async def no_wait(seconds: float) -> None:
    """Stands in for `asyncio.sleep`."""


def says(content: Any, *, finish_reason: str | None = "stop", **message: Any) -> httpx.Response:
    """A completion with this content; further parts of the message by name."""
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content, **message},
    }
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return httpx.Response(200, json={"id": "c", "model": "m-1", "choices": [choice], "usage": usage})


def calls(*asked: tuple[str, Any], content: str | None = None) -> httpx.Response:
    """A completion that calls tools: ``calls(("search", {"query": "x"}))``; a text stands as it is."""
    tool_calls = [
        {
            "id": f"call-{n}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for n, (name, given) in enumerate(asked, start=1)
    ]
    return says(content, finish_reason="tool_calls", tool_calls=tool_calls)


def refuses(status: int, **body: Any) -> httpx.Response:
    """An error reply."""
    return httpx.Response(status, json=body)


OVERFLOW = {
    "error": {
        "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        "type": "invalid_request_error",
        "code": "context_length_exceeded",
    }
}


class ScriptedServices:
    """Answers by host. `model` is played in order; a further request to it fails the test.

    `sent` keeps the requests by host, e.g. ``services.sent["model.test"]``.
    """

    def __init__(self, *model: Reply, search: Respond | None = None, page: Respond | None = None) -> None:
        self._model = list(model)
        self._respond = {"search.test": search or _one_hit, "pages.test": page or _short_page}
        self.sent: dict[str, list[httpx.Request]] = {"model.test": [], "search.test": [], "pages.test": []}
        self.transport = httpx.MockTransport(self._answer)

    def bodies(self, host: str = "model.test") -> list[dict[str, Any]]:
        """The JSON bodies sent to `host`."""
        return [json.loads(request.content) for request in self.sent[host]]

    def tool_messages(self) -> list[str]:
        """The tool results in the last request to the model."""
        return [message["content"] for message in self.bodies()[-1]["messages"] if message["role"] == "tool"]

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        self.sent[request.url.host].append(request)
        if request.url.host != "model.test":
            return self._respond[request.url.host](request)
        assert self._model, "the model was asked more often than the script has replies"
        reply = self._model.pop(0)
        return reply if isinstance(reply, httpx.Response) else await reply(request)


async def run_agent(
    services: ScriptedServices, *, time_budget_s: float | None = None, **params: Any
) -> Attempt:
    """One attempt of `naive_search_agent` among these services; its clock ticks a second at each look."""
    keys: dict[str, Any] = {"serper_api_key": "s", "jina_api_key": "j", "max_retry": 1}
    addresses: dict[str, Any] = {"serper_base_url": SEARCH_URL, "jina_base_url": PAGES_URL}
    seconds = count()
    agent = NaiveSearchAgent(
        NaiveSearchAgentParams(**{**keys, **addresses, **params}),
        model=MODEL,
        transport=services.transport,
        sleep=no_wait,
        clock=lambda: float(next(seconds)),
    )
    prompt = Prompt(
        prompt_id="p",
        attempt=1,
        text="How long is the bridge?",
        folder=Path("unused"),
        fields={"level": "2"},
        time_budget_s=time_budget_s,
    )
    try:
        return await agent.run(prompt)
    finally:
        await agent.aclose()


def replies(responses: Iterable[httpx.Response]) -> Respond:
    """Plays `responses` in order."""
    waiting = iter(responses)
    return lambda _: next(waiting)


def always(status: int, *, text: str | None = None, **body: Any) -> Respond:
    """Gives the same reply each time."""
    return lambda _: (
        httpx.Response(status, text=text) if text is not None else httpx.Response(status, json=body)
    )


def _one_hit(request: httpx.Request) -> httpx.Response:
    hit = {
        "title": "Lintholm",
        "link": "http://lintholm.test/bridge",
        "snippet": "A bridge of 42 m.",
        "date": "2021",
    }
    return httpx.Response(200, json={"organic": [hit]})


def _short_page(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, text="The bridge at Lintholm is 42 m long.")
