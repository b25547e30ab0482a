"""What is kept aside: records of attempts that were never planned, which nothing counts."""

from collections.abc import Callable
from pathlib import Path

from benchmarks.results.record import Record
from benchmarks.results.spool import Spool, read_spools


class Aside:
    """Keeps each such record once, in a file of its own.

    Args:
        path: The file; made with its folder when there is something to keep. What is in it stays.
        tell_failure: Gets one line when it could not be written.
    """

    def __init__(self, path: Path, *, tell_failure: Callable[[str], None]) -> None:
        self._path = path
        self._tell_failure = tell_failure
        self._lines = {record.line for record in read_spools(path.parent)}

    def put(self, record: Record) -> None:
        """Keep `record`, if it is not there already."""
        if record.line in self._lines:
            return
        self._lines.add(record.line)
        try:
            spool = Spool(self._path)
            spool.append(record)
            spool.close()
        except OSError as error:
            self._tell_failure(f"{self._path.name} could not be written: {error.strerror}")
