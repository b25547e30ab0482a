"""The tool calls of one reply: run together, told in the order of the calls."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

from harnesses.attempt import ToolStep
from harnesses.endpoint.messages import ToolCall
from harnesses.tools.arguments import read_arguments
from harnesses.tools.tool import BadArgumentsError, Tool, ToolContext, ToolResult
from harnesses.tools.truncation import truncate

_NOT_FINISHED = ToolResult(text="Error: not finished.", failed=True)


class Turn:
    """One round of tools.

    Args:
        calls: What the model asked for.
        tools: By name, e.g. ``{"search": SearchTool(…)}``.
        n_calls_at_most: How many calls are run; each further one gets an error.
        max_units: What a result is cut to (see `truncate`).
        clock: Tells seconds.
    """

    def __init__(
        self,
        calls: Sequence[ToolCall],
        tools: Mapping[str, Tool],
        *,
        n_calls_at_most: int,
        max_units: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._calls = tuple(calls)
        self._tools = tools
        self._n_calls_at_most = n_calls_at_most
        self._max_units = max_units
        self._clock = clock
        self._finished: dict[int, tuple[ToolResult, float]] = {}

    async def run(self, context: ToolContext) -> None:
        """Run the calls; all of them end, then the first trouble, if any, is raised.

        Raises:
            ToolTroubleError: A service fails.
            EndpointError: A model that a tool asks fails.
        """
        self._refuse_surplus()
        runs = (self._run_one(i, context) for i in range(min(len(self._calls), self._n_calls_at_most)))
        for ended in await asyncio.gather(*runs, return_exceptions=True):
            if ended is not None:
                raise ended

    def steps(self) -> tuple[ToolStep, ...]:
        """A step for each call, in order; a call that was cancelled or ran into trouble says so."""
        return tuple(self._step(i, call) for i, call in enumerate(self._calls))

    def _refuse_surplus(self) -> None:
        text = f"Error: not run, at most {self._n_calls_at_most} calls in a turn. Call again if needed."
        for i in range(self._n_calls_at_most, len(self._calls)):
            self._finished[i] = (ToolResult(text=text, failed=True), 0.0)

    async def _run_one(self, i: int, context: ToolContext) -> None:
        call, begun_s = self._calls[i], self._clock()
        try:
            result = await self._result(call, context)
        except BadArgumentsError as error:
            result = ToolResult(text=f"Error: {error}.", failed=True)
        self._finished[i] = (result, self._clock() - begun_s)

    async def _result(self, call: ToolCall, context: ToolContext) -> ToolResult:
        tool = self._tools.get(call.name)
        if tool is None:
            raise BadArgumentsError(
                f"there is no tool {call.name[:64]!r}; the tools are {', '.join(self._tools)}"
            )
        return await tool.run(read_arguments(call.arguments), context)

    def _step(self, i: int, call: ToolCall) -> ToolStep:
        result, duration_s = self._finished.get(i, (_NOT_FINISHED, 0.0))
        return ToolStep(
            tool=call.name,
            call_id=call.call_id,
            arguments=call.arguments,
            result=truncate(result.text, self._max_units),
            failed=result.failed,
            duration_s=duration_s,
        )
