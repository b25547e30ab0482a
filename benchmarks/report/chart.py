"""A chart of a run: the headline and each level or topic, with 95 % intervals and what the gates ask."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from benchmarks.report.rendering import render
from benchmarks.results.gates.scopes import category_named
from benchmarks.results.summary_tables import DASH, headline_of, natural, number

_ROW_PX = 46
_AXIS_PX = 24
_INSET = 0.015
"""Share of the width left free at each end, so that a mark at 0 or 1 is whole."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One line of the chart. Shares are 0 to 1.

    `value` and `interval` are ``None`` where nothing was evaluated; `threshold` where no gate asks for an
    accuracy. `counts` says what it rests on: "3 of 5", with several attempts "5 of 5 tasks".
    """

    label: str
    value: float | None
    interval: tuple[float, float] | None
    threshold: float | None
    counts: str

    @property
    def sentence(self) -> str:
        """The line in words, for who cannot see it."""
        if self.value is None:
            return f"{self.label}: nothing evaluated."
        ends = "" if self.interval is None else " (95 % interval {:.3f} to {:.3f})".format(*self.interval)
        asked = "" if self.threshold is None else f", the gate asks for {self.threshold:g}"
        return f"{self.label}: {self.value:.3f}{ends}, {self.counts}{asked}."


def bars_of(metrics: Mapping[str, Any]) -> list[Bar]:
    """The lines of a run's chart: the whole of it, then each level or topic in order.

    Args:
        metrics: The content of metrics.json.
    """
    headline, word = headline_of(metrics), metrics["breakdown"]
    parts = dict(sorted(headline["breakdown"][word].items(), key=natural))
    asked = dict(_thresholds(metrics, parts))
    whole = _bar("All", headline, metrics["k"], asked.get(None))
    return [
        whole,
        *(_bar(f"{word} {name}", part, metrics["k"], asked.get(name)) for name, part in parts.items()),
    ]


def chart(metrics: Mapping[str, Any], *, name: str) -> Markup:
    """The chart as an inline SVG; nothing for a run whose ground truths are unknown.

    It is as wide as its place, says in words what it shows, and needs neither colour nor script.

    Args:
        metrics: The content of metrics.json.
        name: What no other chart of the page is called; it names ids.
    """
    bars = bars_of(metrics)
    if metrics["outcomes"]["unscored"]:
        return Markup("")
    return render(
        "chart.svg.jinja",
        bars=bars,
        name=name,
        word=metrics["breakdown"],
        has_gate=any(bar.threshold is not None for bar in bars),
        at=_at,
        number=number,
        row_px=_ROW_PX,
        plot_px=_ROW_PX * len(bars),
        height_px=_ROW_PX * len(bars) + _AXIS_PX,
    )


def _thresholds(metrics: Mapping[str, Any], parts: Mapping[str, Any]) -> Iterator[tuple[str | None, float]]:
    """The accuracy asked of each category; of the whole under ``None``."""
    for gate in metrics["gate"]["each"]:
        if gate["kind"] == "accuracy" and gate["threshold"] is not None:
            yield category_named(gate["scope"], parts, breakdown=metrics["breakdown"]), gate["threshold"]


def _bar(label: str, series: Mapping[str, Any], k: int, threshold: float | None) -> Bar:
    counts, interval = series["counts"], series["interval_95"]
    rests_on = (
        f"{counts['correct']} of {counts['evaluated']}"
        if k == 1
        else f"{counts['evaluated']} of {counts['total']} tasks"
    )
    return Bar(
        label=label,
        value=series["value"],
        interval=None if interval is None else (interval[0], interval[1]),
        threshold=threshold,
        counts=rests_on if counts["evaluated"] else DASH,
    )


def _at(share: float) -> str:
    """Where a share lies from left to right, e.g. "50.00%"."""
    return f"{100 * (_INSET + (1 - 2 * _INSET) * min(max(share, 0.0), 1.0)):.2f}%"
