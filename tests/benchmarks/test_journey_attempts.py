"""Several attempts per task: each an item under `avg`; under `pass` one item that tries until a success."""

import re
import threading
from collections import Counter
from pathlib import Path

import pytest
from journey import Ended, Suite
from scripted_models import in_turn

ALWAYS = 60.0
"""Seconds after which a waiting reply gives up; reached only when something is broken."""
WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])
PASS = ("--k=3", "--attempt-strategy=pass")


def asked_for(suite: Suite) -> Counter[str]:
    """How often the model was asked for each task."""
    texts = [str(body["messages"][-1]["content"]) for body in suite.models.asked]
    return Counter(text.partition("<")[2].partition(">")[0] for text in texts)


def tried(ended: Ended, task_id: str) -> list[str]:
    """The outcome of each attempt that the detail of a task tells of, in order."""
    attempts = ended.detail(task_id)["attempts"]
    return [attempts[number]["outcome"] for number in sorted(attempts, key=int)]


def test_under_avg_each_attempt_is_an_item_and_two_workers_leave_the_same_metrics(
    suite: Suite, tmp_path: Path
) -> None:
    suite.add_right("r-1", "r-2")
    suite.add_wrong("w-1")
    suite.add("e-1", answer=500)
    one = suite.run("--k=2", "--results-dir=one")
    two = suite.run("--k=2", "-n2", "--task-concurrency=4", "--results-dir=two")
    left, right = (Ended(each.code, each.out, tmp_path / name) for each, name in ((one, "one"), (two, "two")))
    assert left.stable_metrics == right.stable_metrics
    assert left.metrics["headline"] == "correct.avg@2"
    assert asked_for(suite) == Counter({"r-1": 4, "r-2": 4, "w-1": 4, "e-1": 4})
    for ended in (left, right):
        assert "4 passed" in ended.out and "2 failed" in ended.out and "2 error" in ended.out, ended.out
        assert "w-1, attempt 2 of 2\nverdict: B" in ended.out
        assert tried(ended, "w-1") == ["incorrect", "incorrect"]


def add_tries(suite: Suite) -> None:
    """Tasks for three tries: one for each way they can go."""
    suite.add("second", answer=in_turn("pebble", "stone second"))
    suite.add("never", answer=in_turn("pebble 1", "pebble 2", "pebble 3"))
    suite.add("recovers", answer=in_turn(500, "stone recovers"))
    suite.add("errs", answer=in_turn("pebble", 500, "pebble"))


@WORKERS
def test_under_pass_a_task_is_one_item_that_is_asked_until_it_succeeds(
    suite: Suite, workers: tuple[str, ...]
) -> None:
    add_tries(suite)
    junit = ("--junitxml=junit.xml", "-o", "junit_family=xunit1")
    ended = suite.run(*PASS, "--task-concurrency=4", *junit, *workers)
    assert "2 passed" in ended.out and "1 failed" in ended.out and "1 error" in ended.out, ended.out
    assert asked_for(suite) == Counter({"second": 2, "never": 3, "recovers": 2, "errs": 3})
    assert ended.metrics["headline"] == "correct.pass@3"
    assert ended.metrics["outcomes_by_task"] == {
        "second": ["incorrect", "correct", None],
        "never": ["incorrect", "incorrect", "incorrect"],
        "recovers": ["run_error", "correct", None],
        "errs": ["incorrect", "run_error", "incorrect"],
    }
    assert "never, attempt 3 of 3\nverdict: B" in ended.out
    assert "errs, attempt 2 of 3\nverdict: none (run error)" in ended.out
    text = (suite.folder / "junit.xml").read_text()
    told = re.findall(r'test_gaia\[(\w+)\]"[^>]* time="([\d.]+)".*?"attempt" value="(\d)"', text, re.DOTALL)
    assert {task_id: n for task_id, _, n in told} == {
        "second": "2",
        "never": "3",
        "recovers": "2",
        "errs": "2",
    }
    (time,) = (float(time) for task_id, time, _ in told if task_id == "never")
    timing = [entry["timing"] for entry in ended.detail("never")["attempts"].values()]
    assert time >= sum(each["run_s"] + each["judge_s"] for each in timing) - 0.001, "all its tries' time"


