"""What is said for several runs at once is refused with the runs it does not suit, and how to say it."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from configuration_scene import JUDGE, KEYS, MODEL_URL, bent, by_category, loaded, params, refused, yaml_file

from benchmarks.demo import demo_layer

BOTH = ("gaia", "sealqa")
TWO = params(category=["seal_0", "longseal"])
KNOWN_TO_CHAT = (
    "there is no such key; known: system_prompt, agent_prompt, max_retry, retry_interval, request_timeout"
)
TYPED_JUDGE = json.dumps({"judge_model": JUDGE})[1:-1]
DEMO = demo_layer("http://127.0.0.1:40123/v1", "Tiny-1M")


def test_a_param_of_one_benchmark_names_the_other_and_how_to_ask_the_one_that_takes_it() -> None:
    (line,) = bent(names=BOTH, benchmark_params=params(subset="validation"))
    assert line.startswith("benchmark.params.subset (command line) for sealqa: there is no such key; known: ")
    assert line.endswith(
        "; say it for gaia alone, in a file under benchmarks.gaia.params, or by: pytest benchmarks/gaia … "
        f'--benchmark-params \'{{{TYPED_JUDGE}, "subset": "validation"}}\''
    )


def test_a_param_in_a_file_is_to_be_said_in_a_file(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "benchmark: {params: {subset: validation}}")
    (line,) = bent(file, names=BOTH)
    assert line.startswith(f"benchmark.params.subset ({file}) for sealqa: ")
    assert line.endswith("; say it for gaia alone, in a file under benchmarks.gaia.params")


def test_a_param_that_no_benchmark_takes_has_no_such_remedy() -> None:
    one, other = bent(names=BOTH, benchmark_params=params(zz=1))
    assert one.startswith("benchmark.params.zz (command line) for gaia: there is no such key; known: ")
    assert other.startswith("benchmark.params.zz (command line) for sealqa: there is no such key; known: ")
    assert "say it" not in one + other


def test_what_every_run_refuses_alike_names_none() -> None:
    assert bent(names=BOTH, benchmark_params=params(limt=1), harness_params='{"max_retri": 1}') == [
        "benchmark.params.limt (command line): there is no such key; did you mean 'limit'?",
        "harness.params.max_retri (command line): there is no such key; did you mean 'max_retry'?",
    ]


def test_a_value_that_only_another_run_was_given_is_no_remedy(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "{benchmark: {params: {limit: 0}}, benchmarks: {gaia: {params: {limit: 5}}}}")
    (line,) = bent(file, names=BOTH)
    assert line.startswith(f"benchmark.params.limit ({file}) for sealqa: 0 is refused; it must be ")
    assert "say it" not in line


def test_a_harness_that_nobody_named_is_named() -> None:
    (line,) = bent(
        names=("sealqa",),
        harness=None,
        harness_params='{"max_iterations": 3}',
        benchmark_params=params(category="longseal"),
    )
    assert line == f"harness.params.max_iterations (command line) for harness 'openai_chat': {KNOWN_TO_CHAT}"


def test_a_param_of_another_run_s_harness_is_told_with_the_run_and_the_harness_that_has_none() -> None:
    (line,) = bent(
        names=("sealqa",),
        harness=None,
        environ=KEYS,
        harness_params='{"max_iterations": 3}',
        benchmark_params=TWO,
    )
    assert line == (
        "harness.params.max_iterations (command line) for harness 'openai_chat' of sealqa longseal: "
        f"{KNOWN_TO_CHAT}; say it for sealqa seal_0 alone, in a file under "
        "benchmarks.sealqa.by_category.seal_0.harness.params, or by: pytest benchmarks/sealqa … "
        "--harness-params '{\"max_iterations\": 3}' "
        f'--benchmark-params \'{{{TYPED_JUDGE}, "category": "seal_0"}}\''
    )


def test_what_one_harness_lacks_names_its_run() -> None:
    lines = bent(names=("sealqa",), harness=None, benchmark_params=TWO)
    assert [line.partition(": ")[0] for line in lines] == [
        "harness.params for harness 'naive_search_agent' of sealqa seal_0"
    ] * 2


def test_settings_of_one_category_speak_for_themselves(tmp_path: Path) -> None:
    written = by_category(longseal={"harness": {"id": "openai_chat", "params": {"x": 1}}})
    (line,) = bent(yaml_file(tmp_path, json.dumps(written)), names=("sealqa",), benchmark_params=TWO)
    assert line.partition(" (")[0] == "benchmarks.sealqa.by_category.longseal.harness.params.x"
    assert "for harness" not in line and "say it" not in line


def test_settings_of_one_benchmark_name_the_category_they_do_not_suit(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "benchmarks: {sealqa: {harness: {params: {max_iterations: 3}}}}")
    (line,) = bent(file, names=("sealqa",), harness=None, environ=KEYS, benchmark_params=TWO)
    assert line == (
        f"benchmarks.sealqa.harness.params.max_iterations ({file}) for harness 'openai_chat' of sealqa "
        f"longseal: {KNOWN_TO_CHAT}; say it for sealqa seal_0 alone, in a file under "
        "benchmarks.sealqa.by_category.seal_0.harness.params"
    )


def test_a_judge_that_one_of_two_benchmarks_lacks_names_it(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "benchmarks: {gaia: {params: {judge: gaia_official}}}")
    (line,) = bent(file, names=BOTH, benchmark_params=None)
    assert line.startswith("benchmark.params.judge_model for sealqa: is missing, and the judge 'sealqa' ")


def test_an_empty_list_of_categories_names_its_benchmark() -> None:
    (line,) = bent(names=BOTH, benchmark_params=params(category=[]))
    assert line == (
        "benchmark.params.category (command line) for sealqa: [] is refused; it must be one category or a "
        "list of some, each of which is a run"
    )


def test_ids_for_several_runs_are_refused_before_anything_is_loaded() -> None:
    ids = params(category=["seal_0", "longseal"], sample_ids=["seal_0-001", "longseal-001"])
    (line,) = bent(names=("sealqa",), benchmark_params=ids)
    assert line == (
        "benchmark.params.sample_ids (command line): a task is in one run, and these ids are given to 2; ask "
        "one run alone, or name each one's ids in a file as "
        "benchmarks.sealqa.by_category.seal_0.params.sample_ids, "
        "benchmarks.sealqa.by_category.longseal.params.sample_ids"
    )


def test_each_run_may_have_ids_of_its_own(tmp_path: Path) -> None:
    written = by_category(
        seal_0={"params": {"sample_ids": ["a"]}}, longseal={"params": {"sample_ids": ["b"]}}
    )
    made = loaded(
        yaml_file(tmp_path, json.dumps(written)),
        names=("sealqa",),
        model="m",
        model_base_url=MODEL_URL,
        harness="openai_chat",
        benchmark_params=TWO,
    )
    assert [choice.params.sample_ids for choice in made.choices.values()] == [["a"], ["b"]]


def test_ids_that_all_but_one_run_replaced_are_for_that_run(tmp_path: Path) -> None:
    written = {"benchmark": {"params": {"sample_ids": ["a"]}}} | by_category(
        longseal={"params": {"sample_ids": None}}
    )
    file = yaml_file(tmp_path, json.dumps(written))
    made = loaded(
        file,
        names=("sealqa",),
        model="m",
        model_base_url=MODEL_URL,
        harness="openai_chat",
        benchmark_params=TWO,
    )
    assert [choice.params.sample_ids for choice in made.choices.values()] == [["a"], None]


def test_a_key_in_the_command_to_type_is_masked() -> None:
    (line,) = bent(
        names=("sealqa",),
        harness=None,
        environ=KEYS,
        harness_params='{"serper_api_key": "typed-key", "max_retry": 1}',
        benchmark_params=TWO,
    )
    assert "typed-key" not in line
    assert """--harness-params '{"serper_api_key": "***", "max_retry": 1}'""" in line


def arguments_in(line: str) -> tuple[str, dict[str, Any]]:
    """The benchmark and the options of the command that a line ends with."""
    pytest_, folder, demo, *options = shlex.split(line.partition(", or by: ")[2])
    assert (pytest_, demo) == ("pytest", "--demo")
    names = [name.removeprefix("--").replace("-", "_") for name in options[::2]]
    return folder.removeprefix("benchmarks/"), dict(zip(names, options[1::2], strict=True))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        pytest.param(
            {"harness_params": '{"max_iterations": 2}'},
            "harness.params.max_iterations (command line) for harness 'openai_chat' of sealqa longseal: ",
            id="a param of the search agent",
        ),
        pytest.param(
            {"benchmark_params": '{"category": 1}'},
            "benchmark.params.category (command line) for sealqa: 1 is refused",
            id="a level",
        ),
        pytest.param(
            {"benchmark_params": '{"category": [1, 2]}'},
            "benchmark.params.category (command line) for sealqa: 1 is refused",
            id="levels",
        ),
        pytest.param(
            {"harness": "naive_search_agent"},
            "harness.id (command line) for sealqa longseal: category 'longseal' measures",
            id="a harness that longseal refuses",
        ),
    ],
)
def test_in_the_demo_the_command_in_the_line_works_as_it_is_typed(given: dict[str, Any], says: str) -> None:
    line, *_ = refused(lowest=DEMO, names=BOTH, **given)
    assert line.startswith(says)
    name, options = arguments_in(line)
    assert (name, options) == ("gaia", given)
    assert list(loaded(lowest=DEMO, names=(name,), **options).choices) == ["gaia"]


def test_in_the_demo_the_command_for_one_category_works_as_it_is_typed() -> None:
    line, *_ = refused(lowest=DEMO, names=("sealqa",), harness_params='{"max_iterations": 2}')
    name, options = arguments_in(line)
    assert list(loaded(lowest=DEMO, names=(name,), **options).choices) == ["sealqa seal_0"]


def test_a_harness_that_the_demo_named_was_not_named_by_the_user() -> None:
    (line,) = refused(lowest=DEMO, names=("gaia",), harness_params='{"max_iterations": 0}')
    assert line.startswith(
        "harness.params.max_iterations (command line) for harness 'naive_search_agent': 0 "
    )
