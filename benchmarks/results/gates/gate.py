"""The gate: whether the numbers of a run let CI go on.

Several gates that decide together under `confident` share one 5 %, by the step-down of S. Holm, "A Simple
Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979), pages 65 to 70.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from benchmarks.results.comparing.comparison import Comparison
from benchmarks.results.gates.baseline import baseline_gate
from benchmarks.results.gates.exit_codes import NO_GATE, GateResult, strictest_status
from benchmarks.results.gates.scopes import OVERALL
from benchmarks.results.gates.thresholds import (
    Gate,
    Threshold,
    accuracy,
    accuracy_gate,
    coverage_gate,
    errors_gate,
)
from benchmarks.results.plain import one_line
from benchmarks.results.series import Series
from benchmarks.results.statuses import EXIT_CODES, GateStatus

_ALPHA = 0.05
"""How often chance may decide under `confident`, over all gates of a run together."""


def judge_gates(
    headline: Series,
    gates: Mapping[str, Any],
    *,
    breakdown: str,
    n_errors: int,
    stopped: str | None,
    partial: Sequence[str],
    comparison: Comparison | None,
) -> GateResult:
    """Hold a run against everything that was asked of it; docs/gates.md has a table of examples.

    Not measured comes before not comparable, missed and inconclusive. With nothing evaluated that weighs in
    the value, or where the run was stopped, nothing is measured, whatever was asked.

    Args:
        headline: The series that gates speak of.
        gates: As in a run's description. ``None`` asks for nothing, save that coverage must be 1.0 as soon as
            another gate is set.
        breakdown: The word under which `headline.breakdown` has the categories, e.g. "level".
        n_errors: Run and judge errors together.
        stopped: The line that ended the run early, ``None`` when it ran through.
        partial: Reasons why this is a part of the set, e.g. ``["limit 5"]``.
        comparison: With the baseline, ``None`` without one.
    """
    most = gates.get("max_errors")
    if comparison is None and not are_set(gates):
        return NO_GATE
    each = [
        *_accuracy_gates(_thresholds(headline, gates, breakdown), gates.get("policy") or "point"),
        *([] if comparison is None else [baseline_gate(comparison, gates)]),
        coverage_gate(headline.counts, gates.get("min_coverage")),
        *([] if most is None else [errors_gate(n_errors, most)]),
    ]
    trouble = _trouble(headline, stopped)
    if trouble is not None:
        return _result(
            "not_measured", trouble, [replace(gate, status="not_measured") for gate in each], partial
        )
    status = strictest_status(gate.status for gate in each if gate.decides)
    if status == "passed":
        clauses = _clauses_of_passed(each, headline, n_errors)
    else:
        clauses = [gate.says for gate in each if gate.decides and gate.status == status]
    return _result(status, "; ".join(clauses), each, partial)


def are_set(gates: Mapping[str, Any]) -> bool:
    """Whether anything is asked for. `gates` are those of a run's description."""
    names = ("min_accuracy", "min_coverage", "max_errors", "baseline")
    return any(gates.get(name) is not None for name in names)


def _clauses_of_passed(each: Sequence[Gate], headline: Series, n_errors: int) -> list[str]:
    """All that was asked for, with accuracy and errors told in any case."""
    kinds = {gate.kind for gate in each}
    clauses = [gate.says for gate in each]
    if "accuracy" not in kinds:
        clauses.insert(0, accuracy(OVERALL, headline))
    return clauses if "errors" in kinds else [*clauses, f"errors {n_errors}"]


def _accuracy_gates(thresholds: Sequence[Threshold], policy: str) -> list[Gate]:
    """How each stands, in the order given. One that only is told is no part of the family.

    Of several that speak of the same tasks the highest stands in the family for all: it is one question, and
    whatever decides it decides the lower ones.
    """
    if policy == "point":
        return [accuracy_gate(threshold) for threshold in thresholds]
    family: dict[str | None, Threshold] = {}
    for one in thresholds:
        if one.decides and one.is_measured:
            family[one.category] = max(family.get(one.category, one), one, key=lambda each: each.least)
    levels, alone = _levels_by_holm(family), (1 - _ALPHA, 1)
    tried = [(one, levels.get(one.category, alone) if one.decides else alone) for one in thresholds]
    return [accuracy_gate(one, level=level, n_undecided=n) for one, (level, n) in tried]


def _levels_by_holm(undecided: Mapping[str | None, Threshold]) -> dict[str | None, tuple[float, int]]:
    """At which level each gate of one family is held, by its category, and among how many.

    All are tried at 1 - 0.05 / their number; what clears its threshold leaves, and the rest is tried again.
    One alone is held at 95 %.
    """
    levels: dict[str | None, tuple[float, int]] = {}
    while undecided:
        n = len(undecided)
        level = 1 - _ALPHA / n
        levels |= dict.fromkeys(undecided, (level, n))
        left = {
            category: one
            for category, one in undecided.items()
            if accuracy_gate(one, level=level).status == "inconclusive"
        }
        if len(left) == n:
            break
        undecided = left
    return levels


def _thresholds(headline: Series, gates: Mapping[str, Any], breakdown: str) -> list[Threshold]:
    """The least accuracies with the series of their scopes."""
    categories: Mapping[str, str] = gates.get("scopes") or {}
    primary = gates.get("primary")
    of_category = headline.breakdown.get(breakdown, {})
    thresholds: list[Threshold] = []
    for scope, least in sorted(_by_scope(gates.get("min_accuracy")).items(), key=_overall_first):
        category = categories.get(scope)
        series = headline if category is None else of_category.get(category)
        has_all = series is not None and series.counts.total == headline.counts.total
        thresholds.append(
            Threshold(
                scope=scope,
                series=series,
                least=least,
                category=None if has_all else category,
                decides=primary in {None, scope},
            )
        )
    return thresholds


def _by_scope(least: Any) -> Mapping[str, float]:
    """A bare number is that of the whole run: runs of the first version have one."""
    if least is None:
        return {}
    return cast("Mapping[str, float]", least) if isinstance(least, Mapping) else {OVERALL: least}


def _trouble(headline: Series, stopped: str | None) -> str | None:
    """Why nothing is measured at all, ``None`` if something is."""
    if stopped is not None:
        return f"the run was stopped ({stopped})"
    if headline.counts.evaluated == 0:
        return f"none of {headline.counts.total} planned tasks was evaluated"
    if headline.value is None:
        return f"none of {headline.counts.evaluated} evaluated tasks weighs in the value"
    return None


def _result(status: GateStatus, told: str, each: Sequence[Gate], partial: Sequence[str]) -> GateResult:
    part = f" on a part of the set ({one_line(', '.join(partial))})" if partial else ""
    return GateResult(
        status=status,
        exit_code=EXIT_CODES[status],
        sentence=f"Gate {status.replace('_', ' ')}{part}: {told}.",
        each=tuple(gate.to_json() for gate in each),
    )


def _overall_first(gate: tuple[str, object]) -> tuple[bool, str]:
    """One order, however they were given: run.json keeps its keys sorted."""
    return gate[0] != OVERALL, gate[0]
