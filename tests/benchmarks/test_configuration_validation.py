"""A refused value is told in our words: the key, the value, the rule, the nearest known word."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Ge, Gt, Le, MinLen
from typing_extensions import Doc

from benchmarks.configuration.execution import Execution
from benchmarks.configuration.model import Gates, Prices, Share
from benchmarks.configuration.problem import KeyPath
from benchmarks.configuration.validation import nearest, shown, validated
from benchmarks.configuration.wording import alternatives, documentation, in_words
from benchmarks.gaia.params import GaiaParams


@dataclass(frozen=True, kw_only=True)
class Odd:
    """Types that the house's own values do not have yet."""

    flag: bool = False
    either: int | bool = 0
    anything: Any = None
    nested: list[list[int]] = field(default_factory=list[list[int]])
    pair: tuple[str, ...] = ()


def refusals(kind: type[Any], **values: Any) -> dict[str, str]:
    made, problems = validated(kind, values, at=())
    assert (made is None) is bool(problems)
    return {".".join(map(str, problem.path)): problem.line for problem in problems}


@pytest.mark.parametrize(
    ("kind", "values", "key", "line"),
    [
        pytest.param(
            GaiaParams,
            {"category": 9},
            "category",
            "9 is refused; it must be all, 1, 2 or 3, or a list of 1, 2 or 3",
            id="a level of 9",
        ),
        pytest.param(
            GaiaParams,
            {"category": [1, 7]},
            "category",
            "[1, 7] is refused; it must be all, 1, 2 or 3, or a list of 1, 2 or 3",
            id="a level of 7 in a list",
        ),
        pytest.param(
            GaiaParams,
            {"limt": 3},
            "limt",
            "there is no such key; did you mean 'limit'?",
            id="a misspelt key",
        ),
        pytest.param(
            GaiaParams,
            {"judge_model": {"id": "j", "base_ur": "x", "base_url": "http://h"}},
            "judge_model.base_ur",
            "there is no such key; did you mean 'base_url'?",
            id="a misspelt key inside",
        ),
        pytest.param(
            GaiaParams,
            {"subset": "Validaton"},
            "subset",
            "'Validaton' is refused; it must be text-103, validation, text or test; did you mean "
            "'validation'?",
            id="a misspelt word",
        ),
        pytest.param(
            GaiaParams,
            {"sample_ids": ["a", 1]},
            "sample_ids.1",
            "1 is refused; it must be text (put it in quotes)",
            id="a number where text is due",
        ),
        pytest.param(
            GaiaParams, {"sample_ids": "a"}, "sample_ids", "it must be a list of text, or null", id="no list"
        ),
        pytest.param(
            GaiaParams,
            {"judge_model": "gpt"},
            "judge_model",
            "'gpt' is refused; it must be a mapping of id, base_url, api_key, api_protocol, params, or null",
            id="no mapping",
        ),
        pytest.param(
            GaiaParams,
            {"judge_model": {"id": "j", "base_url": "http://h", "api_key": 12345678}},
            "judge_model.api_key",
            "'***' is refused; it must be text (put it in quotes)",
            id="a key is not shown",
        ),
        pytest.param(
            GaiaParams,
            {"judge_model": {"id": "j", "base_url": "ftp://h"}},
            "judge_model",
            "base_url 'ftp://h' is not an http or https address",
            id="what a value says of itself",
        ),
        pytest.param(Gates, {"min_coverage": 60}, "min_coverage", "or null (60 % is 0.6)", id="a percentage"),
        pytest.param(
            Gates,
            {"min_coverage": "62.5%"},
            "min_coverage",
            "'62.5%' is refused; it must be a number from 0 to 1, or null (62.5 % is 0.625)",
            id="a percentage as text",
        ),
        pytest.param(
            Gates,
            {"min_accuracy": {"level1": 0.5, "overall": 60}},
            "min_accuracy.overall",
            "60 is refused; it must be a number from 0 to 1 (60 % is 0.6)",
            id="a value of a mapping",
        ),
        pytest.param(
            Gates,
            {"min_accuracy": {"level1": "inf"}},
            "min_accuracy.level1",
            "'inf' is refused; it must be a number from 0 to 1",
            id="infinity in a mapping",
        ),
        pytest.param(
            Prices,
            {"models": {"m": {"input_usd_per_million_tokens": -1, "output_usd_per_million_tokens": 1}}},
            "models.m.input_usd_per_million_tokens",
            "-1 is refused; it must be a number of 0 or more",
            id="a value of a mapping in a mapping",
        ),
        pytest.param(
            Prices,
            {"models": {"m": {"input_usd_per_million_tokens": 1}}},
            "models.m.output_usd_per_million_tokens",
            "is missing; give a number of 0 or more",
            id="what a mapping in a mapping lacks",
        ),
        pytest.param(
            Prices, {"models": {"m": 3}}, "models.m", "3 is refused; it must be a mapping of", id="no rates"
        ),
        pytest.param(Gates, {"min_coverage": -0.1}, "min_coverage", "-0.1 is refused", id="below 0"),
        pytest.param(Gates, {"min_coverage": "nan"}, "min_coverage", "'nan' is refused", id="not a number"),
        pytest.param(
            Execution,
            {"run_timeout_seconds": "inf"},
            "run_timeout_seconds",
            "'inf' is refused; it must be a number above 0, or null",
            id="infinity as text",
        ),
        pytest.param(Execution, {"timeout_multiplier": 0}, "timeout_multiplier", "above 0", id="a bound"),
        pytest.param(Execution, {"attempts": {"k": "x"}}, "attempts.k", "'x' is refused", id="no number"),
        pytest.param(Execution, {"attempts": {"k": 1.5}}, "attempts.k", "1.5 is refused", id="a fraction"),
    ],
)
def test_a_refused_value_is_told_with_key_value_and_rule(
    kind: type[Any], values: dict[str, Any], key: str, line: str
) -> None:
    told = refusals(kind, **values)
    assert list(told) == [key]
    assert line in told[key]


