"""Figures: what a row of the table says, computed from what was watched and counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from load import Load
from measuring import Spent
from serving import Tally

Figures = Mapping[str, float | None]
"""By the column's name, e.g. ``{"wall s": 5.1, "wall / limit": 1.21}``; ``None`` where there is none."""

_MB = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a table: medians of `n_rounds` measurements, of which `rounds` are the figures."""

    scenario: str
    who: str
    rounds: tuple[Figures, ...]
    facts: Mapping[str, Any]
    """What holds for all rounds, e.g. the load."""

    @property
    def figures(self) -> Figures:
        """The medians."""
        return medians(self.rounds)

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "scenario": self.scenario,
            "who": self.who,
            **self.facts,
            "figures": dict(self.figures),
            "rounds": [dict(figures) for figures in self.rounds],
        }


def run_figures(load: Load, spent: Spent, tally: Tally) -> Figures:
    """The figures of one whole session, or of the floor."""
    first_at = spent.started_at if tally.first_at is None else tally.first_at
    calls_s, limit_s = tally.last_at - first_at, load.limit_s
    return {
        "limit s": limit_s or None,
        "calls s": calls_s,
        "calls / limit": calls_s / limit_s if limit_s else None,
        "wall s": spent.wall_s,
        "wall / limit": spent.wall_s / limit_s if limit_s else None,
        "first s": first_at - spent.started_at,
        "tail s": spent.started_at + spent.wall_s - tally.last_at,
        "CPU s": spent.cpu_s,
        "CPU ms/task": 1000 * spent.cpu_s / load.n_tasks,
        "largest MB": spent.largest_rss_bytes / _MB,
        "tree MB": spent.tree_rss_bytes / _MB,
        "tree PSS MB": spent.tree_pss_bytes / _MB,
        "most at once": tally.most_in_flight,
        "connections": tally.n_connections,
        "calls/task": tally.n_requests / load.n_tasks,
        "request kB": tally.request_bytes / 1000,
        "server CPU s": tally.cpu_s,
        "server late ms": 1000 * tally.worst_delay_s,
    }


def medians(rounds: Sequence[Figures]) -> Figures:
    """The median of each figure; ``None`` where a round has none."""
    return {name: _median([figures[name] for figures in rounds]) for name in rounds[0]}


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if len(known) == len(values) else None


def scale_figures(spent: Spent, *, n: int, one: Spent | None) -> Figures:
    """The figures of a collection of `n` tasks; `one` is that of a single task, which is start-up alone."""
    more = None if one is None or n < 2 else n - 1
    return {
        "wall s": spent.wall_s,
        "CPU s": spent.cpu_s,
        "MB": spent.largest_rss_bytes / _MB,
        "us/item": None if one is None or not more else 1e6 * (spent.wall_s - one.wall_s) / more,
        "bytes/item": (
            None if one is None or not more else (spent.largest_rss_bytes - one.largest_rss_bytes) / more
        ),
    }
