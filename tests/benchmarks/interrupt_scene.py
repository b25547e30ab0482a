"""Signals of this very process, heard by our handlers and by nobody else."""

import signal
from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from benchmarks.interrupts import Interrupts


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@contextmanager
def heard(clock: Clock) -> Generator[Interrupts]:
    """Installed over Python's own handlers, and taken away again."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    made = Interrupts(clock=clock)
    with ExitStack() as closing:
        made.install(closing, hears_sigterm=True)
        yield made
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    for number, handler in before.items():
        signal.signal(number, handler)
