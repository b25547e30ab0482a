"""A spool: the records of one process, one a line, written the moment each attempt ends.

A worker that dies takes with it what it finished ahead of pytest's pointer; its spool stays.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results.facts import UnitKey
from benchmarks.results.record import Record

_UNIT = re.compile(rb'\{"task_id": "([A-Za-z0-9_.-]+)", "attempt": (\d+),')
"""How the line of a record begins."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a record lies in a spool; `at_byte` counts from 0."""

    path: Path
    at_byte: int

    def read(self) -> Record | None:
        """The record that lies there; ``None`` where the spool was taken away or changed."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.at_byte)
                return Record.from_line(file.readline().decode().rstrip("\n"))
        except (OSError, ValueError, RecursionError):
            return None


class Spool:
    """Appends records to one file. One process writes it; any may read it at any time.

    Args:
        path: The file, e.g. `details/_spool/gw0.jsonl`; made with its folder. What is in it stays.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._file = path.open("ab+")
        self._end_cut_line()

    def append(self, record: Record) -> "Place":
        """Write one line and hand it to the operating system; where it lies.

        That outlives a killed process (SIGKILL too); it is not forced to disk, so a power cut may lose it.
        """
        place = Place(path=self._path, at_byte=self._file.seek(0, 2))
        self._file.write(record.line.encode() + b"\n")
        self._file.flush()
        return place

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


def places_in(path: Path) -> Iterator[tuple[UnitKey, Place]]:
    """Where the record of each unit lies in one spool, none of it parsed; nothing when there is no file."""
    for at_byte, line in _whole_lines(path):
        unit = _unit_of(line)
        if unit is not None:
            yield unit, Place(path=path, at_byte=at_byte)


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
        for number, (_, line) in enumerate(_whole_lines(path), start=1):
            unit = _unit_of(line)
            if unit is not None and passes_over(unit):
                continue
            try:
                record = Record.from_line(line.decode().rstrip("\n"))
            except (ValueError, RecursionError):
                tell(f"spool {path.name}, line {number}: no record can be read from it; left out")
                continue
            yield record


def _whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Each line of a spool that has its end, with the byte it begins at; none when there is no such file."""
    if not path.exists():
        return
    at_byte = 0
    with path.open("rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                return
            yield at_byte, line
            at_byte += len(line)


def _unit_of(line: bytes) -> UnitKey | None:
    """The unit whose record this line holds, read from its beginning; ``None`` where that is none."""
    start = _UNIT.match(line)
    return None if start is None else (start[1].decode(), int(start[2]))
