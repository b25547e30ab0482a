"""Whatever came, as plain JSON values."""

import json
from collections.abc import Iterator, Mapping
from enum import IntEnum, StrEnum
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.results.plain import MAX_DEPTH, clean_text, one_line, plain, plain_line


class Colour(StrEnum):
    RED = "red"


class Size(IntEnum):
    BIG = 3


class Unspeakable:
    def __str__(self) -> str:
        raise RuntimeError("no text for you")


class BrokenMapping(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(("x",))

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(None, None, id="none"),
        pytest.param(True, True, id="bool"),
        pytest.param(1.5, 1.5, id="float"),
        pytest.param(float("nan"), "nan", id="nan"),
        pytest.param(float("-inf"), "-inf", id="minus-infinity"),
        pytest.param(2**63 - 1, 2**63 - 1, id="64-bit"),
        pytest.param(2**64, "0x10000000000000000", id="beyond-64-bit"),
        pytest.param(Colour.RED, "red", id="text-enum"),
        pytest.param(Size.BIG, 3, id="int-enum"),
        pytest.param((1, (2,)), [1, [2]], id="tuples"),
        pytest.param({"b", "a"}, ["a", "b"], id="set"),
        pytest.param({1: 2, None: 3, "k": 4}, {"1": 2, "None": 3, "k": 4}, id="keys"),
        pytest.param(PurePosixPath("a/b"), "a/b", id="path"),
        pytest.param(b"ab", "b'ab'", id="bytes"),
        pytest.param(Unspeakable(), "<Unspeakable>", id="no-str"),
        pytest.param({Colour.RED: BrokenMapping()}, {"red": "<BrokenMapping>"}, id="broken-mapping"),
    ],
)
def test_a_value_becomes_plain(value: object, expected: object) -> None:
    made = plain(value)
    assert made == expected
    assert type(made) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\x00b\x1bc\x7fd\x85e", "abcde", id="control-characters"),
        pytest.param("a\n\tb\r\n", "a\n\tb\n", id="newline-and-tab-stay"),
        pytest.param("x\ud800y", "x\ufffdy", id="lone-surrogate"),
        pytest.param("\ud83d\ude00", "\U0001f600", id="a-pair-in-two-halves-is-one-character"),
        pytest.param("北京 é", "北京 é", id="other-scripts-stay"),
    ],
)
def test_text_is_cleaned(text: str, expected: str) -> None:
    assert clean_text(text) == expected


def test_a_list_that_holds_itself_ends() -> None:
    circle: list[Any] = [1]
    circle.append(circle)
    assert plain(circle) == [1, "<nested too deep>"]


def test_deep_nesting_ends() -> None:
    deep: Any = "bottom"
    for _ in range(5 * MAX_DEPTH):
        deep = [deep]
    assert "<nested too deep>" in json.dumps(plain(deep))


def test_the_same_list_twice_side_by_side_is_no_circle() -> None:
    shared = [1]
    assert plain([shared, shared]) == [[1], [1]]


def test_a_long_foreign_text_is_cut() -> None:
    assert len(plain(PurePosixPath("x" * 5000))) == 1000


anything: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.text(st.characters(categories=("Cs", "Cc", "Lu")))
    | st.binary()
    | st.builds(object),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text() | st.integers(), inner),
)


@unhurried
@given(anything)
def test_what_is_plain_can_be_written_as_utf_8_json_and_stays_as_it_is(value: Any) -> None:
    made = plain(value)
    assert json.loads(json.dumps(made, allow_nan=False, ensure_ascii=False).encode()) == made
    assert plain(made) == made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\n  b\x00", "a b", id="joined"),
        pytest.param("abcdef", "abcd…", id="cut"),
        pytest.param("abcde", "abcde", id="just-fits"),
    ],
)
def test_a_line_is_one_line_of_limited_length(text: str, expected: str) -> None:
    assert one_line(text, 5) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5, None, True, "text"]},
        {"a": (1, {"b": "c"})},
        {"a": "a\x00b\x1b[31m\x7f\x9f"},
        {"a": "carriage\r, back\b, form\f, new\nline and\ttab"},
        {"a": "half \ud83d of a pair", "\udc00": 1},
        {"a": "\\b is no control character, \\u0000 neither"},
        {"a": float("nan"), "b": float("-inf"), "c": 2**63 - 1},
        {"a": {1, 2}, "b": object},
        {"a": "\ufffe and \uffff"},
    ],
    ids=repr,
)
def test_a_plain_line_says_what_plain_says(value: dict[str, object]) -> None:
    assert json.loads(plain_line(value)) == json.loads(json.dumps(plain(value)))
    assert "\n" not in plain_line(value)
    plain_line(value).encode()


@unhurried
@given(
    st.recursive(
        st.none() | st.text() | st.integers(-(2**63), 2**63 - 1) | st.floats(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_whatever_was_left_behind_becomes_one_line(value: object) -> None:
    assert json.loads(plain_line(value)) == json.loads(json.dumps(plain(value)))


def test_a_long_integer_stays_one_in_a_line() -> None:
    assert plain_line({"n": 10**30}) == f'{{"n": {10**30}}}'
