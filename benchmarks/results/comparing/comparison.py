"""A comparison of runs: each NEW against BASE, with what it found; docs/comparing.md gives the reasons."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from benchmarks.results.comparing.comparability import Difference, differences_of, warnings_of
from benchmarks.results.comparing.evidence import Evidence, Finding, evidence_of
from benchmarks.results.comparing.pairs import Pairs, pair, results_of
from benchmarks.results.record import Outcome

Metrics = Mapping[str, Any]
"""The content of a metrics.json, or what `kept_of` keeps of it."""

_KEPT = (
    "format",
    "benchmark",
    "dataset",
    "judge",
    "answer_format",
    "k",
    "strategy",
    "harness",
    "model",
    "model_params",
    "partial",
    "stopped",
    "outcomes_by_task",
)


_PART_NOT_MEASURED = "BASE has a verdict on every attempt at none of the tasks that NEW planned"


class ComparisonError(Exception):
    """Runs cannot be paired: one line with the run, the rule and the remedy."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One NEW against BASE.

    `label` is "NEW", or "NEW 2" among several. `alpha` is the level, above 0 and below 1. `differences`
    forbid to compare; `evidence` is ``None`` where they did, and where nothing could be paired: `unpaired`
    then tells why, ``None`` otherwise. `warnings` are public lines.
    """

    label: str
    base: Metrics
    new: Metrics
    alpha: float
    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]
    evidence: Evidence | None
    unpaired: str | None = None

    @property
    def finding(self) -> Finding:
        """What was found."""
        if self.evidence is not None:
            return self.evidence.finding
        return Finding.NOT_COMPARABLE if self.unpaired is None else Finding.NOT_MEASURED

    @property
    def is_overridden(self) -> bool:
        """Whether the runs were compared though they differ in what forbids it."""
        return bool(self.differences) and self.evidence is not None


@dataclass(frozen=True, kw_only=True)
class Comparisons:
    """Every NEW against one BASE, in the order given; at least one. `alpha` is the level."""

    base: Metrics
    alpha: float
    each: tuple[Comparison, ...]

    @property
    def finding(self) -> Finding:
        """The strictest of the findings."""
        return min((comparison.finding for comparison in self.each), key=lambda finding: finding.leniency)


def kept_of(metrics: Metrics) -> dict[str, Any]:
    """What a later comparison needs of a run as BASE: how it was measured and its outcomes, in plain values.

    Raises:
        ComparisonError: The run has no ground truths, or is measured on no task: nothing can be held against
            it.
    """
    _refuse_as_base(metrics)
    kept = {name: metrics[name] for name in _KEPT}
    return {**kept, "volatile": {"run": metrics["volatile"]["run"]}}


def held_against(
    base: Metrics, metrics: Metrics, *, alpha: float = 0.05, override: bool = False
) -> Comparison:
    """One run against its baseline; `metrics` need no `gate`.

    A run that is a part of the set is held against the same part of the baseline. Where they cannot be
    paired, `unpaired` says why: by then the run is over, and its numbers stand.
    """
    held = part_of(base, metrics["outcomes_by_task"]) if metrics["partial"] else base
    n_held, n_planned = (len(each["outcomes_by_task"]) for each in (held, base))
    try:
        comparison = compare(held, [metrics], alpha=alpha, override=override).each[0]
    except ComparisonError as error:
        comparison = Comparison(
            label="NEW",
            base=held,
            new=metrics,
            alpha=alpha,
            differences=differences_of(base, metrics),
            warnings=warnings_of(base, metrics),
            evidence=None,
            unpaired=str(error) if held is base or measures_any(held) else _PART_NOT_MEASURED,
        )
    line = f"of the {n_planned} tasks that BASE planned, {n_held} are paired: those that NEW planned too"
    more = (line,) if n_held < n_planned else ()
    return replace(comparison, base=base, warnings=(*comparison.warnings, *more))


def part_of(base: Metrics, task_ids: Collection[str]) -> Metrics:
    """BASE as if it had planned no other tasks than these."""
    planned: Mapping[str, Any] = base["outcomes_by_task"]
    return {**base, "outcomes_by_task": {name: ends for name, ends in planned.items() if name in task_ids}}


def measures_any(base: Metrics) -> bool:
    """Whether BASE has a task with a verdict on every attempt: without one nothing can be held against it."""
    return not all(result.lacks for result in results_of(base).values())


def compare(base: Metrics, news: Sequence[Metrics], *, alpha: float, override: bool = False) -> Comparisons:
    """Hold each NEW against BASE.

    Args:
        base: What is compared with.
        news: At least one.
        alpha: The level, above 0 and below 1.
        override: Compare all the same where differences forbid it.

    Raises:
        ComparisonError: A run that would be paired has no ground truths, or BASE is measured on no task.
    """
    labels = ["NEW"] if len(news) == 1 else [f"NEW {n}" for n in range(1, len(news) + 1)]
    differences = [differences_of(base, new) for new in news]
    pairs = [
        _paired(base, new, label) if override or not differing else None
        for new, label, differing in zip(news, labels, differences, strict=True)
    ]
    evidence = iter(evidence_of([each for each in pairs if each is not None], Fraction(repr(alpha))))
    each = tuple(
        Comparison(
            label=label,
            base=base,
            new=new,
            alpha=alpha,
            differences=differing,
            warnings=warnings_of(base, new),
            evidence=None if laid is None else next(evidence),
        )
        for label, new, differing, laid in zip(labels, news, differences, pairs, strict=True)
    )
    return Comparisons(base=base, alpha=alpha, each=each)


def _paired(base: Metrics, new: Metrics, label: str) -> Pairs:
    _refuse_as_base(base)
    _refuse_unscored(label, new)
    return pair(base, new)


def _refuse_as_base(base: Metrics) -> None:
    _refuse_unscored("BASE", base)
    if not measures_any(base):
        raise ComparisonError(
            "BASE has no task with a verdict on every attempt, so that nothing can be held against it: "
            "name a run that was measured"
        )


def _refuse_unscored(name: str, run: Metrics) -> None:
    if any(Outcome.UNSCORED in outcomes for outcomes in run["outcomes_by_task"].values()):
        raise ComparisonError(
            f"{name} is unscored ({run['dataset'].get('subset')!r} keeps its ground truths): "
            "name runs whose answers were graded"
        )
