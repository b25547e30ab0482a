"""Makes the record of one attempt: what is public is redacted, what is private is kept apart."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from benchmarks.redaction import Redactor
from benchmarks.results.record import Outcome, Record
from benchmarks.task import Task
from harnesses.attempt import Attempt, AttemptFailedError, StopReason, ToolStep
from judges.answer_reader import Answer
from judges.judge import JudgeFailedError, Judgment

_OUTCOMES = {"A": Outcome.CORRECT, "B": Outcome.INCORRECT, "C": Outcome.NOT_ATTEMPTED}
NOTHING = Attempt(final_message=None, finish_reason=None, stop_reason=StopReason.ERROR)
"""The attempt of a harness that left none."""


@dataclass(frozen=True, kw_only=True)
class Graded:
    """One judgment and the text it was made on; `model_answer` is ``None`` where no judge was asked."""

    judgment: Judgment
    model_answer: str | None


class Clerk:
    """Writes the record of one attempt at `task`.

    Args:
        task: What was asked.
        attempt: The attempt's number, from 1.
        started_at: When it started, in Unix seconds.
        redactor: Decides what of a cause or an issue is public.
    """

    def __init__(self, task: Task, attempt: int, *, started_at: float, redactor: Redactor) -> None:
        self._task = task
        self._attempt = attempt
        self._started_at = started_at
        self._redactor = redactor

    def judged(
        self, graded: Sequence[Graded], attempt: Attempt, answer: Answer, *, run_s: float, judge_s: float
    ) -> Record:
        """The record of an attempt with a verdict; the first of `graded` is the primary judge's."""
        primary = graded[0].judgment
        calls = [dict(call) for one in graded for call in one.judgment.evidence]
        return self._record(
            _OUTCOMES[primary.verdict.letter],
            attempt,
            answer,
            primary=primary.evaluation_type,
            scoring={one.judgment.evaluation_type: self._scoring(one) for one in graded},
            private={"judge_calls": calls} if calls else {},
            judge_usage=asdict(primary.usage) if primary.usage.n_requests else None,
            run_s=run_s,
            judge_s=judge_s,
        )

    def unscored(self, attempt: Attempt, answer: Answer, *, run_s: float) -> Record:
        """The record of an attempt whose ground truth the dataset keeps to itself."""
        return self._record(Outcome.UNSCORED, attempt, answer, run_s=run_s)

    def run_error(self, error: BaseException, *, run_s: float) -> Record:
        """The record of an attempt that ended in trouble, with whatever it had done until then."""
        if isinstance(error, AttemptFailedError):
            partial, cause, private = error.partial, str(error), {"server_said": error.detail}
        else:
            partial, cause, private = NOTHING, _unexpected(error), {"traceback": _traceback(error)}
        return self._record(Outcome.RUN_ERROR, partial, None, cause=cause, private=private, run_s=run_s)

    def unavailable(self, cause: str, *, partial: Attempt = NOTHING, run_s: float) -> Record:
        """The record of an attempt that could not be made, with whatever was done for it all the same."""
        record = self._record(Outcome.UNAVAILABLE, partial, None, cause=cause, run_s=run_s)
        return record if partial is not NOTHING else replace(record, stop_reason=None)

    def judge_error(
        self,
        error: BaseException,
        beside: Sequence[Graded],
        attempt: Attempt,
        answer: Answer,
        *,
        run_s: float,
        judge_s: float,
    ) -> Record:
        """The record of an attempt without the primary judge's verdict; `beside`: what scorers say of it."""
        usage: dict[str, Any] | None = None
        if isinstance(error, JudgeFailedError):
            cause, usage = str(error), asdict(error.usage)
            private = {"judge_said": error.detail, "judge_calls": [dict(call) for call in error.evidence]}
        else:
            cause, private = _unexpected(error), {"traceback": _traceback(error)}
        return self._record(
            Outcome.JUDGE_ERROR,
            attempt,
            answer,
            cause=cause,
            private=private,
            scoring={one.judgment.evaluation_type: self._scoring(one) for one in beside},
            judge_usage=usage,
            run_s=run_s,
            judge_s=judge_s,
        )

    def with_output(self, record: Record, output: str) -> Record:
        """`record` with what the attempt's own code printed and logged; as it is where that was nothing."""
        if not output:
            return record
        return replace(record, private={**record.private, "output": self._redactor.mask_keys(output)})

    def _record(
        self,
        outcome: Outcome,
        attempt: Attempt,
        answer: Answer | None,
        *,
        run_s: float,
        judge_s: float | None = None,
        judge_usage: Mapping[str, Any] | None = None,
        cause: str | None = None,
        private: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Record:
        task, public = self._task, self._redactor
        usage = {role: asdict(spent) for role, spent in attempt.usage.items()}
        return Record(
            task_id=task.task_id,
            attempt=self._attempt,
            category=task.category,
            ground_truth=task.ground_truth,
            outcome=outcome,
            cause=None if cause is None else public.line(cause, task),
            final_answer=None if answer is None else answer.text,
            answer_flag=None if answer is None else answer.flag,
            stop_reason=str(attempt.stop_reason),
            trajectory=tuple(step.to_json() for step in attempt.trajectory),
            usage=usage if judge_usage is None else usage | {"judge": judge_usage},
            timing={"started_at": self._started_at, "run_s": run_s, "judge_s": judge_s},
            n_tool_calls=attempt.n_tool_calls,
            n_tool_failures=attempt.n_tool_failures,
            issues=tuple(public.line(issue, task) for issue in attempt.issues),
            carries_canary=_carries(attempt, task.canary),
            benchmark_meta=dict(task.metadata),
            harness_meta=dict(attempt.meta),
            private=self._private(cause, private or {}),
            **more,
        )

    def _private(self, cause: str | None, private: Mapping[str, Any]) -> dict[str, Any]:
        """Everything but keys: even a private file must not hold a key that a server echoed."""
        whole = dict(private) if cause is None else {"cause": cause, **private}
        mask = self._redactor.mask_keys
        return {name: mask(value) if isinstance(value, str) else value for name, value in whole.items()}

    def _scoring(self, graded: Graded) -> dict[str, Any]:
        judgment = graded.judgment
        return {
            "evaluation_type": judgment.evaluation_type,
            "correct": judgment.verdict.is_correct,
            "grade": judgment.verdict.letter,
            "label": judgment.verdict.label,
            "model_answer": graded.model_answer,
            "ground_truth": self._task.ground_truth,
            "raw_response": judgment.raw_response,
            "judge_model": judgment.judge_model,
            "prompt_digest": judgment.prompt_digest,
        }


def _carries(attempt: Attempt, canary: str | None) -> bool:
    """Whether a tool result, as the model got it, holds the dataset's canary in whatever case and spacing."""
    if canary is None or not canary.strip():
        return False
    wanted = " ".join(canary.split()).casefold()
    results = (step.result for step in attempt.trajectory if isinstance(step, ToolStep))
    return any(wanted in " ".join(result.split()).casefold() for result in results)


def _unexpected(error: BaseException) -> str:
    return f"unexpected {type(error).__name__}; the traceback is in this task's file under details/"


def _traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))
