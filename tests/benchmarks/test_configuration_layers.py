"""Layers add up key by key, and each value is found again where its author wrote it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from benchmarks.configuration.addresses import address
from benchmarks.configuration.layers import Layer, merged, merged_benchmark, merged_section
from benchmarks.configuration.problem import KeyPath, Problem
from benchmarks.configuration.spelling import Spelling

plain = some.recursive(
    some.none() | some.booleans() | some.integers(-3, 3) | some.text("ab", max_size=2),
    lambda inner: (
        some.lists(inner, max_size=2) | some.dictionaries(some.sampled_from("xyz"), inner, max_size=3)
    ),
    max_leaves=8,
)
mappings = some.dictionaries(some.sampled_from("xyz"), plain, max_size=3)


def layer(source: str, **written: Any) -> Layer:
    spelling = Spelling()
    values = spelling.of(written)
    assert not spelling.problems
    return Layer(source=source, written=written, values=values)


def problems(**written: Any) -> list[Problem]:
    spelling = Spelling()
    spelling.of(written)
    return spelling.problems


def test_mappings_merge_deeply_and_all_else_is_replaced() -> None:
    under = {"a": {"x": 1, "y": [1, 2]}, "b": 1, "c": {"z": 1}, "d": 0}
    over = {"a": {"y": [3], "z": None}, "b": {"n": 1}, "c": None}
    assert merged(under, over) == {"a": {"x": 1, "y": [3], "z": None}, "b": {"n": 1}, "c": None, "d": 0}


@given(one=mappings, two=mappings)
def test_every_value_of_the_upper_layer_is_there_and_none_of_the_lower_is_lost(
    one: dict[str, Any], two: dict[str, Any]
) -> None:
    both = merged(one, two)
    assert both.keys() == one.keys() | two.keys()
    assert merged(both, two) == both
    assert all(both[name] == value for name, value in two.items() if not isinstance(value, dict))
    assert all(both[name] == one[name] for name in one.keys() - two.keys())


def test_merging_changes_neither_layer() -> None:
    under = {"a": {"x": 1}}
    merged(under, {"a": {"x": 2}})
    assert under == {"a": {"x": 1}}


def test_the_last_layer_wins_key_by_key() -> None:
    layers = [layer("a.yaml", model={"id": "m", "params": {"top_p": 1}}), layer("b.yaml", model={"id": "n"})]
    assert merged_section(layers, "model") == {"id": "n", "params": {"top_p": 1}}


def test_within_a_file_one_benchmark_wins_over_all_and_a_later_layer_over_both() -> None:
    file = layer(
        "a.yaml",
        benchmark={"params": {"limit": 1, "sampling": "random", "sampling_seed": 1}},
        benchmarks={"gaia": {"params": {"limit": 2, "sampling_seed": 2}}},
    )
    line = layer("command line", benchmark={"params": {"sampling_seed": 3}})
    params, _ = merged_benchmark([file, line], "gaia")
    assert params == {"limit": 2, "sampling": "random", "sampling_seed": 3}


def test_what_is_said_for_one_benchmark_does_not_reach_another() -> None:
    layers = [layer("a.yaml", benchmarks={"gaia": {"params": {"limit": 2}, "harness": {"id": "h"}}})]
    assert merged_benchmark(layers, "sealqa") == ({}, {"params": {}})


@pytest.mark.parametrize(
    ("lower", "upper", "harness"),
    [
        pytest.param(
            {"id": "a", "params": {"x": 1}},
            {"id": "b"},
            {"id": "b", "params": {}},
            id="another id drops params",
        ),
        pytest.param(
            {"id": "a", "params": {"x": 1}},
            {"id": "a", "params": {"y": 2}},
            {"id": "a", "params": {"x": 1, "y": 2}},
            id="the same id keeps them",
        ),
        pytest.param(
            {"params": {"x": 1}},
            {"id": "b"},
            {"id": "b", "params": {"x": 1}},
            id="params without an id are kept",
        ),
        pytest.param(
            {"id": "a"}, {"params": {"x": 1}}, {"id": "a", "params": {"x": 1}}, id="params alone keep the id"
        ),
        pytest.param({"id": "a"}, {"id": None}, {"id": "a", "params": {}}, id="a null id says nothing"),
    ],
)
def test_params_belong_to_the_harness_they_were_written_for(
    lower: dict[str, Any], upper: dict[str, Any], harness: dict[str, Any]
) -> None:
    layers = [layer("a.yaml", harness=lower), layer("command line", harness=upper)]
    assert merged_benchmark(layers, "gaia")[1] == harness


def test_judge_is_short_for_four_params() -> None:
    written = {"id": "llm", "model": {"id": "j"}, "prompt": "builtin", "allow_self_judge": True}
    params, _ = merged_benchmark([layer("a.yaml", benchmarks={"gaia": {"judge": written}})], "gaia")
    assert params == {
        "judge": "llm",
        "judge_model": {"id": "j"},
        "judge_prompt": "builtin",
        "allow_self_judge": True,
    }


@pytest.mark.parametrize(
    "written",
    [
        pytest.param({"execution": {"attempts": {"k": 3}}}, id="execution.attempts.k"),
        pytest.param({"execution": {"k": 3}}, id="execution.k"),
        pytest.param({"benchmark": {"params": {"k": 3}}}, id="benchmark.params.k"),
    ],
)
def test_k_may_be_written_as_the_seeds_do(written: dict[str, Any]) -> None:
    section = merged_section([layer("a.yaml", **written)], "execution")
    assert section == {"attempts": {"k": 3}}


@pytest.mark.parametrize(
    "written",
    [{"execution": {"avgk": 3}}, {"benchmark": {"params": {"avgk": 3}}}],
    ids=["execution", "benchmark"],
)
def test_avgk_is_k_with_strategy_avg(written: dict[str, Any]) -> None:
    layers = [layer("a.yaml", **written)]
    assert merged_section(layers, "execution") == {"attempts": {"k": 3, "strategy": "avg"}}
    assert merged_benchmark(layers, "gaia")[0] == {}


def test_two_spellings_that_agree_are_one() -> None:
    values = layer(
        "a.yaml", execution={"attempts": {"k": 2}, "avgk": 2}, benchmark={"params": {"k": 2}}
    ).values
    assert values["execution"] == {"attempts": {"k": 2, "strategy": "avg"}}


@pytest.mark.parametrize(
    ("written", "path", "line"),
    [
        pytest.param(
            {"execution": {"attempts": {"k": 2}, "k": 3}},
            ("execution", "k"),
            "asks for k 3, but another key for 2",
            id="k twice",
        ),
        pytest.param(
            {"execution": {"attempts": {"strategy": "pass"}}, "benchmark": {"params": {"avgk": 2}}},
            ("benchmark", "params", "avgk"),
            "asks for strategy 'avg', but another key for 'pass'",
            id="avgk with pass",
        ),
        pytest.param(
            {"benchmarks": {"gaia": {"params": {"judge": "contains"}, "judge": {"id": "llm"}}}},
            ("benchmarks", "gaia", "judge", "id"),
            "is also given as params.judge, with another value; keep one of them",
            id="two judges",
        ),
        pytest.param(
            {"modle": {}}, ("modle",), "there is no such key; did you mean 'model'?", id="top level"
        ),
        pytest.param(
            {"zzz": 1},
            ("zzz",),
            "known: model, benchmark, benchmarks, harness, execution, run, gates",
            id="nothing near",
        ),
        pytest.param(
            {"benchmark": {"parms": {}}}, ("benchmark", "parms"), "did you mean 'params'", id="benchmark"
        ),
        pytest.param(
            {"benchmarks": {"gaia": {"judges": {}}}},
            ("benchmarks", "gaia", "judges"),
            "did you mean 'judge'",
            id="one benchmark",
        ),
        pytest.param(
            {"benchmarks": {"gaia": {"judge": {"promt": "x"}}}},
            ("benchmarks", "gaia", "judge", "promt"),
            "did you mean 'prompt'",
            id="judge",
        ),
        pytest.param({"harness": {"name": "x"}}, ("harness", "name"), "known: id, params", id="harness"),
        pytest.param({"model": "m-1"}, ("model",), "'m-1' is refused; it must be a mapping", id="no mapping"),
        pytest.param(
            {"harness": {"params": [1]}},
            ("harness", "params"),
            "[1] is refused; it must be a mapping",
            id="a list",
        ),
    ],
)
def test_a_section_of_the_wrong_shape_is_told_with_its_key(
    written: dict[str, Any], path: KeyPath, line: str
) -> None:
    (problem,) = problems(**written)
    assert problem.path == path
    assert line in problem.line


def test_a_section_left_empty_says_nothing() -> None:
    empty = layer("a.yaml", model=None, benchmark=None, benchmarks={"gaia": None}, harness=None, gates=None)
    assert empty.values == layer("b.yaml", benchmarks={"gaia": {}}).values


FILE = layer(
    "a.yaml",
    benchmark={"params": {"limit": 1, "k": 1, "sample_ids": ["a", "b"]}},
    benchmarks={"gaia": {"judge": {"model": {"id": "j"}}}},
    harness={"params": {"tools": ["search"]}},
    gates={"min_accuracy": {"level1": 2}},
)
LINE = layer("command line", benchmark={"params": {"limit": 2}}, gates={"min_accuracy": "2"})


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (("benchmarks", "gaia", "params", "limit"), "benchmark.params.limit (command line)"),
        (("benchmarks", "gaia", "params", "sample_ids", 1), "benchmark.params.sample_ids[1] (a.yaml)"),
        (("benchmarks", "gaia", "params", "judge_model", "id"), "benchmarks.gaia.judge.model.id (a.yaml)"),
        (
            ("benchmarks", "gaia", "params", "judge_model", "base_url"),
            "benchmarks.gaia.judge.model.base_url (a.yaml)",
        ),
        (("benchmarks", "gaia", "harness", "params", "tools", 0), "harness.params.tools[0] (a.yaml)"),
        (("execution", "attempts", "k"), "benchmark.params.k (a.yaml)"),
        (("gates", "min_accuracy"), "gates.min_accuracy (command line)"),
        (("gates", "min_accuracy", "overall"), "gates.min_accuracy (command line)"),
        (("gates", "min_accuracy", "level1"), "gates.min_accuracy.level1 (a.yaml)"),
        (("model",), "model"),
        (("run", "run_name"), "run.run_name"),
    ],
)
def test_a_value_has_the_address_its_author_wrote(path: KeyPath, told: str) -> None:
    assert str(address(path, [FILE, LINE])) == told


def test_what_nobody_wrote_has_the_key_to_write() -> None:
    assert str(address(("benchmarks", "gaia", "params", "judge_model"), [])) == "benchmark.params.judge_model"
    assert str(address(("benchmarks", "gaia", "harness", "params"), [])) == "harness.params"
