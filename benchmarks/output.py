"""What an attempt's own code prints and logs, told apart from that of the attempts beside it.

pytest captures by item, but the attempts of coming items run while an earlier item waits: without this, what
one of them prints would stand under another's name.
"""

import logging
import sys
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

MAX_CHARACTERS = 20_000
"""What is kept of one attempt's output: its end."""


class Output:
    """The end of what one attempt printed and logged."""

    def __init__(self) -> None:
        self._pieces: deque[str] = deque()
        self._n_characters = 0

    def append(self, text: str) -> None:
        """Add `text`, and forget what lies too far back."""
        text = text[-MAX_CHARACTERS:]
        self._pieces.append(text)
        self._n_characters += len(text)
        while self._n_characters - len(self._pieces[0]) >= MAX_CHARACTERS:
            self._n_characters -= len(self._pieces.popleft())

    def __str__(self) -> str:
        return "".join(self._pieces)[-MAX_CHARACTERS:]


_current: ContextVar[Output | None] = ContextVar("benchmarks_output", default=None)


@contextmanager
def own_output() -> Generator[Output]:
    """What this task, and whatever it starts, prints and logs until the block ends."""
    pieces = Output()
    token = _current.set(pieces)
    try:
        yield pieces
    finally:
        _current.reset(token)


@contextmanager
def routed_output() -> Generator[None]:
    """While the block lasts, `own_output` is told apart (one block in each process).

    Not for a session under `-s`, whose user asked to see everything at once. A stream that does not let its
    `write` be replaced stays as it is.
    """
    handler = _Handler()
    restored = [_route(stream) for stream in (sys.stdout, sys.stderr)]
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        for restore in restored:
            restore()


class _Handler(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        pieces = _current.get()
        if pieces is not None:
            with suppress(Exception):  # a log call of a user's must not end an attempt
                pieces.append(f"{self.format(record)}\n")


def _route(stream: Any) -> Callable[[], None]:
    """Let `stream` hand what a task prints to it; the result undoes that."""
    write = stream.write

    def routed(text: str) -> Any:
        pieces = _current.get()
        if pieces is None:
            return write(text)
        pieces.append(text)
        return len(text)

    try:
        stream.write = routed
    except AttributeError:
        return lambda: None
    return lambda: delattr(stream, "write")
