"""A comparison told: one sentence, a page, and the section of a summary."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from comparison_scene import compared, ended, flipped
from results_scene import run

from benchmarks.results.comparing.as_json import comparison_as_json, comparisons_as_json
from benchmarks.results.comparing.comparison import Comparisons, compare
from benchmarks.results.comparing.page import (
    MAX_IDS,
    MAX_IDS_IN_SUMMARY,
    comparison_lines,
    render_comparisons,
)
from benchmarks.results.comparing.sentences import shown_p

HERE = Path(__file__).parent


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
            compare(ended("c"), [ended("cc ", answer_format="gaia")], alpha=0.05),
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
            compared("ccc ccc ccc", "cii iir ccc"),
            "# Too few flips to tell: accuracy 1.000 in BASE, 0.444 in NEW; of 3 tasks 2 regressed and 0 "
            "improved (exact sign-flip test p = 0.5, alpha 0.05); of these flips 1 for want of a verdict, "
            "perhaps no change of the model",
            id="several-attempts",
        ),
        pytest.param(
            compared("cccccccuuuuuu", "iiiiiiccccccr"),
            "# Regression: accuracy 1.000 in BASE, 0.143 in NEW; of the 7 tasks measured in BASE 6 regressed "
            "and 0 improved (exact McNemar p = 0.0312, alpha 0.05); over all 13 tasks: no difference shown "
            "(p = 1)",
            id="measured-in-base",
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


def test_a_page_says_where_the_tasks_measured_in_base_decided() -> None:
    page = render_comparisons(compared("cccccccuuuuuu", "iiiiiiccccccr"))
    assert "| NEW, measured in BASE | 7 | 1.000 | 0.143 | -0.857 |" in page
    assert "\n5 of the 11 flips come from these tasks and are no change of the model. " in page
    assert "The tasks measured in BASE decide: theirs is the stricter finding.\n" in page


def test_a_page_tells_how_many_attempts_a_task_had() -> None:
    page = render_comparisons(compared("c.. cii", "c.. iii", strategy="pass"))
    assert "tasks planned: 2, attempts for each: 3 (pass), run" in page


def section(base: str, new: str, **changes: Any) -> str:
    compared_runs = compare(ended(base), [ended(new, **changes)], alpha=0.05)
    return "\n".join(comparison_lines(comparison_as_json(compared_runs.each[0])))


def test_the_section_of_a_summary_tells_what_the_baseline_came_to() -> None:
    text = section("c" * 30 + "i", "i" * 30 + "c", partial=("limit 31",))
    assert text.startswith("## Against the baseline\n\nRegression: accuracy 0.968 in BASE, 0.032 in NEW; ")
    assert "\n\nBASE is the baseline, run 2026-11-30T12-00-00Z: org/model\\_v1 with naive" in text
    assert (
        "| all | 31 | 0.968 | 0.032 | -0.935 | -0.989 to -0.676 | 30 | 1 |\n\n- Regressed (30): t-00" in text
    )
    assert f"t-{MAX_IDS_IN_SUMMARY - 1}, and 10 more\n- Improved (1): t-30\n" in text
    assert text.endswith("- NEW is a part of the set only (limit 31)")


def test_the_section_of_a_summary_has_a_row_for_the_tasks_measured_in_base() -> None:
    assert "\n| measured in BASE | 7 | 1.000 | 0.143 |" in section("cccccccuuuuuu", "iiiiiiccccccr")
    assert "measured in BASE" not in section("cccc", "ccru")


def test_the_section_of_a_summary_tells_what_forbade_to_compare() -> None:
    text = section("c", "c", answer_format="gaia")
    assert "\n\nThese differ:\n\n- answer\\_format: 'none' in BASE, 'gaia' in NEW\n\nTo bear" in text
    assert "| all |" not in text
