"""The summary: metrics.json for people. No question, ground truth, answer or key is in either."""

from collections.abc import Callable, Sequence

from benchmarks.results.comparing.page import comparison_lines
from benchmarks.results.markdown import escape, table
from benchmarks.results.provenance import how_it_was_measured, how_to_reproduce
from benchmarks.results.summary_tables import (
    DASH,
    Metrics,
    by_category,
    by_tree,
    further_breakdowns,
    headline_of,
    metric_table,
    number,
    totals,
)

MAX_CAUSES = 20
MAX_IDS = 20

_FLAGS = {
    "all_zero": "Not one evaluated attempt is correct: look at a few details before you believe it.",
    "all_one": "Every evaluated attempt is correct: look at a few details before you believe it.",
}


def render_summary(metrics: Metrics) -> str:
    """The text of summary.md.

    Args:
        metrics: The content of metrics.json, from `reduce_run` or read from the file.
    """
    parts: Sequence[Callable[[Metrics], list[str]]] = (
        _headline,
        totals,
        metric_table,
        by_category,
        by_tree,
        _gates,
        _baseline,
        further_breakdowns,
        _canary,
        _outcomes,
        _causes,
        _disagreements,
        how_it_was_measured,
        how_to_reproduce,
        _issues,
    )
    blocks = ["\n".join(lines) for part in parts if (lines := part(metrics))]
    return "\n\n".join(blocks) + "\n"


def headline_sentence(metrics: Metrics) -> str:
    """The result in one line, e.g. "Accuracy 0.500 (5 of 10 evaluated, 12 planned)".

    With several attempts per task it names the series: "Accuracy 0.533 (correct.avg@3, 15 of 15 tasks
    evaluated)".
    """
    series = headline_of(metrics)
    counts = series["counts"]
    tasks = "" if metrics["k"] == 1 else " tasks"
    planned = f"{counts['total']}{tasks} planned"
    if counts["unscored"]:
        return f"Unscored: {metrics['outcomes']['unscored']} answers recorded, {planned}"
    if not counts["evaluated"]:
        return f"Accuracy {DASH} (nothing evaluated, {planned})"
    if metrics["k"] != 1:
        measured = f"{metrics['headline']}, {counts['evaluated']} of {counts['total']} tasks evaluated"
        return f"Accuracy {number(series['value'])} ({measured}{_how_they_add_up(metrics)})"
    measured = f"{counts['correct']} of {counts['evaluated']} evaluated{_how_they_add_up(metrics)}"
    return f"Accuracy {number(series['value'])} ({measured}, {planned})"


def _how_they_add_up(metrics: Metrics) -> str:
    if metrics["category_hierarchy"] is not None:
        return ", added up by the category hierarchy"
    return f", mean over {metrics['breakdown']}s" if metrics["aggregation_mode"] == "category_mean" else ""


def _headline(metrics: Metrics) -> list[str]:
    gate = metrics["gate"]
    status = "no gate" if gate["status"] == "none" else f"gate {gate['status'].replace('_', ' ')}"
    lines = [f"# {headline_sentence(metrics)} · {status}", "", escape(gate["sentence"], 400)]
    if metrics["demo"]:
        lines += ["", "A demo run: its model is small, and its accuracy is not the point."]
    if metrics["partial"]:
        reasons = ", ".join(escape(reason) for reason in metrics["partial"])
        lines += ["", f"**Part of the set only** ({reasons}): do not compare with results on the whole set."]
    if metrics["stopped"] is not None:
        lines += ["", f"**The run was stopped:** {escape(metrics['stopped'])}"]
    for flag in headline_of(metrics)["flags"]:
        lines += ["", f"**{_FLAGS[flag]}**"]
    return lines


def _baseline(metrics: Metrics) -> list[str]:
    return [] if metrics["baseline"] is None else comparison_lines(metrics["baseline"])


def _gates(metrics: Metrics) -> list[str]:
    """Each gate by itself, where there is more than the sentence tells."""
    each = metrics["gate"]["each"]
    if len([gate for gate in each if gate["kind"] == "accuracy"]) < 2:
        return []
    rows = [
        [
            escape(gate["scope"]),
            escape(gate["kind"]),
            DASH if gate["threshold"] is None else str(gate["threshold"]),
            DASH if gate["value"] is None else f"{gate['value']:.4g}",
            escape(gate["status"].replace("_", " ")),
            "yes" if gate["decides"] else "no",
        ]
        for gate in each
    ]
    header = ["Scope", "Gate", "Threshold", "Value", "Status", "Decides"]
    return ["## Gates", "", *table(header, rows)]


def _canary(metrics: Metrics) -> list[str]:
    found = metrics["canary"]
    if not found or not found["n"]:
        return []
    attempts = "1 attempt" if found["n"] == 1 else f"{found['n']} attempts"
    sentence = (
        f"In {attempts} a tool result carried the dataset's canary string: the tasks are on the web where "
        f"the model searched, perhaps with their ground truths ({_ids(found['task_ids'])})."
    )
    return ["## The dataset was found in what was searched", "", sentence]


def _outcomes(metrics: Metrics) -> list[str]:
    outcomes = metrics["outcomes"]
    order = ("correct", "incorrect", "not_attempted", "run_error", "judge_error", "unavailable", "unscored")
    rows = [[name.replace("_", " "), outcomes[name]] for name in order]
    ends = ", ".join(f"{escape(name)} {n}" for name, n in sorted(metrics["stop_reasons"].items()))
    unit = "Tasks" if metrics["strategy"] == "pass" else "Attempts"
    lines = ["## Outcomes", "", *table(["Outcome", unit], rows)]
    return [*lines, "", f"How attempts ended: {ends}."] if ends else lines


def _causes(metrics: Metrics) -> list[str]:
    by_kind = {**metrics["errors"], "unavailable": metrics["unavailable"]}
    causes = [(n, kind, cause) for kind, counted in by_kind.items() for cause, n in counted.items()]
    if not causes:
        return []
    causes.sort(key=lambda each: (-each[0], each[1], each[2]))
    rows = [[escape(cause), kind.replace("_", " "), n] for n, kind, cause in causes[:MAX_CAUSES]]
    lines = [
        "## Errors and unavailable attempts, by cause",
        "",
        *table(["Cause", "Outcome", "Attempts"], rows),
    ]
    more = len(causes) - MAX_CAUSES
    return [*lines, "", f"And {more} more causes in metrics.json."] if more > 0 else lines


def _disagreements(metrics: Metrics) -> list[str]:
    if not metrics["disagreements"]:
        return []
    lines = ["## Where a scorer and the judge disagree", ""]
    for name, found in sorted(metrics["disagreements"].items()):
        line = f"- {escape(name)}: {found['n']} of {found['n_compared']} attempts"
        if found["kappa"] is not None:
            line += f", Cohen's kappa {found['kappa']:.2f}"
        for key, who in (("judge_alone", "the judge"), ("scorer_alone", "the scorer")):
            if found[key]:
                line += f"; correct for {who} alone: {_ids(found[key])}"
        lines.append(line)
    return lines


def _ids(task_ids: Sequence[str]) -> str:
    shown = ", ".join(escape(task_id) for task_id in task_ids[:MAX_IDS])
    more = len(task_ids) - MAX_IDS
    return f"{shown}, and {more} more" if more > 0 else shown


def _issues(metrics: Metrics) -> list[str]:
    issues = metrics["volatile"]["issues"]
    return ["## Issues", "", *(f"- {escape(issue)}" for issue in issues)] if issues else []
