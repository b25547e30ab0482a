"""One agent at work: it asks the model, runs the tools the model calls, and ends with a last reply."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harnesses.attempt import StopReason
from harnesses.conversation import Conversation
from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.errors import ContextOverflowError, EndpointError
from harnesses.endpoint.http import Clock
from harnesses.endpoint.messages import Completion, TokenUsage
from harnesses.final_message import stop_reason_of
from harnesses.search_agent_params import NaiveSearchAgentParams
from harnesses.tools.tool import Tool, ToolContext
from harnesses.tools.turn import Turn


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one agent may use up.

    `max_iterations` counts requests with tools, at least 1. `ends_at_s` is when it is asked for its answer,
    in seconds on the event loop's clock; ``None`` is never. `last_request_s` is what that answer may take, in
    seconds above 0.
    """

    max_iterations: int
    ends_at_s: float | None
    last_request_s: float


class SearchLoop:
    """How an agent works; holds nothing of an attempt, so one may serve many at once.

    The first reply without a tool call is the last. When iterations, time or context run out, one last
    request without tools asks for an answer from what is known.

    Args:
        client: Asks the model.
        tools: What the model may call, by name, in the order it is told of them.
        params: How many calls a turn may have, how long results may be, whether an answer is asked for.
        clock: Tells seconds.
    """

    def __init__(
        self,
        client: EndpointClient,
        *,
        tools: Mapping[str, Tool],
        params: NaiveSearchAgentParams,
        clock: Clock,
    ) -> None:
        self._client = client
        self._tools = tools
        self._schemas = [tool.schema for tool in tools.values()]
        self._params = params
        self._clock = clock

    async def run(
        self, conversation: Conversation, *, folder: Path, limits: Limits
    ) -> tuple[Completion | None, StopReason]:
        """The last reply, ``None`` if none was asked for, and why it is the last.

        Args:
            conversation: What the model is told first; grows with each reply and each result.
            folder: Where tools may work.
            limits: When to ask for an answer.

        Raises:
            EndpointError: The model's endpoint fails for good.
            ToolTroubleError: So does a service behind a tool.
        """
        try:
            async with asyncio.timeout_at(limits.ends_at_s):
                reply = await self._explore(conversation, folder, limits.max_iterations)
        except TimeoutError:
            stop_reason = StopReason.TIME_BUDGET
        except ContextOverflowError:
            stop_reason = StopReason.CONTEXT_OVERFLOW
            conversation.shorten_tool_results()
        else:
            if reply is not None:
                return reply, stop_reason_of(reply)
            stop_reason = StopReason.MAX_ITERATIONS
        if not self._params.force_final_answer:
            return None, stop_reason
        limit_s = self._params.request_timeout
        if stop_reason is StopReason.TIME_BUDGET:
            limit_s = min(limit_s, limits.last_request_s)
        return await self._forced_answer(conversation, limit_s), stop_reason

    async def _explore(
        self, conversation: Conversation, folder: Path, max_iterations: int
    ) -> Completion | None:
        """The first reply without tool calls; ``None`` if the iterations end first."""
        context = ToolContext(folder=folder, spend=lambda usage: conversation.spend("tools", usage))
        for _ in range(max_iterations):
            reply = await self._ask(conversation)
            if not reply.tool_calls:
                return reply
            turn = self._turn(reply)
            try:
                await turn.run(context)
            finally:
                conversation.add_tool_steps(turn.steps())
        return None

    def _turn(self, reply: Completion) -> Turn:
        return Turn(
            reply.tool_calls,
            self._tools,
            n_calls_at_most=self._params.max_tool_calls_per_turn,
            max_units=self._params.max_tool_response_length,
            clock=self._clock,
        )

    async def _forced_answer(self, conversation: Conversation, limit_s: float) -> Completion:
        conversation.ask_for_answer()
        try:
            return await self._ask(conversation, last_s=limit_s)
        except ContextOverflowError:
            conversation.shorten_tool_results()
            return await self._ask(conversation, last_s=limit_s)

    async def _ask(self, conversation: Conversation, *, last_s: float | None = None) -> Completion:
        """One reply. `last_s` marks the last request, without tools, and is its limit in seconds.

        The last request has no time for a long row of retries, so its limit covers them all.
        """
        try:
            reply = await self._client.complete(
                conversation.messages, tools=self._schemas if last_s is None else (), timeout_s=last_s
            )
        except EndpointError as error:
            conversation.spend("model", TokenUsage(n_requests=error.n_requests))
            raise
        conversation.add_reply(reply, forced=last_s is not None)
        return reply
