"""Gates in a configuration: how scopes add up over layers, and what cannot be a gate."""

import json
from pathlib import Path
from typing import Any

import pytest
from configuration_scene import KEYS, bent, params, sound, yaml_file

from benchmarks.configuration.execution import Attempts
from benchmarks.configuration.model import Gates, Prices, Rates

SEVERAL = {"names": ("gaia", "sealqa"), "harness": None, "environ": KEYS}


def gates(*files: Path, **given: Any) -> Gates:
    return sound(*files, **given).gates


@pytest.mark.parametrize(
    ("typed", "least"),
    [
        pytest.param(("0.6",), {"overall": 0.6}, id="a bare number"),
        pytest.param(("level1=0.8",), {"level1": 0.8}, id="a scope alone"),
        pytest.param(("0.6", "level1=0.8"), {"overall": 0.6, "level1": 0.8}, id="both"),
        pytest.param(("overall=0.6", "0.60"), {"overall": 0.6}, id="the same number twice"),
        pytest.param(("a=b=0.5",), {"a=b": 0.5}, id="a scope with an equals sign"),
        pytest.param((" sealqa longseal = 0.5",), {"sealqa longseal": 0.5}, id="blanks around"),
        pytest.param((), None, id="nothing"),
    ],
)
def test_least_accuracies_are_typed_by_their_scopes(typed: tuple[str, ...], least: Any) -> None:
    assert gates(min_accuracy=typed).min_accuracy == least


def test_scopes_of_all_layers_add_up_and_a_later_number_wins(tmp_path: Path) -> None:
    bare = yaml_file(tmp_path, "gates: {min_accuracy: 0.6}")
    scopes = yaml_file(tmp_path, "gates: {min_accuracy: {level1: 0.8, level2: 0.5}}", name="two.yaml")
    made = gates(bare, scopes, min_accuracy=("level2=0.7",))
    assert made.min_accuracy == {"overall": 0.6, "level1": 0.8, "level2": 0.7}


def test_a_bare_number_replaces_that_of_the_whole_alone(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "gates: {min_accuracy: {overall: 0.6, level1: 0.8}}")
    assert gates(file, min_accuracy=("0.5",)).min_accuracy == {"overall": 0.5, "level1": 0.8}


@pytest.mark.parametrize(
    ("later", "least"),
    [("{level1: null}", {"overall": 0.6}), ("null", None), ("{level1: null, overall: null}", None)],
    ids=["a scope", "all of it", "each scope"],
)
def test_null_takes_away_what_an_earlier_file_asked(tmp_path: Path, later: str, least: Any) -> None:
    first = yaml_file(tmp_path, "gates: {min_accuracy: {overall: 0.6, level1: 0.8}}")
    second = yaml_file(tmp_path, f"gates: {{min_accuracy: {later}}}", name="later.yaml")
    assert gates(first, second).min_accuracy == least


def test_everything_can_be_typed_and_written(tmp_path: Path) -> None:
    file = yaml_file(
        tmp_path,
        "gates: {min_accuracy: 0.6, baseline: base, max_regression: 0.05, baseline_anyway: true,"
        " policy: confident, primary: overall}",
    )
    typed = gates(
        yaml_file(tmp_path, "gates: {primary: overall}", name="primary.yaml"),
        min_accuracy=("0.6",),
        baseline="base",
        max_regression="0.05",
        baseline_anyway=True,
        gate_policy="confident",
    )
    assert gates(file) == typed
    assert typed == Gates(
        min_accuracy={"overall": 0.6},
        baseline="base",
        max_regression=0.05,
        baseline_anyway=True,
        policy="confident",
        primary="overall",
    )


def test_an_option_that_is_not_typed_leaves_the_file_s_word(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "gates: {baseline: base, baseline_anyway: true}")
    assert gates(file).baseline_anyway


