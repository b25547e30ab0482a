"""What goes into a harness and what comes out of it: frozen values."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from harnesses.endpoint.messages import Message, TokenUsage


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """All a harness learns of a task.

    `prompt_id` is opaque: not the task id, but what `prompt_id_of` makes of it. `attempt` counts from 1.
    `text` is the whole text to ask. `attachments` lie in `folder`, which belongs to this attempt alone.
    `fields` may fill the user's prompt template, e.g. ``{"level": "1"}``. `time_budget_s` is the time in
    seconds after which the harness asks for an answer from what is known; ``None`` means no limit.
    """

    prompt_id: str
    attempt: int
    text: str
    folder: Path
    attachments: tuple[Path, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    time_budget_s: float | None = None


def prompt_id_of(task_id: str) -> str:
    """The opaque id that stands for a task in its prompts: 16 hex digits of the SHA-256 of its id."""
    return hashlib.sha256(task_id.encode()).hexdigest()[:16]


class StopReason(StrEnum):
    """Why an attempt ended."""

    COMPLETED = "completed"
    """The model answered without asking for another tool."""
    MAX_ITERATIONS = "max_iterations"
    TIME_BUDGET = "time_budget"
    CONTEXT_OVERFLOW = "context_overflow"
    TRUNCATED = "truncated"
    """The final message was cut at the token limit."""
    CONTENT_FILTER = "content_filter"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True)
class ModelStep:
    """One reply of the model. `message` is OpenAI-shaped; `duration_s` in seconds.

    `sub_agent` is the number of the sub-agent who got it, from 1 in the order they were created; ``None`` is
    the main agent, and is left out of the JSON.
    """

    message: Message
    finish_reason: str | None
    usage: TokenUsage
    duration_s: float
    forced: bool = False
    """True for the last request, which asks for an answer from what is known."""
    sub_agent: int | None = None

    def to_json(self) -> dict[str, Any]:
        """``{"kind": "model", "message": {…}, "finish_reason": "stop", "usage": {…}, …}``."""
        return {"kind": "model", **_plain(self), "usage": asdict(self.usage)}


@dataclass(frozen=True, kw_only=True)
class ToolStep:
    """One tool run. `arguments` as the model sent them, `result` as the model got it (cut to length).

    `failed` marks a run that brought nothing to read; `duration_s` is in seconds; `sub_agent` as in
    `ModelStep`.
    """

    tool: str
    call_id: str
    arguments: str
    result: str
    failed: bool
    duration_s: float
    sub_agent: int | None = None

    def to_json(self) -> dict[str, Any]:
        """``{"kind": "tool", "tool": "search", "arguments": "{…}", "result": "…", "failed": false, …}``."""
        return {"kind": "tool", **_plain(self)}


Step = ModelStep | ToolStep
Trajectory = tuple[Step, ...]


def _plain(step: Step) -> dict[str, Any]:
    plain = {each.name: getattr(step, each.name) for each in fields(step)}
    if step.sub_agent is None:
        del plain["sub_agent"]
    return plain


def step_from_json(values: Mapping[str, Any]) -> Step:
    """The step that `to_json` wrote.

    Raises:
        KeyError, TypeError: The values are no step.
    """
    given = {name: value for name, value in values.items() if name != "kind"}
    if values["kind"] == "tool":
        return ToolStep(**given)
    given["usage"] = TokenUsage(**given["usage"])
    return ModelStep(**given)


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One try at one task, as the harness saw it.

    `trajectory` has the steps of sub-agents between the call that created them and its result, one sub-agent
    after the other.

    `final_message` is the OpenAI-shaped message an answer is read from, ``None`` when the attempt failed
    before one came; `finish_reason` is that message's, ``None`` if the server gave none. `duration_s` is in
    seconds. `usage` is by role: ``{"model": TokenUsage, "tools": TokenUsage}`` ("tools": calls a tool
    made to a model, such as page summaries). `issues` are short public lines worth knowing beside the result,
    e.g. ``("search failed 2 times",)``. `meta` is for the record: plain JSON values.
    """

    final_message: Message | None
    finish_reason: str | None
    stop_reason: StopReason
    trajectory: Trajectory = ()
    usage: Mapping[str, TokenUsage] = field(default_factory=dict[str, TokenUsage])
    duration_s: float = 0.0
    issues: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def n_tool_calls(self) -> int:
        """Tool runs in the trajectory, at least 0."""
        return sum(isinstance(step, ToolStep) for step in self.trajectory)

    @property
    def n_tool_failures(self) -> int:
        """Tool runs that failed, 0 to `n_tool_calls`."""
        return sum(isinstance(step, ToolStep) and step.failed for step in self.trajectory)


class AttemptUnavailableError(Exception):
    """There is no attempt, and that is nobody's fault: its unit is unavailable, neither wrong nor trouble.

    `str()` is one public line that says why, e.g. "no answer in answers.jsonl".
    """


class AttemptFailedError(Exception):
    """An attempt ended in trouble instead of a final message: a run error, never a wrong answer.

    Args:
        line: One public line (value, rule, remedy).
        partial: What was done until then; its stop reason is `StopReason.ERROR`.
        detail: What a server said; for private records only.
        stops_run: True when no other attempt can succeed either, e.g. a refused key.
    """

    def __init__(self, line: str, *, partial: Attempt, detail: str = "", stops_run: bool = False) -> None:
        super().__init__(line)
        self.partial = partial
        self.detail = detail
        self.stops_run = stops_run
