"""A judge's server on a transport that stands in for the network, and judges that ask it."""

import json
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import httpx

from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.retrying import Retries
from harnesses.endpoint.spec import EndpointSpec
from judges.catalogue import MODEL_JUDGES
from judges.llm_judge import LLMJudge
from judges.prompts import JudgePrompt

Reply = dict[str, Any] | httpx.Response


def completion(content: Any, finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    """The body of a reply of the judge's server."""
    return {
        "model": "j-1-served",
        "choices": [
            {"finish_reason": finish_reason, "message": {"role": "assistant", "content": content, **message}}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }


class JudgeServer:
    """Answers with the replies it is given, the last one for ever, and keeps the requests."""

    def __init__(self, *replies: Reply) -> None:
        self.requests: list[dict[str, Any]] = []
        self.n_closed = 0
        self._replies: Iterator[Reply] = iter(replies)
        self._reply = replies[0]

    def handle(self, request: httpx.Request) -> httpx.Response:
        """One reply."""
        self.requests.append(json.loads(request.content))
        self._reply = next(self._replies, self._reply)
        return (
            self._reply if isinstance(self._reply, httpx.Response) else httpx.Response(200, json=self._reply)
        )

    @property
    def prompt(self) -> str:
        """The text of the first request."""
        return str(self.requests[0]["messages"][0]["content"])


class Court:
    """Makes judges over a server, and closes their clients when it is left."""

    def __init__(self) -> None:
        self.clients: list[EndpointClient] = []

    async def __aenter__(self) -> Self:
        """Opens nothing."""
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        """Give back every connection."""
        for client in self.clients:
            await client.aclose()

    def judge(
        self, server: JudgeServer, *, prompt: JudgePrompt, params: dict[str, Any] | None = None
    ) -> LLMJudge:
        """The judge of the prompt's protocol, asking `server`."""
        spec = EndpointSpec(id="j-1", base_url="http://judge.test/v1", params=params or {})
        transport = httpx.MockTransport(server.handle)
        self.clients.append(EndpointClient(spec, retries=Retries(max_retries=0), transport=transport))
        kind = next(kind for kind in MODEL_JUDGES.values() if kind.protocol == prompt.protocol)
        return kind(spec, prompt, client=self.clients[-1])
