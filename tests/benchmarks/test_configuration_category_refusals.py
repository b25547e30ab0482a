"""What is refused where each category is a run: once, and where its author wrote it."""

import json
from pathlib import Path
from typing import Any

import pytest
from configuration_scene import KEYS, MODEL_URL, bent, by_category, params, sound, yaml_file

NAMES = ("sealqa",)


@pytest.mark.parametrize(
    ("written", "line"),
    [
        pytest.param(
            {"benchmarks": {"gaia": {"by_category": {"1": {"params": {"limit": 1}}}}}},
            "benchmarks.gaia.by_category ({file}): is refused: 'gaia' asks all its categories in one run; "
            "write it for the whole benchmark",
            id="a benchmark that pools",
        ),
        pytest.param(
            by_category(longsea={}),
            "benchmarks.sealqa.by_category.longsea ({file}): there is no category 'longsea'; did you mean "
            "'longseal'?",
            id="an unknown category",
        ),
        pytest.param(
            by_category(seal_0={}, **{"SEAL-0": {}}),
            "benchmarks.sealqa.by_category.SEAL-0 ({file}): is 'seal_0' once more; keep one of the spellings",
            id="two spellings",
        ),
        pytest.param(
            by_category(seal_0={"params": {"category": "longseal"}}),
            "benchmarks.sealqa.by_category.seal_0.params.category ({file}): is refused: these are the "
            "settings of the category 'seal_0'; leave it out",
            id="a category within a category",
        ),
        pytest.param(
            by_category(seal_0={"parms": {}}),
            "benchmarks.sealqa.by_category.seal_0.parms ({file}): there is no such key; did you mean "
            "'params'?",
            id="an unknown key",
        ),
        pytest.param(
            by_category(seal_0={"judge": {"promt": "builtin"}}),
            "benchmarks.sealqa.by_category.seal_0.judge.promt ({file}): there is no such key; did you mean "
            "'prompt'?",
            id="an unknown key of the judge",
        ),
        pytest.param(
            by_category(seal_0=["x"]),
            "benchmarks.sealqa.by_category.seal_0 ({file}): ['x'] is refused; it must be a mapping",
            id="no mapping",
        ),
        pytest.param(
            {"benchmarks": {"sealqa": {"by_category": 3}}},
            "benchmarks.sealqa.by_category ({file}): 3 is refused; it must be a mapping",
            id="no mapping of categories",
        ),
        pytest.param(
            by_category(**{"Seal-0": {"params": {"limit": 0}}}),
            "benchmarks.sealqa.by_category.Seal-0.params.limit ({file}): 0 is refused; it must be a whole "
            "number of 1 or more, or null",
            id="a wrong param, in the author's spelling",
        ),
        pytest.param(
            by_category(seal_0={"judge": {"allow_self_judge": "x"}}),
            "benchmarks.sealqa.by_category.seal_0.judge.allow_self_judge ({file}): 'x' is refused; it must "
            "be true or false",
            id="a wrong param of the judge",
        ),
        pytest.param(
            by_category(seal_0={"params": {"longseal_seed": "${NOPE}"}}),
            "benchmarks.sealqa.by_category.seal_0.params.longseal_seed ({file}): the variable 'NOPE' is not "
            "set; set it or write ${{NOPE:-default}}",
            id="a variable that is not set",
        ),
    ],
)
def test_settings_of_a_category_are_refused_in_one_line_where_they_were_written(
    tmp_path: Path, written: dict[str, Any], line: str
) -> None:
    file = yaml_file(tmp_path, json.dumps(written))
    assert bent(file, names=("gaia", "sealqa")) == [line.format(file=file)]


