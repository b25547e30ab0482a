"""Nothing is lost: dead workers, refused keys, interrupts, broken set-up."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from journey import Ended, Suite

ALWAYS = 60.0
"""Seconds after which a waiting test gives up; reached only when something is broken."""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])
def test_a_refused_key_stops_the_run_with_one_line(suite: Suite, workers: tuple[str, ...]) -> None:
    for n in range(8):
        suite.add(f"t-{n}", answer=401)
    ended = suite.run("--min-accuracy=0.5", "--task-concurrency=2", *workers)
    assert ended.code == pytest.ExitCode.INTERRUPTED
    assert len(suite.models.asked) <= 2, "what was in flight, and nothing after it"
    assert "401" in ended.out
    assert "MODEL_API_KEY" in ended.out
    assert "Traceback" not in ended.out
    counts = ended.metrics["series"]["correct.native@1"]["counts"]
    assert counts["total"] == 8 and counts["error"] >= 1
    assert counts["error"] + counts["unavailable"] == 8


@pytest.mark.parametrize("extra", [(), ("--max-worker-restart=0",)], ids=["restarted", "no restart"])
def test_a_killed_worker_costs_its_attempt_and_nothing_else(
    suite: Suite, tmp_path: Path, extra: tuple[str, ...]
) -> None:
    suite.add_right("a", "b", "c", "d", "e", "f")
    (tmp_path / "killer.py").write_text(KILLER)
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "killer", "-n2", *extra)
    outcomes = ended.outcomes()
    assert len(outcomes) == 6
    assert outcomes["c"] == "run_error"
    assert ended.metrics["series"]["correct.native@1"]["counts"]["total"] == 6
    assert not extra or ended.code != 0
    if not extra:
        assert [outcome for key, outcome in outcomes.items() if key != "c"] == ["correct"] * 5


KILLER = """
import os
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if "[c]" in item.nodeid and hasattr(item.config, "workerinput"):
        os._exit(1)
"""


def test_a_record_spooled_before_its_worker_died_counts(suite: Suite, tmp_path: Path) -> None:
    suite.add_right("a", "b", "c", "d")
    (tmp_path / "killer.py").write_text(
        KILLER.replace("tryfirst=True", "trylast=True").replace("runtest_setup", "runtest_call")
    )
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "killer", "-n2")
    assert ended.outcomes()["c"] == "correct"
    assert "a worker crashed on it" in (ended.run / "summary.md").read_text()


def test_broken_set_up_is_a_run_error_with_its_traceback_in_private(suite: Suite, tmp_path: Path) -> None:
    suite.add_right("a", "b")
    (tmp_path / "breaker.py").write_text(BREAKER)
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "breaker", "--tb=long", "-l")
    assert ended.outcomes() == {"a": "run_error", "b": "correct"}
    assert "broken stone a" not in ended.out
    assert "broken stone a" in json.dumps(ended.detail("a"))


BREAKER = """
def pytest_runtest_setup(item):
    if "[a]" in item.nodeid:
        raise OSError("broken stone a")
