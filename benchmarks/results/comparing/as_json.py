"""A comparison as JSON: counts, ids and settings; no question, answer or ground truth."""

from collections.abc import Mapping
from typing import Any

from benchmarks.results.comparing.comparison import Comparison, Comparisons, Metrics
from benchmarks.results.comparing.evidence import Evidence, Tested
from benchmarks.results.comparing.paired_tests import interval_method, p_value, test_name
from benchmarks.results.comparing.sentences import overall_sentence, sentence


def comparisons_as_json(comparisons: Comparisons) -> dict[str, Any]:
    """Plain values; docs/comparing.md names every key."""
    return {
        "format": 2,
        "alpha": comparisons.alpha,
        "finding": comparisons.finding.value,
        "exit_code": comparisons.finding.exit_code,
        "sentence": overall_sentence(comparisons),
        "base": _run(comparisons.base),
        "comparisons": [
            {"label": each.label, "new": _run(each.new), **_found(each)} for each in comparisons.each
        ],
    }


def comparison_as_json(comparison: Comparison) -> dict[str, Any]:
    """One comparison by itself: the same for the same outcomes, since NEW is named by nothing in it."""
    return {"alpha": comparison.alpha, "base": _run(comparison.base), **_found(comparison)}


def _run(metrics: Metrics) -> dict[str, Any]:
    return {
        "benchmark": metrics["benchmark"],
        "subset": metrics["dataset"].get("subset"),
        "run": metrics["volatile"]["run"],
        "model": metrics["model"],
        "harness": metrics["harness"].get("id"),
        "k": metrics["k"],
        "strategy": metrics["strategy"],
        "n_planned": len(metrics["outcomes_by_task"]),
        "partial": list(metrics["partial"]),
        "stopped": metrics["stopped"],
    }


def _found(comparison: Comparison) -> dict[str, Any]:
    return {
        "finding": comparison.finding.value,
        "exit_code": comparison.finding.exit_code,
        "sentence": sentence(comparison),
        "differences": [
            {"key": each.key, "base": each.base, "new": each.new} for each in comparison.differences
        ],
        "overridden": comparison.is_overridden,
        "warnings": list(comparison.warnings),
        "paired": None if comparison.evidence is None else _paired(comparison.evidence),
    }


def _paired(evidence: Evidence) -> dict[str, Any]:
    pairs = evidence.all_tasks.pairs
    both = pairs.measured_in_both
    is_part = evidence.deciding is not evidence.all_tasks
    return {
        "test": test_name(pairs),
        "decided_by": "measured_in_base" if is_part else "all_tasks",
        "all_tasks": _tested(evidence.all_tasks),
        "measured_in_base": _tested(evidence.measured_in_base),
        "measured_in_both": {
            "n_tasks": both.n,
            "n_improved": len(both.improved),
            "n_regressed": len(both.regressed),
            "p": float(p_value(both)),
        },
        "improved": list(pairs.improved),
        "regressed": list(pairs.regressed),
        "not_measured": {
            "base": _plain(pairs.lacking_in_base),
            "new": _plain(pairs.lacking_in_new),
            "n_flips": pairs.n_flips_not_measured,
        },
    }


def _tested(tested: Tested) -> dict[str, Any]:
    pairs = tested.pairs
    return {
        "n_tasks": pairs.n,
        "accuracy_base": float(pairs.accuracy_base),
        "accuracy_new": float(pairs.accuracy_new),
        "difference": float(pairs.difference),
        "interval_95": list(tested.interval),
        "interval_method": interval_method(pairs),
        "n_improved": len(pairs.improved),
        "n_regressed": len(pairs.regressed),
        "p": float(tested.p),
        "p_holm": float(tested.p_holm),
        "finding": tested.finding.value,
    }


def _plain(by_reason: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {reason: list(task_ids) for reason, task_ids in by_reason.items()}
