"""An endpoint inside the process that plays a script, keeps what it got and notes waits without waiting."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.messages import ToolSchema
from harnesses.endpoint.retrying import Retries
from harnesses.endpoint.spec import EndpointSpec

KEY = "sk-made-up-4711"
SPEC = EndpointSpec(id="m-1", base_url="http://model.test/v1", api_key=KEY)
QUESTION = {"role": "user", "content": "How long is the bridge at Lintholm?"}
SEARCH: ToolSchema = {
    "name": "search",
    "description": "Searches.",
    "parameters": {"type": "object", "properties": {}},
}

Step = httpx.Response | Exception


def reply(message: Mapping[str, Any], *, finish_reason: Any = "stop", **payload: Any) -> httpx.Response:
    """A 200 with one choice; `payload` are further keys beside it."""
    choice = {"index": 0, "finish_reason": finish_reason, "message": dict(message)}
    return httpx.Response(200, json={"choices": [choice], **payload})


def says(content: Any, **message: Any) -> httpx.Response:
    """A 200 that ended with "stop"."""
    return reply({"role": "assistant", "content": content, **message})


def refuses(status: int, body: Any, **headers: str) -> httpx.Response:
    """An error with this JSON body."""
    return httpx.Response(
        status, json=body, headers={name.replace("_", "-"): at for name, at in headers.items()}
    )


class ScriptedEndpoint:
    """Plays `steps` in order; the last one again and again.

    `requests` are what came in, `waits_s` the waits between retries.
    """

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self.requests: list[httpx.Request] = []
        self.waits_s: list[float] = []
        self.transport = httpx.MockTransport(self._answer)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The JSON bodies that came in."""
        return [json.loads(request.content) for request in self.requests]

    async def sleep(self, seconds: float) -> None:
        """Stands in for `asyncio.sleep`."""
        self.waits_s.append(seconds)

    def client(self, spec: EndpointSpec = SPEC, *, max_retries: int = 3) -> EndpointClient:
        """A client that asks this endpoint."""
        retries = Retries(max_retries=max_retries)
        return EndpointClient(spec, retries=retries, transport=self.transport, sleep=self.sleep)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        if isinstance(step, Exception):
            raise step
        return httpx.Response(step.status_code, headers=step.headers, content=step.content)
