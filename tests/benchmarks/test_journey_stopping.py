"""However a session was stopped, it says how to go on; and what it says does go on."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from journey import Ended, Suite

from benchmarks.stopping import run_timeout_line

ALWAYS = 60.0
"""Seconds after which a waiting test gives up; reached only when something is broken."""
WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])


@dataclass
class Hang:
    """A model that says nothing until `over`; once it was asked there is a file that tells so."""

    sign: Path
    asked: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def reply(self) -> str:
        self.sign.touch()
        self.asked.set()
        self.over.wait(ALWAYS)
        return "stone slow"


@pytest.fixture
def hang(tmp_path: Path) -> Iterator[Hang]:
    made = Hang(tmp_path / "asked")
    yield made
    made.over.set()


FIRES_ON_A_FILE = """
import os
import threading
from pathlib import Path

class OnAFile(threading.Thread):
    # Stands in for threading.Timer: the time is over once the model was asked.

    def __init__(self, seconds, act):
        super().__init__(daemon=True)
        self.act, self.is_cancelled = act, threading.Event()

    def run(self):
        while not self.is_cancelled.wait(0.01):
            if Path(os.environ["SIGN"]).exists():
                self.act()
                return

    def cancel(self):
        self.is_cancelled.set()

def pytest_configure(config):
    import benchmarks.stopping

    benchmarks.stopping.threading = type("threading", (), {**vars(threading), "Timer": OnAFile})
"""


def told(out: str) -> list[str]:
    """The words of the one line that tells how to go on."""
    (line,) = (line for line in out.splitlines() if line.startswith("go on with"))
    return shlex.split(line.partition(": ")[2])


def out_of_time(suite: Suite, hang: Hang, *more: str) -> Ended:
    """A session of four tasks that ended as its time was over, while the second was waited for."""
    suite.add_right("a")
    suite.add("slow", answer=hang.reply)
    suite.add_right("c", "d")
    (suite.folder / "fires.py").write_text(FIRES_ON_A_FILE)
    suite.environment |= {"PYTHONPATH": str(suite.folder), "SIGN": str(hang.sign)}
    ended = suite.run("-p", "fires", "--run-timeout=3600", "--run-name=first", *more)
    suite.environment["SIGN"] = str(suite.folder / "never")
    hang.over.set()
    return ended


def left_in(run: Path) -> list[str]:
    outcomes = json.loads((run / "metrics.json").read_text())["outcomes_by_task"]
    return [task_id for task_id, (ended,) in sorted(outcomes.items()) if ended != "correct"]


@WORKERS
def test_a_session_whose_time_is_over_ends_as_by_an_interrupt_and_says_so(
    suite: Suite, hang: Hang, workers: tuple[str, ...]
) -> None:
    ended = out_of_time(suite, hang, *workers)
    assert ended.code == pytest.ExitCode.INTERRUPTED, ended.out
    assert "Traceback" not in ended.out
    line = run_timeout_line(3600.0)
    assert f"stopped: {line}" in ended.out
    assert ended.metrics["stopped"] == line
    assert ended.detail("slow")["attempts"]["1"]["cause"] == line
    left = left_in(ended.run)
    assert "slow" in left
    summary = (ended.run / "summary.md").read_text()
    assert f"- Not run ({len(left)}): {', '.join(left)}" in summary
    assert "`pytest benchmarks/gaia --resume RUN`" in summary


INTERRUPTS_AT = """
import asyncio
import os
import signal

def interrupting(make):
    def interrupted(*arguments, **more):
        signal.raise_signal(signal.SIGINT)
        return make(*arguments, **more)
    return interrupted

def pytest_configure(config):
    import benchmarks.examiner

    owner, name = {
        "loop": (asyncio.BaseEventLoop, "__init__"),
        "examiner": (benchmarks.examiner.Examiner, "__init__"),
    }[os.environ["MOMENT"]]
    setattr(owner, name, interrupting(getattr(owner, name)))
"""


@pytest.mark.parametrize("moment", ["loop", "examiner"])
def test_an_interrupt_before_the_first_request_leaves_no_traceback(suite: Suite, moment: str) -> None:
    suite.add_right("a", "b")
    (suite.folder / "interrupts_at.py").write_text(INTERRUPTS_AT)
    suite.environment |= {"PYTHONPATH": str(suite.folder), "MOMENT": moment}
    ended = suite.run("-p", "interrupts_at")
    assert ended.code == pytest.ExitCode.INTERRUPTED, ended.out
    assert "Traceback" not in ended.out and "Warning" not in ended.out, ended.out
    assert left_in(ended.run) == ["a", "b"]
    assert told(ended.out)[-1].startswith("--resume=")


INTERRUPTS_AT_ITS_END = """
import signal
import pytest

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)

