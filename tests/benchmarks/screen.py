"""A screen that shows what a terminal would: the few movements that pytest and the progress line use."""

import re

_PIECES = re.compile(r"\x1b\[(\d*)([A-Za-z])|\x1b\[[\d;]*m|[\r\n]|[^\x1b\r\n]")


class Screen:
    """Lines of `width` columns, as many as are written; a line feed goes to the first column, too."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._rows: list[list[str]] = [[]]
        self._row = 0
        self._column = 0
        self.seen: list[str] = []
        """Each line that stood there at some time when the cursor moved up."""

    @property
    def lines(self) -> list[str]:
        """What can be read now."""
        return ["".join(row).rstrip() for row in self._rows]

    def write(self, text: str) -> None:
        for piece in _PIECES.finditer(text):
            self._put(piece)

    def _put(self, piece: "re.Match[str]") -> None:
        number, movement = piece[1], piece[2]
        if movement == "J":
            del self._rows[self._row][self._column :]
            del self._rows[self._row + 1 :]
        elif movement == "A":
            self.seen.append(self.lines[self._row])
            self._row -= int(number or 1)
        elif movement == "C":
            self._column = min(self._width - 1, self._column + int(number or 1))
        elif piece[0] == "\r":
            self._column = 0
        elif piece[0] == "\n":
            self._to_next_row()
        elif not piece[0].startswith("\x1b"):
            self._print(piece[0])

    def _to_next_row(self) -> None:
        self._row += 1
        self._column = 0
        if self._row == len(self._rows):
            self._rows.append([])

    def _print(self, character: str) -> None:
        if self._column == self._width:
            self._to_next_row()
        row = self._rows[self._row]
        row += " " * (self._column + 1 - len(row))
        row[self._column] = character
        self._column += 1
