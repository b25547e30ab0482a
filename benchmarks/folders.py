"""Working folders: each attempt has one to itself while it runs."""

import itertools
import os
import shutil
import tempfile
from pathlib import Path


class Folders:
    """Hands out empty folders and takes them back. One that comes back empty is handed out again.

    Most attempts leave nothing, and making and removing a folder for each costs more than all else that is
    done about it.
    """

    def __init__(self) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="agent-benchmarks-"))
        self._numbers = itertools.count(1)
        self._empty: list[Path] = []

    def take(self) -> Path:
        """An empty folder that nobody else has.

        Raises:
            OSError: The temporary folder cannot be written.
        """
        if self._empty:
            return self._empty.pop()
        folder = self._root / str(next(self._numbers))
        folder.mkdir(parents=True)
        return folder

    def give_back(self, folder: Path, *, is_left: bool = True) -> None:
        """Take a folder back with whatever lies in it.

        `is_left` is False where the attempt was cut off: what it had started may still write there, so the
        folder goes to nobody else.
        """
        try:
            with os.scandir(folder) as entries:
                is_empty = next(entries, None) is None
        except OSError:  # the attempt removed it itself
            return
        if is_empty and is_left and not folder.is_symlink():
            self._empty.append(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Remove all of them."""
        shutil.rmtree(self._root, ignore_errors=True)
