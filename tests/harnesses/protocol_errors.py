"""Servers that refuse, each in its protocol, and the error a call to one ends in."""

from typing import Any

import httpx
import pytest
from protocol_scene import Said, Server, says, spec_of
from scripted_endpoint import QUESTION, SEARCH, ScriptedEndpoint, Step

from harnesses.endpoint.errors import EndpointError

WRONG = "invalid_request_error"


def refuses(server: Server, status: int, message: str, kind: str = WRONG, **more: Any) -> httpx.Response:
    headers = more.pop("headers", None)
    return httpx.Response(status, json=server.error(message, kind, **more), headers=headers)


async def error_of(server: Server, *steps: Step, n_answers: int = 0) -> tuple[EndpointError, int]:
    """The error of a call after `n_answers` good ones, and how many requests it took."""
    script = ScriptedEndpoint(*([says(server, Said(text="42"))] * n_answers), *steps)
    client = script.client(spec_of(server, seed=7))
    for _ in range(n_answers):
        await client.complete([QUESTION])
    with pytest.raises(EndpointError) as caught:
        await client.complete([QUESTION], tools=[SEARCH])
    assert caught.value.n_requests == len(script.requests) - n_answers
    return caught.value, caught.value.n_requests
