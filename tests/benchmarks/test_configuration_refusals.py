"""What is refused before any request, all of it at once."""

import json
from pathlib import Path
from typing import Any

import pytest
from configuration_scene import MODEL_URL, bent, params, refused, sound, yaml_file


@pytest.mark.parametrize(
    ("given", "line"),
    [
        pytest.param(
            {"model": None, "model_base_url": None},
            "model: no model is given; name one by --model ID --model-base-url URL, or try --demo",
            id="no model",
        ),
        pytest.param(
            {"model_base_url": None},
            "model.base_url (command line): is missing; give the model's address by --model-base-url URL",
            id="no address",
        ),
        pytest.param(
            {"model": None},
            "model.id (command line): is missing; name the model by --model ID",
            id="no model id",
        ),
        pytest.param(
            {"model_base_url": "models.example"},
            "model (command line): base_url 'models.example' is not an http or https address; write it like "
            "https://api.example/v1",
            id="no http address",
        ),
        pytest.param(
            {"benchmark_params": '{"judge": "contains", "category_hierarchy": {"overall": {}}}'},
            "benchmark.params.category_hierarchy (command line): 'overall' has no children; give it an "
            "aggregation, e.g. unweighted, and categories",
            id="a tree without categories",
        ),
        pytest.param(
            {"k": 101},
            "execution.attempts.k (command line): 101 is refused; it must be a whole number from 1 to 100",
            id="more attempts than anyone waits for",
        ),
        pytest.param(
            {"model_api_protocol": "openai-chatt"},
            "model.api_protocol (command line): 'openai-chatt' is refused; it must be openai-chat, "
            "openai-responses or anthropic; did you mean 'openai-chat'?",
            id="unknown protocol",
        ),
        pytest.param(
            {"benchmark_params": None},
            "benchmark.params.judge_model: is missing, and the judge 'llm' is a model; give "
            "--benchmark-params "
            '\'{"judge_model": {"id": "…", "base_url": "…"}}\', or choose the judge \'gaia_official\', which '
            "needs none",
            id="no judge",
        ),
        pytest.param(
            {"benchmark_params": '{"judge_model": {"id": "j"}}'},
            "benchmark.params.judge_model.base_url (command line): is missing; give the judge's own address; "
            "nothing is borrowed from the model under test",
            id="a judge without address",
        ),
        pytest.param(
            {"benchmark_params": json.dumps({"judge_model": {"id": "model-1", "base_url": f"{MODEL_URL}/"}})},
            "benchmark.params.judge_model (command line): 'model-1' is the model under test at the "
            "same address; "
            "name another judge, or set allow_self_judge: true",
            id="the model as its own judge",
        ),
        pytest.param(
            {"benchmark_params": params(judge="lm")},
            "benchmark.params.judge (command line): 'lm' is refused; it must be llm, sealqa, gaia_official "
            "or contains; did you mean 'llm'?",
            id="an unknown judge",
        ),
        pytest.param(
            {"harness": "openai-chatt"},
            "harness.id (command line): there is no harness 'openai-chatt'; did you mean 'openai_chat'?",
            id="an unknown harness",
        ),
        pytest.param(
            {"harness": "zzz"},
            "harness.id (command line): there is no harness 'zzz'; known: naive_search_agent, "
            "openai_chat, answers_file",
            id="a harness that is like none",
        ),
        pytest.param(
            {"harness_params": '{"max_retri": 1}'},
            "harness.params.max_retri (command line): there is no such key; did you mean 'max_retry'?",
            id="an unknown harness param",
        ),
        pytest.param(
            {"names": ("gaja",)},
            "there is no benchmark 'gaja'; did you mean 'gaia'?",
            id="an unknown benchmark",
        ),
        pytest.param(
            {"min_accuracy": ("60",)},
            "gates.min_accuracy (command line): '60' is refused; it must be a number from 0 to 1 "
            "(60 % is 0.6)",
            id="a gate outside 0 to 1",
        ),
        pytest.param(
            {"attempt_strategy": "mean"},
            "execution.attempts.strategy (command line): 'mean' is refused; it must be avg or pass",
            id="an unknown strategy",
        ),
        pytest.param(
            {"benchmark_params": params(subset="test"), "min_accuracy": ("0.1",), "max_errors": 0},
            "gates.min_accuracy (command line): cannot be measured, since the tasks asked of 'gaia' are "
            "unscored; drop min_accuracy, max_errors, or ask other tasks",
            id="a gate on unscored tasks",
        ),
        pytest.param(
            {"env": "docker"},
            "--env 'docker' is refused; only host_process exists: leave the option out",
            id="another environment",
        ),
        pytest.param(
            {"run_name": "../up"},
            "run.run_name (command line): '../up' is refused; it must be one part of a path "
            "without '..', e.g. "
            "'nightly-1'",
            id="a run name that climbs",
        ),
        pytest.param(
            {"harness_params": "{'max_retry': 1}"},
            "--harness-params is not JSON: Expecting property name enclosed in double quotes at "
            "line 1, column 2; "
            "quote it for the shell as '{…}'",
            id="malformed JSON",
        ),
        pytest.param(
            {"environ": {"MODEL_API_KEY": "key with\nlines"}},
            "model (command line): api_key (masked) holds a blank, a line end or a character outside ASCII, "
            "which no header can carry; copy it again",
            id="a key no header can carry",
        ),
    ],
)
def test_it_is_refused_in_one_line(given: dict[str, Any], line: str) -> None:
    assert bent(**given) == [line]


