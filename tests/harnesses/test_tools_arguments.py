from typing import Any

import pytest

from harnesses.tools.arguments import read_arguments, texts
from harnesses.tools.tool import BadArgumentsError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"query": "x"}', {"query": "x"}, id="strict-json"),
        pytest.param('```json\n{"query": "x"}\n```', {"query": "x"}, id="code-fence"),
        pytest.param('```{"query": "x"}```', {"query": "x"}, id="code-fence-on-one-line"),
        pytest.param("{“query”: “x”}", {"query": "x"}, id="curly-quotes"),
        pytest.param(
            '{"query": "the “x” of y"}', {"query": "the “x” of y"}, id="curly-quotes-inside-json-stand"
        ),
        pytest.param("{'query': 'x', 'deep': True}", {"query": "x", "deep": True}, id="python-literal"),
        pytest.param("{\u2018query\u2019: \u2018x\u2019}", {"query": "x"}, id="curly-single-quotes"),
        pytest.param('{"query": "two\nlines"}', {"query": "two\nlines"}, id="raw-line-break"),
        pytest.param('"{\\"query\\": \\"x\\"}"', {"query": "x"}, id="encoded-twice"),
        pytest.param("", {}, id="empty"),
        pytest.param("  ", {}, id="blank"),
        pytest.param("{'a': '\\d'}", {"a": "\\d"}, id="invalid-escape-warns-nobody"),
        pytest.param("{1: 'x'}", {"1": "x"}, id="keys-become-text"),
        pytest.param('{"query": "\\ud800"}', {"query": "\ufffd"}, id="lone-surrogate"),
    ],
)
def test_arguments_are_read(text: str, expected: dict[str, Any]) -> None:
    assert read_arguments(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"query": "length of', id="cut"),
        pytest.param("longest bridge", id="prose"),
        pytest.param('["x"]', id="list"),
        pytest.param("42", id="number"),
        pytest.param('"x"', id="text"),
        pytest.param("[" * 50_000, id="deep-nesting"),
        pytest.param("{'a': open('x')}", id="code-is-not-run"),
        pytest.param("{'a': '\x00'", id="nul"),
        pytest.param("{[]: 1}", id="unhashable-key"),
    ],
)
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(BadArgumentsError, match="no complete JSON object; write them like"):
        read_arguments(text)


def test_arguments_of_absurd_length_are_refused_unread() -> None:
    with pytest.raises(BadArgumentsError, match="100012 characters long"):
        read_arguments('{"query": "' + "x" * 100_000 + '"')


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(" x ", ["x"], id="one"),
        pytest.param(["x", "y"], ["x", "y"], id="list"),
        pytest.param('["x", "y"]', ["x", "y"], id="list-written-as-text"),
        pytest.param("[1] in a title", ["[1] in a title"], id="text-that-begins-with-a-bracket"),
        pytest.param("[]", ["[]"], id="empty-list-as-text"),
        pytest.param(["x", " ", None, 4], ["x"], id="blank-entries-fall-out"),
    ],
)
def test_texts_gives_one_or_several(value: Any, expected: list[str]) -> None:
    assert texts({"query": value}, "query") == expected


@pytest.mark.parametrize(
    "arguments", [{}, {"query": None}, {"query": " "}, {"query": []}, {"query": {"q": "x"}}]
)
def test_a_missing_text_is_named(arguments: dict[str, Any]) -> None:
    with pytest.raises(BadArgumentsError, match="query is missing: give it as text"):
        texts(arguments, "query")


def test_a_list_of_eleven_is_refused() -> None:
    with pytest.raises(BadArgumentsError, match="query lists 11 entries; give at most 10"):
        texts({"query": ["x"] * 11}, "query")
