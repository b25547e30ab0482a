"""A mark every process of a session sees: once it is set, nobody starts another attempt."""

from pathlib import Path


class StopMark:
    """One line that says why the session stops, in a file all processes of a session share.

    A session whose workers do not share the disk stops in each worker by itself: the file is then simply
    not there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line: str | None = None

    def line(self) -> str | None:
        """Why the session stops, ``None`` while it goes on."""
        if self._line is None and self._path.exists():
            self._line = self._path.read_text(encoding="utf-8").strip() or "stopped"
        return self._line

    def set(self, line: str) -> None:
        """Stop the session with this one line; the first line stays."""
        if self.line() is not None:
            return
        self._line = line
        try:
            with self._path.open("x", encoding="utf-8") as file:
                file.write(line)
        except OSError:
            # Another process was first, or the disk is not shared: this process stops all the same.
            return
