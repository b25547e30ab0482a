"""Where a benchmark does not pool its categories, each is a run with settings of its own."""

import json
from pathlib import Path
from typing import Any

import pytest
from configuration_scene import KEYS, by_category, loaded, params, sound, yaml_file
from hypothesis import given
from hypothesis import strategies as some

from benchmarks.configuration.addresses import address
from benchmarks.configuration.layers import Layer, merged_benchmark
from benchmarks.configuration.model import Configuration
from benchmarks.configuration.spelling import Spelling
from benchmarks.sealqa.params import SealQAParams
from harnesses.naive_search_agent import NaiveSearchAgent
from harnesses.openai_chat import OpenAIChat

NAMES = ("sealqa",)


def asked(category: Any, *files: Path, **more: Any) -> Configuration:
    return sound(*files, names=NAMES, benchmark_params=params(category=category), **more)


def layer(source: str, **written: Any) -> Layer:
    spelling = Spelling()
    values = spelling.of(written)
    assert not spelling.problems
    return Layer(source=source, written=written, values=values)


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        pytest.param("longseal", ["sealqa longseal"], id="one"),
        pytest.param(["longseal"], ["sealqa longseal"], id="a list of one"),
        pytest.param(
            ["LongSeal", "Seal-0"],
            ["sealqa longseal", "sealqa seal_0"],
            id="two, in their order and spelling",
        ),
    ],
)
def test_each_category_is_a_run(written: Any, keys: list[str]) -> None:
    made = asked(written)
    assert list(made.choices) == keys
    for key, choice in made.choices.items():
        assert isinstance(choice.params, SealQAParams)
        assert (choice.key, choice.params.category) == (key, choice.category)


def test_without_a_category_the_benchmark_s_default_is_the_run() -> None:
    assert list(sound(names=NAMES).choices) == ["sealqa seal_0"]


def test_a_benchmark_that_pools_its_categories_is_one_run_named_by_itself() -> None:
    made = sound(benchmark_params=params(category=[1, 2]))
    assert list(made.choices) == ["gaia"]
    assert made.choices["gaia"].category is None


def test_only_where_a_benchmark_has_several_runs_their_names_end_with_the_category() -> None:
    assert [choice.run_suffix for choice in asked(["seal_0", "longseal"]).choices.values()] == [
        "-seal_0",
        "-longseal",
    ]
    assert [choice.run_suffix for choice in sound(names=("gaia", "sealqa")).choices.values()] == ["", ""]


def test_the_harness_is_the_one_that_is_due_for_the_category() -> None:
    made = asked(["seal_0", "longseal"], harness=None, environ=KEYS)
    assert [choice.harness_id for choice in made.choices.values()] == ["naive_search_agent", "openai_chat"]


FILE = """
benchmarks:
  sealqa:
    params: {category: [seal_0, longseal], limit: 3}
    harness: {id: openai_chat, params: {max_retry: 1}}
    by_category:
      LongSeal:
        params: {limit: 5, longseal_document_count: 30}
        harness: {params: {system_prompt: Mind the documents.}}
        judge: {prompt: builtin}
      seal_hard: {params: {limit: 9}}
"""


def test_by_category_wins_within_a_file_and_merges_with_what_is_said_for_the_benchmark(
    tmp_path: Path,
) -> None:
    made = sound(yaml_file(tmp_path, FILE), names=NAMES, harness=None)
    easy, long = made.choices.values()
    assert isinstance(long.params, SealQAParams)
    assert (easy.params.limit, long.params.limit, long.params.longseal_document_count) == (3, 5, 30)
    assert (easy.params.judge_prompt, long.params.judge_prompt) == ("official", "builtin")
    assert easy.harness_params == OpenAIChat.Params(max_retry=1)
    assert long.harness_params == OpenAIChat.Params(max_retry=1, system_prompt="Mind the documents.")


def test_settings_of_a_category_that_is_not_asked_wait(tmp_path: Path) -> None:
    made = sound(yaml_file(tmp_path, FILE), names=NAMES, benchmark_params=params(category="seal_hard"))
    assert [(choice.key, choice.params.limit) for choice in made.choices.values()] == [
        ("sealqa seal_hard", 9)
    ]


def test_a_later_layer_wins_over_an_earlier_one_s_by_category(tmp_path: Path) -> None:
    made = sound(yaml_file(tmp_path, FILE), names=NAMES, benchmark_params=params(limit=1))
    assert [choice.params.limit for choice in made.choices.values()] == [1, 1]


DEMO: dict[str, Any] = {
    "model": {"id": "smollm2", "base_url": "http://127.0.0.1:8080/v1"},
    "benchmarks": {
        "sealqa": {
            "params": {"judge": "contains", "category": ["seal_0", "longseal"]},
            "harness": {"id": "naive_search_agent"},
            "by_category": {"longseal": {"harness": {"id": "openai_chat", "params": {"max_retry": 2}}}},
        }
    },
}


