"""What a run says of itself before it begins."""

from dataclasses import replace
from typing import Any

import pytest
from configuration_scene import params
from gating_scene import described, session_of, typed

from benchmarks.describing import describe, hierarchy_warnings
from benchmarks.gaia.params import GaiaParams
from benchmarks.selection import ids_digest


def test_a_description_tells_what_was_selected_and_how_it_adds_up() -> None:
    tree: dict[str, Any] = {"overall": {"aggregation": "unweighted", "children": {"1": {}, "2": {}}}}
    session = session_of(
        benchmark_params=params(aggregation_mode="category_mean", category_hierarchy=tree),
        model_params='{"temperature": 0, "api_key": "secret-of-a-model"}',
        k=2,
        attempt_strategy="pass",
    )
    found = described(session)
    assert found.model_params == {"temperature": 0, "api_key": "***"}
    assert (found.aggregation_mode, found.category_hierarchy) == ("category_mean", tree)
    assert found.selected == {"n_tasks": 2, "ids_digest": ids_digest(["gaia-0", "gaia-1"])}
    assert (found.deselected, found.partial, found.run) == ((), (), "")
    assert (found.k, found.strategy) == (2, "pass")


def test_a_description_tells_what_took_selected_tasks_away() -> None:
    session = session_of()
    run = replace(session.runs["gaia"], partial=("limit 2",))
    found = describe(
        typed(lf=True, markexpr="level1"), session, run, run.units(session.attempts)[:1], n_workers=0
    )
    assert found.deselected == ("-m level1", "--lf")
    assert found.partial == ("limit 2", "-m level1", "--lf")
    assert found.selected["n_tasks"] == 2 and found.dataset["n_tasks"] == 1


def test_a_run_takes_its_gates_baseline_and_prices_into_its_description() -> None:
    session = session_of()
    settled: dict[str, Any] = {"gates": {"policy": "point"}, "baseline": {"k": 1}, "prices": {"model": None}}
    run = replace(session.runs["gaia"], **settled)
    found = describe(typed(), session, run, run.units(session.attempts), n_workers=0)
    assert {"gates": found.gates, "baseline": found.baseline, "prices": found.prices} == settled


def test_a_session_without_a_model_describes_nothing() -> None:
    session = session_of(needs_model=False, model=None)
    with pytest.raises(ValueError, match="a run without a model is never described"):
        described(session)


@pytest.mark.parametrize(
    ("leaves", "warnings"),
    [
        (("1", "2"), ()),
        (("1", "2", "9"), ("category_hierarchy names '9', which no task has",)),
        (("1",), ("category_hierarchy does not name '2': its tasks do not count in the value",)),
    ],
    ids=["all", "a leaf too many", "a leaf too few"],
)
def test_a_tree_that_does_not_meet_its_dataset_is_told(
    leaves: tuple[str, ...], warnings: tuple[str, ...]
) -> None:
    tree: dict[str, Any] = {
        "overall": {"aggregation": "unweighted", "children": {leaf: {} for leaf in leaves}}
    }
    assert hierarchy_warnings(GaiaParams(category_hierarchy=tree), {"1", "2"}) == warnings


def test_without_a_tree_nothing_is_told() -> None:
    assert hierarchy_warnings(GaiaParams(), {"1", "2"}) == ()
