"""A model that plays several agents at once, told apart by the question or task they begin with."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
from scripted_services import Reply, Respond, ScriptedServices, calls

from harnesses.attempt import Attempt, ModelStep, ToolStep

MAIN = "How long is the bridge?"
READER = "reader"
"""Whoever reads a page for the tool `visit`."""

SEARCH = calls(("search", {"query": "bridge"}))


def hands_out(*tasks: Any) -> httpx.Response:
    """The main agent's call of `create_sub_agents`."""
    return calls(("create_sub_agents", {"tasks": list(tasks)}))


class SeveralAgents(ScriptedServices):
    """Plays the replies of each agent in order: ``SeveralAgents({MAIN: […], "a": […]})``.

    `asked` lists who asked the model, in order.
    """

    def __init__(self, replies: Mapping[str, Sequence[Reply]], *, search: Respond | None = None) -> None:
        self._waiting = {task: list(played) for task, played in replies.items()}
        self.asked: list[str] = []
        n_replies = sum(map(len, self._waiting.values()))
        super().__init__(*[self._play] * n_replies, search=search)

    def requests_of(self, task: str) -> list[dict[str, Any]]:
        """The bodies that the agent with this task sent."""
        return [body for body in self.bodies() if _task(body) == task]

    async def _play(self, request: httpx.Request) -> httpx.Response:
        task = _task(json.loads(request.content))
        self.asked.append(task)
        reply = self._waiting[task].pop(0)
        return reply if isinstance(reply, httpx.Response) else await reply(request)


def reports(attempt: Attempt) -> list[str]:
    """The results of `create_sub_agents`."""
    steps = (step for step in attempt.trajectory if isinstance(step, ToolStep))
    return [step.result for step in steps if step.tool == "create_sub_agents" and step.sub_agent is None]


def told(attempt: Attempt) -> list[tuple[int | None, str]]:
    """Who did what, e.g. ``[(None, "model"), (1, "search")]``."""
    return [
        (step.sub_agent, "model" if isinstance(step, ModelStep) else step.tool) for step in attempt.trajectory
    ]


def _task(body: Mapping[str, Any]) -> str:
    messages: list[dict[str, str]] = body["messages"]
    task = next(message["content"] for message in messages if message["role"] == "user")
    return READER if task.startswith("Read the page") else task
