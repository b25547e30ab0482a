"""The numbers of runs with several attempts per task, and of runs whose categories weigh differently."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results_scene import run
from results_scene import unhurried as at_leisure

from benchmarks.results import aggregation
from benchmarks.results.comparing.comparison import kept_of
from benchmarks.results.facts import AttemptFacts
from benchmarks.results.files import dump_json
from benchmarks.results.metrics import reduce_run
from benchmarks.results.record import Outcome
from benchmarks.results.run_description import RunDescription
from benchmarks.results.statistics.bootstrap import bootstrap_interval
from benchmarks.results.summary import render_summary

unhurried = settings(at_leisure, max_examples=25)
"""Each example reduces a run or two, bootstrap included."""

_LETTERS = {
    "c": Outcome.CORRECT,
    "i": Outcome.INCORRECT,
    "n": Outcome.NOT_ATTEMPTED,
    "r": Outcome.RUN_ERROR,
    "j": Outcome.JUDGE_ERROR,
    "u": Outcome.UNAVAILABLE,
    "s": Outcome.UNSCORED,
}
_TREE: dict[str, Any] = {
    "overall": {
        "aggregation": "weighted",
        "children": {
            "1": {"weight": 1},
            "rest": {"aggregation": "weighted_by_count", "weight": 3, "children": {"2": {}, "3": {}}},
        },
    }
}


def _run(tasks: Sequence[str], **changes: Any) -> RunDescription:
    """A run with as many attempts per task as the first has letters; levels 1, 2, 3 in turn."""
    k = len(tasks[0])
    names = [f"t-{n}" for n in range(len(tasks))]
    bare = run(names, k=k, **changes)
    if changes.get("strategy") == "pass":
        return bare
    planned = tuple((name, n, level) for name, _, level in bare.planned for n in range(1, k + 1))
    return run(planned=planned, k=k, **changes)


def _facts(tasks: Sequence[str]) -> list[AttemptFacts]:
    return [
        AttemptFacts(task_id=f"t-{place}", attempt=n, outcome=_LETTERS[letter], cause="trouble")
        for place, letters in enumerate(tasks)
        for n, letter in enumerate(letters, start=1)
        if letter != "-"
    ]


def _reduce(*tasks: str, **changes: Any) -> dict[str, Any]:
    """The metrics of a run whose tasks ended so, a letter for each attempt: ``_reduce("cic", "iii")``."""
    return reduce_run(_run(tasks, **changes), _facts(tasks))


def _values(metrics: Mapping[str, Any]) -> dict[str, float | None]:
    return {name.removeprefix("correct."): each["value"] for name, each in metrics["series"].items()}


tables = st.integers(1, 4).flatmap(
    lambda k: st.lists(st.text("ccciiinrju", min_size=k, max_size=k), min_size=1, max_size=9)
)
_WAYS: list[dict[str, Any]] = [
    {},
    {"aggregation_mode": "category_mean"},
    {"category_hierarchy": _TREE},
    {"strategy": "pass"},
]
ways = st.sampled_from(_WAYS)


def test_every_series_has_its_value() -> None:
    assert _values(_reduce("cci", "iii", "ccc")) == {
        "avg@3": pytest.approx(5 / 9),
        "pass@3": pytest.approx(2 / 3),
        "all@3": pytest.approx(1 / 3),
        "pass_unbiased@1": pytest.approx(5 / 9),
        "pass_unbiased@2": pytest.approx(2 / 3),
        "pass_unbiased@3": pytest.approx(2 / 3),
    }


def test_the_counts_of_a_series_are_of_tasks_and_add_up() -> None:
    metrics = _reduce("cr", "ci", "iu", "rj")
    counts = {name: each["counts"] for name, each in metrics["series"].items()}
    told = ("evaluated", "error", "unavailable", "total")
    assert [counts["correct.avg@2"][name] for name in told] == [1, 2, 1, 4]
    assert [counts["correct.pass@2"][name] for name in told] == [2, 1, 1, 4]
    assert counts["correct.pass@2"]["correct"] is None


def test_the_outcomes_count_attempts_under_avg_and_tasks_under_pass() -> None:
    assert sum(_reduce("cr", "ci", "iu")["outcomes"].values()) == 6
    under_pass = _reduce("c-", "ic", "ir", strategy="pass")
    assert under_pass["outcomes"]["correct"] == 2
    assert under_pass["errors"]["run_error"] == {"trouble": 1}
    assert sum(under_pass["outcomes"].values()) == 3


def test_the_outcome_of_each_attempt_is_told_by_task() -> None:
    told = _reduce("ic-", "iii", strategy="pass")["outcomes_by_task"]
    assert told == {"t-0": ["incorrect", "correct", None], "t-1": ["incorrect"] * 3}


def test_over_planned_an_attempt_that_erred_counts_as_wrong_and_its_task_still_counts() -> None:
    series = _reduce("cr", "cc")["series"]
    assert series["correct.avg@2"]["value"] == 1.0
    assert series["correct.avg@2"]["value_over_planned"] == 0.75
    assert series["correct.pass@2"]["value_over_planned"] == 1.0
    assert series["correct.all@2"]["value_over_planned"] == 0.5


def test_the_interval_of_an_average_is_students_over_task_means() -> None:
    series = _reduce("cci", "iii", "ccc", "cic")["series"]
    assert series["correct.avg@3"]["interval_method"] == "student_t"
    assert series["correct.pass@3"]["interval_method"] == "wilson"
    # Means 2/3, 0, 1, 2/3: scipy.stats.t.interval(0.95, 3, loc=mean, scale=sem), cut to 0 and 1.
    low, high = series["correct.avg@3"]["interval_95"]
    assert (low, high) == (0.0, 1.0)


def test_means_that_do_not_differ_claim_no_certainty() -> None:
    average = _reduce("ccc", "ccc", "ccc")["series"]["correct.avg@3"]
    assert average["interval_method"] == "wilson"
    assert average["interval_95"] == [pytest.approx(0.4385, abs=1e-4), 1.0]


def test_categories_that_weigh_the_same() -> None:
    # Levels 1, 2, 3 in turn: level 1 has c and i, level 2 has i, level 3 has c.
    metrics = _reduce("c", "i", "c", "i", aggregation_mode="category_mean")
    series = metrics["series"]["correct.native@1"]
    assert series["value"] == pytest.approx((0.5 + 0 + 1) / 3)
    assert series["interval_method"] == "mover"
    assert series["breakdown"]["level"]["1"]["value"] == 0.5


def test_a_category_without_anything_evaluated_weighs_nothing_but_counts_0_over_planned() -> None:
    series = _reduce("c", "r", "c", aggregation_mode="category_mean")["series"]["correct.native@1"]
    assert (series["value"], series["value_over_planned"]) == (1.0, pytest.approx(2 / 3))


def test_a_hierarchy_decides_the_value_and_tells_each_node() -> None:
    metrics = _reduce("c", "i", "c", "i", "c", category_hierarchy=_TREE)
    series = metrics["series"]["correct.native@1"]
    nodes = {path: node["value"] for path, node in series["hierarchy"].items()}
    assert nodes == {
        "overall": pytest.approx((0.5 + 3 * 2 / 3) / 4),
        "overall/1": 0.5,
        "overall/rest": pytest.approx(2 / 3),
        "overall/rest/2": 0.5,
        "overall/rest/3": 1.0,
    }
    assert series["value"] == nodes["overall"]
    assert series["hierarchy"]["overall/rest"]["counts"]["total"] == 3


def test_what_the_tree_leaves_out_keeps_a_value_of_1_from_being_all_right() -> None:
    only_1: dict[str, Any] = {"overall": {"aggregation": "unweighted", "children": {"1": {}}}}
    series = _reduce("c", "i", "c", category_hierarchy=only_1)["series"]["correct.native@1"]
    assert (series["value"], series["flags"]) == (1.0, [])


def test_a_gate_says_how_many_tasks_carry_a_value_that_leaves_some_out() -> None:
    only_1: dict[str, Any] = {"overall": {"aggregation": "unweighted", "children": {"1": {}}}}
    gates = {**run().gates, "min_accuracy": {"overall": 0.9}}
    metrics = _reduce("c", "i", "i", "c", "i", "i", category_hierarchy=only_1, gates=gates)
    assert metrics["gate"]["sentence"].startswith("Gate passed: accuracy 1.000 (2 of 6 tasks weigh in it) ")


def test_a_value_that_no_task_weighs_in_is_not_measured() -> None:
    nothing: dict[str, Any] = {"overall": {"aggregation": "unweighted", "children": {"one": {}}}}
    gates = {**run().gates, "min_coverage": 1.0}
    metrics = _reduce("c", "i", "c", category_hierarchy=nothing, gates=gates)
    assert metrics["series"]["correct.native@1"]["value"] is None
    assert (metrics["gate"]["status"], metrics["gate"]["exit_code"]) == ("not_measured", 10)


@pytest.mark.parametrize("strategy", ["avg", "pass"])
def test_a_part_whose_baseline_lacks_an_attempt_of_each_task_is_not_measured(strategy: str) -> None:
    before = ("crc", "ccc") if strategy == "avg" else ("irr", "c--")
    base = {**_reduce(*before, strategy=strategy), "volatile": {"run": "before"}}
    gates = {**run().gates, "baseline": "before"}
    part = _run(["ccc"], strategy=strategy, partial=("limit 1",), baseline=kept_of(base), gates=gates)
    facts = _facts(["ccc"] if strategy == "avg" else ["c--"])
    metrics = reduce_run(part, facts)
    assert metrics["series"][metrics["headline"]]["value"] == 1.0
    assert (metrics["gate"]["status"], metrics["baseline"]["finding"]) == ("not_measured", "not_measured")
    assert "Not measured: BASE has a verdict" in render_summary(metrics)


def test_under_pass_nothing_counts_that_comes_after_a_success() -> None:
    """A record of a later attempt may be there all the same, e.g. after a worker died."""
    usage = {"model": {"input_tokens": 1, "output_tokens": 1, "n_requests": 1}}
    facts = [
        AttemptFacts(
            task_id="t-0",
            attempt=n,
            outcome=outcome,
            stop_reason="completed",
            scorers={"contains": outcome is Outcome.CORRECT},
            usage=usage,
            run_s=1.0,
        )
        for n, outcome in ((1, Outcome.CORRECT), (2, Outcome.INCORRECT), (3, Outcome.RUN_ERROR))
    ]
    metrics = reduce_run(_run(["ccc"], strategy="pass"), facts)
    assert metrics["outcomes_by_task"] == {"t-0": ["correct", None, None]}
    assert metrics["scorers"]["contains"]["value"] == 1.0
    assert metrics["stop_reasons"] == {"completed": 1}
    assert metrics["volatile"]["tokens"]["model"]["n_requests"] == 1


def test_under_pass_a_run_is_told_by_its_tasks() -> None:
    page = render_summary(_reduce("ic-", "c--", strategy="pass"))
    assert "**Every evaluated task is correct: look" in page
    assert "| Cause | Outcome | Tasks |" in render_summary(_reduce("irr", "c--", strategy="pass"))
    assert "| Cause | Outcome | Attempts |" in render_summary(_reduce("irr", "ccc"))


def test_however_many_attempts_there_are_three_series_have_a_bootstrap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []

    def counted(groups: Any, **more: Any) -> tuple[float, float]:
        made.append(len(groups))
        return bootstrap_interval(groups, **more)

    monkeypatch.setattr(aggregation, "bootstrap_interval", counted)
    series = _reduce("c" * 9 + "i" * 11, "i" * 20)["series"]
    assert len(made) == 3 and len(series) == 23
    assert {name for name, each in series.items() if "bootstrap" in each} == {
        "correct.avg@20",
        "correct.pass@20",
        "correct.all@20",
    }


def test_an_aggregation_that_there_is_not_is_no_mean_over_tasks() -> None:
    with pytest.raises(
        ValueError, match="aggregation_mode is 'q'; it is one of micro_weighted, category_mean"
    ):
        _reduce("c", aggregation_mode="q")


def test_the_order_in_which_a_tree_is_written_changes_no_byte() -> None:
    children: dict[str, Any] = {"3": {}, "2": {}, "1": {}}
    trees: list[dict[str, Any]] = [
        {"overall": {"aggregation": "unweighted", "children": dict(pairs)}}
        for pairs in (children.items(), sorted(children.items()))
    ]
    one, other = (_reduce("cci", "iic", "cic", "iii", "ccc", category_hierarchy=tree) for tree in trees)
    assert render_summary(one) == render_summary(other)
    assert dump_json(one) == dump_json(other)


def test_nothing_evaluated_is_null_in_every_series() -> None:
    metrics = _reduce("rr", "ju", category_hierarchy=_TREE)
    assert set(_values(metrics).values()) == {None}
    assert all(each["interval_95"] is None for each in metrics["series"].values())
    assert "bootstrap" not in metrics["series"]["correct.avg@2"]


@unhurried
@given(tables, ways, st.randoms(use_true_random=False))
def test_the_order_of_records_changes_nothing(tables: list[str], way: dict[str, Any], chance: Any) -> None:
    description, facts = _run(tables, **way), _facts(_as_made(tables, way))
    shuffled = list(facts)
    chance.shuffle(shuffled)
    assert json.dumps(reduce_run(description, facts)) == json.dumps(reduce_run(description, shuffled))


@unhurried
@given(tables, ways)
def test_every_value_lies_between_the_least_and_the_greatest_of_its_categories(
    tables: list[str], way: dict[str, Any]
) -> None:
    metrics = reduce_run(_run(tables, **way), _facts(_as_made(tables, way)))
    for series in metrics["series"].values():
        parts = [each["value"] for each in series["breakdown"]["level"].values() if each["value"] is not None]
        if series["value"] is not None:
            assert min(parts) - 1e-12 <= series["value"] <= max(parts) + 1e-12
            low, high = series["interval_95"]
            assert 0 <= low <= series["value"] + 1e-12 and series["value"] <= high + 1e-12 <= 1 + 1e-12


@unhurried
@given(tables, ways, st.data())
def test_an_error_more_never_raises_a_value_over_planned(
    tables: list[str], way: dict[str, Any], data: st.DataObject
) -> None:
    task = data.draw(st.integers(0, len(tables) - 1))
    attempt = data.draw(st.integers(0, len(tables[0]) - 1))
    worse = list(tables)
    worse[task] = worse[task][:attempt] + "r" + worse[task][attempt + 1 :]
    description = _run(tables, **way)
    before = _over_planned(reduce_run(description, _facts(_as_made(tables, way))))
    after = _over_planned(reduce_run(description, _facts(_as_made(worse, way))))
    for place, value in after.items():
        assert (value or 0) <= (before[place] or 0) + 1e-12


@unhurried
@given(tables)
def test_with_nothing_missing_pass_lies_above_avg_and_all_below_it(tables: list[str]) -> None:
    whole = [letters.translate(str.maketrans("rju", "iii")) for letters in tables]
    values = [value for value in _values(_reduce(*whole)).values() if value is not None]
    k = len(whole[0])
    if k > 1:
        average, passed, every, *unbiased = values
        assert every - 1e-12 <= average <= passed + 1e-12
        assert unbiased == sorted(unbiased)
        assert unbiased[0] == pytest.approx(average)
        assert unbiased[-1] == pytest.approx(passed)


def _as_made(tables: Sequence[str], way: Mapping[str, Any]) -> list[str]:
    """Under `pass` nothing is made after the first success."""
    if way.get("strategy") != "pass":
        return list(tables)
    return [letters.partition("c")[0] + ("c" if "c" in letters else "") for letters in tables]


def _over_planned(metrics: Mapping[str, Any]) -> dict[str, float | None]:
    def walk(name: str, series: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
        yield name, series["value_over_planned"]
        for parts in (series.get("breakdown", {}).get("level", {}), series.get("hierarchy", {})):
            for part, inner in parts.items():
                yield from walk(f"{name} {part}", inner)

    return dict(found for name, series in metrics["series"].items() for found in walk(name, series))