@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary():
    signal.raise_signal(signal.SIGINT)
"""


@WORKERS
def test_an_interrupt_at_the_end_of_a_session_takes_nothing_from_it(
    suite: Suite, workers: tuple[str, ...]
) -> None:
    suite.add_right("a", "b")
    (suite.folder / "ends.py").write_text(INTERRUPTS_AT_ITS_END)
    suite.environment["PYTHONPATH"] = str(suite.folder)
    ended = suite.run("-p", "ends", "--min-accuracy=0.5", "--junitxml=junit.xml", *workers)
    assert ended.code == 0 and "Traceback" not in ended.out, ended.out
    assert "exit code 0" in ended.out and (suite.folder / "junit.xml").exists()


def test_a_time_too_short_for_the_workers_to_start_is_told(suite: Suite) -> None:
    suite.add_right("a")
    ended = suite.run("-n1", "--run-timeout=0.001")
    assert ended.code == pytest.ExitCode.INTERRUPTED and "Traceback" not in ended.out, ended.out
    assert "nothing was asked: run timeout: the session has taken 0.001 s; raise --run-timeout\n" in ended.out
    assert not list((suite.folder / "results").glob("*/*/*/*"))


def test_the_line_a_session_ends_with_goes_on(suite: Suite, hang: Hang) -> None:
    ended = out_of_time(suite, hang)
    first, n_asked = ended.run, len(suite.models.asked)
    words = told(ended.out)
    assert words[:3] == suite.command()[:3], "what was called is called again"
    went_on = suite.run(*words[3:], bare=True)
    assert went_on.code == 0, went_on.out
    assert "go on with" not in went_on.out
    assert len(suite.models.asked) - n_asked == len(left_in(first))
    assert left_in(first.with_name("first-2")) == []


@pytest.mark.parametrize(
    ("answer", "more"),
    [(401, ()), ("pebble", ("-x",)), ("stone a", ("--execution-params", '{"budget_tokens": 1}'))],
    ids=["refused key", "-x", "budget"],
)
def test_every_way_of_stopping_tells_how_to_go_on(
    suite: Suite, answer: str | int, more: tuple[str, ...]
) -> None:
    suite.add("a", answer=answer)
    suite.add_right("b", "c")
    ended = suite.run("--task-concurrency=1", "--model-api-key=sk-secret", *more)
    assert ended.code in {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED}, ended.out
    words = told(ended.out)
    assert words[-2 if "-x" in more else -1] == f"--resume={ended.run.relative_to(suite.folder)}"
    assert not any("api-key" in word for word in words) and "go on with, MODEL_API_KEY set: " in ended.out
    assert ("--maxfail=0" in words) is ("-x" in more)


BOOT = (
    "import pytest, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "sys.exit(pytest.main(sys.argv[1:]))"
)


def test_a_storm_of_interrupts_is_one(suite: Suite, hang: Hang) -> None:
    """All processes hear it, as on a terminal, and twice, as of an impatient user."""
    suite.add_right("a")
    suite.add("slow", answer=hang.reply)
    arguments = suite.command(*suite.arguments(), "-n2")[3:]
    process = subprocess.Popen(
        [sys.executable, "-c", BOOT, *arguments],
        cwd=suite.folder,
        env=suite.process_environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        assert hang.asked.wait(ALWAYS)
        for number in (signal.SIGINT, signal.SIGINT):
            os.killpg(process.pid, number)
        os.kill(process.pid, signal.SIGTERM)
        out, _ = process.communicate(timeout=ALWAYS)
    finally:
        process.kill()
        process.communicate()
    ended = Ended(process.returncode, out, suite.folder / "results")
    assert ended.code == pytest.ExitCode.INTERRUPTED, out
    assert "Traceback" not in out and "INTERNALERROR" not in out
    assert ended.outcomes()["slow"] == "unavailable"
    assert ended.metrics["stopped"] == "interrupted"
    assert told(out)[0] == "pytest"
