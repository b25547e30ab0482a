"""Stopping: a session ends once, in order and with whole files, by an interrupt or as its time is over."""

import math
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import Any

import pytest

from benchmarks.interrupts import ONE_STOP_S, Clock, Interrupts, interrupt_us
from benchmarks.run import Session
from benchmarks.stop_mark import StopMark

_ENDING_S = 15.0
"""What a session may take to end, its workers included, before an interrupt ends pytest itself."""
RUN_TIMEOUT = "run timeout: "
"""How the line begins that tells of a session whose time is over."""


class SessionTimer:
    """Ends a session whose time is over; once it is cancelled nothing happens any more.

    Not an alarm signal: pytest-timeout has that one.

    Args:
        end: Ends the session; called at most once, in a thread of its own.
    """

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end
        self._is_over = False
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def start(self, seconds: float) -> None:
        """End the session after so many seconds, at once if there are none left."""
        self._timer = threading.Timer(min(max(seconds, 0.0), threading.TIMEOUT_MAX), self.fire)
        self._timer.daemon = True
        self._timer.start()

    def fire(self) -> None:
        """The time is over."""
        with self._lock:
            if not self._is_over:
                self._is_over = True
                self._end()

    def cancel(self) -> None:
        """The session is at its end."""
        with self._lock:
            self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()


def run_timeout_line(seconds: float) -> str:
    """Why a session ends whose time is over: value, rule, remedy."""
    return f"{RUN_TIMEOUT}the session has taken {seconds:g} s; raise --run-timeout, or go on with --resume"


class Stopping:
    """Ends the session of this process, by signal or by time (every process; the time is the controller's).

    Args:
        interrupts: What hears signals.
        stop_mark: Is told why the session ends.
        timeout_s: Seconds the session may take from now on, above 0; ``None`` sets no limit.
        clock: Tells seconds that only grow.
    """

    def __init__(
        self,
        interrupts: Interrupts,
        *,
        stop_mark: StopMark,
        timeout_s: float | None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._interrupts = interrupts
        self._clock = clock
        self._ends_at = None if timeout_s is None else clock() + timeout_s
        self._timer = SessionTimer(partial(_end, stop_mark, timeout_s or 0.0))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Watch the time while items run: only then does pytest end on an interrupt with all its files."""
        if self._ends_at is not None:
            self._timer.start(self._ends_at - self._clock())
        try:
            return (yield)
        except KeyboardInterrupt:
            self._interrupts.hear()
            raise
        finally:
            self._timer.cancel()
            self._interrupts.forget()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Keep interrupts from the making of the loop (`_session_scoped_runner` of pytest-asyncio 1.5)."""
        is_loop = fixturedef.argname.endswith("_scoped_runner")
        with self._interrupts.held_back() if is_loop else nullcontext():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        """Hear nothing while the session ends: nothing is left to give up, and files are still written."""
        if not hasattr(session.config, "workerinput"):
            self._interrupts.hear(again_after_s=_ENDING_S)
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """Hear of an interrupt while items are collected, too."""
        self._interrupts.hear()


def _end(stop_mark: StopMark, timeout_s: float) -> None:
    stop_mark.set(run_timeout_line(timeout_s))
    interrupt_us()


def hear_stops(config: pytest.Config, session: Session, closing: ExitStack) -> None:
    """Have this process end its session on Ctrl-C; the controller also on SIGTERM and when its time is over.

    A worker that is sent SIGTERM dies, as it always did: another takes its place. One that was interrupted
    hears no more; the controller sees to its end.
    """
    is_worker = hasattr(config, "workerinput")
    interrupts = Interrupts(one_stop_s=math.inf if is_worker else ONE_STOP_S)
    interrupts.install(closing, hears_sigterm=not is_worker)
    execution = session.configuration.execution
    stopping = Stopping(
        interrupts,
        stop_mark=session.stop_mark,
        timeout_s=None if is_worker else execution.session_timeout_seconds,
    )
    config.pluginmanager.register(stopping, "benchmarks-stopping")