def test_the_demo_gives_each_category_its_harness() -> None:
    made = loaded(lowest=DEMO, names=NAMES, environ=KEYS)
    assert [choice.harness_id for choice in made.choices.values()] == ["naive_search_agent", "openai_chat"]
    assert made.choices["sealqa longseal"].harness_params == OpenAIChat.Params(max_retry=2)


def test_a_harness_on_the_command_line_wins_over_the_demo_s_for_one_category() -> None:
    made = loaded(
        lowest=DEMO,
        names=NAMES,
        environ=KEYS,
        harness="naive_search_agent",
        benchmark_params='{"allow_search": true}',
    )
    assert {choice.harness_id for choice in made.choices.values()} == {"naive_search_agent"}
    assert isinstance(made.choices["sealqa longseal"].harness_params, NaiveSearchAgent.Params)


def test_a_judge_s_model_may_be_completed_for_one_category(tmp_path: Path) -> None:
    written = by_category(longseal={"judge": {"model": {"params": {"seed": 1}}}})
    made = asked(["seal_0", "longseal"], yaml_file(tmp_path, json.dumps(written)))
    judges = [choice.params.judge_model for choice in made.choices.values()]
    assert [judge and judge.params for judge in judges] == [{}, {"seed": 1}]


def test_looking_without_asking_needs_no_fit_harness() -> None:
    made = asked("longseal", harness="naive_search_agent", needs_model=False)
    assert made.choices["sealqa longseal"].harness_id == "naive_search_agent"


@pytest.mark.parametrize("category", ["longseal", ["longseal", "seal_0"]], ids=["one", "two"])
def test_the_effective_configuration_is_a_file_that_asks_for_the_same_runs(
    tmp_path: Path, category: Any
) -> None:
    made = asked(category, model_params='{"seed": 1}')
    file = yaml_file(tmp_path, json.dumps(dict(made.effective)))
    assert loaded(file, names=NAMES) == made


def test_the_effective_configuration_of_one_run_asks_for_that_run_alone(tmp_path: Path) -> None:
    made = sound(yaml_file(tmp_path, FILE), names=NAMES, harness=None)
    for key, choice in made.choices.items():
        file = yaml_file(tmp_path, json.dumps(dict(made.effective_of(choice))), name=f"{key}.yaml")
        (alone,) = loaded(file, names=NAMES).choices.values()
        assert (alone.key, alone.params, alone.harness_params) == (key, choice.params, choice.harness_params)


def test_keys_are_masked_in_the_effective_values_of_each_run(tmp_path: Path) -> None:
    written = by_category(longseal={"judge": {"model": {"api_key": "key-of-longseal"}}})
    made = asked(["seal_0", "longseal"], yaml_file(tmp_path, json.dumps(written)))
    told = repr([made.effective, *(choice.effective for choice in made.choices.values())])
    assert "key-of-longseal" not in told and "***" in told
    assert "key-of-longseal" in made.secrets


values = some.dictionaries(
    some.sampled_from(["limit", "sampling_seed", "longseal_seed"]), some.integers(1, 9)
)
levels = some.fixed_dictionaries({"all": values, "own": values, "of": values})


@given(lower=levels, upper=levels)
def test_the_last_layer_wins_and_within_it_the_most_particular(
    lower: dict[str, dict[str, int]], upper: dict[str, dict[str, int]]
) -> None:
    layers = [
        layer(
            source,
            benchmark={"params": said["all"]},
            benchmarks={
                "sealqa": {"params": said["own"], "by_category": {"longseal": {"params": said["of"]}}}
            },
        )
        for source, said in (("a.yaml", lower), ("b.yaml", upper))
    ]
    merged, _ = merged_benchmark(layers, "sealqa", category="longseal")
    general, _ = merged_benchmark(layers, "sealqa", category="seal_0")
    assert general == {**lower["all"], **lower["own"], **upper["all"], **upper["own"]}
    assert merged == {
        **(lower["all"] | lower["own"] | lower["of"]),
        **(upper["all"] | upper["own"] | upper["of"]),
    }


def test_a_value_of_a_run_has_the_address_of_the_layer_that_wins() -> None:
    lower = layer("a.yaml", **by_category(LongSeal={"params": {"limit": 1}, "harness": {"params": {"x": 1}}}))
    upper = layer("b.yaml", benchmark={"params": {"limit": 2}})
    at = ("benchmarks", "sealqa", "by_category", "longseal")
    assert (
        str(address((*at, "params", "limit"), [lower]))
        == "benchmarks.sealqa.by_category.LongSeal.params.limit (a.yaml)"
    )
    assert str(address((*at, "params", "limit"), [lower, upper])) == "benchmark.params.limit (b.yaml)"
    assert str(address((*at, "harness", "params", "x"), [lower, upper])) == (
        "benchmarks.sealqa.by_category.LongSeal.harness.params.x (a.yaml)"
    )
    assert str(address((*at, "harness", "id"), [])) == "harness.id"
