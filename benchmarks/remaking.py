"""A record that was made before, turned back into what a pytest item waits for."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from benchmarks.recording import NOTHING
from benchmarks.results.record import Outcome, Record
from harnesses.attempt import Attempt, AttemptFailedError, ModelStep, StopReason, Trajectory, step_from_json
from harnesses.endpoint.messages import Message, TokenUsage
from judges.answer_reader import read_answer
from judges.judge import JudgeFailedError, Judgment
from judges.verdict import Letter, Verdict

Value = TypeVar("Value")

_NO_STEPS: Trajectory = ()


def attempt_of(record: Record) -> Attempt | AttemptFailedError:
    """The attempt that a record tells of, or the trouble that ended it.

    What a foreign harness put into it and cannot be read back is left out: the record keeps it all the same.
    """
    trajectory = _read(lambda: _trajectory_of(record), _NO_STEPS)
    message, finish_reason = _last_words(record, trajectory)
    attempt = Attempt(
        final_message=message,
        finish_reason=finish_reason,
        stop_reason=_read(lambda: StopReason(record.stop_reason or ""), StopReason.ERROR),
        trajectory=trajectory,
        usage={role: _usage_of(used) for role, used in record.usage.items() if role != "judge"},
        duration_s=record.timing.get("run_s") or 0.0,
        issues=record.issues,
        meta=record.harness_meta,
    )
    if record.outcome is Outcome.RUN_ERROR:
        return AttemptFailedError(record.cause or "", partial=attempt)
    return attempt


def judgment_of(record: Record) -> Judgment | AttemptFailedError | JudgeFailedError | None:
    """The primary judgment that a record tells of, or the trouble that ended it; ``None`` if unscored."""
    if record.outcome is Outcome.UNSCORED:
        return None
    if record.outcome is Outcome.RUN_ERROR:
        return AttemptFailedError(record.cause or "", partial=NOTHING)
    if not record.outcome.is_evaluated:
        return JudgeFailedError(record.cause or "")
    told = record.scoring[record.primary or ""]
    return Judgment(
        verdict=Verdict(letter=cast("Letter", told["grade"]), label=told["label"]),
        evaluation_type=told["evaluation_type"],
        raw_response=told["raw_response"],
        judge_model=told["judge_model"],
        prompt_digest=told["prompt_digest"],
        usage=_usage_of(record.usage.get("judge") or {}),
        duration_s=record.timing.get("judge_s") or 0.0,
    )


def _last_words(record: Record, trajectory: Trajectory) -> tuple[Message | None, str | None]:
    """The message that the answer was read from, and its finish reason.

    A foreign harness may keep no steps, or end with others: its answer is then the message.
    """
    if record.final_answer is None:
        return None, None
    replies = [step for step in trajectory if isinstance(step, ModelStep) and step.sub_agent is None]
    for step in replies[-1:]:
        if read_answer(step.message, step.finish_reason).text == record.final_answer:
            return step.message, step.finish_reason
    return {"role": "assistant", "content": record.final_answer}, None


def judged_again(judged: Record, recorded: Record) -> Record:
    """The record of an attempt that was made before and judged now.

    Args:
        judged: What was made of it now: verdict, scoring, the judge's usage and time.
        recorded: The attempt as it was; everything else stays.
    """
    usage = {role: used for role, used in recorded.usage.items() if role != "judge"}
    if "judge" in judged.usage:
        usage["judge"] = judged.usage["judge"]
    return replace(
        recorded,
        category=judged.category,
        ground_truth=judged.ground_truth,
        outcome=judged.outcome,
        cause=judged.cause,
        primary=judged.primary,
        scoring=judged.scoring,
        usage=usage,
        timing={**recorded.timing, "judge_s": judged.timing.get("judge_s")},
        private={**recorded.private, **judged.private},
        reused=True,
    )


def _trajectory_of(record: Record) -> Trajectory:
    return tuple(step_from_json(step) for step in record.trajectory)


def _usage_of(told: Mapping[str, Any]) -> TokenUsage:
    return _read(lambda: TokenUsage(**told), TokenUsage())


def _read(make: Callable[[], Value], otherwise: Value) -> Value:
    try:
        return make()
    except (KeyError, TypeError, ValueError):
        return otherwise