def test_keys_of_the_search_agent_are_asked_for_before_the_first_request() -> None:
    at = "harness.params for harness 'naive_search_agent': "
    assert bent(harness=None) == [
        f"{at}serper_api_key is empty: set SERPER_API_KEY, or search_backend: local",
        f"{at}jina_api_key is empty: set JINA_API_KEY, or visit_backend: local",
    ]


def test_a_key_of_a_service_that_no_header_can_carry_is_refused() -> None:
    environ = {"SERPER_API_KEY": "serper-key\n", "JINA_API_KEY": "jina-key"}
    (line,) = bent(harness="naive_search_agent", environ=environ)
    assert line == (
        "harness.params.serper_api_key: holds a blank, a line end or a non-ASCII character, which "
        "no key has; copy it again"
    )


def test_a_misspelt_tool_is_refused_with_the_nearest() -> None:
    (line,) = bent(harness="naive_search_agent", harness_params='{"tools": ["serach"]}')
    assert "'serach'" in line and "did you mean 'search'?" in line


def test_a_run_directory_that_exists_is_refused(tmp_path: Path) -> None:
    (line,) = bent(run_dir=str(tmp_path))
    assert line == (
        f"run.run_dir (command line): the directory {str(tmp_path)!r} exists, and a run never "
        "writes over another; "
        "name a new one"
    )


def test_a_run_name_that_exists_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gaia" / "model-1" / "nightly").mkdir(parents=True)
    (line,) = bent(results_dir=str(tmp_path), run_name="nightly")
    assert line.startswith("run.run_name (command line): the directory ")


def test_one_run_directory_cannot_hold_two_runs(tmp_path: Path) -> None:
    (line,) = bent(run_dir=str(tmp_path / "new"), names=("gaia", "sealqa"))
    assert line == (
        "run.run_dir (command line): one directory cannot hold the runs gaia, sealqa seal_0; name their "
        "parent by --results-dir"
    )


def test_the_model_may_judge_itself_if_that_is_said() -> None:
    judge = {"id": "model-1", "base_url": MODEL_URL}
    made = sound(benchmark_params=json.dumps({"judge_model": judge, "allow_self_judge": True}))
    assert made.choices["gaia"].params.allow_self_judge


def test_the_same_model_elsewhere_is_another_judge() -> None:
    judge = {"id": "model-1", "base_url": "https://elsewhere.example/v1"}
    assert sound(benchmark_params=json.dumps({"judge_model": judge})).choices


