"""A mark every process of a session sees: once it is set, nobody starts another attempt."""

from pathlib import Path

from harnesses.endpoint.budgets import BUDGET


class StopMark:
    """One line that says why the session stops, in a file all processes of a session share.

    A worker that does not share the disk has a file of its own, which is set as soon as it hears of the stop
    (`benchmarks/elsewhere.py`).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line: str | None = None

    def line(self) -> str | None:
        """Why the session stops, ``None`` while it goes on."""
        if self._line is None and self._path.exists():
            # Empty for the moment in which another process makes it.
            self._line = self._path.read_text(encoding="utf-8").strip() or None
        return self._line

    @property
    def is_budget(self) -> bool:
        """Whether the session stops because its budget is spent.

        Then pytest goes on to its end: what had finished by then is told, and the rest is skipped.
        """
        return (self.line() or "").startswith(BUDGET)

    def set(self, line: str) -> None:
        """Stop the session with this one line; the first line stays."""
        if self.line() is not None:
            return
        line = line.strip() or "stopped"
        try:
            with self._path.open("x", encoding="utf-8") as file:
                file.write(line)
        except OSError:
            # Another process was first, or the disk is not shared: this process stops all the same.
            line = self.line() or line
        self._line = line
