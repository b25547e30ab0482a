"""A run at a glance, for a page: result, gate, chart, and what it rests on. Nothing in it is private."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from benchmarks.report.chart import chart
from benchmarks.report.readable import UNKNOWN, count, dollars, seconds, words
from benchmarks.report.rendering import render
from benchmarks.results.provenance import replayed, taken_over
from benchmarks.results.summary import FLAGS, headline_sentence
from benchmarks.results.summary_tables import headline_of

_SIGNS = {
    "passed": "✓",
    "missed": "✗",
    "not_measured": "!",
    "inconclusive": "?",
    "not_comparable": "≠",
    "none": "·",
}
"""What a gate decided, as a sign: colour alone tells nobody."""
_REVISION_CHARACTERS = 12
"""Of a digest so much is shown; run.json has it whole."""


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What of a run stands at the top of a page.

    `headline` is the sentence of the result, `sentence` that of the gate, the very ones of every other
    report. `notes` are lines a reader must not miss; `facts` are names and values.
    """

    name: str
    headline: str
    gate: str
    sign: str
    sentence: str
    notes: tuple[str, ...]
    outcomes: tuple[tuple[str, int], ...]
    facts: tuple[tuple[str, str], ...]


def overview_of(metrics: Mapping[str, Any]) -> Overview:
    """What metrics.json says at a glance."""
    gate = metrics["gate"]
    return Overview(
        name=name_of(metrics),
        headline=headline_sentence(metrics),
        gate=gate["status"],
        sign=_SIGNS.get(gate["status"], "·"),
        sentence=gate["sentence"],
        notes=tuple(_notes(metrics)),
        outcomes=tuple((words(outcome), n) for outcome, n in metrics["outcomes"].items() if n),
        facts=tuple(_facts(metrics)),
    )


def name_of(metrics: Mapping[str, Any]) -> str:
    """The set and the model of a run, e.g. "GAIA text-103, org/model-1"."""
    dataset = metrics["dataset"]
    of_set = " ".join(str(part) for part in (dataset.get("name"), dataset.get("subset")) if part)
    return f"{of_set or metrics['benchmark']}, {metrics['model']}"


def overview(metrics: Mapping[str, Any], *, anchor: str, heading: bool) -> Markup:
    """The part of a page that shows a run at a glance.

    Args:
        metrics: The content of metrics.json.
        anchor: What no other run of the page is called; it names ids.
        heading: Whether it begins with the result as a heading; not where the page's own says it.
    """
    return render(
        "overview.html.jinja",
        run=overview_of(metrics),
        chart=chart(metrics, name=anchor),
        has_gate=any(gate["kind"] == "accuracy" for gate in metrics["gate"]["each"]),
        heading=heading,
    )


def _notes(metrics: Mapping[str, Any]) -> Iterator[str]:
    if metrics["demo"]:
        yield "A demo run: its model is small, and its accuracy is not the point."
    if metrics["partial"]:
        reasons = ", ".join(metrics["partial"])
        yield f"Part of the set only ({reasons}): not to be compared with the whole set."
    if metrics["stopped"] is not None and metrics["stopped"] not in metrics["gate"]["sentence"]:
        yield f"The run was stopped: {metrics['stopped']}"
    for line in (replayed(metrics["volatile"]), taken_over(metrics["volatile"])):
        if line is not None:
            yield f"{line}."
    for flag in headline_of(metrics)["flags"]:
        yield FLAGS[flag]
    found = metrics["canary"]
    if found and found["n"]:
        yield f"Attempts in which a tool result carried the dataset's canary string: {found['n']}."
    held = metrics["baseline"]
    if held is not None:
        yield f"Against the baseline, run {held['base']['run']}: {held['sentence']}"


def _facts(metrics: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    volatile, judge, dataset = metrics["volatile"], metrics["judge"], metrics["dataset"]
    yield "Run", str(volatile["run"])
    yield "Model", str(metrics["model"])
    yield "Harness", str(metrics["harness"].get("id") or UNKNOWN)
    by = "" if judge.get("model") is None else f" by {judge['model']}"
    yield "Judge", f"{judge.get('primary') or UNKNOWN}{by}"
    revision = str(dataset.get("revision") or "unknown")
    yield "Dataset", f"{dataset.get('subset') or UNKNOWN}, revision {revision[:_REVISION_CHARACTERS]}"
    if metrics["k"] > 1:
        yield "Attempts", f"{metrics['k']} for each task ({metrics['strategy']})"
    for role, used in sorted(volatile["tokens"].items()):
        told = f"{count(used['input_tokens'])} in, {count(used['output_tokens'])} out"
        yield f"Tokens, {role}", told
    yield "Cost", dollars(volatile["cost_usd"]["total"])
    time = volatile["time"]
    yield "Time", f"{seconds(time['wall_s'])} from start to end; attempts {seconds(time['run_s'])} in all"
    if volatile.get("started_at"):
        yield "Started", str(volatile["started_at"])
