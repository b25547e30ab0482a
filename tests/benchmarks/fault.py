"""A fault of a server, and what becomes of it; how the tables of faults put it."""

from dataclasses import dataclass
from typing import Any, Literal

from faulty_server import Reply, Role, Step, refuses, sends

Harness = Literal["openai_chat", "naive_search_agent"]
AGENT: Harness = "naive_search_agent"

CHECK_SERVER = "check the server, or raise max_retry"
CHECK_ADDRESS = "check base_url: it ends with the version, e.g. https://api.example/v1"

SHORTLY = (("Retry-After", "0.05"),)
BUSY = refuses(429, "slow down", headers=SHORTLY)
DOWN = refuses(503, "overloaded")
UPSTREAM = sends({"id": "g", "error": {"message": "Upstream error: overloaded", "code": 502}})
CUT = Reply(text='{"choices": [{"mess')
RESET = Reply(how="reset")
FILTERED = refuses(
    400,
    code="content_filter",
    innererror={"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"violence": {}}},
)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What one server does wrong with one task, and what of it is seen.

    `task_id` begins with the fault's number. `steps` are its replies in turn, the last one stays. `line` is
    the cause in the record and on the terminal, ``None`` where there is none; names of roles in braces stand
    for what errors call that service. `flag` is why no answer was read; `n_requests` counts what the server
    that fails was sent. `stops`: the session ends, and nothing else is asked.
    """

    task_id: str
    does: str
    steps: tuple[Step, ...]
    outcome: str = "correct"
    line: str | None = None
    role: Role = "model"
    harness: Harness = "openai_chat"
    stop_reason: str = "completed"
    flag: str | None = None
    n_requests: int = 1
    n_tool_failures: int = 0
    stops: bool = False
    in_time: bool = True
    """False: found by a limit on time, which the session has to set."""

    @property
    def number(self) -> str:
        return self.task_id.partition("-")[0]

    @property
    def exit_code(self) -> str:
        """That of a session with nothing else in it."""
        if self.stops:
            return "2"
        if self.outcome in {"run_error", "judge_error"}:
            return "1; 10 with a gate"
        return "0" if self.outcome == "correct" else "1; 0 with a gate it reaches"

    @property
    def record(self) -> str:
        """What the record shows, in a few words."""
        seen = [f"`{self.outcome}`"]
        seen += (
            [f"stop reason `{self.stop_reason}`"] if self.stop_reason not in {"completed", "error"} else []
        )
        seen += [f"answer flag `{self.flag}`"] if self.flag else []
        seen += [f"{self.n_tool_failures} failed tool call"] if self.n_tool_failures else []
        return ", ".join(seen)


def unavailable(what: str, *, n: int = 2, who: str = "model") -> str:
    return f"{{{who}}}: {what}, {n} requests; {CHECK_SERVER}"


def malformed(what: str) -> str:
    return f"{{model}}: HTTP 200 with {what}, 2 requests; {CHECK_ADDRESS}"


def well(task_id: str, does: str, *steps: Step, **more: Any) -> Fault:
    """A fault that costs requests and nothing else."""
    return Fault(task_id=task_id, does=does, steps=steps, **more)


def silent(task_id: str, does: str, step: Step, flag: str, **more: Any) -> Fault:
    """A reply without an answer: not attempted, no judge asked."""
    return Fault(task_id=task_id, does=does, steps=(step,), outcome="not_attempted", flag=flag, **more)


def failed(task_id: str, does: str, step: Step, line: str, **more: Any) -> Fault:
    """A fault that stays: a run error."""
    n_tool_failures = int(more.get("role") in {"search", "pages"})
    told: dict[str, Any] = {"outcome": "run_error", "stop_reason": "error", **more}
    told["n_tool_failures"] = n_tool_failures
    return Fault(task_id=task_id, does=does, steps=(step,), line=line, **told)


def unjudged(task_id: str, does: str, step: Step, line: str, **more: Any) -> Fault:
    """A fault of the judge that stays: a judge error."""
    whole = f"judge 'judge-1': {line}"
    return Fault(
        task_id=task_id, does=does, steps=(step,), line=whole, outcome="judge_error", role="judge", **more
    )
