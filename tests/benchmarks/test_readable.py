"""Numbers and texts as people read them on pages."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import unhurried

from benchmarks.report import readable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("a\x00b\x07c\x9bd", "abcd"),
        ("\u202egnp.exe", "[U+202E]gnp.exe"),
        ("\u2066a\u2069", "[U+2066]a[U+2069]"),
        ("שלום, مرحبا", "שלום, مرحبا"),
        ("half \ud800", "half \ufffd"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ],
    ids=[
        "colour",
        "terminal link",
        "control",
        "turned",
        "isolated",
        "right to left",
        "half a pair",
        "breaks",
    ],
)
def test_text_is_cleaned_before_it_is_shown(text: str, expected: str) -> None:
    assert readable.shown(text) == expected


@unhurried
@given(st.text())
def test_no_text_brings_a_control_character_to_a_page(text: str) -> None:
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", readable.shown(text)
    )


@pytest.mark.parametrize(
    ("duration_s", "expected"),
    [
        (None, "–"),
        (0.0, "0.00 s"),
        (0.994, "0.99 s"),
        (0.996, "1.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 00 s"),
        (250.0, "4 min 10 s"),
        (7500.0, "2 h 05 min"),
    ],
)
def test_seconds_as_people_read_them(duration_s: float | None, expected: str) -> None:
    assert readable.seconds(duration_s) == expected


@pytest.mark.parametrize(
    ("usd", "expected"),
    [
        (None, "–"),
        (0.0, "$0.00"),
        (0.00001, "< $0.0001"),
        (0.0012345, "$0.0012"),
        (1.5, "$1.50"),
        (1234.5, "$1,234.50"),
    ],
)
def test_dollars_as_people_read_them(usd: float | None, expected: str) -> None:
    assert readable.dollars(usd) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"query": "red\\nferry", "n": 3}', "query: red\nferry\nn: 3"),
        ("{}", "{}"),
        ("[1]", "[1]"),
        ('{"query": ', '{"query": '),
    ],
    ids=["an object", "an empty one", "a list", "no JSON"],
)
def test_arguments_as_people_read_them(text: str, expected: str) -> None:
    assert readable.arguments(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [('{"a":1}', '{\n  "a": 1\n}'), ("{a", "{a"), ("plain", "plain")],
    ids=["JSON", "nearly JSON", "text"],
)
def test_json_is_unfolded(text: str, expected: str) -> None:
    assert readable.unfolded(text) == expected


def test_a_size_and_a_preview_tell_what_is_folded() -> None:
    assert (readable.size("x"), readable.size("x" * 1234)) == ("1 character", "1,234 characters")
    assert readable.preview("a\n b") == "a b"
    assert len(readable.preview("word " * 1000)) == 110 and readable.preview("word " * 1000).endswith("…")
    assert (readable.count(None), readable.count(12345), readable.words("run_error")) == (
        "–",
        "12,345",
        "run error",
    )
