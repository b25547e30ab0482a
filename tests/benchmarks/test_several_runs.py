"""One session with a run for each category: what is shared, and what each run has for itself."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from journey import ROOT, Ended, Suite
from sealqa_scene import directories, outcomes, read, run, two_categories

from benchmarks.configuration.model import BenchmarkChoice
from benchmarks.opening import refuse_shared_ids
from benchmarks.run import Run
from benchmarks.sealqa.params import SealQAParams
from benchmarks.task import Task
from harnesses.openai_chat import OpenAIChat

BOTH_WAYS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])
EASY = {f"seal_0-00{n}": "correct" for n in (1, 2, 3)}
LONG = {"longseal-001": "correct", "longseal-002": "incorrect"}


@BOTH_WAYS
def test_two_categories_leave_two_run_directories_each_with_its_own_tasks_and_metrics(
    suite: Suite, workers: tuple[str, ...]
) -> None:
    two_categories(suite)
    ended = run(suite, "--run-name=nightly", "--min-accuracy=0.6", *workers)
    made = directories(suite)
    assert list(made) == ["nightly-longseal", "nightly-seal_0"], ended.out
    easy, long = made["nightly-seal_0"], made["nightly-longseal"]
    assert (outcomes(easy), outcomes(long)) == (EASY, LONG)
    assert [read(one, "metrics.json")["series"]["correct.native@1"]["value"] for one in (easy, long)] == [
        1.0,
        0.5,
    ]
    assert [read(one, "metrics.json")["gate"]["status"] for one in (easy, long)] == ["passed", "missed"]
    assert ended.code == 1, "the strictest gate sets the exit code"
    assert re.findall("=+ (sealqa .*) =+", ended.out) == ["sealqa seal_0", "sealqa longseal"]
    assert f"sealqa longseal: 2 of 2 tasks, into {long}" in ended.out


def test_each_category_may_have_a_harness_and_a_judge_of_its_own(suite: Suite) -> None:
    two_categories(suite)
    own = {
        "LongSeal": {
            "harness": {"params": {"system_prompt": "Mind the documents."}},
            "judge": {"id": "contains"},
        }
    }
    run(suite, own=own)
    asked = [(body["messages"][0]["role"], body["messages"][-1]["content"]) for body in suite.models.asked]
    assert len(asked) == 5
    assert all(("<longseal" in text) == (role == "system") for role, text in asked)
    assert len(suite.models.judged) == 3
    assert all("<seal-0" in body["messages"][-1]["content"] for body in suite.models.judged)
    judges = {name: read(one, "run.json")["judge"]["primary"] for name, one in directories(suite).items()}
    assert {name.split("Z")[1]: judge for name, judge in judges.items()} == {
        "-seal_0": "sealqa_official_llm_judge",
        "-longseal": "contains",
    }


def test_the_configuration_in_run_json_asks_for_that_run_alone(suite: Suite) -> None:
    two_categories(suite)
    run(suite, "--run-name=both", own={"longseal": {"params": {"limit": 1}}})
    told = read(directories(suite)["both-longseal"], "run.json")["configuration"]
    (suite.folder / "again.yaml").write_text(json.dumps(told))
    arguments = ["--config=again.yaml", "--run-name=again"]
    suite.run(str(suite.root / "benchmarks/sealqa"), *arguments, bare=True)
    again = directories(suite)["again"]
    assert list(outcomes(again)) == ["longseal-001"]
    assert (
        read(again, "run.json")["dataset"] == read(directories(suite)["both-longseal"], "run.json")["dataset"]
    )


def test_one_category_alone_is_one_run_by_its_plain_name(suite: Suite) -> None:
    two_categories(suite)
    ended = run(suite, "--run-name=nightly", category="Seal-0")
    assert ended.code == 0, ended.out
    assert list(directories(suite)) == ["nightly"]
    assert outcomes(ended.run) == EASY


def test_gaia_and_a_category_run_beside_each_other(suite: Suite) -> None:
    two_categories(suite)
    suite.add_right("a")
    gaia = {"params": suite.benchmark_params(), "harness": {"id": "openai_chat"}}
    (suite.folder / "gaia.yaml").write_text(json.dumps({"benchmarks": {"gaia": gaia}}))
    ended = run(
        suite, str(ROOT / "benchmarks/gaia"), "--config=gaia.yaml", "--run-name=x", category="longseal"
    )
    found = sorted(str(path.relative_to(suite.folder)) for path in suite.folder.glob("results/*/*/*"))
    assert found == ["results/gaia/m/x", "results/sealqa/m/x"], ended.out


def test_an_exact_id_after_k_leaves_the_run_that_has_it(suite: Suite) -> None:
    two_categories(suite)
    ended = run(suite, "-k", "longseal-002", "--run-name=one")
    assert "-k longseal-002: a task id, so this task alone is selected" in ended.out
    assert list(directories(suite)) == ["one-longseal"]
    assert outcomes(ended.run) == {"longseal-002": "incorrect"}


def test_an_attempt_s_exact_id_after_k_leaves_that_attempt_alone(suite: Suite) -> None:
    two_categories(suite)
    ended = run(suite, "-k", "longseal-002-attempt1", "--k=10", "--run-name=one")
    assert "-k longseal-002-attempt1: an attempt's id, so this attempt alone is selected" in ended.out
    assert read(ended.run, "run.json")["planned"] == [["longseal-002", 1, "x"]]


def test_a_name_after_k_selects_across_the_runs(suite: Suite) -> None:
    two_categories(suite)
    run(suite, "-k", "001", "--run-name=firsts", "-n2")
    assert {name: list(outcomes(one)) for name, one in directories(suite).items()} == {
        "firsts-longseal": ["longseal-001"],
        "firsts-seal_0": ["seal_0-001"],
    }


def test_the_gate_of_a_run_that_k_left_nothing_of_is_not_measured(suite: Suite) -> None:
    two_categories(suite)
    ended = run(suite, "-k", "seal_0", "--min-accuracy=sealqa longseal=0.9", "--run-name=x")
    assert ended.code == 10, ended.out
    assert "Gate not measured (sealqa longseal): none of its tasks was left to ask." in ended.out
    assert "exit code 10" in ended.out.splitlines()
    assert list(directories(suite)) == ["x-seal_0"]


def test_a_gate_for_all_runs_stands_for_what_k_selected(suite: Suite) -> None:
    two_categories(suite)
    ended = run(suite, "-k", "seal_0", "--min-accuracy=0", "--run-name=x")
    assert ended.code == 0, ended.out


BROKEN = """
def pytest_configure():
    from benchmarks.results import recorder

    whole = recorder.reduce_run

    def reduce_run(description, facts):
        if description.run.endswith("seal_0"):
            raise ArithmeticError("no number")
        return whole(description, facts)

    recorder.reduce_run = reduce_run
