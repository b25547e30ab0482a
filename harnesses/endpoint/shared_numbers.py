"""Numbers that all processes of a session share: one small file, changed under a lock."""

import fcntl
import mmap
import os
from array import array
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_MOST_BYTES = 1 << 20
_STAMP_BYTES = 8
"""The file begins with how often it was changed: who has seen that stamp need not read the rest again."""


class Numbers(dict[str, float]):
    """Numbers by name, e.g. ``{"model.paused_until": 93811.5}``; one that nobody has set is 0."""

    def __missing__(self, name: str) -> float:
        return 0.0


class SharedNumbers:
    """The numbers in one file, as this process sees and changes them.

    The lock is held for microseconds, never over a wait, and ends with the process that holds it, however
    that ends. One thread of a process may use it.

    Args:
        path: The file; made, with its folder, where it is missing. All processes are on its machine.

    Raises:
        OSError: It cannot be made, or its file system knows no locks.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._bytes, self._numbers = b"", Numbers()
        try:
            with self._locked():
                if os.fstat(self._file).st_size == 0:
                    self._write(self._numbers)
            self._stamp = mmap.mmap(self._file, _STAMP_BYTES, access=mmap.ACCESS_READ)
        except OSError:
            os.close(self._file)
            raise

    def look(self) -> Numbers:
        """All numbers as they are now; not to be changed."""
        if not self._is_up_to_date():
            with self._locked():
                self._read()
        return self._numbers

    @contextmanager
    def changing(self) -> Generator[Numbers]:
        """All numbers, kept from the other processes until the block ends; then what it changed is theirs.

        A block that raises has changed nothing.
        """
        with self._locked():
            if not self._is_up_to_date():
                self._read()
            try:
                yield self._numbers
            except BaseException:
                self._bytes, self._numbers = b"", Numbers()
                raise
            self._write(self._numbers)

    def close(self) -> None:
        """Close the file; nothing can be read after it."""
        self._stamp.close()
        os.close(self._file)

    @contextmanager
    def _locked(self) -> Generator[None]:
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _is_up_to_date(self) -> bool:
        return self._stamp[:] == self._bytes[:_STAMP_BYTES]

    def _read(self) -> None:
        self._bytes = os.pread(self._file, _MOST_BYTES, 0)
        self._numbers = _unpacked(self._bytes[_STAMP_BYTES:])

    def _write(self, numbers: Numbers) -> None:
        """In one go: no process dies in the middle of it. Names are never taken away, so it only grows."""
        n_changes = int.from_bytes(self._bytes[:_STAMP_BYTES], "little") + 1
        self._bytes = n_changes.to_bytes(_STAMP_BYTES, "little") + _packed(numbers)
        os.pwrite(self._file, self._bytes, 0)


# Names, then their numbers as they lie in memory: JSON takes 50 µs for what this does in 4, at every request.


def _packed(numbers: Numbers) -> bytes:
    return "\n".join(numbers).encode() + b"\0" + array("d", numbers.values()).tobytes()


def _unpacked(packed: bytes) -> Numbers:
    names, _, numbers = packed.partition(b"\0")
    return Numbers(zip(names.decode().split("\n"), array("d", numbers), strict=True)) if names else Numbers()