def test_a_missing_judge_is_told_beside_a_wrong_param() -> None:
    wrong, missing = bent(benchmark_params='{"limit": 0}')
    assert wrong.startswith("benchmark.params.limit (command line): 0 is refused")
    assert missing.startswith("benchmark.params.judge_model (command line): is missing")


def test_unscored_tasks_need_no_judge_beside_a_wrong_param_either() -> None:
    (wrong,) = bent(benchmark_params='{"subset": "test", "limit": 0}')
    assert wrong.startswith("benchmark.params.limit (command line): 0 is refused")


def test_a_scorer_needs_no_judge_model() -> None:
    assert sound(benchmark_params='{"judge": "gaia_official"}').choices["gaia"].params.judge_model is None


def test_the_test_subset_runs_without_gates() -> None:
    assert sound(benchmark_params=params(subset="test")).choices


def test_a_file_that_cannot_be_read_is_told_without_guessing_what_it_would_have_said(tmp_path: Path) -> None:
    missing = tmp_path / "no.yaml"
    unread, gate = refused(missing, min_accuracy=("2",))
    told = "cannot be read (No such file or directory); give the path of a YAML file"
    assert unread == f"--config '{missing}' {told}"
    assert gate.startswith("gates.min_accuracy (command line): '2' is refused")


def test_malformed_yaml_is_told_with_line_and_column(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "model:\n  id: a: b\n")
    assert bent(file) == [
        f"--config '{file}' is not YAML: mapping values are not allowed here at line 2, column 8"
    ]


def test_an_unset_variable_names_file_and_key_and_is_told_once(tmp_path: Path) -> None:
    file = yaml_file(
        tmp_path,
        """
        model: {base_url: '${NOPE}', api_key: '${NOPE}'}
        benchmark: {params: {limit: '${NOPE}', sample_ids: ['${NOPE}']}}
        """,
    )
    line = "the variable 'NOPE' is not set; set it or write ${NOPE:-default}"
    assert bent(file, model_base_url=None) == [
        f"{key} ({file}): {line}"
        for key in (
            *("model.base_url", "model.api_key"),
            *("benchmark.params.limit", "benchmark.params.sample_ids[0]"),
        )
    ]


def test_a_harness_that_is_no_text_is_told(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "harness: {id: [a]}")
    (line,) = bent(file, harness=None)
    assert line.startswith(f"harness.id ({file}): there is no harness ['a']")


def test_a_key_that_would_break_the_line_is_escaped(tmp_path: Path) -> None:
    (line,) = bent(yaml_file(tmp_path, '"a\\nb": 1'))
    assert line.startswith(r"'a\nb' (")


def test_an_unknown_benchmark_in_a_file_is_told(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "benchmarks: {gaja: {params: {limit: 1}}}")
    assert bent(file) == [f"benchmarks.gaja ({file}): there is no such key; did you mean 'gaia'?"]


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    file = yaml_file(
        tmp_path,
        """
        modle: {}
        model: {id: 7}
        harness: {id: naive_search_agent, params: {max_iterations: 0}}
        execution: {attempts: {k: true}, task_concurrency: 0}
        benchmarks: {gaia: {params: {category: 9, limt: 1}, judge: {id: lm}}}
        run: {results_dir: 3}
        gates: {min_coverage: 95}
        """,
    )
    lines = refused(file, benchmark_params='{"limit": 0}', execution_params="[]", env="docker")
    told = " ".join(line.partition(": ")[0].replace(f" ({file})", "") for line in lines)
    for key in (
        *(
            "--execution-params",
            "--env",
            "modle",
            "model.id",
            "harness.params.max_iterations",
        ),
        *("execution.attempts.k", "execution.task_concurrency", "benchmarks.gaia.params.category"),
        *("benchmarks.gaia.params.limt", "benchmarks.gaia.judge.id", "benchmark.params.limit (command line)"),
        *("run.results_dir", "gates.min_coverage"),
    ):
        assert key in told, key
    assert all(line and "\n" not in line for line in lines)
    assert len(lines) == len(set(lines))