"""


def test_a_run_that_cannot_be_reduced_keeps_no_other_from_it_and_the_session_from_being_green(
    suite: Suite,
) -> None:
    two_categories(suite)
    (suite.folder / "broken_reducing.py").write_text(BROKEN)
    suite.environment["PYTHONPATH"] = str(suite.folder)
    ended = run(suite, "-p", "broken_reducing", "--run-name=x", "--min-accuracy=0")
    assert ended.code == pytest.ExitCode.INTERNAL_ERROR, ended.out
    line = "NOT WRITTEN: metrics.json and summary.md could not be made: ArithmeticError: no number"
    assert line in ended.out.splitlines()
    assert "INTERNALERROR" not in ended.out and "Traceback" not in ended.out
    made = directories(suite)
    assert not (made["x-seal_0"] / "metrics.json").exists()
    assert outcomes(made["x-seal_0"]) == EASY
    assert read(made["x-longseal"], "metrics.json")["gate"]["status"] == "passed"


def test_collecting_alone_shows_the_items_of_all_runs_in_order_and_writes_nothing(suite: Suite) -> None:
    two_categories(suite)
    ended = run(suite, "--collect-only", "-q", category=["longseal", "seal_0"])
    assert re.findall(r"test_sealqa\[(.*)\]", ended.out) == [*LONG, *EASY]
    assert directories(suite) == {} and suite.models.asked == []


def test_a_refused_key_stops_all_runs(suite: Suite) -> None:
    two_categories(suite)
    suite.models.answers = {"Which stone": 401}
    ended = run(suite, "--run-name=x", "--task-concurrency=1")
    assert ended.code != 0
    made = directories(suite)
    assert list(outcomes(made["x-seal_0"]).values()).count("run_error") == 1
    assert set(outcomes(made["x-longseal"]).values()) == {"unavailable"}
    assert len(suite.models.asked) == 1


def a_run(category: str, *task_ids: str) -> Run:
    params = SealQAParams()
    choice = BenchmarkChoice(
        name="sealqa",
        category=category,
        params=params,
        harness_id="openai_chat",
        harness_params=OpenAIChat.Params(),
    )
    tasks = tuple(Task(task_id=one, question="?", ground_truth="!", category="x") for one in task_ids)
    return Run(choice=choice, tasks=tasks, directory=None, judge_prompt=None)


def test_an_id_in_two_runs_of_one_benchmark_is_refused() -> None:
    told = (
        "the task id 'b' is in 'sealqa seal_0' and in 'sealqa longseal', and one session needs different ids"
    )
    with pytest.raises(pytest.UsageError, match=told):
        refuse_shared_ids([a_run("seal_0", "a", "b"), a_run("longseal", "b", "c")])


def test_different_ids_are_not_refused() -> None:
    refuse_shared_ids([a_run("seal_0", "a", "a"), a_run("longseal", "b")])


def test_what_decides_the_tasks_of_a_run_is_in_its_results(suite: Suite) -> None:
    two_categories(suite)
    run(suite, "--run-name=x", own={"longseal": {"params": {"longseal_seed": 3}}})
    told = {
        name: [read(one, file)["dataset"]["settings"] for file in ("run.json", "metrics.json")]
        for name, one in directories(suite).items()
    }
    longseal = {"longseal_document_count": 12, "longseal_seed": 3}
    assert told == {"x-longseal": [longseal] * 2, "x-seal_0": [{}] * 2}


def a_file_in_the_way(suite: Suite) -> None:
    """SealQA's folder cannot be made, GAIA's can."""
    (suite.folder / "results").mkdir()
    (suite.folder / "results" / "sealqa").write_text("")


def run_with_gaia(suite: Suite, *more: str) -> Ended:
    two_categories(suite)
    suite.add_right("a")
    gaia = {"params": suite.benchmark_params(), "harness": {"id": "openai_chat"}}
    (suite.folder / "gaia.yaml").write_text(json.dumps({"benchmarks": {"gaia": gaia}}))
    return run(suite, str(ROOT / "benchmarks/gaia"), "--config=gaia.yaml", *more, category="seal_0")


def test_a_benchmark_whose_directory_cannot_be_made_leaves_nothing_of_the_others(suite: Suite) -> None:
    a_file_in_the_way(suite)
    ended = run_with_gaia(suite)
    assert ended.code == pytest.ExitCode.USAGE_ERROR, ended.out
    assert "cannot be made" in ended.out
    assert [path.name for path in (suite.folder / "results").iterdir()] == ["sealqa"]


def test_what_is_wrong_with_a_dataset_is_told_with_its_run(suite: Suite) -> None:
    (suite.folder / "ids.yaml").write_text("benchmarks: {sealqa: {params: {sample_ids: [seal_0-009]}}}")
    ended = run_with_gaia(suite, "--config=ids.yaml")
    assert ended.code == pytest.ExitCode.USAGE_ERROR
    assert "sealqa seal_0: sample_ids: 'seal_0-009' is none of the 3 tasks" in ended.out


CONFTEST = """
import pytest
from pathlib import Path
from {floor}.plugin import {fixture}_maker_key

