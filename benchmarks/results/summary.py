"""The summary: metrics.json for people. No question, ground truth, answer or key is in either."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.results.markdown import escape, table
from benchmarks.results.provenance import how_it_was_measured, how_to_reproduce

Metrics = Mapping[str, Any]

DASH = "—"
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
        _totals,
        _metric_table,
        _by_category,
        _further_breakdowns,
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
    """The result in one line, e.g. "Accuracy 0.500 (5 of 10 evaluated, 12 planned)"."""
    series = _headline_of(metrics)
    counts = series["counts"]
    planned = f"{counts['total']} planned"
    if counts["unscored"]:
        return f"Unscored: {counts['unscored']} answers recorded, {planned}"
    if not counts["evaluated"]:
        return f"Accuracy {DASH} (nothing evaluated, {planned})"
    measured = f"{counts['correct']} of {counts['evaluated']} evaluated"
    return f"Accuracy {number(series['value'])} ({measured}, {planned})"


def number(share: float | None) -> str:
    """A share with three digits, a dash for ``None``."""
    return DASH if share is None else f"{share:.3f}"


def _headline_of(metrics: Metrics) -> Mapping[str, Any]:
    series: Mapping[str, Any] = metrics["series"][metrics["headline"]]
    return series


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
    for flag in _headline_of(metrics)["flags"]:
        lines += ["", f"**{_FLAGS[flag]}**"]
    return lines


def _totals(metrics: Metrics) -> list[str]:
    counts = _headline_of(metrics)["counts"]
    names = ["total", "evaluated", "correct", "incorrect", "not_attempted", "error", "unavailable"]
    names += ["unscored"] if counts["unscored"] else []
    header = ["Model", *(name.capitalize().replace("_", " ") for name in names)]
    return table(header, [[escape(metrics["model"]), *(counts[name] for name in names)]])


def _metric_table(metrics: Metrics) -> list[str]:
    header = [
        "Metric",
        "Correct / Evaluated",
        "95 % interval",
        "Given attempted",
        "Correct / Planned",
        "Correct",
        "Evaluated",
        "Planned",
    ]
    series = _headline_of(metrics)
    counts = series["counts"]
    shares = [
        number(series["value"]),
        _interval(series),
        number(series["value_given_attempted"]),
        number(series["value_over_planned"]),
    ]
    rows = [[escape(metrics["headline"]), *shares, counts["correct"], counts["evaluated"], counts["total"]]]
    for name, scorer in sorted(metrics["scorers"].items()):
        counts = scorer["counts"]
        shares = [number(scorer["value"]), DASH, DASH, DASH]
        rows.append(
            [f"{escape(name)} (scorer)", *shares, counts["correct"], counts["evaluated"], counts["total"]]
        )
    return table(header, rows)


def _by_category(metrics: Metrics) -> list[str]:
    word = metrics["breakdown"]
    return _breakdown_table(word, _headline_of(metrics)["breakdown"][word])


def _further_breakdowns(metrics: Metrics) -> list[str]:
    groups = {
        word: by_value
        for word, by_value in sorted(_headline_of(metrics)["breakdown"].items())
        if by_value and word != metrics["breakdown"]
    }
    if not groups:
        return []
    lines = ["## Further breakdowns", "", "A task with several values counts under each of them."]
    for word, by_value in groups.items():
        lines += ["", *_breakdown_table(word, by_value)]
    return lines


def _breakdown_table(word: str, by_value: Mapping[str, Mapping[str, Any]]) -> list[str]:
    header = [escape(word).capitalize(), "Accuracy", "95 % interval", "Given attempted"]
    names = ("correct", "evaluated", "error", "unavailable", "total")
    rows = [
        [
            escape(value),
            number(series["value"]),
            _interval(series),
            number(series["value_given_attempted"]),
            *(series["counts"][name] for name in names),
        ]
        for value, series in sorted(by_value.items(), key=_natural)
    ]
    return table([*header, *(name.capitalize() for name in names)], rows)


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
    lines = ["## Outcomes", "", *table(["Outcome", "Attempts"], rows)]
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
        ids = _ids(found["task_ids"])
        lines.append(f"- {escape(name)}: {found['n']}" + (f" ({ids})" if ids else ""))
    return lines


def _ids(task_ids: Sequence[str]) -> str:
    shown = ", ".join(escape(task_id) for task_id in task_ids[:MAX_IDS])
    more = len(task_ids) - MAX_IDS
    return f"{shown}, and {more} more" if more > 0 else shown


def _issues(metrics: Metrics) -> list[str]:
    issues = metrics["volatile"]["issues"]
    return ["## Issues", "", *(f"- {escape(issue)}" for issue in issues)] if issues else []


def _interval(series: Mapping[str, Any]) -> str:
    interval = series["interval_95"]
    return DASH if interval is None else f"{number(interval[0])} to {number(interval[1])}"


def _natural(item: tuple[str, object]) -> tuple[bool, int, str]:
    """Numbers in their order, before words."""
    category = item[0]
    is_number = category.isascii() and category.isdigit()
    return not is_number, int(category) if is_number else 0, category
