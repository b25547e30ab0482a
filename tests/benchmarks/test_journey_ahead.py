"""Attempts run ahead of pytest's pointer, in one process and in several, and nothing is asked twice."""

import re
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from journey import Suite

ALWAYS = 60.0
"""Seconds after which a waiting reply gives up; reached only when something is broken."""
WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])


def asked_for(suite: Suite) -> Counter[str]:
    """How often the model was asked for each task."""
    texts = [str(body["messages"][-1]["content"]) for body in suite.models.asked]
    return Counter(text.partition("<")[2].partition(">")[0] for text in texts)


class Wait:
    """A reply that waits until it is let go, or until everything is broken."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.over = threading.Event()

    def __call__(self) -> str:
        return self.text if self.over.wait(ALWAYS) else "gave up"


def judged(suite: Suite, task_id: str, tell: Callable[[str], None]) -> None:
    """Call `tell` when the judge is asked about a task, and let the answer be right."""

    def reply() -> str:
        tell(task_id)
        return r"\boxed{A}"

    suite.models.judge_replies[f"TRUTH=stone {task_id}\n"] = reply


@WORKERS
def test_a_slow_task_holds_back_no_other(suite: Suite, workers: tuple[str, ...]) -> None:
    slow = Wait("stone slow")
    rest = [f"t-{n}" for n in range(9)]
    left = set(rest)
    suite.add("slow", answer=slow)
    suite.add_right(*rest)

    def done(task_id: str) -> None:
        left.discard(task_id)
        if len(left) <= 2:
            slow.over.set()

    for task_id in rest:
        judged(suite, task_id, done)
    ended = suite.run("--task-concurrency=4", *workers)
    assert ended.code == 0, ended.out
    assert set(ended.outcomes().values()) == {"correct"}


DEALS_LATE = """
import pathlib
import threading

def pytest_configure(config):
    if hasattr(config, "workerinput"):
        return
    from benchmarks.ahead_scheduling import AheadScheduling
    deal = AheadScheduling._deal

    def deal_late(*arguments):
        for _ in range(6000):
            if pathlib.Path("first-asked").exists():
                break
            threading.Event().wait(0.01)
        deal(*arguments)

    AheadScheduling._deal = deal_late
"""


def test_items_dealt_while_the_first_waits_are_started_before_it_ends(suite: Suite, tmp_path: Path) -> None:
    first = Wait("stone t-0")
    rest = [f"t-{n}" for n in range(1, 13)]
    left = set(rest)

    def asked() -> str:
        (suite.folder / "first-asked").touch()
        return first()

    def done(task_id: str) -> None:
        left.discard(task_id)
        if not left:
            first.over.set()

    suite.add("t-0", answer=asked)
    suite.add_right(*rest)
    for task_id in rest:
        judged(suite, task_id, done)
    (tmp_path / "late.py").write_text(DEALS_LATE)
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "late", "-n2", "--task-concurrency=8")
    assert set(ended.outcomes().values()) == {"correct"}, ended.outcomes()


def test_what_a_dead_worker_had_finished_ahead_is_not_asked_for_again(suite: Suite, tmp_path: Path) -> None:
    ids = [f"t-{n}" for n in range(13)]

    def once_all_others_have_a_record() -> str:
        waiting = threading.Event()
        for _ in range(int(ALWAYS * 100)):
            spools = (suite.folder / "results").glob("*/*/*/details/_spool/*.jsonl")
            if sum(spool.read_bytes().count(b"\n") for spool in spools) == len(ids) - 1:
                return "stone t-0"
            waiting.wait(0.01)
        return "gave up"

    suite.add("t-0", answer=once_all_others_have_a_record)
    suite.add_right(*ids[1:])
    (tmp_path / "killer.py").write_text(DIES_AT_ITS_FIRST_ITEM)
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "killer", "-n2", "--task-concurrency=8")
    assert asked_for(suite) == Counter(ids)
    assert set(ended.outcomes().values()) == {"correct"}, ended.outcomes()
    assert "run twice" not in (ended.run / "summary.md").read_text()


DIES_AT_ITS_FIRST_ITEM = """
import os
import pytest

@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item):
    if "[t-0]" in item.nodeid and hasattr(item.config, "workerinput"):
        os._exit(1)