def test_once_the_session_stops_no_task_is_tried_again(suite: Suite) -> None:
    def errs_once_stopped() -> int:
        waiting = threading.Event()
        for _ in range(int(ALWAYS * 100)):
            if any((suite.folder / "results").glob("*/*/*/details/_plan/stop")):
                break
            waiting.wait(0.01)
        return 500

    suite.add("a", answer=errs_once_stopped)
    suite.add("b", answer=in_turn("pebble", 401))
    ended = suite.run(*PASS, "--task-concurrency=2")
    assert ended.code == pytest.ExitCode.INTERRUPTED, ended.out
    assert asked_for(suite) == Counter({"a": 1, "b": 2})
    assert "1 error" in ended.out and "a, attempt 1 of 3\nverdict: none (run error)" in ended.out
    assert tried(ended, "a") == ["run_error", "unavailable", "unavailable"]
    assert tried(ended, "b") == ["unavailable"] * 3, "finished ahead, never reached"
    told = ended.metrics["outcomes"]
    assert told | {"run_error": 1, "unavailable": 1} == told


def test_an_exact_task_id_selects_all_its_attempts(suite: Suite) -> None:
    suite.add_right("t-1", "t-11", "t-2")
    ended = suite.run("--k=2", "-k", "t-1", "--collect-only", "-q")
    told = re.findall(r"\[(.*)\]", ended.out)
    assert told == ["t-1-attempt1", "t-1-attempt2"], ended.out


def test_a_single_attempt_can_be_selected_and_alone_is_planned(suite: Suite) -> None:
    suite.add_right("t-1", "t-2")
    ended = suite.run("--k=2", "-k", "t-1-attempt2")
    assert ended.metrics["outcomes_by_task"] == {"t-1": [None, "correct"]}
    assert asked_for(suite) == Counter({"t-1": 1})


def test_a_killed_worker_costs_the_try_it_was_in_and_no_finished_one_is_made_again(
    suite: Suite, tmp_path: Path
) -> None:
    ids = [f"t-{n}" for n in range(8)]
    suite.add_right(*ids)
    (tmp_path / "dying.py").write_text(DYING_HARNESS)
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "dying", "-n2", "--task-concurrency=4", *PASS)
    assert tried(ended, "t-0") == ["incorrect", "run_error", "unavailable"], ended.out
    assert tried(ended, "t-1") == ["incorrect", "correct"]
    assert all(tried(ended, task_id) == ["correct"] for task_id in ids[2:])
    made = Counter((tmp_path / "made.txt").read_text().split())
    assert {name for name, times in made.items() if times > 1} == {"t-1:2"}, "only what was in flight"
    assert "run twice" not in (ended.run / "summary.md").read_text()


DYING_HARNESS = """
import asyncio
import os
from pathlib import Path

import pytest


class Dying:
    # Dies in the second try of t-0, when the second try of t-1 is under way beside it.
    name, readable_suffixes, searches = "dying", frozenset(), False

    def __init__(self):
        self.is_near = asyncio.Event()

    async def run(self, prompt):
        from harnesses.attempt import Attempt, StopReason

        task_id = prompt.text.partition("<")[2].partition(">")[0]
        with Path("made.txt").open("a") as file:
            file.write(f"{task_id}:{prompt.attempt}\\n")
        if task_id == "t-0" and prompt.attempt == 2:
            await self.is_near.wait()
            Path("dead.txt").touch()
            os._exit(1)
        if task_id == "t-1" and prompt.attempt == 2 and not Path("dead.txt").exists():
            self.is_near.set()
            await asyncio.Event().wait()
        is_right = prompt.attempt == 2 or task_id not in {"t-0", "t-1"}
        message = {"role": "assistant", "content": f"stone {task_id}" if is_right else "pebble"}
        return Attempt(final_message=message, finish_reason="stop", stop_reason=StopReason.COMPLETED)

    async def aclose(self):
        pass


class Plugin:
    made = Dying()

    @pytest.fixture
    def harness(self):
        return self.made


def pytest_configure(config):
    config.pluginmanager.register(Plugin(), "dying-harness")
"""
