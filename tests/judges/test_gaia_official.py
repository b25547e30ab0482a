"""The leaderboard's quasi-exact match, row by row and on every JSON type."""

import json
from pathlib import Path
from typing import Any

import pytest

from judges.gaia_official import GaiaOfficial, is_match

_CASES = Path(__file__).parent.parent / "cases" / "gaia_scorer.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in _CASES.read_text(encoding="utf-8").splitlines()]
JSON_VALUES: list[Any] = [None, True, 0, 42, 4.2, "", "42", "a, b", [], ["a", "b"], {}, {"x": 1}, 10**5000]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_vector_row_is_matched_as_the_leaderboard_does(row: dict[str, Any]) -> None:
    assert is_match(row["prediction"], row["truth"]) is row["expected"]


@pytest.mark.parametrize("ground_truth", JSON_VALUES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("answer", JSON_VALUES, ids=lambda value: type(value).__name__)
def test_no_json_type_crashes_the_match(answer: Any, ground_truth: Any) -> None:
    assert is_match(answer, ground_truth) in {True, False}


def test_a_missing_answer_matches_nothing_not_even_infinity() -> None:
    assert not is_match(None, "inf")


def test_an_integer_too_long_to_print_is_no_number() -> None:
    assert not is_match(10**5000, "42")


@pytest.mark.parametrize(("answer", "letter"), [("$ 1,234", "A"), ("1234 m", "B")])
@pytest.mark.asyncio
async def test_the_scorer_gives_a_for_a_match_and_b_else(answer: str, letter: str) -> None:
    judgment = await GaiaOfficial().grade("How long is it?", "1234", answer)

    assert (judgment.verdict.letter, judgment.evaluation_type) == (letter, "gaia_official")


@pytest.mark.asyncio
async def test_the_scorer_asks_no_model() -> None:
    scorer = GaiaOfficial()
    judgment = await scorer.grade("Which bird?", "heron", "heron")
    await scorer.aclose()

    assert scorer.is_scorer
    assert (judgment.raw_response, judgment.judge_model, judgment.usage.n_requests) == (None, None, 0)