"""


def test_after_x_no_worker_starts_another_attempt_however_deep_its_queue(suite: Suite) -> None:
    def when_stopped(text: str) -> str:
        waiting = threading.Event()
        for _ in range(int(ALWAYS * 100)):
            if any((suite.folder / "results").glob("*/*/*/details/_plan/stop")):
                return text
            waiting.wait(0.01)
        return "gave up"

    suite.add_wrong("t-0")
    for n in range(1, 40):
        suite.add(f"t-{n}", answer=partial(when_stopped, f"stone t-{n}"))
    ended = suite.run("-x", "-n2", "--task-concurrency=4")
    assert ended.code == pytest.ExitCode.INTERRUPTED, ended.out
    # Four in flight, and one more in the place of the wrong one, which ended before pytest could stop.
    assert sum(asked_for(suite).values()) <= 5
    outcomes = Counter(ended.outcomes().values())
    assert outcomes["incorrect"] == 1 and outcomes.total() == 40
    assert set(outcomes) <= {"incorrect", "correct", "unavailable"}


@WORKERS
def test_maxfail_counts_over_all_workers(suite: Suite, workers: tuple[str, ...]) -> None:
    suite.add_wrong(*(f"t-{n}" for n in range(30)))
    ended = suite.run("--maxfail=2", *workers)
    outcomes = Counter(ended.outcomes().values())
    assert 2 <= outcomes["incorrect"] < 30 and outcomes.total() == 30
    assert "stopping after" in (ended.run / "summary.md").read_text()


@WORKERS
def test_reports_come_in_pytests_order_though_attempts_end_in_another(
    suite: Suite, workers: tuple[str, ...]
) -> None:
    first = Wait("stone t-0")
    ids = [f"t-{n}" for n in range(4)]
    suite.add("t-0", answer=first)
    suite.add_right(*ids[1:])
    judged(suite, "t-1", lambda _: first.over.set())
    ended = suite.run("-v", "--task-concurrency=4", *workers)
    told = [line for line in ended.out.splitlines() if "PASSED" in line]
    assert len(told) == 4, ended.out
    if not workers:
        assert [f"[{task_id}]" in line for task_id, line in zip(ids, told, strict=True)] == [True] * 4


PRINTING_HARNESS = """
import asyncio
import pytest

class Printing:
    name, readable_suffixes, searches = "printing", frozenset(), False

    async def run(self, prompt):
        from harnesses.attempt import Attempt, StopReason
        task_id = prompt.text.partition("<")[2].partition(">")[0]
        for _ in range(5):
            print("heard", task_id)
            await asyncio.sleep(0)
        message = {"role": "assistant", "content": "pebble"}
        return Attempt(final_message=message, finish_reason="stop", stop_reason=StopReason.COMPLETED)

    async def aclose(self):
        pass

class Plugin:
    @pytest.fixture
    def harness(self):
        return Printing()

def pytest_configure(config):
    config.pluginmanager.register(Plugin(), "printing-harness")
"""


@WORKERS
def test_what_an_attempt_prints_is_kept_with_it(
    suite: Suite, tmp_path: Path, workers: tuple[str, ...]
) -> None:
    ids = [f"t-{n}" for n in range(6)]
    suite.add_wrong(*ids)
    (tmp_path / "printing.py").write_text(PRINTING_HARNESS)
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "printing", "--task-concurrency=6", *workers)
    assert "heard" not in ended.out
    for task_id in ids:
        kept = ended.detail(task_id)["attempts"]["1"]["private"]["output"]
        assert kept == f"heard {task_id}\n" * 5


@WORKERS
def test_the_output_a_report_may_show_is_that_of_its_own_attempt(
    suite: Suite, tmp_path: Path, workers: tuple[str, ...]
) -> None:
    suite.add_wrong("t-0", "t-1", "t-2")
    (tmp_path / "printing.py").write_text(PRINTING_HARNESS)
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "printing", "--task-concurrency=4", "--show-ground-truth", *workers)
    for part in ended.out.split("test_gaia[")[1:]:
        named = {word for word in ("t-0", "t-1", "t-2") if f"heard {word}" in part}
        assert len(named) <= 1, ended.out
    assert ended.out.count("heard t-1") == 5


SKIPS_SOME = """
import pytest

@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    for item in items[2:40]:
        item.add_marker(pytest.mark.skip(reason="not today"))

@pytest.fixture(autouse=True)
def holiday(request):
    if "[t-1]" in request.node.nodeid:
        pytest.skip("nor this one")
"""


@WORKERS
def test_items_that_pytest_skips_are_not_asked_and_take_no_room(
    suite: Suite, tmp_path: Path, workers: tuple[str, ...]
) -> None:
    together = threading.Event()

    def meet() -> str:
        if suite.models.most_in_flight >= 2:
            together.set()
        together.wait(ALWAYS)
        return "stone t"

    ids = [f"t-{n}" for n in range(48)]
    for task_id in ids:
        suite.add(task_id, answer=meet, truth="stone t")
    (tmp_path / "skips.py").write_text(SKIPS_SOME)
    suite.environment["PYTHONPATH"] = str(tmp_path)
    ended = suite.run("-p", "skips", "--task-concurrency=2", *workers)
    outcomes = ended.outcomes()
    assert {task_id for task_id, outcome in outcomes.items() if outcome == "correct"} == {
        "t-0",
        *ids[40:],
    }
    assert set(outcomes.values()) == {"correct", "unavailable"}
    assert not set(asked_for(suite)) & set(ids[2:40])
    assert set(asked_for(suite).values()) == {1}


def test_a_time_of_an_item_is_its_attempts_own(suite: Suite) -> None:
    slow = Wait("stone slow")
    suite.add("slow", answer=slow)
    suite.add_right("t-1", "t-2")
    judged(suite, "t-2", lambda _: slow.over.set())
    ended = suite.run("--task-concurrency=3", "--junitxml=junit.xml")
    timing = ended.detail("t-1")["attempts"]["1"]["timing"]
    told = re.search(r'name="test_gaia\[t-1\]" time="([0-9.]+)"', (suite.folder / "junit.xml").read_text())
    assert told is not None
    assert float(told[1]) == pytest.approx(timing["run_s"] + timing["judge_s"], abs=0.1)
