"""The rows of the HTML report: what an attempt came to and what it took. Nothing in them is private."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape

from benchmarks.report.readable import UNKNOWN, count, dollars, seconds, shown, words


@dataclass(frozen=True, kw_only=True)
class Row:
    """One planned unit in the table.

    `task` is what names it: its task id, with several runs also its run. `breakdown` is the word for its
    category, e.g. "level"; `attempt` is "2 of 3". `outcome` and `stop_reason` are as in a record, of the
    attempt with the number `decided_by`. Texts are "" where they are not known. `time_s` is in seconds,
    `cost_usd` in US dollars, ``None`` where they are not known. `tokens` is by role: ``{"model": (1200,
    40)}``, read and written. `page` is the address of its trajectory page, ``None`` where it is not linked.
    """

    task: str
    breakdown: str = ""
    category: str = ""
    attempt: str = ""
    decided_by: int = 1
    outcome: str = ""
    stop_reason: str = ""
    time_s: float | None = None
    tokens: Mapping[str, tuple[int | None, int | None]] = field(
        default_factory=dict[str, tuple[int | None, int | None]]
    )
    cost_usd: float | None = None
    page: str | None = None

    @property
    def n_tokens(self) -> int | None:
        """All tokens that servers reported; ``None`` where none did."""
        known = [n for used in self.tokens.values() for n in used if n is not None]
        return sum(known) if known else None

    @property
    def lines(self) -> tuple[str, ...]:
        """What a reader who unfolds the row learns beyond it: tokens by role."""
        return tuple(
            f"tokens, {role}: {count(read)} in, {count(written)} out"
            for role, (read, written) in sorted(self.tokens.items())
            if read is not None or written is not None
        )


def header(category: str) -> list[str]:
    """The cells of the table's head; `category` is what tasks are grouped by, e.g. "level"."""
    names = {
        "result": "Result",
        "testId": "Task",
        "category": category.capitalize(),
        "attempt": "Attempt",
        "verdict": "Verdict",
        "stop": "Stop reason",
        "time": "Time",
        "tokens": "Tokens",
        "cost": "Cost",
    }
    return [
        *(
            f'<th class="sortable" scope="col" data-column-type="{column}">{escape(name)}</th>'
            for column, name in names.items()
        ),
        '<th scope="col">Links</th>',
    ]


def cells(row: Row, *, result: str, links: str = "") -> list[str]:
    """The cells of a row, in the order of `header`.

    Args:
        row: What it tells.
        result: pytest's word: "Passed", "Failed", "Error" or "Skipped".
        links: Links of others, as HTML, that stand behind the one to the trajectory.
    """
    page = "" if row.page is None else f'<a href="{escape(row.page)}">trajectory</a> '
    return [
        f'<td class="col-result" tabindex="0">{escape(result)}</td>',
        *_middle(row),
        f'<td class="col-links">{page}{links}</td>',
    ]


def sorted_by(of_cells: list[str]) -> dict[str, str]:
    """What the page sorts by: the content of each cell by its column, as pytest-html reads it."""
    return {
        cell.partition("col-")[2].partition('"')[0]: cell.partition(">")[2].removesuffix("</td>")
        for cell in of_cells[:-1]
    }


def _middle(row: Row) -> Iterator[str]:
    yield _cell("testId", row.task)
    yield _cell("category", row.category, key=_natural(row.category), name=row.breakdown)
    yield _cell("attempt", row.attempt, key=_natural(row.attempt.partition(" ")[0]), name="attempt")
    yield _cell("verdict", words(row.outcome) or UNKNOWN)
    yield _cell("stop", words(row.stop_reason) or UNKNOWN, name="stop reason")
    yield _cell("time", seconds(row.time_s), key=_number(row.time_s))
    yield _cell("tokens", count(row.n_tokens), key=_number(row.n_tokens), name="tokens")
    yield _cell("cost", dollars(row.cost_usd), key=_number(row.cost_usd), name="cost")


def _cell(column: str, text: str, *, key: str | None = None, name: str = "") -> str:
    """One cell. `name` stands before its text where the page is narrow.

    `key` is what it is sorted by: pytest-html compares the content of cells as text, and a comment at its
    beginning is part of it.
    """
    told = f' data-name="{escape(name)}"' if name else ""
    sort_key = "" if key is None else f"<!--{escape(key)}-->"
    return f'<td class="col-{column}"{told}>{sort_key}{escape(shown(text))}</td>'


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:021.6f}"


def _natural(text: str) -> str:
    return text.zfill(12) if text.isascii() and text.isdigit() else text
