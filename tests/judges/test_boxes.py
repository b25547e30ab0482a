r"""Boxes are found with their braces balanced."""

import pytest

from judges.boxes import boxes


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        (r"\boxed{\frac{1}{2}}", [r"\frac{1}{2}"]),
        (r"\boxed{a} and \boxed {b}", ["a", "b"]),
        (r"\\boxed{a} boxed{b}", ["a", "b"]),
        (r"unboxed{a}", []),
        (r"\boxed{a \} b}", [r"a \} b"]),
        (r"{ \boxed{a}", ["a"]),
        (r"} \boxed{a}", ["a"]),
        (r"\boxed{a \boxed{b}", [r"a \boxed{b}", "b"]),
        (r"\boxed{a", ["a"]),
        ("", []),
    ],
)
def test_the_contents_of_boxes_are_found(text: str, contents: list[str]) -> None:
    found = boxes(text)

    assert [box.content(text) for box in found] == contents
    assert [box.length(text) for box in found] == [len(content) for content in contents]


def test_a_box_that_is_never_closed_has_no_end() -> None:
    assert [box.end for box in boxes(r"\boxed{a} \boxed{b")] == [9, None]
