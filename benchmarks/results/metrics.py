"""Metrics: all numbers of a run, reduced from its description and the facts of its attempts alone.

Equal outcomes give equal metrics, whatever order they arrived in; what may differ stands under `volatile`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.results.aggregation import series_of
from benchmarks.results.comparing.as_json import comparison_as_json
from benchmarks.results.comparing.comparison import Comparison, held_against
from benchmarks.results.disagreements import disagreements_with
from benchmarks.results.effort import effort_of
from benchmarks.results.facts import AttemptFacts
from benchmarks.results.files import METRICS_FORMAT
from benchmarks.results.gates.gate import judge_gates
from benchmarks.results.plain import one_line
from benchmarks.results.record import Outcome
from benchmarks.results.reducers import reducers_of
from benchmarks.results.run_description import RunDescription
from benchmarks.results.series import Series
from benchmarks.results.task_outcomes import TaskOutcomes, task_outcomes, unit_facts


def headline_series(description: RunDescription) -> str:
    """The name of the series that gates and the first line of the summary speak of."""
    return reducers_of(description.k, description.strategy)[0].name


def reduce_run(description: RunDescription, facts: Iterable[AttemptFacts]) -> dict[str, Any]:
    """The content of metrics.json; docs/results_format.md names every key.

    Args:
        description: The run. Its plan decides what is counted: a planned unit without facts is unavailable.
        facts: At most one for each planned attempt, in any order.

    Raises:
        RuntimeError: Facts of an attempt that was not planned, or twice of one: a fault of the recorder.
        ValueError: A `category_hierarchy` or an `aggregation_mode` that is none.
    """
    tasks = task_outcomes(description, facts)
    units = unit_facts(description, tasks)
    rows = [row for task in tasks for row in task.made]
    headline, *others = (
        series_of(reducer, tasks, description) for reducer in reducers_of(description.k, description.strategy)
    )
    metrics: dict[str, Any] = {
        "format": METRICS_FORMAT,
        "headline": headline.name,
        "series": {series.name: series.to_json() for series in (headline, *others)},
        "outcomes": _outcome_counts(len(description.planned), units),
        "outcomes_by_task": {task.task_id: list(task.outcomes) for task in tasks},
        "errors": {kind.value: _causes(units, kind) for kind in (Outcome.RUN_ERROR, Outcome.JUDGE_ERROR)},
        "unavailable": _causes(units, Outcome.UNAVAILABLE),
        "stop_reasons": dict(Counter(row.stop_reason for row in rows if row.stop_reason is not None)),
        **_scorers(description, rows),
        "canary": _canary(rows) if description.has_canary else None,
        **card_of(description),
        "volatile": _volatile(description, tasks, rows),
    }
    comparison = _comparison(description, metrics)
    metrics["baseline"] = None if comparison is None else comparison_as_json(comparison)
    metrics["gate"] = _gate(description, headline, units, comparison)
    return metrics


def card_of(description: RunDescription) -> dict[str, Any]:
    """The card of a run: what metrics.json says of what was asked, of whom, how it was graded and gated."""
    return {
        "benchmark": description.benchmark,
        "breakdown": description.breakdown,
        "model": description.model,
        "model_params": dict(description.model_params),
        "k": description.k,
        "strategy": description.strategy,
        "aggregation_mode": description.aggregation_mode,
        "category_hierarchy": description.category_hierarchy,
        "dataset": dict(description.dataset),
        "judge": dict(description.judge),
        "harness": dict(description.harness),
        "answer_format": description.answer_format,
        "gates": dict(description.gates),
        "partial": list(description.partial),
        "selected": dict(description.selected),
        "deselected": list(description.deselected),
        "n_attachments_unopened": description.n_attachments_unopened,
        "demo": description.demo,
        "stopped": description.stopped,
    }


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


def _outcome_counts(n_planned: int, units: Sequence[AttemptFacts]) -> dict[str, int]:
    by_outcome = Counter(unit.outcome for unit in units)
    counts = {outcome.value: by_outcome[outcome] for outcome in Outcome}
    check_counts(n_planned, counts)
    return counts


def _causes(units: Sequence[AttemptFacts], outcome: Outcome) -> dict[str, int]:
    return dict(
        Counter(one_line(unit.cause or "no cause given") for unit in units if unit.outcome is outcome)
    )


def _canary(rows: Sequence[AttemptFacts]) -> dict[str, Any]:
    carriers = [row.task_id for row in rows if row.carries_canary]
    return {"n": len(carriers), "task_ids": sorted(set(carriers))}


def _scorers(description: RunDescription, rows: Sequence[AttemptFacts]) -> dict[str, Any]:
    primary = description.judge.get("primary")
    names = [name for name in description.judge.get("scorers", ()) if name != primary]
    is_read = description.answer_format == "gaia"
    return {
        "scorers": {name: _scorer(name, rows) for name in names},
        "disagreements": {name: disagreements_with(name, rows) for name in names} if is_read else None,
    }


def _scorer(name: str, rows: Sequence[AttemptFacts]) -> dict[str, Any]:
    grades = [row.scorers[name] for row in rows if name in row.scorers]
    return {
        "value": sum(grades) / len(grades) if grades else None,
        "counts": {"correct": sum(grades), "evaluated": len(grades), "total": len(rows)},
    }


def _volatile(
    description: RunDescription, tasks: Sequence[TaskOutcomes], rows: Sequence[AttemptFacts]
) -> dict[str, Any]:
    n_correct = sum(Outcome.CORRECT in task.outcomes for task in tasks)
    return {
        **description.volatile,
        "run": description.run,
        "issues": list(description.issues),
        **effort_of(description, rows, n_correct=n_correct),
    }


def _comparison(description: RunDescription, metrics: Mapping[str, Any]) -> Comparison | None:
    if description.baseline is None:
        return None
    return held_against(
        description.baseline, metrics, override=description.gates.get("baseline_anyway") is True
    )


def _gate(
    description: RunDescription,
    headline: Series,
    units: Sequence[AttemptFacts],
    comparison: Comparison | None,
) -> dict[str, Any]:
    result = judge_gates(
        headline,
        description.gates,
        breakdown=description.breakdown,
        n_errors=sum(unit.outcome.is_error for unit in units),
        stopped=description.stopped,
        partial=description.partial,
        comparison=comparison,
    )
    return result.to_json()
