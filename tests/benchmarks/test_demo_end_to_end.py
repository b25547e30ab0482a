"""The demo as a newcomer types it: a real language model on this machine, and no key."""

import json
import os
import re
from pathlib import Path

import pytest
from demo_library import write_library
from journey import ROOT, Ended, Suite

from harnesses.downloads import cache_dir


@pytest.fixture
def demo(suite: Suite) -> Suite:
    """The machine's own cache, so that the weights are fetched once and not for each test."""
    pytest.importorskip("xllamacpp", reason="the extra `demo` is not installed")
    suite.environment["AGENT_BENCHMARKS_CACHE"] = os.environ.get("AGENT_BENCHMARKS_CACHE", str(cache_dir()))
    return suite


@pytest.fixture
def scripted(suite: Suite) -> Suite:
    """A stand-in for llama.cpp that serves `own-1M.gguf` and answers 42 to everything."""
    write_library(suite.folder)
    (suite.folder / "own-1M.gguf").write_bytes(b"")
    suite.environment["PYTHONPATH"] = str(suite.folder)
    return suite


def run_scripted(suite: Suite, folder: str, *more: str) -> Ended:
    return suite.run(str(ROOT / folder), "--demo", "--demo-model=own-1M.gguf", *more, bare=True)


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


def test_a_longseal_prompt_is_read_whole_and_answered_in_one_reply(demo: Suite) -> None:
    ended = demo.run(str(ROOT / "benchmarks" / "sealqa"), "--demo", "-k", "longseal-001", bare=True)
    assert ended.code == 0, ended.out
    (step,) = ended.detail("longseal-001")["attempts"]["1"]["trajectory"]
    assert (step["kind"], step["finish_reason"]) == ("model", "stop")
    assert 400 < step["usage"]["input_tokens"] < 700


def test_the_demo_leaves_a_run_for_each_kind_of_task(scripted: Suite) -> None:
    ended = run_scripted(scripted, "benchmarks")
    assert ended.code == 0, ended.out
    assert re.findall("=+ ((?:gaia|sealqa).*) =+", ended.out) == ["gaia", "sealqa seal_0", "sealqa longseal"]
    described = [json.loads(file.read_text()) for file in sorted(ended.results.glob("*/own-1M/*/run.json"))]
    told = [(run["benchmark"], len(run["planned"]), run["demo"]) for run in described]
    assert told == [("gaia", 10, True), ("sealqa", 2, True), ("sealqa", 3, True)]
    assert ended.out.count("coverage 1.000") == 3


def test_one_category_of_the_demo_may_be_asked_alone(scripted: Suite) -> None:
    ended = run_scripted(scripted, "benchmarks/sealqa", "--benchmark-params", '{"category": "LongSeal"}')
    assert ended.code == 0, ended.out
    assert ended.outcomes() == {"longseal-001": "incorrect", "longseal-002": "incorrect"}
