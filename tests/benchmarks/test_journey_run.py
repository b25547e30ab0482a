"""Whole journeys: a user's command, a real model server, a real judge server, a run directory."""

import json
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from journey import ROOT, Ended, Suite

BOTH_WAYS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])


def three_kinds(suite: Suite) -> None:
    suite.add_right("r-1", "r-2", level=1)
    suite.add_wrong("w-1", level=2)
    suite.add("e-1", answer=500, level=3)


@BOTH_WAYS
def test_each_task_is_an_item_and_every_unit_has_one_outcome(suite: Suite, workers: tuple[str, ...]) -> None:
    three_kinds(suite)
    ended = suite.run(*workers)
    assert ended.code == pytest.ExitCode.TESTS_FAILED
    assert "2 passed" in ended.out and "1 failed" in ended.out and "1 error" in ended.out
    assert ended.outcomes() == {"r-1": "correct", "r-2": "correct", "w-1": "incorrect", "e-1": "run_error"}
    counts = ended.metrics["series"]["correct.native@1"]["counts"]
    assert counts | {"total": 4, "correct": 2, "evaluated": 3, "error": 1, "unavailable": 0} == counts


def test_one_process_and_two_workers_leave_the_same_metrics(suite: Suite, tmp_path: Path) -> None:
    three_kinds(suite)
    one = suite.run("--results-dir=one")
    two = suite.run("-n2", "--results-dir=two")
    left = Ended(one.code, one.out, tmp_path / "one").stable_metrics
    right = Ended(two.code, two.out, tmp_path / "two").stable_metrics
    assert left == right


