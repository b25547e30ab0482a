"""A session ends as its time is over, once, and never after its end."""

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from interrupt_scene import Clock, heard

from benchmarks.interrupts import Interrupts
from benchmarks.stop_mark import StopMark
from benchmarks.stopping import SessionTimer, Stopping, run_timeout_line


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def interrupts(clock: Clock) -> Iterator[Interrupts]:
    with heard(clock) as made:
        yield made


def test_the_time_ends_a_session_once() -> None:
    ended: list[str] = []
    timer = SessionTimer(lambda: ended.append("ended"))
    timer.fire()
    timer.fire()
    assert ended == ["ended"]


def test_a_time_that_ends_after_the_session_ends_nothing() -> None:
    ended: list[str] = []
    timer = SessionTimer(lambda: ended.append("ended"))
    timer.cancel()
    timer.fire()
    assert ended == []


@pytest.mark.parametrize("seconds", [3600.0, 1e300, float("inf")])
def test_a_timer_leaves_no_thread_once_it_is_cancelled(seconds: float) -> None:
    before = threading.active_count()
    timer = SessionTimer(lambda: None)
    timer.start(seconds)
    (thread,) = (one for one in threading.enumerate() if isinstance(one, threading.Timer))
    assert thread.daemon
    timer.cancel()
    assert threading.active_count() == before


def test_a_time_that_is_over_by_the_start_ends_the_session_at_once() -> None:
    ended = threading.Event()
    timer = SessionTimer(ended.set)
    timer.start(-1.0)
    assert ended.wait(60)
    timer.cancel()


def looping(stopping: Stopping, body: Callable[[], Any]) -> Any:
    """What comes of pytest's loop over items, as `body` plays it."""
    hook = stopping.pytest_runtestloop()
    assert isinstance(hook, Generator)
    next(hook)
    try:
        result = body()
    except BaseException as error:  # noqa: BLE001 - as pluggy hands it to a wrapper
        return hook.throw(error)
    with pytest.raises(StopIteration) as stopped:
        hook.send(result)
    return stopped.value.value


def made(interrupts: Interrupts, tmp_path: Path, *, timeout_s: float | None, clock: Clock) -> Stopping:
    mark = StopMark(tmp_path / "stop")
    return Stopping(interrupts, stop_mark=mark, timeout_s=timeout_s, clock=clock)


def test_a_session_whose_time_is_over_is_interrupted_and_says_why(
    interrupts: Interrupts, clock: Clock, tmp_path: Path
) -> None:
    stopping = made(interrupts, tmp_path, timeout_s=7.0, clock=clock)
    clock.now_s += 8  # opening the session took longer than the whole of it may
    forever = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        looping(stopping, lambda: forever.wait(60))
    assert (tmp_path / "stop").read_text() == run_timeout_line(7.0)
    signal.raise_signal(signal.SIGINT)


def test_the_line_names_the_limit_and_what_to_do() -> None:
    assert run_timeout_line(3600.0) == (
        "run timeout: the session has taken 3600 s; raise --run-timeout, or go on with --resume"
    )


def test_a_session_that_ends_in_time_is_left_alone(
    interrupts: Interrupts, clock: Clock, tmp_path: Path
) -> None:
    stopping = made(interrupts, tmp_path, timeout_s=1e6, clock=clock)
    assert looping(stopping, lambda: True) is True
    assert not any(isinstance(one, threading.Timer) and one.is_alive() for one in threading.enumerate())
    assert not (tmp_path / "stop").exists()


def test_without_a_limit_there_is_no_timer(interrupts: Interrupts, clock: Clock, tmp_path: Path) -> None:
    stopping = made(interrupts, tmp_path, timeout_s=None, clock=clock)
    before = threading.active_count()
    assert looping(stopping, threading.active_count) == before


def test_an_interrupt_during_collection_is_heard_once_too(
    interrupts: Interrupts, clock: Clock, tmp_path: Path
) -> None:
    made(interrupts, tmp_path, timeout_s=None, clock=clock).pytest_keyboard_interrupt()
    os.kill(os.getpid(), signal.SIGINT)
