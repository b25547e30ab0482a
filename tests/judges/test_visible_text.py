"""Thinking, control characters and halves of characters are not part of what a model says."""

import pytest

from judges.visible_text import cleaned, without_thinking


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("<think>a</think>b", "b"),
        ("b<think>a</think>c", "bc"),
        ("<Thinking >a</thinking>b", "b"),
        ("<seed:think>a</seed:think>b", "b"),
        ("[THINK]a[/THINK]b", "b"),
        ("◁think▷a◁/think▷b", "b"),
        ("a</think>b</think>c", "c"),
        ("<think>a<think>b</think>c", "c"),
        ("<thinker>a</thinker>", "<thinker>a</thinker>"),
        ("", ""),
    ],
)
def test_thinking_is_removed(text: str, visible: str) -> None:
    assert without_thinking(text) == visible


@pytest.mark.parametrize("text", ["<think>a", "a<think>", "</think>a<reasoning>b"])
def test_a_block_that_never_ends_leaves_nothing(text: str) -> None:
    assert without_thinking(text) is None


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\x00b\x1b[0mc\x85", "ab[0mc"),
        ("a\tb\r\nc\rd", "a\tb\nc\nd"),
        ("\ud83d\udc0b", "\U0001f40b"),
        ("a\ud83d", "a\N{REPLACEMENT CHARACTER}"),
    ],
    ids=["control", "line-ends", "pair", "lone"],
)
def test_text_is_cleaned(text: str, clean: str) -> None:
    assert cleaned(text) == clean
