r"""Where ``\boxed{…}`` stands in a text, with its braces balanced."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A doubled backslash comes from text that was escaped twice; a lost one from a decoder that read "\b".
_BRACE = re.compile(r"(?P<box>(?:\\{1,2}|(?<![A-Za-z\\]))boxed\s{0,5}\{)|\\[{}]|(?P<open>\{)|(?P<close>\})")


@dataclass(frozen=True, kw_only=True)
class Box:
    """One box: positions in the text, as for slicing.

    `start` is where the backslash stands, `inside` is the first position of the content. `end` is the
    position after the closing brace, ``None`` when the box is never closed.
    """

    start: int
    inside: int
    end: int | None

    def content(self, text: str) -> str:
        """What stands in the box: up to the end of the text if it is never closed."""
        return text[self.inside : None if self.end is None else self.end - 1]

    def length(self, text: str) -> int:
        """Characters in the box, without making a copy."""
        return (len(text) if self.end is None else self.end - 1) - self.inside


def boxes(text: str) -> list[Box]:
    """All boxes in the order they begin; nested ones too. One pass, whatever the text."""
    return sorted(_closed_and_unclosed(text), key=lambda box: box.start)


def _closed_and_unclosed(text: str) -> Iterator[Box]:
    pending: list[re.Match[str]] = []
    for brace in _BRACE.finditer(text):
        if brace["box"] or brace["open"]:
            pending.append(brace)
        elif brace["close"] and pending:
            opening = pending.pop()
            if opening["box"]:
                yield Box(start=opening.start(), inside=opening.end(), end=brace.end())
    for opening in pending:
        if opening["box"]:
            yield Box(start=opening.start(), inside=opening.end(), end=None)