@pytest.mark.parametrize(
    ("kind", "values", "key"),
    [
        (GaiaParams, {"limit": True}, "limit"),
        (GaiaParams, {"sampling_seed": False}, "sampling_seed"),
        (GaiaParams, {"category": True}, "category"),
        (GaiaParams, {"category": [True]}, "category.0"),
        (Gates, {"min_coverage": True}, "min_coverage"),
        (Gates, {"min_accuracy": {"level1": True}}, "min_accuracy.level1"),
        (Gates, {"max_errors": False}, "max_errors"),
        (Execution, {"attempts": {"k": True}}, "attempts.k"),
        (Odd, {"nested": [[1], [2, True]]}, "nested.1.1"),
    ],
)
def test_a_boolean_never_passes_for_a_number(kind: type[Any], values: dict[str, Any], key: str) -> None:
    assert list(refusals(kind, **values)) == [key]


def test_a_boolean_passes_where_one_is_due() -> None:
    made, _ = validated(Odd, {"flag": True, "either": True, "anything": True}, at=())
    assert made == Odd(flag=True, either=True, anything=True)


@pytest.mark.parametrize(
    ("values", "made"),
    [
        pytest.param({"category": 1}, GaiaParams(category=1), id="a level as number"),
        pytest.param({"category": "1"}, GaiaParams(category="1"), id="a level as text"),
        pytest.param({"category": [1, "2"]}, GaiaParams(category=[1, "2"]), id="levels of both kinds"),
        pytest.param({"limit": "16"}, GaiaParams(limit=16), id="a number from a variable"),
        pytest.param(
            {"allow_self_judge": "true"}, GaiaParams(allow_self_judge=True), id="a boolean from one"
        ),
        pytest.param({"limit": None}, GaiaParams(limit=None), id="null"),
    ],
)
def test_a_sound_value_is_taken(values: dict[str, Any], made: GaiaParams) -> None:
    assert validated(GaiaParams, values, at=()) == (made, [])


def test_a_list_is_taken_where_a_tuple_is_kept() -> None:
    assert validated(Odd, {"pair": ["a", "b"]}, at=())[0] == Odd(pair=("a", "b"))


def test_all_refusals_come_at_once() -> None:
    told = refusals(GaiaParams, category=9, limit=0, sampling="last", nope=1, judge_model={"id": ""})
    assert sorted(told) == ["category", "judge_model.base_url", "judge_model.id", "limit", "nope", "sampling"]


def test_what_is_missing_is_told_with_how_to_give_it() -> None:
    remedies: dict[KeyPath, str] = {("judge_model", "base_url"): "give its address"}
    _, problems = validated(GaiaParams, {"judge_model": {}}, at=("p",), remedies=remedies)
    assert {problem.path: problem.line for problem in problems} == {
        ("p", "judge_model", "id"): "is missing; give text that is not empty",
        ("p", "judge_model", "base_url"): "is missing; give its address",
    }


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (int, "a whole number"),
        (Annotated[int, Ge(1)], "a whole number of 1 or more"),
        (Annotated[float, Gt(0)], "a number above 0"),
        (Annotated[float, Gt(0), Le(2)], "a number above 0 and up to 2"),
        (Annotated[float, Le(2)], "a number of 2 or less"),
        (Share | None, "a number from 0 to 1, or null"),
        (Annotated[Annotated[int, Ge(0)] | None, Doc("…")], "a whole number of 0 or more, or null"),
        (bool, "true or false"),
        (Annotated[str, MinLen(1)], "text that is not empty"),
        (Literal["a"], "a"),
        (Literal["a", 1, "1", True], "a, 1 or true"),
        (Literal["a", "b"] | None, "a or b, or null"),
        (tuple[str, ...], "a list of text"),
        (list[int] | str, "a list of a whole number, or text"),
        (Mapping[str, Any], "a mapping"),
        (dict[str, Any], "a mapping"),
        (dict[str, int], "a mapping of names, each to a whole number"),
        (Any, "any value"),
    ],
)
def test_a_type_is_told_in_plain_words(kind: Any, words: str) -> None:
    assert in_words(kind) == words


def test_words_to_write_exactly_can_be_marked() -> None:
    assert in_words(Literal["a", "b"] | None, say=lambda word: f"`{word}`") == "`a` or `b`, or `null`"


def test_the_documentation_of_a_field_is_found() -> None:
    assert documentation(Annotated[Annotated[int, Ge(1)], Doc("How many.")]) == "How many."
    assert documentation(int) == ""
    assert len(list(alternatives(int | str | None))) == 3


@pytest.mark.parametrize(
    ("word", "near"),
    [("seal-hard", "seal_hard"), ("SEAL_HARD", "seal_hard"), ("zzz", None), ("longseel", "longseal")],
)
def test_the_nearest_word_forgives_hyphens_and_capitals(word: str, near: str | None) -> None:
    assert nearest(word, ["seal_hard", "longseal"]) == near


def test_a_shown_value_is_cut_and_holds_no_key() -> None:
    assert shown({"api_key": "sk-12345678", "n": 1}) == "{'api_key': '***', 'n': 1}"
    assert shown("x" * 200) == "'" + "x" * 79 + "…"
    assert shown("sk-12345678", name="token") == "'***'"