pytest_plugins = ["{floor}.plugin"]


class Made:
    def __init__(self, name):
        self.name = name
        print("made", name)

    async def aclose(self):
        print("closed", self.name)
        if self.name == "b":
            raise RuntimeError("b does not close")


def maker(name):
    return lambda: Made(name)


MAKERS = {{name: maker(name) for name in "abc"}}


def pytest_itemcollected(item):
    item.stash[{fixture}_maker_key] = MAKERS[item.callspec.params["name"]]
"""
MODULE = """
import pytest


@pytest.mark.parametrize("name", ["a", "b", "a", "c"])
def test_it({fixture}, name):
    assert {fixture}.name == name
"""


@pytest.mark.parametrize(("floor", "fixture"), [("harnesses", "harness"), ("judges", "judge")])
def test_each_run_s_client_is_made_once_and_all_are_closed_though_one_fails(
    tmp_path: Path, floor: str, fixture: str
) -> None:
    words: Mapping[str, str] = {"floor": floor, "fixture": fixture}
    (tmp_path / "conftest.py").write_text(CONFTEST.format_map(words))
    (tmp_path / "test_it.py").write_text(MODULE.format_map(words))
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-s",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--rootdir={tmp_path}",
            str(tmp_path),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    done = re.findall("(?:made|closed) .", ran.stdout)
    assert sorted(done) == sorted(f"{what} {name}" for what in ("made", "closed") for name in "abc"), (
        ran.stdout
    )
    assert "4 passed" in ran.stdout and "1 error" in ran.stdout and "b does not close" in ran.stdout
