"""Metrics: all numbers of a run, reduced from its description and the facts of its attempts alone.

Equal outcomes give equal metrics, whatever order they arrived in; what may differ stands under `volatile`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from benchmarks.results.facts import AttemptFacts, UnitKey, no_record
from benchmarks.results.gate import judge_gates
from benchmarks.results.plain import one_line
from benchmarks.results.record import Outcome
from benchmarks.results.reducers import count, native, native_by_category
from benchmarks.results.run_description import RunDescription

Number = TypeVar("Number", int, float)

_TOKEN_FIELDS = ("input_tokens", "output_tokens", "reasoning_tokens", "n_requests")


def headline_series(description: RunDescription) -> str:
    """The name of the series that gates and the first line of the summary speak of.

    Raises:
        ValueError: More than one attempt per task.
    """
    if description.k != 1:
        raise ValueError(f"k is {description.k!r}: this version reduces one attempt per task; set k to 1")
    return "correct.native@1"


def reduce_run(description: RunDescription, facts: Iterable[AttemptFacts]) -> dict[str, Any]:
    """The content of metrics.json; docs/results_format.md names every key.

    Args:
        description: The run. Its plan decides what is counted: a planned unit without facts is unavailable.
        facts: At most one for each planned unit, in any order.

    Raises:
        RuntimeError: Facts of a unit that was not planned, or twice of one unit: a fault of the recorder.
    """
    rows = _in_plan_order(description, facts)
    headline = headline_series(description)
    outcomes = [row.outcome for row in rows]
    scorers = [
        name for name in description.judge.get("scorers", ()) if name != description.judge.get("primary")
    ]
    metrics: dict[str, Any] = {
        "format": 1,
        "headline": headline,
        "series": {headline: {**native(count(outcomes)), "breakdown": _breakdown(description, outcomes)}},
        "outcomes": _outcome_counts(len(description.planned), outcomes),
        "errors": {kind.value: _causes(rows, kind) for kind in (Outcome.RUN_ERROR, Outcome.JUDGE_ERROR)},
        "unavailable": _causes(rows, Outcome.UNAVAILABLE),
        "stop_reasons": dict(Counter(row.stop_reason for row in rows if row.stop_reason is not None)),
        "scorers": {name: _scorer(name, rows) for name in scorers},
        "disagreements": (
            {name: _disagreements(name, rows) for name in scorers}
            if description.answer_format == "gaia"
            else None
        ),
        "canary": _canary(rows) if description.has_canary else None,
        **_how_it_was_measured(description),
        "volatile": _volatile(description, rows),
    }
    metrics["gate"] = judge_gates(metrics, description.gates).to_json()
    return metrics


def check_counts(n_planned: int, outcomes: Mapping[str, int]) -> None:
    """Hold that every planned unit ended in exactly one outcome.

    Raises:
        RuntimeError: The counts do not add up: an internal error, worth a report.
    """
    n_counted = sum(outcomes.values())
    if n_counted != n_planned:
        raise RuntimeError(
            f"internal error: {n_planned} units were planned, but {n_counted} outcomes counted "
            f"({dict(outcomes)!r}); please report it with run.json"
        )


def _in_plan_order(description: RunDescription, facts: Iterable[AttemptFacts]) -> list[AttemptFacts]:
    planned = {(task_id, attempt) for task_id, attempt, _ in description.planned}
    by_unit: dict[UnitKey, AttemptFacts] = {}
    for row in facts:
        if row.key not in planned or row.key in by_unit:
            reason = "came twice" if row.key in by_unit else "was not planned"
            raise RuntimeError(f"internal error: unit {row.key!r} {reason}; please report it with run.json")
        by_unit[row.key] = row
    return [
        by_unit.get((task_id, attempt)) or no_record(task_id, attempt)
        for task_id, attempt, _ in description.planned
    ]


def _breakdown(
    description: RunDescription, outcomes: Sequence[Outcome]
) -> dict[str, Mapping[str, dict[str, Any]]]:
    """The numbers by category and by each further group; a task with several values counts under each."""
    planned = list(zip(description.planned, outcomes, strict=True))
    by_group = {
        name: native_by_category(
            (value, outcome)
            for (task_id, _, _), outcome in planned
            for value in set(values_of.get(task_id, ()))
        )
        for name, values_of in description.groups.items()
    }
    by_category = native_by_category((category, outcome) for (_, _, category), outcome in planned)
    return {**by_group, description.breakdown: by_category}


def _canary(rows: Sequence[AttemptFacts]) -> dict[str, Any]:
    carriers = [row.task_id for row in rows if row.carries_canary]
    return {"n": len(carriers), "task_ids": sorted(set(carriers))}


def _outcome_counts(n_planned: int, outcomes: Sequence[Outcome]) -> dict[str, int]:
    by_outcome = Counter(outcomes)
    counts = {outcome.value: by_outcome[outcome] for outcome in Outcome}
    check_counts(n_planned, counts)
    return counts


def _causes(rows: Sequence[AttemptFacts], outcome: Outcome) -> dict[str, int]:
    return dict(Counter(one_line(row.cause or "no cause given") for row in rows if row.outcome is outcome))


def _scorer(name: str, rows: Sequence[AttemptFacts]) -> dict[str, Any]:
    grades = [row.scorers[name] for row in rows if name in row.scorers]
    return {
        "value": sum(grades) / len(grades) if grades else None,
        "counts": {"correct": sum(grades), "evaluated": len(grades), "total": len(rows)},
    }


def _disagreements(name: str, rows: Sequence[AttemptFacts]) -> dict[str, Any]:
    differing = [
        row.task_id
        for row in rows
        if row.outcome.is_evaluated
        and name in row.scorers
        and row.scorers[name] is not (row.outcome is Outcome.CORRECT)
    ]
    return {"n": len(differing), "task_ids": sorted(differing)}


def _how_it_was_measured(description: RunDescription) -> dict[str, Any]:
    return {
        "benchmark": description.benchmark,
        "breakdown": description.breakdown,
        "model": description.model,
        "k": description.k,
        "strategy": description.strategy,
        "aggregation_mode": description.aggregation_mode,
        "dataset": dict(description.dataset),
        "judge": dict(description.judge),
        "harness": dict(description.harness),
        "answer_format": description.answer_format,
        "gates": dict(description.gates),
        "partial": list(description.partial),
        "n_attachments_unopened": description.n_attachments_unopened,
        "demo": description.demo,
        "stopped": description.stopped,
    }


def _volatile(description: RunDescription, rows: Sequence[AttemptFacts]) -> dict[str, Any]:
    started_at = description.volatile.get("started_at")
    finished_at = description.volatile.get("finished_at")
    return {
        **description.volatile,
        "run": description.run,
        "issues": list(description.issues),
        "tokens": {
            role: _tokens(role, rows) for role in sorted({role for row in rows for role in row.usage})
        },
        "time": {
            "run_s": math.fsum(_known(row.run_s for row in rows)),
            "judge_s": math.fsum(_known(row.judge_s for row in rows)),
            "wall_s": _wall_s(started_at, finished_at),
        },
        "cost_usd": None,
        "tool_calls": {
            "n": sum(row.n_tool_calls for row in rows),
            "n_failed": sum(row.n_tool_failures for row in rows),
        },
    }


def _tokens(role: str, rows: Sequence[AttemptFacts]) -> dict[str, int | None]:
    """Sums of what servers reported; a field that none reported stays unknown."""
    sums: dict[str, int | None] = {}
    for name in _TOKEN_FIELDS:
        reported = list(_known(row.usage.get(role, {}).get(name) for row in rows))
        sums[name] = sum(reported) if reported else None
    return sums


def _known(values: Iterable[Number | None]) -> Iterator[Number]:
    return (value for value in values if value is not None)


def _wall_s(started_at: object, finished_at: object) -> float | None:
    if not isinstance(started_at, str) or not isinstance(finished_at, str):
        return None
    return (datetime.fromisoformat(finished_at) - datetime.fromisoformat(started_at)).total_seconds()
