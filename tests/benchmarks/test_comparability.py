"""What forbids to compare two runs, and what a reader of a comparison must know."""

from collections.abc import Mapping
from typing import Any

import pytest
from comparison_scene import ended

from benchmarks.results.comparing.comparability import Difference, differences_of, warnings_of

Metrics = Mapping[str, Any]


def run(**changes: Any) -> Metrics:
    return ended("ccc", **changes)


def _judged(**changes: Any) -> Metrics:
    return run(judge={**run()["judge"], **changes})


def _of_dataset(**changes: Any) -> Metrics:
    return run(dataset={**run()["dataset"], **changes})


@pytest.mark.parametrize(
    ("base", "new", "line"),
    [
        pytest.param(run(), run(benchmark="x"), "benchmark: 'gaia' in BASE, 'x' in NEW", id="benchmark"),
        pytest.param(run(), _of_dataset(name="X"), "dataset.name: 'GAIA' in BASE, 'X' in NEW", id="dataset"),
        pytest.param(
            run(),
            _of_dataset(subset="validation"),
            "dataset.subset: 'text-103' in BASE, 'validation' in NEW",
            id="subset",
        ),
        pytest.param(
            _of_dataset(revision="aa"),
            _of_dataset(revision="bb"),
            "dataset.revision: 'aa' in BASE, 'bb' in NEW",
            id="revision",
        ),
        pytest.param(
            _of_dataset(ids_digest="aa"),
            _of_dataset(ids_digest="bb"),
            "dataset.ids_digest: 'aa' in BASE, 'bb' in NEW",
            id="ids-of-the-whole-set",
        ),
        pytest.param(
            run(), _judged(id="gaia_official"), "judge.id: 'llm' in BASE, 'gaia_official' in NEW", id="judge"
        ),
        pytest.param(
            run(),
            _judged(model="judge-2"),
            "judge.model: 'judge-1' in BASE, 'judge-2' in NEW",
            id="judge-model",
        ),
        pytest.param(
            run(),
            _judged(params={"temperature": 1}),
            "judge.params.temperature: 0 in BASE, 1 in NEW",
            id="judge-params",
        ),
        pytest.param(
            run(),
            _judged(params={"temperature": 0, "seed": 7}),
            "judge.params.seed: None in BASE, 7 in NEW",
            id="judge-params-more",
        ),
        pytest.param(
            run(),
            _judged(prompt_digest="bb"),
            f"judge.prompt_digest: '{'0a' * 32}' in BASE, 'bb' in NEW",
            id="prompt",
        ),
        pytest.param(
            run(), run(answer_format="gaia"), "answer_format: 'none' in BASE, 'gaia' in NEW", id="format"
        ),
        pytest.param(run(), run(k=3), "k: 1 in BASE, 3 in NEW", id="k"),
        pytest.param(
            run(k=3),
            run(k=3, strategy="pass"),
            "strategy: 'avg' in BASE, 'pass' in NEW",
            id="strategy",
        ),
    ],
)
def test_what_differs_forbids_to_compare_and_is_one_line(base: Metrics, new: Metrics, line: str) -> None:
    assert [each.line for each in differences_of(base, new)] == [line]


def test_every_difference_is_told() -> None:
    new = run(answer_format="gaia", judge={**run()["judge"], "model": "judge-2", "prompt_digest": "bb"})
    keys = [each.key for each in differences_of(run(), new)]
    assert keys == ["judge.model", "judge.prompt_digest", "answer_format"]


def _longseal(**settings: int) -> Metrics:
    return _of_dataset(name="SealQA", subset="longseal", settings=settings)


def test_another_longseal_seed_asks_something_else() -> None:
    base, new = _longseal(longseal_document_count=12, longseal_seed=0), _longseal(longseal_seed=7)
    assert [each.line for each in differences_of(base, new)] == [
        "dataset.settings.longseal_document_count: 12 in BASE, None in NEW",
        "dataset.settings.longseal_seed: 0 in BASE, 7 in NEW",
    ]


