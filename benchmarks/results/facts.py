"""The facts of an attempt that numbers are reduced from: small, so that a hundred thousand fit in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from benchmarks.results.record import Outcome

UnitKey = tuple[str, int]
"""Task id and attempt number, from 1."""

NO_RECORD = "no record in details/"


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptFacts:
    """What metrics need of one attempt; no text of a question, an answer or a model.

    `scorers` tells what each secondary scorer said: ``{"gaia_official": True}``; one that did not grade is
    left out. `usage` is by role as in a record. `run_s` and `judge_s` are seconds, ``None`` if unknown.
    `carries_canary` says that a tool result held the dataset's canary.
    """

    task_id: str
    attempt: int
    outcome: Outcome
    cause: str | None = None
    stop_reason: str | None = None
    scorers: Mapping[str, bool] = field(default_factory=dict[str, bool])
    usage: Mapping[str, Mapping[str, int | None]] = field(default_factory=dict[str, Mapping[str, int | None]])
    run_s: float | None = None
    judge_s: float | None = None
    n_tool_calls: int = 0
    n_tool_failures: int = 0
    carries_canary: bool = False

    @property
    def key(self) -> UnitKey:
        """The unit these facts belong to."""
        return self.task_id, self.attempt


def facts_of(task_id: str, attempt: int, entry: Mapping[str, Any]) -> AttemptFacts:
    """The facts in one attempt of a detail.

    Raises:
        KeyError, TypeError, ValueError: The entry is none that the recorder wrote.
    """
    return AttemptFacts(
        task_id=task_id,
        attempt=attempt,
        outcome=Outcome(entry["outcome"]),
        cause=_text(entry["cause"]),
        stop_reason=_text(entry["stop_reason"]),
        scorers=_scorers(_mapping(entry["meta"]["benchmark"]["scoring"])),
        usage={role: _tokens(_mapping(used)) for role, used in _mapping(entry["usage"]).items()},
        run_s=_seconds(_mapping(entry["timing"]).get("run_s")),
        judge_s=_seconds(_mapping(entry["timing"]).get("judge_s")),
        n_tool_calls=_whole(entry["n_tool_calls"]) or 0,
        n_tool_failures=_whole(entry["n_tool_failures"]) or 0,
        carries_canary=entry.get("carries_canary") is True,
    )


def no_record(task_id: str, attempt: int) -> AttemptFacts:
    """The facts of a planned unit whose detail is missing: unavailable, never wrong."""
    return AttemptFacts(task_id=task_id, attempt=attempt, outcome=Outcome.UNAVAILABLE, cause=NO_RECORD)


def _scorers(scoring: Mapping[str, Any]) -> dict[str, bool]:
    graded: dict[str, bool] = {}
    for name, value in scoring.items():
        fields = _mapping(value)
        correct = fields.get("correct")
        if isinstance(correct, bool) and fields.get("evaluation_type") == name:
            graded[name] = correct
    return graded


# A field that had to become text counts as unknown; the attempt counts all the same.


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _tokens(used: Mapping[str, Any]) -> dict[str, int | None]:
    return {name: _whole(n) for name, n in used.items()}


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)
