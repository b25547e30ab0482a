"""The tables of a summary: what was measured, in all and by category."""

from collections.abc import Mapping
from typing import Any

from benchmarks.results.markdown import escape, table

Metrics = Mapping[str, Any]

DASH = "—"
_PLANS = {
    "avg": "Attempts: {k} for each task; all of them are made.",
    "pass": "Attempts: up to {k} for each task, until the first success.",
}


def number(share: float | None) -> str:
    """A share with three digits, a dash for ``None``."""
    return DASH if share is None else f"{share:.3f}"


def headline_of(metrics: Metrics) -> Mapping[str, Any]:
    """The series that gates and the first line speak of."""
    series: Mapping[str, Any] = metrics["series"][metrics["headline"]]
    return series


def totals(metrics: Metrics) -> list[str]:
    """How many tasks ended how; with several attempts per task, the attempt plan above it."""
    counts = headline_of(metrics)["counts"]
    is_single = metrics["k"] == 1
    ends = ["correct", "incorrect", "not_attempted"] if is_single else []
    names = [
        "total",
        "evaluated",
        *ends,
        "error",
        "unavailable",
        *(["unscored"] if counts["unscored"] else []),
    ]
    header = ["Model", *(name.capitalize().replace("_", " ") for name in names)]
    rows = table(header, [[escape(metrics["model"]), *(counts[name] for name in names)]])
    return rows if is_single else [_PLANS[metrics["strategy"]].format(k=metrics["k"]), "", *rows]


def metric_table(metrics: Metrics) -> list[str]:
    """Each series and each scorer, with what it rests on."""
    is_single = metrics["k"] == 1
    header = ["Metric", "Over evaluated", "95 % interval", "Bootstrap", "Over planned"]
    header += ["Given attempted", "Correct"] if is_single else []
    header += ["Evaluated", "Error", "Unavailable", "Total"]
    rows = [_series_row(name, metrics["series"][name], is_single) for name in _in_order(metrics)]
    for name, scorer in sorted(metrics["scorers"].items()):
        counts = scorer["counts"]
        numbers = [number(scorer["value"]), DASH, DASH, DASH]
        numbers += [DASH, str(counts["correct"])] if is_single else []
        rows.append([f"{escape(name)} (scorer)", *numbers, counts["evaluated"], DASH, DASH, counts["total"]])
    lines = table(header, rows)
    if not is_single and metrics["scorers"]:
        lines += ["", "The counts of a series are of tasks, those of a scorer of attempts."]
    return lines


def by_category(metrics: Metrics) -> list[str]:
    """The headline by level or topic."""
    word = metrics["breakdown"]
    return _breakdown_table(metrics, word, headline_of(metrics)["breakdown"][word])


def by_tree(metrics: Metrics) -> list[str]:
    """The headline by node of the `category_hierarchy`; nothing without one."""
    nodes = headline_of(metrics).get("hierarchy")
    if not nodes:
        return []
    rows = [
        [escape(path), number(node["value"]), interval(node), *_counts(node)]
        for path, node in sorted(nodes.items())
    ]
    names = ("Evaluated", "Error", "Unavailable", "Total")
    return ["## By category hierarchy", "", *table(["Node", "Accuracy", "95 % interval", *names], rows)]


def further_breakdowns(metrics: Metrics) -> list[str]:
    """The headline by each further group of the dataset; nothing where it has none."""
    groups = {
        word: by_value
        for word, by_value in sorted(headline_of(metrics)["breakdown"].items())
        if by_value and word != metrics["breakdown"]
    }
    if not groups:
        return []
    lines = ["## Further breakdowns", "", "A task with several values counts under each of them."]
    for word, by_value in groups.items():
        lines += ["", *_breakdown_table(metrics, word, by_value)]
    return lines


def natural(item: tuple[str, object]) -> tuple[bool, int, str]:
    """A key for sorting: numbers in their order, before words."""
    category = item[0]
    is_number = category.isascii() and category.isdigit()
    return not is_number, int(category) if is_number else 0, category


def _in_order(metrics: Metrics) -> list[str]:
    """The names of the series, the headline first."""
    names = sorted((name for name in metrics["series"] if name != metrics["headline"]), key=_by_attempts)
    return [metrics["headline"], *names]


def _by_attempts(name: str) -> tuple[str, int]:
    reducer, _, k = name.rpartition("@")
    return reducer, int(k)


def _series_row(name: str, series: Mapping[str, Any], is_single: bool) -> list[object]:
    second = series.get("bootstrap")
    shares = [
        number(series["value"]),
        interval(series),
        DASH if second is None else _ends(second["interval_95"]),
        number(series["value_over_planned"]),
    ]
    shares += [number(series["value_given_attempted"]), str(series["counts"]["correct"])] if is_single else []
    return [escape(name), *shares, *_counts(series)]


def _breakdown_table(metrics: Metrics, word: str, by_value: Mapping[str, Mapping[str, Any]]) -> list[str]:
    is_single = metrics["k"] == 1
    header = [escape(word).capitalize(), "Accuracy", "95 % interval"]
    header += ["Given attempted", "Correct"] if is_single else []
    rows: list[list[object]] = []
    for value, series in sorted(by_value.items(), key=natural):
        extra = (
            [number(series["value_given_attempted"]), str(series["counts"]["correct"])] if is_single else []
        )
        rows.append([escape(value), number(series["value"]), interval(series), *extra, *_counts(series)])
    return table([*header, "Evaluated", "Error", "Unavailable", "Total"], rows)


def _counts(series: Mapping[str, Any]) -> list[object]:
    counts = series["counts"]
    return [counts[name] for name in ("evaluated", "error", "unavailable", "total")]


def interval(series: Mapping[str, Any]) -> str:
    """The 95 % interval of a series, "0.237 to 0.763"; a dash where there is none."""
    ends = series["interval_95"]
    return DASH if ends is None else _ends(ends)


def _ends(ends: Any) -> str:
    return f"{number(ends[0])} to {number(ends[1])}"
