"""Figures as text: aligned columns, and each target with what was reached."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from figures import Figures, Row
from scenarios import Target

RUN_COLUMNS = (
    "limit s",
    "calls s",
    "calls / limit",
    "wall s",
    "wall / limit",
    "first s",
    "tail s",
    "CPU s",
    "CPU ms/task",
    "largest MB",
    "tree MB",
    "most at once",
    "calls/task",
)
COLLECTION_COLUMNS = ("wall s", "CPU s", "MB", "us/item", "bytes/item")
REDUCTION_COLUMNS = ("write s", "reduce s", "CPU s", "MB", "us/record", "bytes/record", "disk bytes/record")

_WHOLE_FROM = 1000.0
_NONE = "-"


@dataclass(frozen=True, kw_only=True)
class Reached:
    """A target and the figure it is held against; ``None`` where that was not measured."""

    target: Target
    figure: float | None

    @property
    def verdict(self) -> str:
        """ "reached", "missed", or "not measured"."""
        if self.figure is None:
            return "not measured"
        return "reached" if self.figure <= self.target.at_most else "missed"

    def to_json(self) -> dict[str, Any]:
        """The target, the figure and the verdict."""
        return {
            "scenario": self.target.scenario,
            "who": self.target.who,
            "figure": self.target.figure,
            "at_most": self.target.at_most,
            "measured": self.figure,
            "verdict": self.verdict,
        }


def reached(targets: Iterable[Target], rows: Sequence[Row]) -> list[Reached]:
    """Each target with its figure."""
    found: Mapping[tuple[str, str], Figures] = {(row.scenario, row.who): row.figures for row in rows}
    return [
        Reached(target=target, figure=found.get((target.scenario, target.who), {}).get(target.figure))
        for target in targets
    ]


def rows_table(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """One line for each row; "" if there is none."""
    if not rows:
        return ""
    lines = [[row.scenario, row.who, *(shown(row.figures.get(column)) for column in columns)] for row in rows]
    return aligned([["scenario", "who", *columns], *lines], n_left=2)


def targets_table(results: Sequence[Reached]) -> str:
    """One line for each target."""
    lines = [
        [
            result.target.scenario,
            result.target.who,
            result.target.figure,
            shown(result.target.at_most),
            shown(result.figure),
            result.verdict,
        ]
        for result in results
    ]
    return aligned([["scenario", "who", "figure", "at most", "measured", "verdict"], *lines], n_left=3)


def aligned(lines: Sequence[Sequence[str]], *, n_left: int) -> str:
    """Columns of one width each, a rule under the first line, the first `n_left` of them to the left."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * width for width in widths]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < n_left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in [lines[0], rule, *lines[1:]]
    )


def shown(value: float | None) -> str:
    """Two digits after the point, one from 10, none from 1000 and for a count; "-" for what is not there."""
    if value is None:
        return _NONE
    if isinstance(value, int):
        return str(value)
    if abs(value) >= _WHOLE_FROM:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
