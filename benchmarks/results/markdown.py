"""Markdown pieces: foreign text that stays text, and tables."""

import re
from collections.abc import Iterable, Sequence

from benchmarks.results.plain import one_line

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")


def escape(text: object, limit: int = 200) -> str:
    r"""`text` on one line, at most `limit` characters of it, that renders as it is written.

    Example: ``escape("org/a_b|<b>")`` gives ``r"org/a\_b\|&lt;b&gt;"``.
    """
    line = one_line(str(text), limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", line)


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """The lines of a table; the first column is text, the others are numbers. Cells are escaped already.

    Example: ``table(["Level", "Total"], [["1", 39]])``.
    """
    rule = ["---", *("---:" for _ in header[1:])]
    lines = [header, rule, *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]
