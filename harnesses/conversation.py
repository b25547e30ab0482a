"""What was said so far in one attempt of `naive_search_agent`, and what it took."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace

from harnesses.attempt import ModelStep, Step, ToolStep
from harnesses.endpoint.messages import Completion, Message, TokenUsage
from harnesses.tools.truncation import truncate

_ASK_FOR_ANSWER = "No tools can be used any more. Give your final answer now, from what you know so far."
_SHORTENED_UNITS = 256
"""What each tool result is cut to when the context is full: a thirtieth of the default length."""


class Conversation:
    """Grows with an attempt; holds at any moment what a record needs, also when the attempt is cancelled.

    Args:
        messages: What the model is told first.
        tool_names: Names that may be shown in public, e.g. ``("search", "visit")``.
        sub_agent: The number of the sub-agent who holds it; ``None`` is the main agent.

    `messages` go to the model, `steps` into the record. `usage` is by role: "model" and "tools".
    `sub_agent_faults` counts why sub-agents reported nothing: ``{"its time ended": 2}``, public lines.
    """

    def __init__(
        self, messages: Iterable[Message], *, tool_names: Collection[str], sub_agent: int | None = None
    ) -> None:
        self.sub_agent = sub_agent
        self.n_sub_agents = 0
        self.sub_agent_faults: Counter[str] = Counter()
        self._branches: list[Conversation] = []
        self._tool_names = tool_names
        self.messages: list[Message] = list(messages)
        self.steps: list[Step] = []
        self.usage = {"model": TokenUsage(), "tools": TokenUsage()}

    @property
    def n_iterations(self) -> int:
        """Replies to this agent so far, the forced last one not counted."""
        replies = (step for step in self.steps if isinstance(step, ModelStep) and not step.forced)
        return sum(step.sub_agent == self.sub_agent for step in replies)

    def branch(self, messages: Iterable[Message]) -> "Conversation":
        """The conversation of a new sub-agent, told `messages` first.

        What it takes counts here at once; its steps come here before the results of the turn.
        """
        self.n_sub_agents += 1
        branch = Conversation(messages, tool_names=self._tool_names, sub_agent=self.n_sub_agents)
        branch.usage = self.usage
        self._branches.append(branch)
        return branch

    def spend(self, role: str, usage: TokenUsage) -> None:
        """Count tokens for `role`, "model" or "tools"."""
        self.usage[role] += usage

    def add_reply(self, completion: Completion, *, forced: bool = False) -> None:
        """Take the model's reply in."""
        self.messages.append(completion.message)
        self.steps.append(
            ModelStep(
                message=completion.message,
                finish_reason=completion.finish_reason,
                usage=completion.usage,
                duration_s=completion.duration_s,
                forced=forced,
                sub_agent=self.sub_agent,
            )
        )
        self.spend("model", completion.usage)

    def add_tool_steps(self, steps: Iterable[ToolStep]) -> None:
        """Take the results of a turn in: every call of the reply before needs one.

        What sub-agents did in that turn comes first, one sub-agent after the other.
        """
        for branch in self._branches:
            self.steps += branch.steps
        self._branches.clear()
        for step in steps:
            self.messages.append({"role": "tool", "tool_call_id": step.call_id, "content": step.result})
            self.steps.append(replace(step, sub_agent=self.sub_agent))

    def ask_for_answer(self) -> None:
        """Tell the model that its next reply is the last."""
        self.messages.append({"role": "user", "content": _ASK_FOR_ANSWER})

    def shorten_tool_results(self) -> None:
        """Cut what the model has before it, so that one more request fits; the steps keep all."""
        self.messages = [
            {**message, "content": truncate(message["content"], _SHORTENED_UNITS)}
            if message["role"] == "tool"
            else message
            for message in self.messages
        ]

    def issues(self) -> tuple[str, ...]:
        """Short public lines on what failed on the way, e.g. ``("search failed 2 times",)``."""
        failed = [step.tool for step in self.steps if isinstance(step, ToolStep) and step.failed]
        # A name that no tool has is the model's own text and must not reach a report.
        named = [name if name in self._tool_names else "another tool" for name in failed]
        return (
            *(f"{name} failed {_times(n)}" for name, n in Counter(named).items()),
            *(f"no report of a sub-agent {_times(n)}: {why}" for why, n in self.sub_agent_faults.items()),
        )


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"
