"""The sub-agents of one attempt: each works one task off in a loop and a conversation of its own."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from harnesses.attempt import StopReason
from harnesses.conversation import Conversation
from harnesses.endpoint.errors import MalformedReplyError, OutOfTimeError, RequestRefusedError
from harnesses.endpoint.messages import Completion, Message
from harnesses.final_message import hidden_answer_fault
from harnesses.search_agent_params import NaiveSearchAgentParams
from harnesses.search_loop import Limits, SearchLoop
from harnesses.tools.create_sub_agents import Report
from harnesses.tools.thinking import without_thinking

MAIN_AGENT_PROMPT = (
    "Look up what the question needs, with your own tools or with sub-agents. Where parts of it can be "
    "looked up apart from each other, hand them out together with create_sub_agents. A sub-agent knows only "
    "the task you write: put into it all it must know and what it shall report. Judge the reports before you "
    "answer; nobody but you sees them."
)
"""The system message of the main agent, where the user has set none."""

_SUB_AGENT_PROMPT = (
    "You look something up for another agent. Use your tools, then report what you found, where it says so, "
    "and what you could not find. Only your last message is read, and no question of yours is answered."
)

_ANSWER_SHARE = 0.1
"""Part of the time left that sub-agents have for their reports, and again the main agent for what follows."""


class SubAgents:
    """Works tasks off for the main agent.

    What the sub-agents spend is counted in the conversation they branch off from, and their steps are kept
    there. Their time ends before the attempt's, so that their reports are not lost with it: they are asked
    for what they know twice `last_request_s` (or twice a tenth of the time left, if that is less) before, and
    cut off once as long before.

    Args:
        conversation: The main agent's.
        loop: How a sub-agent works; its tools must not hold `create_sub_agents`.
        params: How many requests each may make, and how many may work at once.
        folder: The attempt's own.
        limits: The main agent's.
        model_id: Named where a reply cannot be read.
    """

    def __init__(
        self,
        conversation: Conversation,
        *,
        loop: SearchLoop,
        params: NaiveSearchAgentParams,
        folder: Path,
        limits: Limits,
        model_id: str,
    ) -> None:
        self._conversation = conversation
        self._loop = loop
        self._max_iterations = params.sub_agent_max_iterations
        self._places = asyncio.Semaphore(params.sub_agent_concurrency)
        self._folder = folder
        self._main_limits = limits
        self._model_id = model_id

    async def work_off(self, tasks: Sequence[str]) -> Sequence[Report]:
        """A report on each task, in order.

        A sub-agent whose own request is refused, or whose time ends, reports that. Trouble that every agent
        meets ends all of them.

        Raises:
            EndpointError: The model's endpoint is down, or refuses the key.
            ToolTroubleError: A service behind a tool is, or does.
        """
        branches = [self._conversation.branch(_first_messages(task)) for task in tasks]
        limits = self._limits()
        try:
            async with asyncio.TaskGroup() as group:
                works = [group.create_task(self._report(branch, limits)) for branch in branches]
        except BaseExceptionGroup as troubles:
            raise troubles.exceptions[0] from None  # the first ended the others
        return [work.result() for work in works]

    def _limits(self) -> Limits:
        main = self._main_limits
        if main.ends_at_s is None:
            return Limits(
                max_iterations=self._max_iterations, ends_at_s=None, last_request_s=main.last_request_s
            )
        left_s = max(0.0, main.ends_at_s - asyncio.get_running_loop().time())
        answer_s = min(main.last_request_s, left_s * _ANSWER_SHARE)
        return Limits(
            max_iterations=self._max_iterations,
            ends_at_s=main.ends_at_s - 2 * answer_s,
            last_request_s=answer_s,
        )

    async def _report(self, branch: Conversation, limits: Limits) -> Report:
        number = branch.sub_agent or 0
        try:
            reply, stop_reason = await self._last_reply(branch, limits)
        except (TimeoutError, OutOfTimeError):
            return self._failed(number, "its time ended")
        except (RequestRefusedError, MalformedReplyError) as error:
            return self._failed(number, "a request of it failed", cause=str(error))
        if reply is None:
            return self._failed(number, f"it stopped at {stop_reason}")
        if fault := hidden_answer_fault(reply, model_id=self._model_id):
            return self._failed(number, "its last message is empty", cause=fault)
        text = without_thinking(reply.text)
        if not text:
            return self._failed(number, "its last message is empty")
        cut_short = "" if stop_reason is StopReason.COMPLETED else str(stop_reason)
        return Report(number=number, text=text, cut_short=cut_short)

    async def _last_reply(self, branch: Conversation, limits: Limits) -> tuple[Completion | None, StopReason]:
        ends_at_s = limits.ends_at_s
        cut_at_s = None if ends_at_s is None else ends_at_s + limits.last_request_s
        async with asyncio.timeout_at(cut_at_s), self._places:
            if ends_at_s is not None and asyncio.get_running_loop().time() >= ends_at_s:
                raise TimeoutError  # asked now, it would report without having looked
            return await self._loop.run(branch, folder=self._folder, limits=limits)

    def _failed(self, number: int, line: str, *, cause: str = "") -> Report:
        self._conversation.sub_agent_faults[cause or line] += 1
        return Report(number=number, text=f"Error: no report, {line}.", failed=True)


def _first_messages(task: str) -> list[Message]:
    return [{"role": "system", "content": _SUB_AGENT_PROMPT}, {"role": "user", "content": task}]
