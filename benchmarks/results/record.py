"""A record: what is kept of one attempt."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from typing import Any

from benchmarks.results.plain import plain_line


class Outcome(StrEnum):
    """What an attempt contributes to a run; every planned unit ends in exactly one."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    NOT_ATTEMPTED = "not_attempted"
    RUN_ERROR = "run_error"
    JUDGE_ERROR = "judge_error"
    UNAVAILABLE = "unavailable"
    UNSCORED = "unscored"

    @property
    def is_evaluated(self) -> bool:
        """A verdict was given."""
        return self in {Outcome.CORRECT, Outcome.INCORRECT, Outcome.NOT_ATTEMPTED}

    @property
    def is_error(self) -> bool:
        """Trouble: not evaluated, never wrong."""
        return self in {Outcome.RUN_ERROR, Outcome.JUDGE_ERROR}


@dataclass(frozen=True, kw_only=True)
class Record:
    """One attempt, in plain JSON values throughout (it travels on a pytest report).

    `cause` is one public line that explains an error or an unavailable unit, else ``None``. `final_answer` is
    ``None`` where no answer was read, `answer_flag` where nothing was odd about it, `stop_reason` where there
    was no attempt, `primary` (the primary judge's evaluation type) where no verdict was given. `usage` is by
    role: ``{"model": {"input_tokens": 12, "output_tokens": 3, "reasoning_tokens": None, "n_requests": 1},
    "tools": {…}, "judge": {…}}``. `timing` in seconds: ``{"started_at": 1764518400.0 (Unix), "run_s": 3.2,
    "judge_s": 0.4}``. `scoring` is by evaluation type, the primary first: ``{"llm_judge": {"correct": True,
    "grade": "A", …}, "gaia_official": {…}}``. `carries_canary` is True where a tool result held the dataset's
    canary: the tasks have leaked into what was searched. `prompt_digest` is the SHA-256 (hex) of the text
    that was asked, ``None`` where nothing was. `reused`: the record was made by the run that this one resumes
    or judges again. `private` holds what only details/ may say: provider texts, tracebacks.
    """

    task_id: str
    attempt: int
    category: str
    ground_truth: str
    outcome: Outcome
    cause: str | None = None
    final_answer: str | None = None
    answer_flag: str | None = None
    stop_reason: str | None = None
    trajectory: tuple[Mapping[str, Any], ...] = ()
    usage: Mapping[str, Mapping[str, int | None]] = field(default_factory=dict[str, Mapping[str, int | None]])
    timing: Mapping[str, float | None] = field(default_factory=dict[str, float | None])
    n_tool_calls: int = 0
    n_tool_failures: int = 0
    issues: tuple[str, ...] = ()
    primary: str | None = None
    scoring: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    benchmark_meta: Mapping[str, Any] = field(default_factory=dict[str, Any])
    harness_meta: Mapping[str, Any] = field(default_factory=dict[str, Any])
    carries_canary: bool = False
    prompt_digest: str | None = None
    reused: bool = False
    private: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @cached_property
    def line(self) -> str:
        """All fields as one line of JSON, the ground truth included: for private files and our own reports.

        Whatever was put in, this does not fail: what cannot be written becomes text.
        """
        return plain_line({each.name: getattr(self, each.name) for each in fields(self)})

    def to_json(self) -> dict[str, Any]:
        """The plain JSON values of `line`."""
        values: dict[str, Any] = json.loads(self.line)
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Record":
        """The record that `to_json` told of.

        Raises:
            ValueError: The values are no record.
        """
        try:
            known = dict(values)
            known["outcome"] = Outcome(known["outcome"])
            _check_unit(known["task_id"], known["attempt"])
            known["trajectory"] = tuple(known.get("trajectory", ()))
            known["issues"] = tuple(known.get("issues", ()))
            return cls(**known)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"these values are no record: {error}") from error

    @classmethod
    def from_line(cls, line: str) -> "Record":
        """The record that `line` told of.

        Raises:
            ValueError: The line is no record.
        """
        record = cls.from_json(json.loads(line))
        record.__dict__["line"] = line  # as the cache of the property keeps it
        return record


def _check_unit(task_id: object, attempt: object) -> None:
    if not isinstance(task_id, str) or not isinstance(attempt, int):
        raise TypeError(f"task_id {task_id!r} and attempt {attempt!r} name no unit")
