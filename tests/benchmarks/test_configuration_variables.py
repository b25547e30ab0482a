"""`${NAME}` in YAML texts, and keys from variables."""

import pytest

from benchmarks.configuration.problem import Problem
from benchmarks.configuration.variables import Expansion, with_key

ENVIRON = {"HOST": "h.example", "EMPTY": "", "PORT": "8000", "HF_TOKEN": "hf_abcdefgh", "MY_KEY": "short"}


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("http://${HOST}:${PORT}/v1", "http://h.example:8000/v1"),
        ("${NOPE:-a default}", "a default"),
        ("${NOPE:-}", ""),
        ("${EMPTY}", ""),
        ("${EMPTY:-used}", "used"),
        ("${HOST:-unused}", "h.example"),
        ("${NOPE:-http://x:1/y?a=b}", "http://x:1/y?a=b"),
        ("$${HOST}", "${HOST}"),
        ("$HOST costs $5 or $$5", "$HOST costs $5 or $$5"),
        ("{HOST}", "{HOST}"),
    ],
)
def test_a_text_is_expanded_as_in_a_shell(text: str, expanded: str) -> None:
    expansion = Expansion(ENVIRON)
    assert expansion.of(text) == expanded
    assert not expansion.problems


def test_texts_at_every_depth_are_expanded_and_nothing_else_is_touched() -> None:
    values = {"${HOST}": ["${PORT}", {"x": "${HOST}"}], "n": 1, "b": True, "z": None, "f": 0.5}
    assert Expansion(ENVIRON).of(values) == {
        "${HOST}": ["8000", {"x": "h.example"}],
        "n": 1,
        "b": True,
        "z": None,
        "f": 0.5,
    }


def test_an_unset_variable_without_default_names_the_key_and_stays_as_written() -> None:
    expansion = Expansion({})
    assert expansion.of({"model": {"api_key": "Bearer ${NOPE}"}}) == {"model": {"api_key": "Bearer ${NOPE}"}}
    assert expansion.problems == [
        Problem(("model", "api_key"), "the variable 'NOPE' is not set; set it or write ${NOPE:-default}")
    ]
    assert expansion.unresolved == {"Bearer ${NOPE}"}


@pytest.mark.parametrize("text", ["${", "${}", "${1x}", "${NAME", "${NAME:?must}", "${NAME-x}", "${a b}"])
def test_another_shell_spelling_is_refused_and_not_sent_as_text(text: str) -> None:
    expansion = Expansion({"NAME": "value"})
    expansion.of([text])
    assert [problem.path for problem in expansion.problems] == [(0,)]
    assert "write ${NAME}, ${NAME:-default}, or $${ for the text ${" in expansion.problems[0].line


def test_values_of_variables_named_like_keys_are_secrets_wherever_they_are_used() -> None:
    expansion = Expansion(ENVIRON)
    expansion.of({"note": "${HF_TOKEN} ${HOST} ${MY_KEY}"})
    assert expansion.secrets == {"hf_abcdefgh"}


@pytest.mark.parametrize(
    ("values", "filled"),
    [
        pytest.param({}, {"api_key": "from-variable"}, id="absent"),
        pytest.param({"api_key": None}, {"api_key": "from-variable"}, id="null"),
        pytest.param({"api_key": ""}, {"api_key": ""}, id="empty means none"),
        pytest.param({"api_key": "own"}, {"api_key": "own"}, id="given"),
    ],
)
def test_a_key_that_is_not_given_comes_from_its_variable(
    values: dict[str, object], filled: dict[str, object]
) -> None:
    assert with_key(values, "api_key", "MODEL_API_KEY", {"MODEL_API_KEY": "from-variable"}) == filled


def test_no_key_and_no_variable_leaves_the_default() -> None:
    assert with_key({"api_key": None, "id": "m"}, "api_key", "MODEL_API_KEY", {"MODEL_API_KEY": ""}) == {
        "id": "m"
    }
