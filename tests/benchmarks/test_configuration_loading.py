"""Options and YAML become one configuration."""

import json
from pathlib import Path
from typing import Any

import pytest
from configuration_scene import JUDGE, KEYS, MODEL_URL, loaded, params, sound, yaml_file

from benchmarks.configuration.execution import Attempts, Execution
from benchmarks.configuration.model import Gates, Placement
from benchmarks.gaia.params import GaiaParams
from harnesses.endpoint.spec import EndpointSpec
from harnesses.naive_search_agent import NaiveSearchAgent
from harnesses.openai_chat import OpenAIChat


def test_the_options_alone_make_a_configuration() -> None:
    made = sound()
    assert made.model == EndpointSpec(id="model-1", base_url=MODEL_URL)
    choice = made.choices["gaia"]
    assert choice.params == GaiaParams(judge_model=EndpointSpec(**JUDGE))
    assert choice.harness_id == "openai_chat"
    assert choice.harness_params == OpenAIChat.Params()
    assert (made.execution, made.placement, made.gates) == (Execution(), Placement(), Gates())


def test_a_file_alone_makes_the_same(tmp_path: Path) -> None:
    file = yaml_file(
        tmp_path,
        f"""
        model: {{id: model-1, base_url: {MODEL_URL}}}
        harness: {{id: openai_chat}}
        benchmark: {{params: {{judge_model: {json.dumps(JUDGE)}}}}}
        """,
    )
    assert loaded(file) == sound()


def test_the_default_harness_searches() -> None:
    made = sound(harness=None, environ=KEYS)
    assert made.choices["gaia"].harness_id == "naive_search_agent"


def test_a_later_file_wins_and_the_command_line_over_all(tmp_path: Path) -> None:
    one = yaml_file(
        tmp_path, "execution: {task_concurrency: 1, run_timeout_seconds: 10}\nrun: {run_name: one}"
    )
    two = yaml_file(tmp_path, "execution: {task_concurrency: 2}\nrun: {run_name: two}", name="two.yaml")
    made = sound(one, two, run_name="three")
    assert made.execution == Execution(task_concurrency=2, run_timeout_seconds=10)
    assert made.placement.run_name == "three"


def test_a_single_option_wins_over_a_json_option() -> None:
    made = sound(
        execution_params='{"k": 5, "task_concurrency": 3, "timeout_multiplier": 2}', k=1, task_concurrency=4
    )
    assert made.execution == Execution(attempts=Attempts(k=1), task_concurrency=4, timeout_multiplier=2)


def test_nested_params_merge_and_lists_replace(tmp_path: Path) -> None:
    file = yaml_file(
        tmp_path,
        """
        model: {params: {temperature: 0.7, stop: [a, b], extra: {x: 1}}}
        benchmark: {params: {judge_model: {api_key: key-of-the-judge, params: {seed: 1}}, sample_ids: [a, b]}}
        """,
    )
    made = sound(
        file,
        model_params='{"stop": ["c"], "extra": {"y": 2}}',
        benchmark_params=params(sample_ids=["c"]),
    )
    assert made.model is not None
    assert made.model.params == {"temperature": 0.7, "stop": ["c"], "extra": {"x": 1, "y": 2}}
    choice = made.choices["gaia"].params
    assert choice.sample_ids == ["c"]
    assert choice.judge_model == EndpointSpec(**JUDGE, api_key="key-of-the-judge", params={"seed": 1})


def test_null_removes_a_limit_and_stays_in_model_params() -> None:
    made = sound(execution_params='{"run_timeout_seconds": null}', model_params='{"max_tokens": null}')
    assert made.execution.run_timeout_seconds is None
    assert made.model is not None and made.model.params == {"max_tokens": None}


def test_numbers_and_booleans_of_yaml_are_kept(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "model: {params: {seed: 7, stream: no, top_p: 0.5, stop: '1'}}")
    made = sound(file)
    assert made.model is not None
    assert made.model.params == {"seed": 7, "stream": False, "top_p": 0.5, "stop": "1"}


def test_a_variable_in_a_file_is_a_number_where_one_is_due(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "benchmark: {params: {limit: '${N:-7}', sampling_seed: '${SEED}'}}")
    choice = sound(file, environ={"SEED": "16"}).choices["gaia"].params
    assert (choice.limit, choice.sampling_seed) == (7, 16)


def test_json_options_are_not_expanded() -> None:
    made = sound(model_params='{"user": "${HOME}"}')
    assert made.model is not None and made.model.params == {"user": "${HOME}"}


def test_gates_come_from_texts() -> None:
    made = sound(min_accuracy=("0.6",), min_coverage="1", max_errors=2)
    assert made.gates == Gates(min_accuracy={"overall": 0.6}, min_coverage=1.0, max_errors=2)