@pytest.mark.parametrize(
    ("given", "line"),
    [
        pytest.param(
            {"min_accuracy": ("level1=0.8", "level1=0.7")},
            "--min-accuracy is given twice for 'level1', with '0.8' and '0.7'; keep one",
            id="a scope twice",
        ),
        pytest.param(
            {"min_accuracy": ("0.8", "overall=0.7")},
            "--min-accuracy is given twice for 'overall', with '0.8' and '0.7'; keep one",
            id="the whole twice",
        ),
        pytest.param(
            {"min_accuracy": ("=0.8",)},
            "--min-accuracy '=0.8' names no scope; write '0.8' for the whole, or SCOPE=0.8",
            id="an empty scope",
        ),
        pytest.param(
            {"min_accuracy": ("nan",)},
            "gates.min_accuracy (command line): 'nan' is refused; it must be a number from 0 to 1",
            id="no number, told once",
        ),
        pytest.param(
            {"min_accuracy": ("level1==0.5",)},
            "--min-accuracy 'level1==0.5' has an = too many; write level1=0.5",
            id="an = too many",
        ),
        pytest.param(
            {"min_accuracy": ("-0",)},
            "gates.min_accuracy (command line): '-0' is refused; it must be a number from 0 to 1",
            id="a zero below zero",
        ),
        pytest.param(
            {"min_accuracy": ("0_1",)},
            "gates.min_accuracy (command line): '0_1' is refused; it must be a number from 0 to 1",
            id="a share split by an underscore",
        ),
        pytest.param(
            {"max_errors": "1_0"},
            "gates.max_errors (command line): '1_0' is refused; it must be a whole number of 0 or more, or "
            "null",
            id="a count split by an underscore",
        ),
        pytest.param(
            {"min_accuracy": ("level1=80",)},
            "gates.min_accuracy.level1 (command line): '80' is refused; it must be a number from 0 to 1 "
            "(80 % is 0.8)",
            id="a scope outside 0 to 1",
        ),
        pytest.param(
            {"min_accuracy": ("level1",)},
            "gates.min_accuracy (command line): 'level1' is refused; it must be a number from 0 to 1",
            id="a scope without a number",
        ),
        pytest.param(
            {"max_regression": "0.1"},
            "gates.max_regression (command line): 0.1 is a fall below a baseline, and there is none; "
            "add --baseline RUN",
            id="a limit without a baseline",
        ),
        pytest.param(
            {"baseline_anyway": True},
            "gates.baseline_anyway (command line): true needs a baseline to compare with, and there is none; "
            "add --baseline RUN",
            id="anyway without a baseline",
        ),
        pytest.param(
            {"max_regression": "1.5", "baseline": "b"},
            "gates.max_regression (command line): '1.5' is refused; it must be a number from 0 to 1, or null "
            "(1.5 % is 0.015)",
            id="a limit outside 0 to 1",
        ),
        pytest.param(
            {"gate_policy": "confident", "min_coverage": "0.9"},
            "gates.policy (command line): 'confident' has nothing to be confident of; add --min-accuracy, or "
            "--max-regression",
            id="confident of nothing",
        ),
        pytest.param(
            {"gate_policy": "confidant", "min_accuracy": ("0.5",)},
            "gates.policy (command line): 'confidant' is refused; it must be point or confident; did you "
            "mean 'confident'?",
            id="an unknown policy",
        ),
        pytest.param(
            {"benchmark_params": params(subset="test"), "attempt_strategy": "pass", "k": 3},
            "execution.attempts.strategy (command line): 'pass' is refused; it tries a task until it "
            "succeeds, and the tasks asked of 'gaia' are unscored: use avg",
            id="until success without ground truths",
        ),
        pytest.param(
            {"benchmark_params": params(subset="test"), "baseline": "b", "min_coverage": "1"},
            "gates.min_coverage (command line): cannot be measured, since the tasks asked of 'gaia' are "
            "unscored; drop min_coverage, baseline, or ask other tasks",
            id="a baseline without ground truths",
        ),
        pytest.param(
            {"benchmark_params": params(category_hierarchy={"all": {}})},
            "benchmark.params.category_hierarchy (command line): ['all'] are the roots; a "
            "category_hierarchy has one, named 'overall'",
            id="a tree without its root",
        ),
        pytest.param(
            {"benchmark_params": params(aggregation_mode="macro")},
            "benchmark.params.aggregation_mode (command line): 'macro' is refused; it must be micro_weighted "
            "or category_mean",
            id="an unknown aggregation",
        ),
    ],
)
def test_it_is_refused_in_one_line(given: dict[str, Any], line: str) -> None:
    assert bent(**given) == [line]


