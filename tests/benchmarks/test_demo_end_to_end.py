"""The demo as a newcomer types it: a real language model on this machine, and no key."""

import json
import os
from pathlib import Path

import pytest
from journey import ROOT, Suite

from harnesses.downloads import cache_dir


@pytest.fixture
def demo(suite: Suite) -> Suite:
    """The machine's own cache, so that the weights are fetched once and not for each test."""
    pytest.importorskip("xllamacpp", reason="the extra `demo` is not installed")
    suite.environment["AGENT_BENCHMARKS_CACHE"] = os.environ.get("AGENT_BENCHMARKS_CACHE", str(cache_dir()))
    return suite


def test_the_demo_measures_every_task_and_ends_green(demo: Suite, tmp_path: Path) -> None:
    ended = demo.run(str(ROOT / "benchmarks"), "--demo", "-m", "level3", "-n", "2", bare=True)
    assert ended.code == 0, ended.out
    assert "accuracy is not the point" in ended.out
    assert set(ended.outcomes().values()) <= {"correct", "incorrect", "not_attempted"}
    assert ended.run.parent.name == "SmolLM2-135M-Instruct"
    steps = [step for task in ended.outcomes() for step in ended.detail(task)["attempts"]["1"]["trajectory"]]
    assert {step["kind"] for step in steps} == {"model", "tool"}, "the model searched before it answered"
    assert json.loads((ended.run / "run.json").read_text())["demo"] is True
    assert demo.models.asked == []
