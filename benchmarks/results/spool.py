"""A spool: the records of one process, one a line, written the moment each attempt ends.

A worker that dies takes with it what it finished ahead of pytest's pointer; its spool stays.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.results.facts import UnitKey
from benchmarks.results.record import Record

_UNIT = re.compile(rb'\{"task_id": "([A-Za-z0-9_.-]+)", "attempt": (\d+),')
"""How the line of a record begins."""


class Spool:
    """Appends records to one file. One process writes it; any may read it at any time.

    Args:
        path: The file, e.g. `details/_spool/gw0.jsonl`; made with its folder. What is in it stays.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab+")
        self._end_cut_line()

    def append(self, record: Record) -> None:
        """Write one line and hand it to the operating system.

        That outlives a killed process (SIGKILL too); it is not forced to disk, so a power cut may lose it.
        """
        self._file.write(record.line.encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file. Closing twice is fine."""
        self._file.close()

    def _end_cut_line(self) -> None:
        size_bytes = self._file.seek(0, 2)
        if size_bytes == 0:
            return
        self._file.seek(size_bytes - 1)
        if self._file.read(1) != b"\n":
            self._file.write(b"\n")


def read_spools(
    folder: Path,
    *,
    tell: Callable[[str], object] = str,
    passes_over: Callable[[UnitKey], bool] = lambda _: False,
) -> Iterator[Record]:
    """The records in all spools of `folder`, file by file in the order of their names, one at a time.

    A last line without its end is still being written, or was cut by a kill: it is left out. A missing folder
    holds no records.

    Args:
        folder: The folder of the spools.
        tell: Gets one public line for each whole line that is no record; by default nobody hears it.
        passes_over: Tells of a unit that its record is not wanted: then its line is not even parsed.
    """
    for path in sorted(folder.glob("*.jsonl")):
        yield from read_spool(path, tell=tell, passes_over=passes_over)


def read_spool(
    path: Path,
    *,
    tell: Callable[[str], object] = str,
    passes_over: Callable[[UnitKey], bool] = lambda _: False,
) -> Iterator[Record]:
    """The records in one spool, as `read_spools` reads them; none when there is no such file."""
    if not path.exists():
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                break
            start = _UNIT.match(line)
            if start is not None and passes_over((start[1].decode(), int(start[2]))):
                continue
            try:
                record = Record.from_line(line.decode().rstrip("\n"))
            except ValueError:
                tell(f"spool {path.name}, line {number}: no record can be read from it; left out")
                continue
            yield record
