"""A comparison as JSON: the same as the page tells, every key of it documented."""

import re
from pathlib import Path
from typing import Any

from comparison_scene import compared, ended
from test_comparison_page import golden

from benchmarks.results.comparing.as_json import comparison_as_json, comparisons_as_json
from benchmarks.results.comparing.comparison import compare

PAGE = (Path(__file__).parents[2] / "docs" / "comparing.md").read_text("utf-8")


def test_the_json_form_tells_the_same() -> None:
    values = comparisons_as_json(golden())
    (found,) = values.pop("comparisons")
    assert values["sentence"] == found["sentence"]
    assert values["base"]["run"] == "2026-11-30T12-00-00Z"
    assert found["new"]["partial"] == ["limit 13"]
    assert (values["finding"], values["exit_code"], found["overridden"]) == ("too_few_flips", 11, False)
    paired = found["paired"]
    assert paired["not_measured"] == {
        "base": {"not_planned": ["t-12"], "run_error": ["t-10"]},
        "new": {
            "judge_error": ["t-04"],
            "not_planned": ["t-05"],
            "run_error": ["t-03"],
            "unavailable": ["t-13"],
        },
        "n_flips": 5,
    }
    assert (paired["decided_by"], paired["test"]) == ("all_tasks", "mcnemar_exact")
    assert (paired["all_tasks"]["n_tasks"], paired["measured_in_base"]["n_tasks"]) == (14, 12)
    assert paired["measured_in_both"] == {"n_tasks": 8, "n_improved": 1, "n_regressed": 3, "p": 0.625}


def test_the_json_form_names_the_methods_and_what_decided() -> None:
    several = comparisons_as_json(compared("ccc cci", "cii cii"))["comparisons"][0]["paired"]
    assert (several["test"], several["all_tasks"]["interval_method"]) == ("sign_flip_exact", "student_t")
    lacking = comparisons_as_json(compared("cccccccuuuuuu", "iiiiiiccccccr"))["comparisons"][0]["paired"]
    assert (lacking["test"], lacking["all_tasks"]["interval_method"]) == ("mcnemar_exact", "newcombe_10")
    assert (lacking["decided_by"], lacking["measured_in_base"]["finding"]) == (
        "measured_in_base",
        "regression",
    )


def test_one_comparison_in_json_is_the_same_for_the_same_outcomes() -> None:
    base, new = ended("ccc"), ended("cir")
    again = {**new, "volatile": {"run": "another name"}}
    first, second = (compare(base, [each], alpha=0.05).each[0] for each in (new, again))
    assert comparison_as_json(first) == comparison_as_json(second)


def test_the_json_form_of_runs_not_compared_has_no_numbers() -> None:
    found = comparisons_as_json(compare(ended("c"), [ended("c", answer_format="gaia")], alpha=0.05))
    assert found["comparisons"][0]["paired"] is None
    assert found["comparisons"][0]["differences"] == [{"key": "answer_format", "base": "none", "new": "gaia"}]


def _keys(value: Any) -> set[str]:
    if isinstance(value, list):
        return {key for part in value for key in _keys(part)}  # pyright: ignore  # plain JSON
    if isinstance(value, dict):
        return {*value, *(key for part in value.values() for key in _keys(part))}  # pyright: ignore  # as above
    return set()


def test_every_key_of_the_json_form_is_named_in_the_page() -> None:
    written = (
        comparisons_as_json(golden()),
        comparisons_as_json(compare(ended("c"), [ended("c", answer_format="gaia")], alpha=0.05)),
        comparison_as_json(golden().each[0]),
    )
    documented = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
    assert sorted({key for each in written for key in _keys(each)} - documented) == []
