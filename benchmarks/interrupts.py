"""Interrupts: what Ctrl-C and SIGTERM do in a process of a session, and when nothing of them is heard."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any, cast

import pytest

from benchmarks.elsewhere import sees_our_disk

ONE_STOP_S = 2.0
"""What pytest needs to end a session."""

Clock = Callable[[], float]


class Interrupts:
    """What interrupts do in this process: the first ends the session, those right behind it do nothing.

    pytest ends a session on the first; one that came in that moment would end pytest itself, with a
    traceback. One that comes later is heard again, for a session that does not get to its end.

    While attempts run, the first is raised between two steps of the event loop. Raised in the middle of one,
    as asyncio does with a second, it loses what was about to be done, and who waits for it waits for ever.
    While that loop is being made it waits: half a loop complains of itself as it goes.

    Args:
        one_stop_s: Seconds in which further interrupts are part of the first.
        clock: Tells seconds that only grow.
    """

    def __init__(self, *, one_stop_s: float = ONE_STOP_S, clock: Clock = time.monotonic) -> None:
        self._one_stop_s = one_stop_s
        self._clock = clock
        self._heard_at: float | None = None
        self._is_over = False
        self._is_held_back = False
        self._waits = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def install(self, closing: ExitStack, *, hears_sigterm: bool) -> None:
        """Hear SIGINT from here on, and SIGTERM; nothing outside the main thread, which hears none.

        `closing` is given how to hear as before.
        """
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        # A script starts what it runs in the background deaf to interrupts; ours would not be heard either.
        if before in {signal.SIG_IGN, signal.default_int_handler}:
            closing.callback(signal.signal, signal.SIGINT, before)
            signal.signal(signal.SIGINT, self._first)
        if hears_sigterm:
            closing.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, interrupt_us))

    def hear(self, *, again_after_s: float | None = None) -> None:
        """An interrupt came, or nothing is left to interrupt: hear those right behind it no more.

        Args:
            again_after_s: Hear none for so many seconds from now; ``None`` leaves the first one its time.
        """
        if threading.current_thread() is not threading.main_thread():
            return
        if again_after_s is not None:
            self._one_stop_s = max(self._one_stop_s, again_after_s)
            self._heard_at = None
        if self._heard_at is None:
            self._heard_at = self._clock()
            signal.signal(signal.SIGINT, self._later)

    @contextmanager
    def held_back(self) -> Generator[None]:
        """The first interrupt that comes in here is raised at the end of it."""
        self._is_held_back = True
        try:
            yield
        finally:
            self._is_held_back = False
            if self._waits:
                self._waits = False
                raise KeyboardInterrupt

    def forget(self) -> None:
        """No item runs any more: an interrupt that the event loop still holds has nothing left to end.

        One that it raised may have left the loop with an order to stop, which would stop whatever is next
        done in it: the tear-down of fixtures. So it gets to stop here.
        """
        self._is_over = True
        loop = self._loop
        if loop is not None and not loop.is_closed() and not loop.is_running():
            loop.call_soon(loop.stop)
            loop.run_forever()

    def _first(self, number: int, frame: FrameType | None) -> None:
        self.hear()
        if self._is_held_back:
            self._waits = True
            return
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            signal.default_int_handler(number, frame)
        else:
            self._loop.call_soon_threadsafe(self._raise)

    def _raise(self) -> None:
        if not self._is_over:
            raise KeyboardInterrupt

    def _later(self, number: int, frame: FrameType | None) -> None:
        if self._heard_at is None or self._clock() - self._heard_at >= self._one_stop_s:
            signal.default_int_handler(number, frame)


def interrupt_us(_number: int = 0, _frame: FrameType | None = None) -> None:
    """End this process as Ctrl-C does; what a SIGTERM from outside (CI, a container) comes to."""
    os.kill(os.getpid(), signal.SIGINT)


@contextmanager
def undisturbed() -> Generator[None]:
    """No interrupt in here: the files of a run are written whole though the user presses Ctrl-C again."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # A function that does nothing: Python complains of a signal that it was about to hear when told SIG_IGN.
    before = {number: signal.signal(number, _pass_over) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _pass_over(_number: int, _frame: FrameType | None) -> None:
    pass


class Workers:
    """The worker processes of this machine, to be interrupted when the session ends early (controller).

    xdist tells them to end, and execnet interrupts one that has not ended five seconds later: for so long
    they would go on asking models.
    """

    def __init__(self) -> None:
        self._nodes: list[Any] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any) -> None:
        """A worker is about to run items: from here on it ends in order."""
        self._nodes.append(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker has ended by itself."""
        self._nodes = [one for one in self._nodes if one is not node]

    def interrupt(self) -> None:
        """Send them what Ctrl-C sends."""
        for process in filter(None, map(_process_of, self._nodes)):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        self._nodes = []


def _process_of(node: Any) -> "subprocess.Popen[bytes] | None":
    """The process of a worker, ``None`` for one elsewhere and where execnet (2.1) keeps it otherwise."""
    found: Any = getattr(getattr(node.gateway, "_io", None), "popen", None)
    is_ours = sees_our_disk(node.gateway.spec) and sys.platform != "win32"
    is_process = isinstance(found, subprocess.Popen)
    return cast("subprocess.Popen[bytes]", found) if is_ours and is_process else None
