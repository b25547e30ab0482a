"""The tool `create_sub_agents`: tasks in, a report on each out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from harnesses.endpoint.json_values import as_object
from harnesses.endpoint.messages import ToolSchema
from harnesses.tools.arguments import listed
from harnesses.tools.tool import BadArgumentsError, ToolContext, ToolResult
from harnesses.tools.truncation import truncate

MOST_SUB_AGENTS = 10
"""Sub-agents of one call; `max_tool_calls_per_turn` does not bound them, for a call is one call."""

_FRAME_UNITS = 18
"""What a report takes beside its text: the longest heading, and the mark where it was cut."""

_SCHEMA: Final[ToolSchema] = {
    "name": "create_sub_agents",
    "description": "Have sub-agents look things up at the same time. Returns a report of each.",
    "parameters": {
        "type": "object",
        "properties": {
            "tasks": {
                "type": "array",
                "items": {"type": "string"},
                "description": (
                    f"1 to {MOST_SUB_AGENTS} tasks, one for each sub-agent. Each is all the sub-agent knows."
                ),
            }
        },
        "required": ["tasks"],
    },
}


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a sub-agent brought back.

    `number` counts the sub-agents of the attempt from 1. `cut_short` says why it had to stop early, e.g.
    "max_iterations"; "" if it ended of its own accord. `failed` marks a text that only tells why there is no
    report.
    """

    number: int
    text: str
    cut_short: str = ""
    failed: bool = False


class TaskForce(Protocol):
    """Who works tasks off."""

    async def work_off(self, tasks: Sequence[str]) -> Sequence[Report]:
        """A report on each task, in order.

        Raises:
            EndpointError: The model's endpoint fails for everybody.
            ToolTroubleError: So does a service behind a tool.
        """
        ...


class CreateSubAgentsTool:
    """Hands tasks out and brings the reports together.

    Args:
        task_force: Who works them off.
        max_units: What the result will be cut to (see `truncate`). Reports that are longer together are each
            cut to an equal part of it, so that none is lost.
    """

    schema: ToolSchema = _SCHEMA

    def __init__(self, task_force: TaskForce, *, max_units: int) -> None:
        self._task_force = task_force
        self._max_units = max_units

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:  # noqa: ARG002 - the protocol's form
        """Have each task worked off; failed only if every sub-agent failed."""
        reports = await self._task_force.work_off(tasks_in(arguments))
        return ToolResult(text=self._as_text(reports), failed=all(report.failed for report in reports))

    def _as_text(self, reports: Sequence[Report]) -> str:
        whole = "\n\n".join(_entry(report, report.text) for report in reports)
        if truncate(whole, self._max_units) == whole:
            return whole
        part = max(1, self._max_units // len(reports) - _FRAME_UNITS)
        return "\n\n".join(_entry(report, truncate(report.text, part)) for report in reports)


def tasks_in(arguments: Mapping[str, Any]) -> list[str]:
    """The tasks of a call, 1 to `MOST_SUB_AGENTS`, in order.

    Each is a text, or an object that holds it: ``{"task": "…"}``, or ``{"prompt": "…"}`` as AgentCompass has
    it. A single text is one task.

    Raises:
        BadArgumentsError: There is none, there are too many, or one is blank.
    """
    given = listed(arguments.get("tasks"))
    if not given or given == [None]:
        raise BadArgumentsError("tasks is missing: give a list of texts, one for each sub-agent")
    if len(given) > MOST_SUB_AGENTS:
        raise BadArgumentsError(f"tasks lists {len(given)} entries; give at most {MOST_SUB_AGENTS}")
    tasks = [_task(entry) for entry in given]
    if "" in tasks:
        raise BadArgumentsError(f"task {tasks.index('') + 1} is blank or no text: write what to look up")
    return tasks


def _task(entry: Any) -> str:
    parts = as_object(entry)
    text = parts.get("task") or parts.get("prompt") if parts else entry
    return text.strip() if isinstance(text, str) else ""


def _entry(report: Report, text: str) -> str:
    why = f" (cut short: {report.cut_short})" if report.cut_short else ""
    return f"Sub-agent {report.number}{why}:\n{text}"
