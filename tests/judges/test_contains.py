"""The containment scorer, and that it never tests the other way round."""

import json
from pathlib import Path
from typing import Any

import pytest

from judges.contains import Contains, is_contained

_CASES = Path(__file__).parent.parent / "cases" / "mcpbr_substring.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in _CASES.read_text(encoding="utf-8").splitlines()]
TEXT_ROWS = [row for row in ROWS if isinstance(row["mcpbr"], bool)]


@pytest.mark.parametrize("row", TEXT_ROWS, ids=lambda row: row["id"])
def test_a_vector_row_is_scored_as_mcpbr_does(row: dict[str, Any]) -> None:
    assert is_contained(row["prediction"], row["truth"]) is row["mcpbr"]


@pytest.mark.parametrize("row", [row for row in ROWS if row not in TEXT_ROWS], ids=lambda row: row["id"])
def test_where_mcpbr_raises_a_number_counts_as_its_text(row: dict[str, Any]) -> None:
    assert is_contained(row["prediction"], row["truth"]) is row["human_equivalent"]


def test_the_truth_behind_five_hundred_characters_is_found() -> None:
    assert is_contained("A long essay " * 60 + "42", "42")


@pytest.mark.parametrize(("answer", "ground_truth"), [("5", "1985"), ("a", "Lisbon, Portugal")])
def test_an_answer_that_is_a_fragment_of_the_truth_does_not_pass(answer: str, ground_truth: str) -> None:
    assert not is_contained(answer, ground_truth)


@pytest.mark.parametrize(
    "value", [None, True, [], ["a"], {"x": 1}, 10**5000, "", "  "], ids=lambda value: type(value).__name__
)
def test_what_is_neither_text_nor_number_contains_nothing_and_is_contained_in_nothing(value: Any) -> None:
    assert not is_contained(value, "a")
    assert not is_contained("a true 1 none", value)


@pytest.mark.parametrize(("answer", "letter"), [("It is a Heron.", "A"), ("It is an egret.", "B")])
@pytest.mark.asyncio
async def test_the_scorer_gives_a_for_containment_and_b_else(answer: str, letter: str) -> None:
    scorer = Contains()
    judgment = await scorer.grade("Which bird?", "heron", answer)
    await scorer.aclose()

    assert (judgment.verdict.letter, judgment.evaluation_type, scorer.is_scorer) == (letter, "contains", True)