def test_every_key_comes_from_its_variable() -> None:
    environ = {**KEYS, "MODEL_API_KEY": "model-variable", "JUDGE_API_KEY": "judge-variable"}
    made = sound(harness="naive_search_agent", environ=environ)
    assert made.model is not None and made.model.api_key == "model-variable"
    choice = made.choices["gaia"]
    assert choice.params.judge_model is not None and choice.params.judge_model.api_key == "judge-variable"
    assert isinstance(choice.harness_params, NaiveSearchAgent.Params)
    assert choice.harness_params.serper_api_key == "serper-variable"
    assert choice.harness_params.jina_api_key == "jina-variable"


def test_a_key_that_is_given_wins_over_its_variable_and_an_empty_one_means_none() -> None:
    environ = {"MODEL_API_KEY": "model-variable", "JUDGE_API_KEY": "judge-variable"}
    made = sound(
        model_api_key="",
        benchmark_params=json.dumps({"judge_model": {**JUDGE, "api_key": "judge-given"}}),
        environ=environ,
    )
    assert made.model is not None and made.model.api_key == ""
    judge = made.choices["gaia"].params.judge_model
    assert judge is not None and judge.api_key == "judge-given"


DEMO = {
    "model": {"id": "smollm2", "base_url": "http://127.0.0.1:8080/v1"},
    "benchmark": {"params": {"judge": "gaia_official", "dataset_path": "shipped.jsonl"}},
    "harness": {"id": "naive_search_agent", "params": {"search_backend": "local", "visit_backend": "local"}},
    "gates": {"min_accuracy": 0, "min_coverage": 1},
}


def test_the_demo_is_the_lowest_layer(tmp_path: Path) -> None:
    lowest = {**DEMO, "harness": {"id": "naive_search_agent", "params": {"corpus_dir": str(tmp_path)}}}
    made = loaded(lowest=lowest, min_accuracy=("0.5",), environ=KEYS)
    assert made.gates == Gates(min_accuracy={"overall": 0.5}, min_coverage=1.0)
    assert made.choices["gaia"].params.judge == "gaia_official"


def test_the_users_key_never_goes_to_the_demos_own_server() -> None:
    made = loaded(lowest=DEMO, harness="openai_chat", environ={"MODEL_API_KEY": "model-variable"})
    assert made.model is not None and made.model.api_key == ""


def test_a_model_of_the_users_beside_the_demo_gets_its_key() -> None:
    made = loaded(
        lowest=DEMO,
        harness="openai_chat",
        model="model-1",
        model_base_url=MODEL_URL,
        environ={"MODEL_API_KEY": "model-variable"},
    )
    assert made.model == EndpointSpec(id="model-1", base_url=MODEL_URL, api_key="model-variable")


def test_another_harness_beside_the_demo_starts_with_its_own_defaults() -> None:
    made = loaded(lowest=DEMO, harness="openai_chat")
    assert made.choices["gaia"].harness_params == OpenAIChat.Params()


@pytest.mark.parametrize("model", [{}, {"model": "model-1"}, {"model_base_url": MODEL_URL}])
def test_a_dry_run_needs_no_model_no_judge_and_no_key(model: dict[str, Any]) -> None:
    made = loaded(needs_model=False, **model)
    assert made.model is None
    assert made.choices["gaia"].params.judge_model is None


def test_a_dry_run_may_have_a_model() -> None:
    made = loaded(needs_model=False, model="model-1", model_base_url=MODEL_URL)
    assert made.model == EndpointSpec(id="model-1", base_url=MODEL_URL)


def test_a_dry_run_does_not_care_for_the_run_directory(tmp_path: Path) -> None:
    assert loaded(needs_model=False, run_dir=str(tmp_path)).placement.run_dir == str(tmp_path)


def test_a_session_may_ask_no_benchmark_at_all() -> None:
    assert loaded(names=(), model="m", model_base_url=MODEL_URL).choices == {}


def test_host_process_is_taken_as_the_environment() -> None:
    assert sound(env="host_process") == sound()


def test_the_effective_configuration_holds_all_defaults_and_is_plain() -> None:
    effective = sound(run_name="nightly").effective
    assert json.loads(json.dumps(effective)) == effective
    assert list(effective) == ["model", "benchmarks", "execution", "run", "gates", "prices"]
    assert effective["benchmarks"]["gaia"]["params"]["subset"] == "text-103"
    assert effective["benchmarks"]["gaia"]["harness"]["id"] == "openai_chat"
    assert effective["execution"]["run_timeout_seconds"] == 9000.0
    assert effective["run"]["run_name"] == "nightly"


def test_text_that_cannot_be_printed_does_not_reach_the_header() -> None:
    effective = sound(model_params='{"stop": "\\ud800"}').effective
    assert json.dumps(effective, ensure_ascii=False).encode()
    assert effective["model"]["params"] == {"stop": "\N{REPLACEMENT CHARACTER}"}


def test_the_effective_configuration_is_a_file_that_asks_the_same(tmp_path: Path) -> None:
    made = sound(min_accuracy=("0.5", "level1=0.8"), model_params='{"seed": 1}')
    file = yaml_file(tmp_path, json.dumps(dict(made.effective)))
    assert loaded(file) == made