@pytest.mark.parametrize(
    ("least", "told"),
    [("{level1: 0.8, overall: 0.5}", "level1, overall"), ("null", "none")],
    ids=["some scopes", "no scope"],
)
def test_a_primary_that_is_no_scope_is_refused_with_those_there_are(
    tmp_path: Path, least: str, told: str
) -> None:
    file = yaml_file(tmp_path, f"gates: {{min_accuracy: {least}, primary: level9}}")
    assert bent(file) == [
        f"gates.primary ({file}): 'level9' is no scope of min_accuracy; it must be one of: {told}"
    ]


def test_a_baseline_of_several_runs_is_refused() -> None:
    (line,) = bent(**SEVERAL, baseline="b")
    assert line == (
        "gates.baseline (command line): 'b' belongs to one run, and this session has gaia, sealqa seal_0; "
        "ask one run alone"
    )


def test_all_that_is_wrong_with_the_gates_comes_at_once(tmp_path: Path) -> None:
    file = yaml_file(
        tmp_path, "gates: {max_regression: 0.1, baseline_anyway: true, primary: level9, max_errors: 0}"
    )
    lines = bent(file, min_accuracy=("0.5", "0.6"), benchmark_params=params(category_hierarchy={}))
    assert [line.partition(" (")[0].partition(" is")[0] for line in lines] == [
        "--min-accuracy",
        "gates.max_regression",
        "gates.baseline_anyway",
        "gates.primary",
        "benchmark.params.category_hierarchy",
    ]


@pytest.mark.parametrize(
    ("given", "attempts"),
    [
        pytest.param({"k": 3}, Attempts(k=3), id="--k"),
        pytest.param(
            {"k": 3, "attempt_strategy": "pass"}, Attempts(k=3, strategy="pass"), id="--k with pass"
        ),
        pytest.param({"benchmark_params": params(avgk=4)}, Attempts(k=4), id="avgk"),
        pytest.param({"execution_params": '{"k": 2}'}, Attempts(k=2), id="k"),
    ],
)
def test_several_attempts_are_taken(given: dict[str, Any], attempts: Attempts) -> None:
    assert sound(**given).execution.attempts == attempts


def test_a_tree_of_categories_is_taken() -> None:
    tree: dict[str, Any] = {"overall": {"aggregation": "unweighted", "children": {"1": {}, "2": {}}}}
    made = sound(benchmark_params=params(category_hierarchy=tree))
    assert made.choices["gaia"].params.category_hierarchy == tree
    assert made.choices["gaia"].effective["params"]["category_hierarchy"] == tree


def test_prices_come_from_files_and_add_up_by_model(tmp_path: Path) -> None:
    rates = {"input_usd_per_million_tokens": 0.5, "output_usd_per_million_tokens": 1}
    one = yaml_file(tmp_path, json.dumps({"prices": {"models": {"org/m-1.5": rates}}}))
    two = yaml_file(
        tmp_path, json.dumps({"prices": {"models": {"j": rates}, "look_up": True}}), name="2.yaml"
    )
    made = Rates(input_usd_per_million_tokens=0.5, output_usd_per_million_tokens=1)
    assert sound(one, two).prices == Prices(models={"org/m-1.5": made, "j": made}, look_up=True)


def test_a_wrong_rate_is_told_with_its_model(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "prices: {models: {org/m-1.5: {input_usd_per_million_tokens: free}}}")
    at = "prices.models.org/m-1.5"
    assert bent(file) == [
        f"{at}.input_usd_per_million_tokens ({file}): 'free' is refused; it must be a number of 0 or more",
        f"{at}.output_usd_per_million_tokens ({file}): is missing; give a number of 0 or more",
    ]
