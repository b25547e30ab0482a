"""The default harness: a model searches and reads until it answers."""

import asyncio
import time
from typing import ClassVar

from harnesses.attempt import Attempt, AttemptFailedError, Prompt, StopReason
from harnesses.conversation import Conversation
from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.errors import ContextOverflowError, EndpointError
from harnesses.endpoint.http import Clock, Sleep, Transport
from harnesses.endpoint.messages import Completion, TokenUsage
from harnesses.endpoint.retrying import Retries
from harnesses.endpoint.spec import EndpointSpec
from harnesses.final_message import hidden_answer_fault, stop_reason_of
from harnesses.prompt_template import first_messages
from harnesses.search_agent_params import NaiveSearchAgentParams
from harnesses.tools.tool import ToolContext, ToolTroubleError
from harnesses.tools.toolbox import Toolbox

LAST_REQUEST_S = 240.0
"""Seconds for the answer asked for at the time budget: the attempt is cut off 300 s after the budget, and
what it had done would be lost with it."""


class NaiveSearchAgent:
    """A function-calling loop with `search`, `visit` and `browse`.

    The model's first reply without a tool call is the final message. When iterations, time or context run
    out, one last request without tools asks for an answer from what is known.

    Args:
        params: How the agent searches, reads and ends.
        model: The model under test.
        transport: Stands in for the network in tests; ``None`` is the network.
        sleep: Waits between retries.
        clock: Tells seconds.
    """

    name: ClassVar[str] = "naive_search_agent"
    readable_suffixes: ClassVar[frozenset[str]] = frozenset()
    searches: ClassVar[bool] = True
    Params = NaiveSearchAgentParams

    def __init__(
        self,
        params: NaiveSearchAgentParams,
        *,
        model: EndpointSpec,
        transport: Transport | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Clock = time.monotonic,
    ) -> None:
        self._params = params
        self._clock = clock
        self._client = EndpointClient(
            model,
            retries=Retries(max_retries=params.max_retry, interval_s=params.retry_interval),
            request_timeout_s=params.request_timeout,
            transport=transport,
            sleep=sleep,
            clock=clock,
        )
        self._toolbox = Toolbox(params, model=self._client, transport=transport, sleep=sleep, clock=clock)

    async def run(self, prompt: Prompt) -> Attempt:
        """One attempt, from prompt to final message.

        Raises:
            AttemptFailedError: The model's endpoint, or a service behind a tool, fails for good.
        """
        begun_s = self._clock()
        params = self._params
        messages = first_messages(
            prompt, system_prompt=params.system_prompt, agent_prompt=params.agent_prompt
        )
        conversation = Conversation(messages, tool_names=params.tools)
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

    async def _converse(
        self, conversation: Conversation, prompt: Prompt
    ) -> tuple[Completion | None, StopReason]:
        """The last reply, ``None`` if none was asked for, and why it is the last."""
        try:
            async with asyncio.timeout(prompt.time_budget_s):
                reply = await self._explore(conversation, prompt)
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
            limit_s = min(limit_s, LAST_REQUEST_S)
        return await self._forced_answer(conversation, limit_s), stop_reason

    async def _explore(self, conversation: Conversation, prompt: Prompt) -> Completion | None:
        """The first reply without tool calls; ``None`` if the iterations end first."""
        context = ToolContext(folder=prompt.folder, spend=lambda usage: conversation.spend("tools", usage))
        for _ in range(self._params.max_iterations):
            reply = await self._ask(conversation)
            if not reply.tool_calls:
                return reply
            turn = self._toolbox.turn(reply.tool_calls)
            try:
                await turn.run(context)
            finally:
                conversation.add_tool_steps(turn.steps())
        return None

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
                conversation.messages,
                tools=self._toolbox.schemas if last_s is None else (),
                timeout_s=last_s,
            )
        except EndpointError as error:
            conversation.spend("model", TokenUsage(n_requests=error.n_requests))
            raise
        conversation.add_reply(reply, forced=last_s is not None)
        return reply

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
            meta={
                "n_iterations": conversation.n_iterations,
                "search_backend": self._params.search_backend,
                "visit_backend": self._params.visit_backend,
                "tools": list(self._params.tools),
                "tool_model_name": self._params.tool_model_name or None,
            },
        )
