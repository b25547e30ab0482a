"""The gate of a baseline: what the comparison with it comes to."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from benchmarks.results.comparing.comparison import Comparison
from benchmarks.results.comparing.evidence import Evidence, Finding
from benchmarks.results.gates.thresholds import Gate, exact, share, shown_interval
from benchmarks.results.statuses import GateStatus

_VERDICTS: Mapping[Finding, str] = {
    Finding.REGRESSION: "is a regression",
    Finding.TOO_FEW_FLIPS: "rests on too few flips to tell",
    Finding.NO_DIFFERENCE: "is no regression",
    Finding.IMPROVEMENT: "is an improvement",
}


def baseline_gate(comparison: Comparison, gates: Mapping[str, Any]) -> Gate:
    """How the run stands beside its baseline.

    Without `max_regression` what the comparison found decides. With it the fall of the accuracy over the
    pairs does, exactly; under `confident` the 95 % interval of the difference, new minus base. Each task
    weighs the same in it, however the run adds up its categories.

    Args:
        comparison: Of the run with its baseline.
        gates: ``{"max_regression": 0.05, "policy": "point"}``.
    """
    most, evidence = gates.get("max_regression"), comparison.evidence
    if evidence is None:
        says = "; ".join(difference.line for difference in comparison.differences)
        if comparison.unpaired is not None:
            says = f"nothing can be held against the baseline: {comparison.unpaired}"
        return Gate(kind="baseline", status=comparison.finding.status, says=says, threshold=most)
    is_confident = most is not None and gates.get("policy") == "confident"
    if most is None:
        status, verdict = evidence.finding.status, _VERDICTS[evidence.finding]
    else:
        status = _within(evidence, -exact(most), is_confident=is_confident)
        verdict = {
            "passed": f"is within --max-regression {most}",
            "missed": f"is beyond --max-regression {most}",
        }.get(status, f"may lie on either side of --max-regression {most}")
    return Gate(
        kind="baseline",
        status=status,
        says=f"{_difference(comparison, evidence, most)} {verdict}{_overridden(comparison)}",
        threshold=most,
        value=evidence.difference,
        interval_95=evidence.interval,
        level=0.95 if is_confident else None,
    )


def _within(evidence: Evidence, least: Fraction, *, is_confident: bool) -> GateStatus:
    if not is_confident:
        return "passed" if evidence.difference >= least else "missed"
    low, high = map(Fraction, evidence.interval)
    if low >= least:
        return "passed"
    return "missed" if high < least else "inconclusive"


def _difference(comparison: Comparison, evidence: Evidence, most: float | None) -> str:
    least = 0.0 if most is None else -most
    shown = share(evidence.difference, least)
    new = comparison.new
    is_plain = new.get("category_hierarchy") is None and new.get("aggregation_mode") != "category_mean"
    # Else the run's own value, in which categories weigh, stands beside this one and may have fallen further.
    how = "" if is_plain else " in plain means over tasks"
    interval = shown_interval(evidence.interval, 0.95, beside=least)
    return f"a difference of {shown} to the baseline{how} {interval}"


def _overridden(comparison: Comparison) -> str:
    """What was overridden to compare at all."""
    keys = ", ".join(difference.key for difference in comparison.differences)
    return f", though they differ in {keys}" if keys else ""