def test_the_same_settings_are_no_difference() -> None:
    assert differences_of(_longseal(longseal_seed=7), _longseal(longseal_seed=7)) == ()


@pytest.mark.parametrize(
    ("base", "new"),
    [
        pytest.param(run(), run(), id="nothing"),
        pytest.param(run(), run(model="org/model_v2"), id="model"),
        pytest.param(run(), run(harness={"id": "openai_chat", "params": {}}), id="harness"),
        pytest.param(run(), _judged(base_url="https://other.example/v1"), id="judge-address"),
        pytest.param(run(), _judged(scorers=[]), id="scorers"),
        pytest.param(run(), _of_dataset(source="hub", warnings=[]), id="source"),
        pytest.param(run(), _of_dataset(revision="aa"), id="unknown-revision"),
        pytest.param(
            run(),
            {**_of_dataset(ids_digest="bb"), "partial": ["limit 5"]},
            id="ids-of-a-part",
        ),
        pytest.param(run(), run(strategy="pass"), id="strategy-of-one-attempt"),
        pytest.param(run(), run(breakdown="topic"), id="breakdown"),
        pytest.param(run(), run(gates={"min_accuracy": 0.5}), id="gates"),
    ],
)
def test_what_does_not_change_the_scale_is_no_difference(base: Metrics, new: Metrics) -> None:
    assert differences_of(base, new) == differences_of(new, base) == ()


def test_a_long_value_is_cut_in_its_line() -> None:
    line = Difference(key="judge.params.stop", base="x" * 500, new=None).line
    assert line == f"judge.params.stop: '{'x' * 78}… in BASE, None in NEW"


def test_a_run_that_has_not_started_is_held_against_what_is_known_of_it() -> None:
    planned = {name: run()[name] for name in ("benchmark", "dataset", "judge", "answer_format", "k")}
    assert differences_of(run(), planned) == ()
    assert [each.key for each in differences_of(run(), {**planned, "judge": None})] == [
        "judge.id",
        "judge.model",
        "judge.params",
        "judge.prompt_digest",
    ]


@pytest.mark.parametrize(
    ("new", "line"),
    [
        pytest.param(
            run(harness={"id": "openai_chat", "params": {}}),
            "not the same, harness.id: 'naive_search_agent' in BASE, 'openai_chat' in NEW",
            id="harness",
        ),
        pytest.param(
            run(
                harness={"id": "naive_search_agent", "params": {"max_iterations": 30, "tool_model_name": ""}}
            ),
            "not the same, harness.params.max_iterations: 50 in BASE, 30 in NEW",
            id="harness-params",
        ),
        pytest.param(
            _judged(base_url="https://b.example/v1"),
            "not the same, judge.base_url: 'https://judge.example/v1' in BASE, 'https://b.example/v1' in NEW",
            id="judge-address",
        ),
        pytest.param(
            run(model_params={"temperature": 1}),
            "not the same, model_params.temperature: None in BASE, 1 in NEW",
            id="model-params",
        ),
        pytest.param(
            run(partial=("-k t", "limit 5")), "NEW is a part of the set only (-k t, limit 5)", id="part"
        ),
        pytest.param(run(stopped="-x"), "NEW was stopped: -x", id="stopped"),
    ],
)
def test_what_may_account_for_a_difference_is_told(new: Metrics, line: str) -> None:
    base, new = ({**each, "dataset": {**each["dataset"], "revision": "aa"}} for each in (run(), new))
    assert warnings_of(base, new) == (line,)


def test_an_unknown_revision_and_a_part_are_told_of_base_too() -> None:
    base = run(partial=("limit 5",))
    new = _of_dataset(revision="aa")
    assert warnings_of(base, new) == (
        "dataset.revision is unknown in BASE: its tasks may be others under the same ids",
        "BASE is a part of the set only (limit 5)",
    )
