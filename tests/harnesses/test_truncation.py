import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnesses.tools.truncation import truncate

SIX = "alpha beta gamma delta epsilon zeta"


@pytest.mark.parametrize(
    ("text", "max_units", "expected"),
    [
        pytest.param(SIX, 4, "alpha beta...(truncated)...epsilon zeta", id="head-and-tail"),
        pytest.param(SIX, 3, "alpha...(truncated)...epsilon zeta", id="odd-limit-favours-the-tail"),
        pytest.param(SIX, 1, "...(truncated)...zeta", id="one-unit"),
        pytest.param(SIX, 6, SIX, id="exactly-as-long-as-allowed"),
        pytest.param(SIX, 5, "alpha beta...(truncated)...delta epsilon zeta", id="one-too-many"),
        pytest.param("", 4, "", id="empty"),
        pytest.param("  \n ", 1, "  \n ", id="blank"),
        pytest.param(
            "don't stop_me well-known", 3, "don't stop_me well-known", id="joined-words-are-one-unit"
        ),
        pytest.param("北京是首都", 2, "北...(truncated)...都", id="each-chinese-character-is-a-unit"),
        pytest.param("a+b=c", 2, "a...(truncated)...c", id="each-sign-is-a-unit"),
        pytest.param("  a  b  c  ", 2, "  a...(truncated)...c  ", id="outer-blanks-stand"),
    ],
)
def test_the_middle_is_cut_out_by_units(text: str, max_units: int, expected: str) -> None:
    assert truncate(text, max_units) == expected


@given(st.text(alphabet="ab -é北\n", max_size=60), st.integers(min_value=1, max_value=70))
def test_a_text_is_cut_only_if_it_has_more_units_than_allowed(text: str, max_units: int) -> None:
    n_units = sum(1 for word in text.split() for _ in _units(word))
    assert (truncate(text, max_units) == text) == (n_units <= max_units)


def _units(word: str) -> list[str]:
    found: list[str] = []
    for character in word:
        is_word = character.isascii() and (character.isalnum() or character in "_'-")
        if is_word and found and found[-1] == "run":
            continue
        found.append("run" if is_word else character)
    return found


def test_a_megabyte_without_any_blank_is_one_unit() -> None:
    assert truncate("a" * 1_000_000, 1) == "a" * 1_000_000
