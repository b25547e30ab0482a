"""A comparison told: one sentence, a page, and JSON."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from comparison_scene import compared, ended, flipped
from results_scene import run

from benchmarks.results.comparison import Comparisons, compare
from benchmarks.results.comparison_json import comparisons_as_json
from benchmarks.results.comparison_page import MAX_IDS, render_comparisons
from benchmarks.results.comparison_sentences import shown_p

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "comparing.md").read_text("utf-8")


def golden() -> Comparisons:
    """One NEW: flips either way, some of them for want of a verdict, another harness."""
    base = ended("cccccccccirc-c", dataset={**run().dataset, "revision": "ab" * 20})
    new = ended(
        "iinrj-cccccciu",
        dataset={**run().dataset, "revision": "ab" * 20},
        model="org/model_v2|<b>",
        run="2026-12-01T12-00-00Z",
        harness={"id": "naive_search_agent", "params": {"max_iterations": 30, "tool_model_name": ""}},
        partial=("limit 13",),
    )
    return compare(base, [new], alpha=0.05)


def test_the_page_is_the_golden_one() -> None:
    assert render_comparisons(golden()) == (HERE / "golden" / "comparison.md").read_text("utf-8")


def first_line(comparisons: Comparisons) -> str:
    return render_comparisons(comparisons).partition("\n")[0]


@pytest.mark.parametrize(
    ("comparisons", "line"),
    [
        pytest.param(
            compared(*flipped(1, 8)),
            "# Regression: accuracy 0.917 in BASE, 0.333 in NEW; of 12 tasks 8 regressed and 1 improved "
            "(exact McNemar p = 0.0391, alpha 0.05)",
            id="regression",
        ),
        pytest.param(
            compared(*flipped(6, 0, 0)),
            "# Improvement: accuracy 0.000 in BASE, 1.000 in NEW; of 6 tasks 0 regressed and 6 improved "
            "(exact McNemar p = 0.0312, alpha 0.05)",
            id="improvement",
        ),
        pytest.param(
            compared("c", "r"),
            "# Too few flips to tell: accuracy 1.000 in BASE, 0.000 in NEW; of 1 task 1 regressed and "
            "0 improved (exact McNemar p = 1, alpha 0.05); of these flips 1 for want of a verdict, "
            "no change of the model",
            id="too-few",
        ),
        pytest.param(
            compared("c", "c"),
            "# No difference shown: accuracy 1.000 in BASE, 1.000 in NEW; of 1 task 0 regressed and "
            "0 improved (exact McNemar p = 1, alpha 0.05)",
            id="none",
        ),
        pytest.param(
            compare(ended("c"), [ended("c", answer_format="gaia", k=2)], alpha=0.05),
            "# Not comparable: BASE and NEW differ in answer\\_format, k",
            id="not-comparable",
        ),
        pytest.param(
            compare(ended("c"), [ended("c", answer_format="gaia")], alpha=0.05, override=True),
            "# No difference shown: accuracy 1.000 in BASE, 1.000 in NEW; of 1 task 0 regressed and "
            "0 improved (exact McNemar p = 1, alpha 0.05); compared though they differ in answer\\_format",
            id="anyway",
        ),
        pytest.param(
            compared("cc", "ic", "cc", "ci"),
            "# Too few flips to tell: NEW 1, NEW 3 (of 3 runs held against BASE)",
            id="several",
        ),
    ],
)
def test_the_first_line_tells_the_finding(comparisons: Comparisons, line: str) -> None:
    assert first_line(comparisons) == line


def test_the_sentence_of_one_among_several_names_holms_correction() -> None:
    page = render_comparisons(compared("c" * 9, "i" * 8 + "c", "c" * 9))
    assert "(exact McNemar p = 0.00781, 0.0156 with Holm's correction for 2, alpha 0.05)." in page


def test_a_page_of_runs_that_are_not_compared_tells_every_difference() -> None:
    page = render_comparisons(
        compare(ended("c"), [ended("c", answer_format="gaia", judge={"id": "contains"})], alpha=0.05)
    )
    assert "Not compared, since these differ (`--anyway` compares all the same):\n\n- judge.id: 'llm'" in page
    assert "\n- answer\\_format: 'none' in BASE, 'gaia' in NEW\n" in page
    assert "Regressed (" not in page


def test_a_page_of_an_overridden_comparison_tells_what_was_overridden() -> None:
    new = ended("c", answer_format="gaia")
    page = render_comparisons(compare(ended("c"), [new], alpha=0.05, override=True))
    assert "Compared all the same (`--anyway`), though these differ:\n\n- answer\\_format: 'none'" in page
    assert "- Regressed (0): none\n- Improved (0): none\n" in page


def test_long_lists_of_ids_are_cut_on_the_page_and_whole_in_json() -> None:
    found = compared("c" * 60, "i" * 60)
    page = render_comparisons(found)
    assert f"t-{MAX_IDS - 1}, and 10 more\n" in page
    assert f"t-{MAX_IDS}" not in page
    assert len(comparisons_as_json(found)["comparisons"][0]["paired"]["regressed"]) == 60


@pytest.mark.parametrize(
    ("p", "alpha", "text"),
    [
        pytest.param(Fraction(1), 0.05, "1", id="one"),
        pytest.param(Fraction(1, 128), 0.05, "0.00781", id="three-digits"),
        pytest.param(Fraction(500_001, 10**7), 0.05, "0.0500001", id="just-above"),
        pytest.param(Fraction(1, 20), 0.05, "0.05", id="equal"),
        pytest.param(Fraction(1, 20) + Fraction(1, 10**30), 0.05, "0.050000000000000003", id="hair"),
        pytest.param(Fraction(1, 20) - Fraction(1, 10**30), 0.05, "0.05", id="beyond-a-float"),
        pytest.param(Fraction(1, 2**2000), 0.05, "below 1e-09", id="tiny"),
    ],
)
def test_p_is_shown_on_its_side_of_the_level(p: Fraction, alpha: float, text: str) -> None:
    assert shown_p(p, alpha) == text


def test_the_json_form_tells_the_same() -> None:
    values = comparisons_as_json(golden())
    (found,) = values.pop("comparisons")
    assert values["sentence"] == found["sentence"]
    assert values["base"]["run"] == "2026-11-30T12-00-00Z"
    assert found["new"]["partial"] == ["limit 13"]
    assert (values["finding"], values["exit_code"], found["overridden"]) == ("too_few_flips", 11, False)
    assert found["paired"]["without_verdict"] == {
        "base": {"not_planned": ["t-12"], "run_error": ["t-10"]},
        "new": {
            "judge_error": ["t-04"],
            "not_planned": ["t-05"],
            "run_error": ["t-03"],
            "unavailable": ["t-13"],
        },
        "n_flips": 5,
    }
    assert found["paired"]["with_verdicts"] == {"n_tasks": 8, "n_improved": 1, "n_regressed": 3, "p": 0.625}


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
    )
    documented = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
    assert sorted((_keys(written[0]) | _keys(written[1])) - documented) == []
