"""Which part of which run a scope means, and which scopes are refused."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from gating_scene import a_run, configured
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.configuration.model import Gates
from benchmarks.gating import gates_by_run
from benchmarks.results.gates.scopes import category_named
from benchmarks.run import Run

TOPICS = ("sports", "Science and Technology")
CATEGORIES = {"gaia": ("1", "2", "3"), "sealqa seal_0": TOPICS, "sealqa longseal": ("sports", "unknown")}


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """GAIA with levels 1 and 2 of three, and two runs of SealQA."""
    both = {"category": ["seal_0", "longseal"]}
    made = configured(
        lowest={
            "benchmarks": {
                "sealqa": {"params": both, "by_category": {"longseal": {"harness": {"id": "openai_chat"}}}}
            }
        },
    )
    gaia = a_run(made, "gaia", ("1", "2"), partial=("limit 2",))
    return {"gaia": gaia, **{key: a_run(made, key, CATEGORIES[key]) for key in CATEGORIES if key != "gaia"}}


def told(runs: Mapping[str, Run], **gates: Any) -> dict[str, dict[str, Any]]:
    return gates_by_run(Gates(**gates), runs, {key: CATEGORIES[key] for key in runs})


def refusal(runs: Mapping[str, Run], *scopes: str) -> list[str]:
    with pytest.raises(pytest.UsageError) as caught:
        told(runs, min_accuracy=dict.fromkeys(scopes, 0.5))
    return str(caught.value).split("\n")


@pytest.mark.parametrize(
    ("scope", "meant"),
    [
        ("overall", dict.fromkeys(CATEGORIES)),
        ("Overall", dict.fromkeys(CATEGORIES)),
        ("gaia", {"gaia": None}),
        ("SealQA", {"sealqa seal_0": None, "sealqa longseal": None}),
        ("sealqa longseal", {"sealqa longseal": None}),
        ("sealqa/seal-0", {"sealqa seal_0": None}),
        ("1", {"gaia": "1"}),
        ("level1", {"gaia": "1"}),
        ("Level 1", {"gaia": "1"}),
        ("level-2", {"gaia": "2"}),
        ("sports", {"sealqa seal_0": "sports", "sealqa longseal": "sports"}),
        ("topic_sports", {"sealqa seal_0": "sports", "sealqa longseal": "sports"}),
        ("science-and-technology", {"sealqa seal_0": "Science and Technology"}),
        ("topic_science_and_technology", {"sealqa seal_0": "Science and Technology"}),
    ],
)
def test_a_scope_means_a_run_or_a_category_of_those_that_have_it(
    runs: dict[str, Run], scope: str, meant: dict[str, str | None]
) -> None:
    gates = told(runs, min_accuracy={scope: 0.5})
    concerned = {key: one["scopes"].get(scope) for key, one in gates.items() if one["min_accuracy"]}
    assert concerned == meant
    assert all(gates[key]["min_accuracy"] == {scope: 0.5} for key in meant)


def test_the_gates_of_a_run_are_told_whole(runs: dict[str, Run]) -> None:
    asked = {"min_accuracy": {"level1": 0.8, "overall": 0.6}, "max_errors": 2, "policy": "confident"}
    assert told(runs, **asked)["gaia"] == {
        "min_accuracy": {"level1": 0.8, "overall": 0.6},
        "scopes": {"level1": "1"},
        "min_coverage": None,
        "max_errors": 2,
        "baseline": None,
        "max_regression": None,
        "baseline_anyway": False,
        "policy": "confident",
        "primary": None,
    }


def test_a_run_that_no_scope_concerns_has_no_least_accuracy(runs: dict[str, Run]) -> None:
    assert told(runs, min_accuracy={"gaia": 0.5})["sealqa longseal"]["min_accuracy"] is None
    assert told(runs)["gaia"]["min_accuracy"] is None


@pytest.mark.parametrize(
    ("scope", "line"),
    [
        pytest.param(
            "levl1",
            "there is no scope 'levl1'; nearest first, there are 'level1', 'level2', ",
            id="the nearest comes first",
        ),
        pytest.param(
            "level3",
            "'level3' has no task to measure: gaia selects none of level '3' (limit 2); select some, or "
            "leave the scope out",
            id="not selected",
        ),
        pytest.param(
            "sealqa seal_hard",
            "'sealqa seal_hard' is not asked for in this session (gaia, sealqa seal_0, sealqa longseal); "
            "leave the scope out",
            id="a run that is not asked for",
        ),
        pytest.param("?", "there is no scope '?'; nearest first", id="no letter at all"),
    ],
)
def test_a_scope_that_means_nothing_is_refused(runs: dict[str, Run], scope: str, line: str) -> None:
    (told_line,) = refusal(runs, scope)
    assert told_line.startswith(f"gates.min_accuracy: {line}")


def test_a_benchmark_that_is_not_asked_for_is_no_scope(runs: dict[str, Run]) -> None:
    assert refusal({"gaia": runs["gaia"]}, "sealqa") == [
        "gates.min_accuracy: 'sealqa' is not asked for in this session (gaia); leave the scope out"
    ]


def test_a_refusal_lists_every_kind_of_scope_and_not_too_many(runs: dict[str, Run]) -> None:
    (line,) = refusal(runs, "x")
    for name in ("overall", "gaia", "sealqa", "sealqa longseal", "level1", "sports", TOPICS[1]):
        assert repr(name) in line
    seal = runs["sealqa seal_0"]
    many = replace(seal, tasks=tuple(replace(seal.tasks[0], category=f"t{n:02}") for n in range(30)))
    (line,) = refusal({"sealqa seal_0": many}, "t0")
    assert line.count("'t") == 20 + 1 and line.endswith(" and 13 more")


def test_all_scopes_that_mean_nothing_are_told_at_once(runs: dict[str, Run]) -> None:
    assert len(refusal(runs, "a1", "level1", "a2")) == 2


def test_one_category_in_two_spellings_is_refused(runs: dict[str, Run]) -> None:
    assert refusal(runs, "level1", "1") == [
        "gates.min_accuracy: 'level1' and '1' are the same category '1' of gaia; keep one of them"
    ]


def test_the_whole_and_the_only_benchmark_may_both_be_said(runs: dict[str, Run]) -> None:
    gates = told({"gaia": runs["gaia"]}, min_accuracy={"overall": 0.5, "gaia": 0.6})
    assert gates["gaia"]["min_accuracy"] == {"overall": 0.5, "gaia": 0.6}


def test_the_exact_value_of_a_category_goes_before_its_like() -> None:
    assert category_named("A-1", ["a1", "A-1"], breakdown="topic") == "A-1"


def test_a_word_that_two_categories_answer_to_names_none() -> None:
    assert category_named("a 1", ["a1", "A-1"], breakdown="topic") is None


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=4, unique=True))
def test_every_category_is_named_by_its_value(categories: list[str]) -> None:
    assert [category_named(one, categories, breakdown="topic") for one in categories] == categories
