"""The summary: metrics.json for people. No question, ground truth, answer or key is in either."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

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
    interval,
    metric_table,
    number,
    totals,
)

MAX_CAUSES = 20
MAX_IDS = 20

FLAGS = {
    "all_zero": "Not one evaluated task is correct: look at a few details before you believe it.",
    "all_one": "Every evaluated task is correct: look at a few details before you believe it.",
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
        _going_on,
        _disagreements,
        how_it_was_measured,
        how_to_reproduce,
        _issues,
    )
    blocks = ["\n".join(lines) for part in parts if (lines := part(metrics))]
    return "\n\n".join(blocks) + "\n"


def headline_sentence(metrics: Metrics) -> str:
    """The result in one line: "Accuracy 0.500 (5 of 10 evaluated, 12 planned), 95 % interval 0.237 to 0.763".

    With several attempts per task it names the series: "Accuracy 0.533 (correct.avg@3, 15 of 15 tasks
    evaluated), 95 % interval 0.41 to 0.657".
    """
    series = headline_of(metrics)
    counts = series["counts"]
    tasks = "" if metrics["k"] == 1 else " tasks"
    planned = f"{counts['total']}{tasks} planned"
    if counts["unscored"]:
        return f"Unscored: {metrics['outcomes']['unscored']} answers recorded, {planned}"
    if not counts["evaluated"]:
        return f"Accuracy {DASH} (nothing evaluated, {planned})"
    if metrics["k"] == 1:
        measured = f"{counts['correct']} of {counts['evaluated']} evaluated"
        measured += f"{_how_they_add_up(metrics)}, {planned}"
    else:
        measured = f"{metrics['headline']}, {counts['evaluated']} of {counts['total']} tasks evaluated"
        measured += _how_they_add_up(metrics)
    ends = "" if series["interval_95"] is None else f", 95 % interval {interval(series)}"
    return f"Accuracy {number(series['value'])} ({measured}){ends}"


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
        lines += ["", f"**{FLAGS[flag]}**"]
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
    lines = ["## Outcomes", "", *table(["Outcome", _counted(metrics)], rows)]
    return [*lines, "", f"How attempts ended: {ends}."] if ends else lines


def _counted(metrics: Metrics) -> str:
    """What outcomes and their causes are counted of."""
    return "Tasks" if metrics["strategy"] == "pass" else "Attempts"


def _causes(metrics: Metrics) -> list[str]:
    by_kind = {**metrics["errors"], "unavailable": metrics["unavailable"]}
    causes = [(n, kind, cause) for kind, counted in by_kind.items() for cause, n in counted.items()]
    if not causes:
        return []
    causes.sort(key=lambda each: (-each[0], each[1], each[2]))
    rows = [[escape(cause), kind.replace("_", " "), n] for n, kind, cause in causes[:MAX_CAUSES]]
    lines = [
        f"## Errors and unavailable {_counted(metrics).lower()}, by cause",
        "",
        *table(["Cause", "Outcome", _counted(metrics)], rows),
    ]
    more = len(causes) - MAX_CAUSES
    return [*lines, "", f"And {more} more causes in metrics.json."] if more > 0 else lines


def _going_on(metrics: Metrics) -> list[str]:
    """What was not run or erred, and how to go on; nothing where nothing is left to do."""
    erred = _left(metrics, "run_error", "judge_error")
    of_tasks = metrics["strategy"] == "pass"
    not_run = [one for one in _left(metrics, "unavailable") if not (of_tasks and one in erred)]
    left = {"Not run": not_run, "Ended in an error": erred}
    lines = [f"- {what} ({len(found)}): {_ids(found)}" for what, found in left.items() if found]
    return ["## What is left", "", *lines, "", _command(metrics)] if lines else []


def _command(metrics: Metrics) -> str:
    parent: Mapping[str, Any] = metrics["volatile"].get("parent") or {}
    demo = " --demo" if metrics["demo"] else ""
    command = f"pytest benchmarks/{metrics['benchmark']}{demo}"
    if parent.get("how") == "rejudge":
        return f"`{command} --rejudge RUN` judges them again, RUN being {escape(parent['run'])}."
    told = f"`{command} --resume RUN` goes on with these, RUN being this directory"
    return f"{told}; all that was finished is taken over."


def _left(metrics: Metrics, *outcomes: str) -> list[str]:
    """The attempts that ended so: ``["t-1", "t-2"]``, with several for each task ``["t-1 attempt 2"]``.

    Under `pass` the tasks without a success of which an attempt did.
    """
    by_task = sorted(metrics["outcomes_by_task"].items())
    if metrics["strategy"] == "pass":
        return [
            task_id
            for task_id, ended in by_task
            if "correct" not in ended and any(outcome in outcomes for outcome in ended)
        ]
    return [
        task_id if metrics["k"] == 1 else f"{task_id} attempt {number}"
        for task_id, ended in by_task
        for number, outcome in enumerate(ended, start=1)
        if outcome in outcomes
    ]


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
