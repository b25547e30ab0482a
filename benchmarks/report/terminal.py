"""The end of the terminal output: headline, breakdown, trouble, gate."""

from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.results.summary import headline_sentence
from benchmarks.results.summary_tables import interval, natural, number

_MOST_CAUSES = 5


def terminal_lines(metrics: Mapping[str, Any]) -> list[str]:
    """What a reader of the terminal needs of metrics.json, in a few lines.

    Example: ``["Accuracy 0.500 (1 of 2 evaluated, 2 planned), 95 % interval 0.095 to 0.905", "level  accuracy
    95 % interval   evaluated/planned", …, "No gate was set."]``.
    """
    lines = [headline_sentence(metrics)]
    if metrics["partial"]:
        lines.append(f"part of the set only: {', '.join(metrics['partial'])}")
    if metrics["stopped"] is not None:
        lines.append(f"stopped: {metrics['stopped']}")
    return [*lines, *_breakdown(metrics), *_causes(metrics), metrics["gate"]["sentence"]]


def exit_code_line(runs: Iterable[Mapping[str, Any]], *, exit_code: int) -> str | None:
    """What a session with a gate ends with; ``None`` without one: pytest's own code stands then.

    Told because pytest's own red "failed" counts wrong answers.

    Args:
        runs: The metrics of each run of the session.
        exit_code: That of the session.
    """
    if all(metrics["gate"]["status"] == "none" for metrics in runs):
        return None
    meaning = " (the gate decides; what pytest calls failed are wrong answers)" if exit_code == 0 else ""
    return f"exit code {exit_code}{meaning}"


def _breakdown(metrics: Mapping[str, Any]) -> list[str]:
    word = metrics["breakdown"]
    rows = metrics["series"][metrics["headline"]]["breakdown"][word]
    table = [
        (name, number(series["value"]), interval(series), _coverage(series["counts"]))
        for name, series in sorted(rows.items(), key=natural)
    ]
    header = (word, "accuracy", "95 % interval", "evaluated/planned")
    widths = [max(len(row[column]) for row in (header, *table)) for column in range(len(header))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *table)
    ]


def _coverage(counts: Mapping[str, int]) -> str:
    return f"{counts['evaluated']}/{counts['total']}"


def _causes(metrics: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{n_times} × {kind.replace('_', ' ')}: {cause}"
        for kind, causes in metrics["errors"].items()
        for cause, n_times in sorted(causes.items(), key=lambda item: -item[1])
    ]
    more = len(lines) - _MOST_CAUSES
    return [*lines[:_MOST_CAUSES], f"{more} more causes in summary.md"] if more > 0 else lines
