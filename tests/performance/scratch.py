"""A folder for one measurement, gone after it."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch() -> Generator[Path]:
    """An empty folder until the block ends."""
    with tempfile.TemporaryDirectory(prefix="performance-") as folder:
        yield Path(folder)