def test_the_files_can_be_rebuilt_byte_for_byte(suite: Suite) -> None:
    three_kinds(suite)
    ended = suite.run()
    before = {name: (ended.run / name).read_bytes() for name in ("metrics.json", "summary.md")}
    for name in before:
        (ended.run / name).unlink()
    subprocess.run(
        [sys.executable, "-m", "benchmarks", "summary", str(ended.run)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    assert {name: (ended.run / name).read_bytes() for name in before} == before


@pytest.mark.parametrize(
    ("workers", "n_together"), [((), 6), (("-n", "2"), 3)], ids=["one process", "one of two workers"]
)
def test_as_many_attempts_as_asked_for_are_in_flight_at_once(
    suite: Suite, workers: tuple[str, ...], n_together: int
) -> None:
    together = threading.Event()

    def meet() -> str:
        if suite.models.most_in_flight >= n_together:
            together.set()
        together.wait(60.0)
        return "stone t"

    for n in range(12):
        suite.add(f"t-{n}", answer=meet, truth="stone t")
    ended = suite.run("--task-concurrency=6", *workers)
    assert ended.code == 0, ended.out
    assert n_together <= suite.models.most_in_flight <= 6
    assert len(suite.models.asked) == 12, "an attempt started ahead is never started again"


def test_a_task_id_after_k_selects_that_task_alone_and_says_so(suite: Suite) -> None:
    suite.add_right("1", "11", "level1")
    ended = suite.run("-k", "1")
    assert ended.outcomes() == {"1": "correct"}
    assert "-k 1: a task id, so this task alone is selected" in ended.out
    assert "-k 1" in (ended.run / "summary.md").read_text()


@BOTH_WAYS
def test_k_takes_one_task_alone_under_workers_too(suite: Suite, workers: tuple[str, ...]) -> None:
    suite.add_right("1", "11", "12")
    assert suite.run("-k", "1", *workers).outcomes() == {"1": "correct"}


def test_brackets_after_k_select_one_task_too(suite: Suite) -> None:
    suite.add_right("1", "11")
    assert suite.run("-k", "[1]").outcomes() == {"1": "correct"}


def test_a_level_is_a_mark(suite: Suite) -> None:
    suite.add_right("a", level=1)
    suite.add_right("b", level=2)
    ended = suite.run("-m", "level2")
    assert ended.outcomes() == {"b": "correct"}
    assert json.loads((ended.run / "run.json").read_text())["partial"] == ["-m level2"]


def test_a_node_id_names_one_task(suite: Suite) -> None:
    suite.add_right("a", "b")
    arguments = suite.arguments()[1:]
    node = f"{ROOT}/benchmarks/gaia/test_gaia.py::test_gaia[b]"
    assert suite.run(node, *arguments, bare=True).outcomes() == {"b": "correct"}


def test_last_failed_runs_the_wrong_ones_alone(suite: Suite) -> None:
    three_kinds(suite)
    suite.run("--run-name=first")
    again = suite.run("--lf", "--run-name=second")
    again.results = again.results / "gaia"
    run = again.results / "org_model-1" / "second"
    assert sorted(path.stem for path in (run / "details").glob("*.json")) == ["e-1", "w-1"]


def test_x_stops_after_the_first_wrong_answer_and_the_rest_is_unavailable(suite: Suite) -> None:
    suite.add_wrong("a")
    suite.add_right("b", "c")
    ended = suite.run("-x", "--task-concurrency=1")
    assert ended.code == pytest.ExitCode.TESTS_FAILED
    assert ended.outcomes() == {"a": "incorrect", "b": "unavailable", "c": "unavailable"}
    assert len(suite.models.asked) == 1


def test_x_under_workers_ends_with_two_and_counts_everything(suite: Suite) -> None:
    suite.add_wrong("a", "b")
    suite.add_right(*(f"t-{n}" for n in range(6)))
    ended = suite.run("-x", "-n2")
    assert ended.code == pytest.ExitCode.INTERRUPTED
    assert ended.metrics["series"]["correct.native@1"]["counts"]["total"] == 8
    assert len(ended.outcomes()) == 8


def test_collect_only_needs_no_model_and_no_judge_and_leaves_nothing(suite: Suite) -> None:
    suite.add_right("a", "b")
    params = json.dumps({"dataset_path": str(suite.dataset)})
    ended = suite.run(
        str(ROOT / "benchmarks/gaia"), "--collect-only", "-q", "--benchmark-params", params, bare=True
    )
    assert ended.code == 0
    assert re.findall(r"test_gaia\[(.*)\]", ended.out) == ["a", "b"]
    assert not ended.results.exists() and suite.models.asked == []


def test_html_is_written(suite: Suite) -> None:
    suite.add_right("a")
    suite.add_wrong("b")
    suite.run("--html=report.html", "--self-contained-html")
    assert "test_gaia[b]" in (suite.folder / "report.html").read_text()


@pytest.mark.parametrize(
    ("gates", "code", "workers"),
    [
        (["--min-accuracy=0.6", "--min-coverage=0.7"], 0, []),
        (["--min-accuracy=0.6", "--min-coverage=0.7"], 0, ["-n2"]),
        (["--min-accuracy=0.7", "--min-coverage=0.7"], 1, []),
        (["--min-accuracy=0.6"], 10, ["-n2"]),
        (["--max-errors=0"], 10, []),
    ],
    ids=["passed", "passed -n 2", "missed", "not measured: coverage -n 2", "not measured: errors"],
)
def test_the_gate_sets_the_exit_code(suite: Suite, gates: list[str], code: int, workers: list[str]) -> None:
    three_kinds(suite)
    ended = suite.run(*gates, *workers)
    assert ended.code == code, ended.out
    sentence = ended.metrics["gate"]["sentence"]
    assert sentence in ended.out and sentence in (ended.run / "summary.md").read_text()


def test_a_failing_test_that_is_no_benchmark_item_keeps_its_exit_code(suite: Suite, tmp_path: Path) -> None:
    suite.add_right("a")
    other = tmp_path / "test_other.py"
    other.write_text("def test_other():\n    assert False\n")
    assert suite.run(str(other), "--min-accuracy=0").code == 1


def test_the_same_from_a_configuration_file(suite: Suite, tmp_path: Path) -> None:
    suite.add_right("a")
    suite.add_wrong("b")
    suite.environment["KEY_OF_MODEL"] = "sk-from-the-environment"
    config = tmp_path / "run.yaml"
    params = suite.benchmark_params()
    config.write_text(
        json.dumps(
            {
                "model": {"id": "m", "base_url": suite.models.model_url, "api_key": "${KEY_OF_MODEL}"},
                "benchmarks": {"gaia": {"params": params, "harness": {"id": "openai_chat"}}},
                "gates": {"min_accuracy": 0.5},
            }
        )
    )
    ended = suite.run(str(ROOT / "benchmarks/gaia"), "--config=run.yaml", "-n2", bare=True)
    assert ended.code == 0, ended.out
    assert "Bearer sk-from-the-environment" in suite.models.keys
    assert "sk-from-the-environment" not in ended.out + (ended.run / "run.json").read_text()


def test_a_bare_pytest_never_calls_a_model(suite: Suite) -> None:
    ended = suite.run(str(ROOT / "tests/benchmarks/test_redaction.py"), "-q", bare=True)
    assert ended.code == 0 and suite.models.asked == [] and not ended.results.exists()


def test_a_user_may_bring_a_harness_as_a_fixture(suite: Suite, tmp_path: Path) -> None:
    suite.add("a", answer="never asked", truth="stone a")
    suite.root = tmp_path / "checkout"
    for part in ("benchmarks", "harnesses", "judges"):
        shutil.copytree(ROOT / part, suite.root / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / part, suite.root)
    (suite.root / "benchmarks" / "gaia" / "conftest.py").write_text(OWN_HARNESS)
    ended = suite.run()
    assert ended.outcomes() == {"a": "correct"}, ended.out
    assert suite.models.asked == []


OWN_HARNESS = """
import pytest_asyncio
from harnesses.attempt import Attempt, StopReason


class Mine:
    name = "mine"
    readable_suffixes = frozenset()

    async def run(self, prompt):
        message = {"role": "assistant", "content": "stone a"}
        return Attempt(final_message=message, finish_reason="stop", stop_reason=StopReason.COMPLETED)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def harness():
    yield Mine()
"""


def test_an_attachment_no_harness_can_open_is_counted_in_the_summary(suite: Suite) -> None:
    suite.add_right("a")
    (suite.folder / "sheet.xlsx").write_bytes(b"x")
    suite.tasks[0]["metadata"] = {"file_name": "sheet.xlsx"}
    ended = suite.run()
    assert ended.metrics["n_attachments_unopened"] == 1
    assert "sheet.xlsx" in suite.models.asked[0]["messages"][-1]["content"]


@BOTH_WAYS
def test_a_root_elsewhere_changes_nothing(suite: Suite, workers: tuple[str, ...]) -> None:
    three_kinds(suite)
    (suite.folder / "other").mkdir()
    ini = suite.folder / "other" / "other.ini"
    ini.write_text("[pytest]\n")
    ended = suite.run(f"-c={ini}", "--min-accuracy=1", "--min-coverage=0.5", *workers)
    assert ended.code == 1, ended.out
    assert len(ended.outcomes()) == 4
    assert "Gate missed" in ended.out


def test_an_unscored_subset_needs_no_judge_and_records_its_answers(suite: Suite) -> None:
    suite.add("a", answer="stone a", truth="?")
    params = {"dataset_path": str(suite.dataset), "subset": "test"}
    ended = suite.run(*suite.arguments()[:-2], "--benchmark-params", json.dumps(params), bare=True)
    assert ended.code == 0, ended.out
    assert "1 skipped" in ended.out
    assert ended.outcomes() == {"a": "unscored"}
    assert ended.detail("a")["attempts"]["1"]["final_answer"] == "stone a"
    assert suite.models.judged == []
