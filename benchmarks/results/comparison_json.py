"""A comparison as JSON: counts, ids and settings; no question, answer or ground truth."""

from typing import Any

from benchmarks.results.comparison import Comparison, Comparisons, Evidence
from benchmarks.results.comparison_sentences import overall_sentence, sentence
from benchmarks.results.run_description import RunDescription


def comparisons_as_json(comparisons: Comparisons) -> dict[str, Any]:
    """Plain values; docs/comparing.md names every key."""
    return {
        "format": 1,
        "alpha": comparisons.alpha,
        "finding": comparisons.finding.value,
        "exit_code": comparisons.finding.exit_code,
        "sentence": overall_sentence(comparisons),
        "base": _run(comparisons.base),
        "comparisons": [_comparison(each, comparisons) for each in comparisons.each],
    }


def _run(description: RunDescription) -> dict[str, Any]:
    return {
        "benchmark": description.benchmark,
        "subset": description.dataset.get("subset"),
        "run": description.run,
        "model": description.model,
        "harness": description.harness.get("id"),
        "n_planned": len(description.planned),
        "partial": list(description.partial),
        "stopped": description.stopped,
    }


def _comparison(comparison: Comparison, comparisons: Comparisons) -> dict[str, Any]:
    return {
        "label": comparison.label,
        "new": _run(comparison.new),
        "finding": comparison.finding.value,
        "exit_code": comparison.finding.exit_code,
        "sentence": sentence(comparison, comparisons),
        "differences": [
            {"key": each.key, "base": each.base, "new": each.new} for each in comparison.differences
        ],
        "overridden": comparison.is_overridden,
        "warnings": list(comparison.warnings),
        "paired": None if comparison.evidence is None else _evidence(comparison.evidence),
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    pairs = evidence.pairs
    return {
        "n_tasks": pairs.n,
        "n_both_correct": pairs.n_both,
        "n_neither_correct": pairs.n_neither,
        "accuracy_base": pairs.n_base_correct / pairs.n,
        "accuracy_new": pairs.n_new_correct / pairs.n,
        "difference": (pairs.n_new_correct - pairs.n_base_correct) / pairs.n,
        "interval_95": list(evidence.interval),
        "interval_method": "newcombe_10",
        "p": float(evidence.p),
        "p_holm": float(evidence.p_holm),
        "improved": list(pairs.improved),
        "regressed": list(pairs.regressed),
        "without_verdict": {
            "base": {reason: list(ids) for reason, ids in pairs.base_without_verdict.items()},
            "new": {reason: list(ids) for reason, ids in pairs.new_without_verdict.items()},
            "n_flips": pairs.n_flips_without_verdict,
        },
        "with_verdicts": {
            "n_tasks": pairs.n_with_verdicts,
            "n_improved": pairs.n_improved_with_verdicts,
            "n_regressed": pairs.n_regressed_with_verdicts,
            "p": float(evidence.p_with_verdicts),
        },
    }
