"""SealQA from its rows to its summary: the judge, the breakdowns, and a canary that leaked."""

import json
from pathlib import Path

import pytest
from journey import Suite
from sealqa_scene import read, run, write_tasks

BOTH_WAYS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])
CANARY = "invented-canary-7c1f94d2a0"
FINDS_THE_CANARY = f"""
import pytest

class Finder:
    name, readable_suffixes, searches = "finder", frozenset(), True

    async def run(self, prompt):
        from harnesses.attempt import Attempt, StopReason, ToolStep
        leaks = "seal-0 2>" in prompt.text
        page = "a page with {CANARY.upper()} on it" if leaks else "a page"
        call = {{"tool": "search", "call_id": "c", "arguments": "{{}}", "failed": False, "duration_s": 0.0}}
        step = ToolStep(result=page, **call)
        content = "stone 2, says {CANARY}" if leaks else "stone 1"
        message = {{"role": "assistant", "content": content}}
        return Attempt(
            final_message=message, finish_reason="stop", stop_reason=StopReason.COMPLETED, trajectory=(step,)
        )

    async def aclose(self):
        pass

class Plugin:
    @pytest.fixture(scope="session")
    def harness(self):
        return Finder()

def pytest_configure(config):
    config.pluginmanager.register(Plugin(), "finds-the-canary")
"""


def find_the_canary(suite: Suite, folder: Path) -> None:
    (folder / "finder.py").write_text(FINDS_THE_CANARY)
    suite.environment["PYTHONPATH"] = str(folder)


@BOTH_WAYS
def test_a_leaked_canary_is_told_and_never_published(
    suite: Suite, tmp_path: Path, workers: tuple[str, ...]
) -> None:
    write_tasks(suite, "seal-0", 3, n_right=3, canary=CANARY)
    find_the_canary(suite, tmp_path)
    ended = run(suite, "-p", "finder", "-rA", *workers, category="seal_0")
    assert ended.metrics["canary"] == {"n": 1, "task_ids": ["seal_0-002"]}
    assert "canary" in (ended.run / "summary.md").read_text()
    public = [path for path in ended.run.rglob("*") if path.is_file() and "details" not in path.parts]
    assert len(public) == 3
    for text in (ended.out, *(path.read_text() for path in public)):
        assert CANARY not in text.lower()
    assert CANARY in json.dumps(ended.detail("seal_0-002")).lower()


@BOTH_WAYS
def test_a_run_counts_by_topic_and_by_every_other_column(suite: Suite, workers: tuple[str, ...]) -> None:
    write_tasks(
        suite,
        "seal-0",
        4,
        n_right=1,
        topic="Stones",
        freshness="slow-changing",
        question_types=["filtering", "time"],
        effective_year=2025,
        search_results="conflicting",
    )
    suite.models.judge_replies["TRUTH=stone 2\n"] = "C"
    suite.models.judge_replies["TRUTH=stone 3\n"] = "B"
    suite.models.judge_replies["TRUTH=stone 4\n"] = "B"
    ended = run(suite, *workers, category="SEAL-0")
    series = ended.metrics["series"]["correct.native@1"]
    assert series["value"] == 0.25 and series["value_given_attempted"] == pytest.approx(1 / 3)
    assert {name: list(groups) for name, groups in series["breakdown"].items()} == {
        "topic": ["Stones"],
        "freshness": ["slow-changing"],
        "question type": ["filtering", "time"],
        "effective year": ["2025"],
        "search results": ["conflicting"],
    }
    scoring = ended.detail("seal_0-002")["attempts"]["1"]["meta"]["benchmark"]["scoring"]
    assert (scoring["grade"], scoring["label"]) == ("C", "NOT_ATTEMPTED")
    assert scoring["evaluation_type"] == "sealqa_official_llm_judge"
    assert read(ended.run, "run.json")["has_canary"] is False
    assert ended.metrics["canary"] is None


def test_a_part_of_the_topics_is_a_mark(suite: Suite) -> None:
    write_tasks(suite, "seal-0", 2, n_right=2, topic="Lakes & Ponds")
    ended = run(suite, "-m", "topic_lakes_ponds and category_seal_0", category="seal_0")
    assert ended.code == 0, ended.out
    assert ended.metrics["partial"] == []


def test_longseal_refuses_a_harness_that_searches_before_anything_is_asked(suite: Suite) -> None:
    write_tasks(suite, "longseal", 1, n_right=1, golds=[], **{"12_docs": []})
    ended = run(suite, "--harness=naive_search_agent", category="longseal")
    assert ended.code == pytest.ExitCode.USAGE_ERROR
    assert "allow_search" in ended.out and "Traceback" not in ended.out
    assert not suite.models.asked
