"""The first interrupt ends a session; what comes right behind it disturbs nothing."""

import asyncio
import math
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from interrupt_scene import Clock, heard

from benchmarks.interrupts import ONE_STOP_S, Interrupts, Workers, undisturbed


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def interrupts(clock: Clock) -> Iterator[Interrupts]:
    with heard(clock) as made:
        yield made


SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])


@SIGNALS
def test_the_first_interrupt_is_raised_and_those_right_behind_it_are_not(
    interrupts: Interrupts, number: signal.Signals
) -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGTERM)


def test_a_later_interrupt_is_heard_again(interrupts: Interrupts, clock: Clock) -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    clock.now_s += ONE_STOP_S
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_worker_that_was_interrupted_hears_no_more(clock: Clock) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        worker = Interrupts(one_stop_s=math.inf, clock=clock)
        worker.hear()
        clock.now_s += 1e9
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_an_event_loop_an_interrupt_comes_between_two_steps(interrupts: Interrupts) -> None:
    steps: list[str] = []

    async def step() -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        steps.append("whole")
        await asyncio.Event().wait()

    with asyncio.Runner() as runner:
        with pytest.raises(KeyboardInterrupt):
            runner.run(step())
        assert steps == ["whole"]
        assert runner.run(asyncio.sleep(0, "the loop goes on")) == "the loop goes on"


def test_an_interrupt_that_the_loop_still_holds_after_the_last_item_ends_nothing(
    interrupts: Interrupts,
) -> None:
    async def last_step() -> None:
        signal.raise_signal(signal.SIGINT)
        interrupts.forget()
        await asyncio.sleep(0)

    asyncio.run(last_step())


def test_what_an_interrupt_left_in_the_loop_stops_nothing_later(interrupts: Interrupts) -> None:
    async def last_step() -> None:
        signal.raise_signal(signal.SIGINT)  # raised while the loop's order to stop still waits

    with asyncio.Runner() as runner:
        with pytest.raises(KeyboardInterrupt):
            runner.run(last_step())
        interrupts.forget()
        assert runner.run(asyncio.sleep(0, "torn down")) == "torn down"


@pytest.mark.parametrize("error", [None, ValueError("no loop")], ids=["made", "not made"])
def test_an_interrupt_that_is_held_back_comes_at_the_end(
    interrupts: Interrupts, error: Exception | None
) -> None:
    steps: list[str] = []

    def make() -> None:
        signal.raise_signal(signal.SIGINT)
        steps.append("whole")
        if error is not None:
            raise error

    with pytest.raises(KeyboardInterrupt), interrupts.held_back():
        make()
    assert steps == ["whole"]


def test_a_handler_of_somebody_else_stays(clock: Clock) -> None:
    def other(_number: int, _frame: object) -> None:
        pass

    before = signal.signal(signal.SIGINT, other)
    try:
        with ExitStack() as closing:
            Interrupts(clock=clock).install(closing, hears_sigterm=False)
            assert signal.getsignal(signal.SIGINT) is other
        assert signal.getsignal(signal.SIGINT) is other
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_runs_in_the_background_hears_interrupts_too(clock: Clock) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with ExitStack() as closing:
            Interrupts(clock=clock).install(closing, hears_sigterm=False)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def in_a_thread(act: Callable[[], None]) -> list[BaseException]:
    """What `act` raised in a thread that is not the main one."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 - handed to the test, whatever it is
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised


def test_outside_the_main_thread_no_signal_is_touched(interrupts: Interrupts, clock: Clock) -> None:
    handler = signal.getsignal(signal.SIGINT)
    other = Interrupts(clock=clock)

    def act() -> None:
        with ExitStack() as closing, undisturbed():
            other.install(closing, hears_sigterm=True)
            other.hear()

    assert in_a_thread(act) == []
    assert signal.getsignal(signal.SIGINT) == handler


@SIGNALS
def test_while_files_are_written_nothing_is_heard(interrupts: Interrupts, number: signal.Signals) -> None:
    with undisturbed():
        signal.raise_signal(number)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


def node_of(process: object, *, popen: bool = True, via: str | None = None) -> Any:
    gateway = SimpleNamespace(spec=SimpleNamespace(popen=popen, via=via), _io=SimpleNamespace(popen=process))
    return SimpleNamespace(gateway=gateway)


SLEEPS = """
import signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
print("up", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that tells when it is up, and that an interrupt ends with 130."""
    process = subprocess.Popen([sys.executable, "-c", SLEEPS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


def test_workers_that_run_items_are_interrupted(sleeper: "subprocess.Popen[bytes]") -> None:
    workers = Workers()
    workers.pytest_xdist_node_collection_finished(node_of(sleeper))
    workers.interrupt()
    workers.interrupt()
    assert sleeper.wait(60) == 130


@pytest.mark.parametrize("elsewhere", [{"popen": False}, {"via": "gw0"}], ids=["ssh", "via"])
def test_what_only_carries_a_worker_elsewhere_is_left_alone(
    sleeper: "subprocess.Popen[bytes]", elsewhere: dict[str, Any]
) -> None:
    workers = Workers()
    workers.pytest_xdist_node_collection_finished(node_of(sleeper, **elsewhere))
    workers.interrupt()
    assert sleeper.poll() is None


def test_a_worker_that_has_ended_is_not_signalled(sleeper: "subprocess.Popen[bytes]") -> None:
    workers, ended, gone = Workers(), node_of(sleeper), SimpleNamespace(gateway=SimpleNamespace(spec=None))
    workers.pytest_xdist_node_collection_finished(ended)
    workers.pytest_testnodedown(ended)
    workers.interrupt()
    assert sleeper.poll() is None
    sleeper.kill()
    sleeper.wait()
    gone.gateway.spec = SimpleNamespace(popen=True, via=None)
    workers.pytest_xdist_node_collection_finished(ended)
    workers.pytest_xdist_node_collection_finished(gone)
    workers.interrupt()