"""


@dataclass
class Hang:
    """A model that says nothing until the test is over; `asked` tells that it was asked."""

    asked: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def reply(self) -> str:
        self.asked.set()
        self.over.wait(ALWAYS)
        return "too late"


@pytest.fixture
def hang() -> Iterator[Hang]:
    made = Hang()
    yield made
    made.over.set()


BOOT = (
    "import signal, sys, pytest; signal.signal(signal.SIGINT, signal.{}); sys.exit(pytest.main(sys.argv[1:]))"
)


def started(suite: Suite, *more: str, sigint: str = "default_int_handler") -> "subprocess.Popen[str]":
    """pytest under way; `sigint` is how it hears Ctrl-C, whatever the tests themselves were started with."""
    arguments = suite.command(*suite.arguments(), *more)[3:]
    return subprocess.Popen(
        [sys.executable, "-c", BOOT.format(sigint), *arguments],
        cwd=suite.folder,
        env=suite.process_environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])
@pytest.mark.parametrize(
    ("number", "sigint"),
    [
        (signal.SIGINT, "default_int_handler"),
        (signal.SIGTERM, "default_int_handler"),
        (signal.SIGTERM, "SIG_IGN"),
    ],
    ids=["Ctrl-C", "SIGTERM", "SIGTERM in the background"],
)
def test_an_interrupt_writes_everything_and_ends_with_two(
    suite: Suite, hang: Hang, number: signal.Signals, sigint: str, workers: tuple[str, ...]
) -> None:
    suite.add_right("a")
    for n in range(5):
        suite.add(f"slow-{n}", answer=hang.reply)
    process = started(suite, "--task-concurrency=2", *workers, sigint=sigint)
    try:
        assert hang.asked.wait(ALWAYS)
        os.kill(process.pid, number)
        out, _ = process.communicate(timeout=ALWAYS)
    finally:
        process.kill()
        process.communicate()
    ended = Ended(process.returncode, out, suite.folder / "results")
    assert ended.code == pytest.ExitCode.INTERRUPTED, out
    outcomes = ended.outcomes()
    assert len(outcomes) == 6
    assert {outcomes[f"slow-{n}"] for n in range(5)} == {"unavailable"}
    assert "Traceback" not in out
    assert json.loads((ended.run / "run.json").read_text())["stopped"] == "interrupted"
    assert "interrupted" in (ended.run / "summary.md").read_text()


def test_a_killed_controller_leaves_records_that_a_summary_can_be_made_of(suite: Suite, hang: Hang) -> None:
    suite.add_right("a")
    suite.add("slow", answer=hang.reply)
    process = started(suite, "--task-concurrency=1")
    try:
        assert hang.asked.wait(ALWAYS)
        process.kill()
        process.communicate(timeout=ALWAYS)
    finally:
        hang.over.set()
    (run,) = (suite.folder / "results").glob("*/*/*")
    assert json.loads((run / "details" / "a.json").read_text())["attempts"]["1"]["outcome"] == "correct"


def test_an_attempt_that_finished_ahead_and_was_never_reached_is_unavailable_and_kept(suite: Suite) -> None:
    waiting, release = {"b", "c", "d"}, threading.Event()

    def judged(task_id: str) -> str:
        waiting.discard(task_id)
        if not waiting:
            release.set()
        return r"\boxed{A}"

    suite.add("slow", answer=lambda: "late" if release.wait(ALWAYS) else "never")
    suite.add_right("b", "c", "d")
    for task_id in ("b", "c", "d"):
        suite.models.judge_replies[f"TRUTH=stone {task_id}"] = partial(judged, task_id)
    ended = suite.run("-x", "--task-concurrency=4")
    assert ended.outcomes() == {
        "slow": "incorrect",
        "b": "unavailable",
        "c": "unavailable",
        "d": "unavailable",
    }
    kept = json.dumps(ended.detail("b"))
    assert "finished ahead" in kept and "correct" in kept


def test_what_a_dead_worker_had_finished_ahead_is_counted_once(suite: Suite, tmp_path: Path) -> None:
    suite.add_right(*(f"t-{n}" for n in range(13)))
    (tmp_path / "killer.py").write_text(DIES_WITH_RECORDS)
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "killer", "-n2", "--task-concurrency=8")
    outcomes = ended.outcomes()
    assert len(outcomes) == 13
    assert sorted(outcomes.values()).count("correct") >= 12, outcomes
    assert "differing" not in json.dumps(ended.metrics)


DIES_WITH_RECORDS = """
import os
import pytest

@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item):
    # The worker that has the first item dies once its attempts have been made ahead.
    if "[t-0]" in item.nodeid and hasattr(item.config, "workerinput"):
        os._exit(1)
"""


def test_a_tear_down_that_fails_shows_no_frames_and_is_never_green(suite: Suite, tmp_path: Path) -> None:
    suite.add_right("a", "b")
    (tmp_path / "breaker.py").write_text(BREAKS_BEHIND)
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "breaker", "--tb=long", "-l", "--min-accuracy=0.5")
    assert ended.code == 1
    assert ended.outcomes() == {"a": "correct", "b": "correct"}
    assert "broken stone a" not in ended.out
    assert "broken stone a" in (ended.run / "details" / "_tear_down.txt").read_text()


BREAKS_BEHIND = """
import pytest

@pytest.fixture(autouse=True)
def behind(request):
    yield
    if "[a]" in request.node.nodeid:
        raise OSError("broken stone a")
"""


def test_a_time_out_of_pytest_is_a_run_error_that_says_so(suite: Suite, hang: Hang) -> None:
    suite.add("a", answer=hang.reply)
    suite.add_right("b")
    ended = suite.run("--timeout=1", "--timeout-method=signal", "--task-concurrency=1")
    assert ended.outcomes() == {"a": "run_error", "b": "correct"}, ended.out
    assert "Timeout" in ended.detail("a")["attempts"]["1"]["cause"]
    assert "never retrieved" not in ended.out
    assert "Traceback" not in ended.out


def test_a_second_interrupt_loses_nothing(suite: Suite, hang: Hang) -> None:
    suite.add_right("a")
    suite.add("slow", answer=hang.reply)
    process = started(suite, "--task-concurrency=1")
    try:
        assert hang.asked.wait(ALWAYS)
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=ALWAYS)
    finally:
        process.kill()
        process.communicate()
    ended = Ended(process.returncode, out, suite.folder / "results")
    assert ended.code == pytest.ExitCode.INTERRUPTED, out
    assert "Traceback" not in out
    assert ended.outcomes() == {"a": "correct", "slow": "unavailable"}
    assert json.loads((ended.run / "run.json").read_text())["stopped"] == "interrupted"
