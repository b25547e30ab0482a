"""The default harness: a model searches and reads until it answers."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, ClassVar

from harnesses.attempt import Attempt, AttemptFailedError, Prompt, StopReason
from harnesses.conversation import Conversation
from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.errors import EndpointError
from harnesses.endpoint.http import Clock, Sleep, Transport
from harnesses.endpoint.messages import Completion, Message
from harnesses.endpoint.network import DIRECT, Network
from harnesses.endpoint.retrying import Retries
from harnesses.endpoint.spec import EndpointSpec
from harnesses.final_message import hidden_answer_fault
from harnesses.prompt_template import first_messages
from harnesses.search_agent_params import NaiveSearchAgentParams
from harnesses.search_loop import Limits, SearchLoop
from harnesses.sub_agents import MAIN_AGENT_PROMPT, SubAgents
from harnesses.tools.create_sub_agents import CreateSubAgentsTool
from harnesses.tools.tool import Tool, ToolTroubleError
from harnesses.tools.toolbox import Toolbox

LAST_REQUEST_S = 240.0
"""Seconds for the answer asked for at the time budget: the attempt is cut off 300 s after the budget, and
what it had done would be lost with it."""


class NaiveSearchAgent:
    """A function-calling loop with `search`, `visit` and `browse`, in mode `multi` with sub-agents.

    The last reply of the loop (see `SearchLoop`) is the final message.

    Args:
        params: How the agent searches, reads and ends.
        model: The model under test.
        network: The transport and the pace of requests.
        transport: Stands in for the network's in tests; ``None`` takes that.
        sleep: Waits between retries; ``None`` as the network does.
        clock: Tells seconds.
    """

    name: ClassVar[str] = "naive_search_agent"
    readable_suffixes: ClassVar[frozenset[str]] = frozenset()
    searches: ClassVar[bool] = True
    asks_model: ClassVar[bool] = True
    Params = NaiveSearchAgentParams

    def __init__(
        self,
        params: NaiveSearchAgentParams,
        *,
        model: EndpointSpec,
        network: Network = DIRECT,
        transport: Transport | None = None,
        sleep: Sleep | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._params = params
        self._clock = clock
        self._client = EndpointClient(
            model,
            retries=Retries(max_retries=params.max_retry, interval_s=params.retry_interval),
            request_timeout_s=params.request_timeout,
            network=network,
            transport=transport,
            sleep=sleep,
            clock=clock,
        )
        self._toolbox = Toolbox(
            params, model=self._client, network=network, transport=transport, sleep=sleep, clock=clock
        )

    async def run(self, prompt: Prompt) -> Attempt:
        """One attempt, from prompt to final message.

        Raises:
            AttemptFailedError: The model's endpoint, or a service behind a tool, fails for good.
        """
        begun_s = self._clock()
        conversation = Conversation(
            self._first_messages(prompt), tool_names=(*self._params.tools, "create_sub_agents")
        )
        try:
            reply, stop_reason = await self._converse(conversation, prompt)
            fault = hidden_answer_fault(reply, model_id=self._client.spec.id) if reply else None
        except (EndpointError, ToolTroubleError) as error:
            raise AttemptFailedError(
                str(error),
                partial=self._attempt(conversation, None, StopReason.ERROR, begun_s),
                detail=error.detail,
                stops_run=error.stops_run,
            ) from None  # the frames behind it hold the question
        if fault:
            partial = self._attempt(conversation, None, StopReason.ERROR, begun_s)
            raise AttemptFailedError(fault, partial=partial)
        return self._attempt(conversation, reply, stop_reason, begun_s)

    async def aclose(self) -> None:
        """Give back connections and the index of the corpus."""
        await self._toolbox.aclose()
        await self._client.aclose()

    def _first_messages(self, prompt: Prompt) -> list[Message]:
        system_prompt = self._params.system_prompt
        if system_prompt is None and self._params.mode == "multi":
            system_prompt = MAIN_AGENT_PROMPT
        return first_messages(prompt, system_prompt=system_prompt, agent_prompt=self._params.agent_prompt)

    def _loop(self, tools: Mapping[str, Tool]) -> SearchLoop:
        return SearchLoop(self._client, tools=tools, params=self._params, clock=self._clock)

    def _limits(self, prompt: Prompt) -> Limits:
        now_s = asyncio.get_running_loop().time()
        return Limits(
            max_iterations=self._params.max_iterations,
            ends_at_s=None if prompt.time_budget_s is None else now_s + prompt.time_budget_s,
            last_request_s=LAST_REQUEST_S,
        )

    async def _converse(
        self, conversation: Conversation, prompt: Prompt
    ) -> tuple[Completion | None, StopReason]:
        """The last reply, ``None`` if none was asked for, and why it is the last."""
        limits = self._limits(prompt)
        tools = self._toolbox.tools
        if self._params.mode == "multi":
            task_force = SubAgents(
                conversation,
                loop=self._loop(tools),
                params=self._params,
                folder=prompt.folder,
                limits=limits,
                model_id=self._client.spec.id,
            )
            max_units = self._params.max_tool_response_length
            tools = {**tools, "create_sub_agents": CreateSubAgentsTool(task_force, max_units=max_units)}
        return await self._loop(tools).run(conversation, folder=prompt.folder, limits=limits)

    def _attempt(
        self, conversation: Conversation, reply: Completion | None, stop_reason: StopReason, begun_s: float
    ) -> Attempt:
        return Attempt(
            final_message=reply.message if reply else None,
            finish_reason=reply.finish_reason if reply else None,
            stop_reason=stop_reason,
            trajectory=tuple(conversation.steps),
            usage=dict(conversation.usage),
            duration_s=self._clock() - begun_s,
            issues=conversation.issues(),
            meta=self._meta(conversation),
        )

    def _meta(self, conversation: Conversation) -> dict[str, Any]:
        meta = {
            "n_iterations": conversation.n_iterations,
            "search_backend": self._params.search_backend,
            "visit_backend": self._params.visit_backend,
            "tools": list(self._params.tools),
            "tool_model_name": self._params.tool_model_name or None,
        }
        if self._params.mode == "multi":
            meta["n_sub_agents"] = conversation.n_sub_agents
        return meta
