"""Keys are known by their names, and nothing of them is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from benchmarks.configuration.masking import is_secret_name, masked, masked_text, secret_values


@pytest.mark.parametrize(
    "name",
    [
        *("api_key", "apiKey", "APIKEY", "api-key", "X-API-KEY", "serper_api_key", "keys", "OPENAI_API_KEY"),
        *("Authorization", "Proxy-Authorization", "token", "authToken", "HF_TOKEN"),
        *("password", "client_secret", "Cookie"),
    ],
)
def test_a_name_of_a_key_is_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    ["max_tokens", "max_completion_tokens", "tokenizer", "monkey", "keyboard", "author", "keynote", "id"],
)
def test_a_name_that_only_looks_like_one_is_not(name: str) -> None:
    assert not is_secret_name(name)


def test_all_keys_in_nested_values_are_found() -> None:
    values = {
        "model": {
            "api_key": "sk-aaaaaaaa",
            "params": {"extra_headers": {"Authorization": "Bearer tok-bbbbbb"}},
        },
        "tokens": ["not-a-secret"],
        "credentials": [{"user": "cccccccc"}, ("dddddddd",)],
        "url": "https://me:eeeeeeee@h/v1?token=ffffffff&page=gggggggg",
        "secret": 123456789,
    }
    assert set(secret_values(values)) == {
        *("sk-aaaaaaaa", "Bearer tok-bbbbbb", "tok-bbbbbb", "cccccccc", "dddddddd"),
        *("eeeeeeee", "ffffffff", "123456789"),
    }


def test_a_short_key_is_no_secret_to_search_for() -> None:
    assert not list(secret_values({"api_key": "EMPTY", "token": 12, "password": None, "auth": True}))


def test_values_under_a_key_s_name_are_hidden_whole() -> None:
    values = {
        "api_key": "k",
        "auth": {"user": "u", "pin": 12, "on": True, "none": None},
        "tokens": 5,
        "token": "",
        "keys": ("a", "b"),
    }
    assert masked(values) == {
        "api_key": "***",
        "auth": {"user": "***", "pin": "***", "on": True, "none": None},
        "tokens": 5,
        "token": "",
        "keys": ["***", "***"],
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://user:pw@h:1/v1", "https://***@h:1/v1"),
        ("https://user@h/v1", "https://***@h/v1"),
        ("https://a:p@ss@h/v1", "https://***@h/v1"),
        ("https://h/v1?api_key=k&x=1", "https://h/v1?api_key=***&x=1"),
        ("https://h/?x=1&token=k", "https://h/?x=1&token=***"),
        ("https://h/mail@example", "https://h/mail@example"),
        ("see key=value", "see key=value"),
    ],
)
def test_an_address_is_shown_without_its_password(text: str, shown: str) -> None:
    assert masked_text(text) == shown


def test_a_secret_is_hidden_inside_any_text_the_longest_first() -> None:
    assert masked({"note": "use abcdefgh-long or abcdefgh"}, {"abcdefgh", "abcdefgh-long"}) == {
        "note": "use *** or ***"
    }


@given(key=some.text(alphabet="abcdefghkmnpqrs0123456789-_", min_size=8, max_size=40))
def test_no_part_of_a_key_is_left(key: str) -> None:
    values = {"x": [{"api_key": key}], "y": f"<{key}>"}
    left = repr(masked(values, secret_values(values)))
    assert key not in left and key[:6] not in left.replace("api_key", "")
