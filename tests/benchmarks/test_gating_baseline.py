"""A baseline is read, and a run that could never be held against it does not begin."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gate_scene import metrics
from gating_scene import described, session_of, typed

from benchmarks.gating import differences_forbidding, end_if_not_comparable, read_baseline, takes_items_away
from benchmarks.results.comparing.comparison import kept_of
from benchmarks.run import Session


def measured(session: Session, **more: Any) -> dict[str, Any]:
    """What is kept of a run that asked the same, as a baseline."""
    plain = described(session, **more).to_json()
    ended = {task.task_id: ["correct"] for task in session.runs["gaia"].tasks}
    whole = {**plain, "outcomes_by_task": ended, "volatile": {"run": "before"}}
    return kept_of(json.loads(json.dumps(whole)))


def with_baseline(session: Session, baseline: Mapping[str, Any]) -> Session:
    return replace(session, runs={"gaia": replace(session.runs["gaia"], baseline=baseline)})


@pytest.mark.parametrize(
    ("arguments", "options", "takes"),
    [
        (["benchmarks/gaia"], {}, False),
        (["benchmarks/gaia/test_gaia.py::test_gaia[a]"], {}, True),
        (["benchmarks/gaia"], {"keyword": "a"}, True),
        (["benchmarks/gaia"], {"markexpr": "level1"}, True),
        (["benchmarks/gaia"], {"lf": True}, True),
        (["benchmarks/gaia"], {"lf": False, "splits": None}, False),
        (["benchmarks/gaia"], {"splits": 4}, True),
    ],
)
def test_what_takes_items_away_is_known(arguments: list[str], options: dict[str, Any], takes: bool) -> None:
    assert takes_items_away(typed(*arguments, **options)) is takes


def test_a_run_that_asks_the_same_begins() -> None:
    session = session_of(baseline="before")
    end_if_not_comparable(typed(), with_baseline(session, measured(session)))


def test_a_run_without_a_baseline_begins() -> None:
    end_if_not_comparable(typed(), session_of())


def test_a_run_that_could_never_be_compared_ends_with_12_and_a_line_for_each_difference() -> None:
    session = session_of(baseline="before")
    baseline = measured(session, answer_format="gaia", k=3)
    with pytest.raises(pytest.exit.Exception) as caught:
        end_if_not_comparable(typed(), with_baseline(session, baseline))
    assert caught.value.returncode == 12
    assert str(caught.value.msg).split("\n") == [
        "not comparable with the baseline 'before', so nothing was asked:",
        "  answer_format: 'gaia' in BASE, 'none' in NEW",
        "  k: 3 in BASE, 1 in NEW",
        "measure the baseline anew, or compare all the same with --baseline-anyway",
    ]


def test_anyway_it_begins() -> None:
    session = session_of(baseline="before", baseline_anyway=True)
    end_if_not_comparable(typed(), with_baseline(session, measured(session, k=3)))


def test_other_ids_forbid_it_unless_pytest_takes_some_away() -> None:
    session = session_of(baseline="before")
    other = measured(session, dataset={**described(session).dataset, "ids_digest": "0" * 64})
    found = differences_forbidding(other, described(session), takes_away=False)
    assert [one.key for one in found] == ["dataset.ids_digest"]
    assert differences_forbidding(other, described(session), takes_away=True) == ()


def test_a_task_named_after_k_takes_the_others_away() -> None:
    session = replace(session_of(baseline="before"), alone="gaia-1")
    other = measured(session, dataset={**described(session).dataset, "ids_digest": "0" * 64})
    end_if_not_comparable(typed(), with_baseline(session, other))


@pytest.mark.parametrize(
    ("options", "partial"),
    [({}, ("limit 2",)), ({"keyword": "gaia"}, ())],
    ids=["a selection", "a deselection to come"],
)
@pytest.mark.parametrize("anyway", [False, True], ids=["as it is", "anyway"])
def test_a_baseline_that_measured_none_of_the_selected_tasks_is_refused_before_anything_is_asked(
    options: dict[str, str], partial: tuple[str, ...], anyway: bool
) -> None:
    session = session_of(baseline="before", baseline_anyway=anyway)
    of_others = {"gaia-0": ["run_error"], "elsewhere": ["correct"]}
    session = with_baseline(session, {**measured(session), "outcomes_by_task": of_others})
    session = replace(session, runs={"gaia": replace(session.runs["gaia"], partial=partial)})
    line = (
        "gates.baseline: 'before' has a verdict on every attempt at none of the 2 selected tasks, so that "
        "nothing can be held against it; measure them there, or leave it out"
    )
    with pytest.raises(pytest.UsageError, match=f"^{line}$"):
        end_if_not_comparable(typed(**options), session)


def test_a_baseline_that_measured_one_of_the_selected_tasks_will_do() -> None:
    session = session_of(baseline="before")
    of_one = {"gaia-0": ["run_error"], "gaia-1": ["incorrect"]}
    baseline = {**measured(session), "outcomes_by_task": of_one}
    end_if_not_comparable(typed(keyword="gaia"), with_baseline(session, baseline))


def test_a_baseline_is_read_from_a_run_directory_or_its_metrics_without_what_no_comparison_needs(
    tmp_path: Path,
) -> None:
    written = {
        **metrics("ci"),
        "format": 2,
        "headline": "correct.native@1",
        "series": {},
        "volatile": {"run": "before", "x": 1},
    }
    (tmp_path / "metrics.json").write_text(json.dumps(written))
    kept = read_baseline(str(tmp_path))
    assert kept == read_baseline(str(tmp_path / "metrics.json"))
    assert kept["outcomes_by_task"] == {"t-000": ["correct"], "t-001": ["incorrect"]}
    assert kept["volatile"] == {"run": "before"}
    assert "series" not in kept


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (None, "is missing"),
        ("{", "is no JSON"),
        ('{"format": 1, "headline": "x", "series": {}}', "has format 1"),
        ("[]", "holds no JSON object"),
    ],
    ids=["missing", "no JSON", "an older layout", "no object"],
)
def test_a_baseline_that_cannot_be_read_is_refused(tmp_path: Path, content: str | None, line: str) -> None:
    if content is not None:
        (tmp_path / "metrics.json").write_text(content)
    with pytest.raises(pytest.UsageError, match=r"^gates\.baseline: .*metrics\.json") as caught:
        read_baseline(str(tmp_path))
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_baseline_without_ground_truths_is_refused(tmp_path: Path) -> None:
    unscored = {"outcomes_by_task": {"t-1": ["unscored"]}, "volatile": {"run": "before"}}
    written = {**metrics("c"), "format": 2, "headline": "h", "series": {}, **unscored}
    (tmp_path / "metrics.json").write_text(json.dumps(written))
    with pytest.raises(pytest.UsageError, match=r"^gates\.baseline: BASE is unscored"):
        read_baseline(str(tmp_path))
