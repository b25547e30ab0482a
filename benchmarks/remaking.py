"""A record that was made before, turned back into what a pytest item waits for."""

from collections.abc import Mapping
from typing import Any, cast

from benchmarks.results.record import Outcome, Record
from harnesses.attempt import Attempt, AttemptFailedError, ModelStep, StopReason, step_from_json
from harnesses.endpoint.messages import TokenUsage
from judges.judge import JudgeFailedError, Judgment
from judges.verdict import Letter, Verdict


def attempt_of(record: Record) -> Attempt:
    """The attempt that a record tells of.

    Raises:
        AttemptFailedError: It ended in a run error.
    """
    trajectory = tuple(step_from_json(step) for step in record.trajectory)
    replies = [step for step in trajectory if isinstance(step, ModelStep)]
    attempt = Attempt(
        final_message=replies[-1].message if replies and record.final_answer is not None else None,
        finish_reason=replies[-1].finish_reason if replies else None,
        stop_reason=StopReason(record.stop_reason or StopReason.ERROR),
        trajectory=trajectory,
        usage={role: _usage_of(used) for role, used in record.usage.items() if role != "judge"},
        duration_s=record.timing.get("run_s") or 0.0,
        issues=record.issues,
        meta=record.harness_meta,
    )
    if record.outcome is Outcome.RUN_ERROR:
        raise AttemptFailedError(record.cause or "", partial=attempt)
    return attempt


def judgment_of(record: Record) -> Judgment:
    """The primary judgment that a record tells of.

    Raises:
        JudgeFailedError: It ended in a judge error.
    """
    if record.outcome is Outcome.JUDGE_ERROR:
        raise JudgeFailedError(record.cause or "")
    told = record.scoring[record.primary or ""]
    usage = record.usage.get("judge")
    return Judgment(
        verdict=Verdict(letter=cast("Letter", told["grade"]), label=told["label"]),
        evaluation_type=told["evaluation_type"],
        raw_response=told["raw_response"],
        judge_model=told["judge_model"],
        prompt_digest=told["prompt_digest"],
        usage=_usage_of(usage or {}),
        duration_s=record.timing.get("judge_s") or 0.0,
    )


def _usage_of(told: Mapping[str, Any]) -> TokenUsage:
    return TokenUsage(**told)