@pytest.mark.parametrize(
    ("category", "lines"),
    [
        pytest.param(
            [],
            ["[] is refused; it must be one category or a list of some, each of which is a run"],
            id="an empty list",
        ),
        pytest.param(
            ["longseal", "seal_0", "LONGSEAL"],
            ["'longseal' is there twice, and each category is one run; keep one of them"],
            id="one twice",
        ),
        pytest.param(
            ["longsea", "seal_0"],
            ["'longsea' is refused; it must be seal_0, seal_hard or longseal; did you mean 'longseal'?"],
            id="an unknown one",
        ),
        pytest.param("all", ["'all' is refused; it must be seal_0, seal_hard or longseal"], id="all"),
        pytest.param(None, ["None is refused; it must be seal_0, seal_hard or longseal"], id="null"),
        pytest.param(
            [["seal_0"]], ["['seal_0'] is refused; it must be seal_0, seal_hard or longseal"], id="deep"
        ),
        pytest.param([True], ["True is refused; it must be seal_0, seal_hard or longseal"], id="a boolean"),
    ],
)
def test_a_category_that_cannot_be_a_run_is_told_once(category: Any, lines: list[str]) -> None:
    told = bent(names=NAMES, benchmark_params=params(category=category))
    assert told == [f"benchmark.params.category (command line): {line}" for line in lines]


def test_what_is_wrong_in_every_run_is_told_once_where_it_was_written() -> None:
    told = bent(
        names=NAMES,
        benchmark_params=params(category=["seal_0", "longseal"], limit=0),
        harness_params='{"max_retry": -1}',
    )
    assert [line.partition(": ")[0] for line in told] == [
        "benchmark.params.limit (command line)",
        "harness.params.max_retry (command line)",
    ]


def test_a_judge_that_every_run_lacks_is_told_once_and_names_the_benchmark_s_own_scorer(
    tmp_path: Path,
) -> None:
    file = yaml_file(tmp_path, json.dumps(by_category(longseal={"params": {"limit": 1}})))
    (line,) = bent(file, names=NAMES, benchmark_params='{"category": ["seal_0", "longseal"]}')
    assert line == (
        "benchmark.params.judge_model (command line): is missing, and the judge 'sealqa' is a model; give "
        '--benchmark-params \'{"judge_model": {"id": "…", "base_url": "…"}}\', or choose the judge '
        "'contains', which needs none"
    )


@pytest.mark.parametrize("judge", ["sealqa", "llm"])
def test_the_model_under_test_is_no_judge_of_itself_whatever_the_protocol(judge: str) -> None:
    itself = {"id": "model-1", "base_url": MODEL_URL}
    (line,) = bent(names=NAMES, benchmark_params=json.dumps({"judge": judge, "judge_model": itself}))
    assert line.startswith("benchmark.params.judge_model (command line): 'model-1' is the model under test")


FAULT = "a harness that searches is refused; choose harness 'openai_chat', or set allow_search to true"


def test_a_harness_that_searches_is_refused_for_the_category_that_brings_its_documents() -> None:
    (line,) = bent(
        names=NAMES,
        harness="naive_search_agent",
        environ=KEYS,
        benchmark_params=params(category=["seal_0", "longseal"]),
    )
    assert line.startswith("harness.id (command line) for sealqa longseal: category 'longseal' ")
    assert FAULT in line


def test_a_wrong_harness_param_is_told_beside_a_wrong_param_though_no_harness_was_named() -> None:
    wrong, other = bent(
        names=NAMES,
        harness=None,
        harness_params='{"max_retry": -1}',
        benchmark_params=params(category="longseal", limit=0),
    )
    assert wrong.startswith("benchmark.params.limit")
    assert other.startswith("harness.params.max_retry")


def test_without_a_category_there_is_nobody_knows_which_harness_is_due() -> None:
    (line,) = bent(
        names=NAMES, harness=None, benchmark_params=params(category="x"), harness_params='{"y": 1}'
    )
    assert line.startswith("benchmark.params.category (command line): 'x' is refused")


def test_a_name_is_refused_where_one_run_of_two_has_it_already(tmp_path: Path) -> None:
    (tmp_path / "sealqa" / "model-1" / "nightly-longseal").mkdir(parents=True)
    given = {"names": NAMES, "results_dir": str(tmp_path), "run_name": "nightly"}
    (line,) = bent(**given, benchmark_params=params(category=["seal_0", "longseal"]))
    assert "nightly-longseal' exists" in line and line.startswith("run.run_name (command line)")
    assert sound(**given, benchmark_params=params(category="longseal")).placement.run_name == "nightly"


def test_one_directory_cannot_hold_two_categories(tmp_path: Path) -> None:
    (line,) = bent(
        names=NAMES,
        run_dir=str(tmp_path / "new"),
        benchmark_params=params(category=["seal_0", "longseal"]),
    )
    assert "one directory cannot hold the runs sealqa seal_0, sealqa longseal; name their parent" in line
