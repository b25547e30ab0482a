"""A run of the suite on a terminal, and what stood on its screen."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from contextlib import suppress

from journey import Suite
from screen import Screen


def run_on_a_terminal(suite: Suite, *more: str, width: int = 100) -> Screen:
    """The screen after `pytest benchmarks/gaia` ended on a terminal of `width` columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    with subprocess.Popen(
        suite.command(*suite.arguments(), "-o", "log_cli=false", *more),
        cwd=suite.folder,
        env={**suite.process_environment, "TERM": "xterm", "COLUMNS": str(width)},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ):
        os.close(theirs)
        chunks: list[bytes] = []
        with suppress(OSError):  # how Linux says that the other end is closed
            while chunk := os.read(ours, 65536):
                chunks.append(chunk)
    os.close(ours)
    screen = Screen(width)
    # A terminal's line discipline puts a return before each line feed; the screen does so by itself.
    screen.write(b"".join(chunks).decode().replace("\r\n", "\n"))
    return screen
