"""Bad input: one clear line, exit 4, before any request, and nothing left behind."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from journey import ROOT, Suite

Bend = Callable[[Suite, dict[str, Any]], list[str]]
"""Spoils a sound command: may change the suite and the benchmark params; returns further arguments."""


def more(*arguments: str) -> Bend:
    return lambda _suite, _params: list(arguments)


def with_params(**values: Any) -> Bend:
    def bend(_suite: Suite, params: dict[str, Any]) -> list[str]:
        params.update(values)
        return []

    return bend


def with_row(**values: Any) -> Bend:
    def bend(suite: Suite, params: dict[str, Any]) -> list[str]:
        suite.tasks.append(
            {"task_id": "x", "question": "Why?", "category": "1", "ground_truth": "so", **values}
        )
        params["dataset_path"] = str(suite.dataset)
        return []

    return bend


def self_judging(suite: Suite, params: dict[str, Any]) -> list[str]:
    params["judge_model"] = {"id": "org/model-1", "base_url": suite.models.model_url + "/"}
    return []


def malformed(suite: Suite, params: dict[str, Any]) -> list[str]:
    path = suite.folder / "broken.jsonl"
    path.write_text(suite.dataset.read_text() + "{\n")
    params["dataset_path"] = str(path)
    return []


def existing_directory(suite: Suite, _params: dict[str, Any]) -> list[str]:
    (suite.folder / "there").mkdir()
    return ["--run-dir=there"]


def unset_variable(suite: Suite, _params: dict[str, Any]) -> list[str]:
    (suite.folder / "c.yaml").write_text("model: {api_key: '${NO_SUCH_VARIABLE}'}\n")
    return ["--config=c.yaml"]


REFUSALS: dict[str, tuple[Bend, list[str]]] = {
    "no judge": (with_params(judge_model=None), ["judge_model"]),
    "unknown benchmark key": (with_params(sampel_ids=["a"]), ["sampel_ids", "sample_ids"]),
    "unknown harness key": (more("--harness-params", '{"max_retri": 1}'), ["max_retri", "max_retry"]),
    "unset variable": (unset_variable, ["NO_SUCH_VARIABLE", "api_key"]),
    "unknown task id": (with_params(sample_ids=["task-on"]), ["'task-on'", "task-one"]),
    "a filter that leaves nothing": (with_params(category=3), ["3", "1"]),
    "a level of 9": (with_params(category=9), ["9", "1, 2"]),
    "a missing file": (with_params(dataset_path="/no/such/file.jsonl"), ["/no/such/file.jsonl"]),
    "a malformed row": (malformed, ["broken.jsonl", "3"]),
    "duplicate ids": (with_row(task_id="task-one"), ["task-one", "1", "3"]),
    "a blank ground truth": (with_row(ground_truth=" "), ["ground truth"]),
    "a hidden ground truth": (with_row(ground_truth="?"), ["?"]),
    "a blank question": (with_row(question=""), ["question"]),
    "an id that cannot name a file": (with_row(task_id="a/b"), ["a/b"]),
    "the model as its own judge": (self_judging, ["allow_self_judge"]),
    "a misspelt tool": (
        more(
            "--harness=naive_search_agent", "--harness-params", '{"tools": ["serach"], "serper_api_key": "k"}'
        ),
        ["serach", "search"],
    ),
    "a digest that differs": (with_params(judge_prompt="no-such-prompt.txt"), ["no-such-prompt.txt"]),
    "a gate outside 0 to 1": (more("--min-accuracy=1.5"), ["1.5"]),
    "a run directory that exists": (existing_directory, ["there"]),
    "fewer attempts than workers": (more("-n4", "--task-concurrency=2"), ["task_concurrency is 2", "-n 2"]),
    "an unknown harness": (more("--harness=naive_serch_agent"), ["naive_search_agent"]),
    "a results directory that cannot be made": (
        more("--results-dir=/proc/x"),
        ["/proc/x", "cannot be made", "--results-dir"],
    ),
    "a -k that cannot be read": (more("-k", 'not "x"'), ["-k 'not \"x\"' cannot be read", "at column 5"]),
    "a -m that cannot be read": (more("-m", "level1 and", "-n2"), ["-m 'level1 and' cannot be read"]),
    "set-up alone": (more("--setup-only"), ["--setup-only", "--collect-only"]),
    "each attempt on each worker": (more("--dist=each", "--tx=2*popen"), ["--dist each", "--dist load"]),
    "another environment": (more("--env=docker"), ["docker", "host_process"]),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_is_refused_in_one_line(suite: Suite, name: str) -> None:
    suite.add_right("task-one", "task-two")
    bend, said = REFUSALS[name]
    params = suite.benchmark_params()
    extra = bend(suite, params)
    arguments = list(suite.arguments()[:-2])
    if any("--harness" in argument for argument in extra):
        arguments = [a for a in arguments if not a.startswith("--harness") and "max_retry" not in a]
    ended = suite.run(*arguments, "--benchmark-params", json.dumps(params), *extra, bare=True)
    assert ended.code == pytest.ExitCode.USAGE_ERROR, ended.out
    for word in said:
        assert word in ended.out
    assert "Traceback" not in ended.out
    assert suite.models.asked == suite.models.judged == []
    assert not list(ended.results.glob("*/*/*"))


def test_no_model_is_refused_together_with_everything_else(suite: Suite) -> None:
    suite.add_right("a")
    params = json.dumps({"dataset_path": str(suite.dataset), "limt": 1})
    ended = suite.run(
        str(ROOT / "benchmarks/gaia"), "--benchmark-params", params, "--min-accuracy=2", bare=True
    )
    assert ended.code == pytest.ExitCode.USAGE_ERROR
    for word in ("--model", "judge_model", "limt", "limit", "'2'"):
        assert word in ended.out


def test_the_demo_needs_a_benchmark(suite: Suite) -> None:
    ended = suite.run(str(ROOT / "tests/benchmarks/test_redaction.py"), "--demo", bare=True)
    assert ended.code == pytest.ExitCode.USAGE_ERROR
    assert "pytest benchmarks --demo" in ended.out


def test_a_model_that_is_not_served_tools_stops_at_the_first_request(suite: Suite, tmp_path: Path) -> None:
    suite.add_right("a", "b", "c")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "one.md").write_text("# One\nA stone.\n")
    suite.models.answers = {"stone": 400}
    suite.models.trouble = (
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    )
    params = {"search_backend": "local", "visit_backend": "local", "corpus_dir": str(tmp_path / "documents")}
    arguments = [a for a in suite.arguments() if not a.startswith("--harness") and "max_retry" not in a]
    ended = suite.run(*arguments, "--harness-params", json.dumps(params), "--task-concurrency=1", bare=True)
    assert ended.code == pytest.ExitCode.INTERRUPTED
    assert len(suite.models.asked) == 1
    assert "--enable-auto-tool-choice" in ended.out


def test_a_gate_without_a_benchmark_is_refused(suite: Suite) -> None:
    ended = suite.run(str(ROOT / "tests/benchmarks/test_redaction.py"), "--min-accuracy=0.9", bare=True)
    assert ended.code == pytest.ExitCode.USAGE_ERROR
    assert "--min-accuracy has nothing to hold against" in ended.out


def test_two_items_for_one_attempt_are_refused(suite: Suite) -> None:
    suite.add_right("a")
    node = f"{ROOT}/benchmarks/gaia/test_gaia.py::test_gaia[a]"
    ended = suite.run(node, node, *suite.arguments()[1:], "--keep-duplicates", bare=True)
    assert ended.code == pytest.ExitCode.USAGE_ERROR
    assert "stand for one attempt" in ended.out
    assert suite.models.asked == []


@pytest.mark.parametrize("look", ["--setup-plan", "--fixtures", "--fixtures-per-test"])
def test_a_look_at_the_items_asks_nothing_and_leaves_nothing(suite: Suite, look: str) -> None:
    suite.add_right("a")
    params = json.dumps({"dataset_path": str(suite.dataset)})
    ended = suite.run(str(ROOT / "benchmarks/gaia"), look, "--benchmark-params", params, bare=True)
    assert ended.code == 0, ended.out
    assert not ended.results.exists()
