"""No key is shown: not by a repr, not in the effective configuration, not by a refusal."""

import json
from pathlib import Path
from typing import Any

import pytest
from configuration_scene import JUDGE, bent, sound, yaml_file

from benchmarks.configuration.model import Configuration

KEYS = {
    "MODEL_API_KEY": "sk-of-the-model",
    "JUDGE_API_KEY": "sk-of-the-judge",
    "SERPER_API_KEY": "key-of-serper",
    "JINA_API_KEY": "key-of-jina",
    "HF_TOKEN": "hf_of_the_hub",
}
HEADER = "key-in-a-header"


@pytest.fixture
def made() -> Configuration:
    return sound(
        harness="naive_search_agent",
        environ=KEYS,
        model_params=json.dumps({"extra_headers": {"Authorization": f"Bearer {HEADER}"}, "max_tokens": 9}),
        harness_params=json.dumps({"serper_base_url": "https://me:password-of-mine@search.example"}),
    )


SECRETS = {*KEYS.values(), HEADER, f"Bearer {HEADER}", "password-of-mine"}


def test_secrets_are_all_keys_wherever_they_came_from(made: Configuration) -> None:
    assert made.secrets == SECRETS


def test_the_effective_configuration_shows_no_key(made: Configuration) -> None:
    shown = json.dumps(made.effective)
    assert not [secret for secret in SECRETS if secret in shown]
    assert made.effective["model"]["api_key"] == "***"
    assert made.effective["model"]["params"] == {"extra_headers": {"Authorization": "***"}, "max_tokens": 9}
    searcher = made.effective["benchmarks"]["gaia"]["harness"]["params"]
    assert searcher["serper_api_key"] == searcher["jina_api_key"] == "***"
    assert searcher["serper_base_url"] == "https://***@search.example"


def test_no_repr_shows_a_key(made: Configuration) -> None:
    choice = made.choices["gaia"]
    for value in (made, made.model, choice, choice.params.judge_model):
        assert not [key for key in {*KEYS.values(), HEADER} if key in repr(value)]


def test_an_empty_key_is_shown_as_empty() -> None:
    assert sound().effective["model"]["api_key"] == ""


def test_a_key_from_a_variable_in_a_file_is_a_secret_under_any_name(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "model: {params: {user: '${GATEWAY_TOKEN}'}}")
    made = sound(file, environ={"GATEWAY_TOKEN": "gateway-token-1"})
    assert "gateway-token-1" in made.secrets
    assert made.effective["model"]["params"] == {"user": "***"}


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"benchmark_params": '{"judge_model": {"api_key": ["sk-1234567890"]}}'}, id="a list"),
        pytest.param(
            {"benchmark_params": '{"judge_model": "sk-1234567890", "token": "sk-1234567890"}'}, id="text"
        ),
        pytest.param({"benchmark_params": '{"api_key": "sk-1234567890"}'}, id="an unknown key"),
        pytest.param({"harness_params": '{"serper_key": "sk-1234567890"}'}, id="a misspelt key"),
        pytest.param({"harness_params": '{"serper_api_key": sk-1234567890}'}, id="malformed JSON"),
        pytest.param({"model_base_url": "https://me:sk-1234567890@h/v1"}, id="a password in an address"),
        pytest.param({"model_base_url": "ftp://h/v1?key=sk-1234567890"}, id="a key in an address"),
        pytest.param({"model_api_key": "sk-1234567890 "}, id="a key with a blank"),
    ],
)
def test_no_refusal_shows_a_key(given: dict[str, Any]) -> None:
    assert "1234567890" not in "\n".join(bent(**given))


def test_a_dry_run_keeps_the_judges_key_secret() -> None:
    judge = {**JUDGE, "api_key": "sk-of-the-judge"}
    made = sound(needs_model=False, benchmark_params=json.dumps({"judge_model": judge}))
    assert made.secrets == {"sk-of-the-judge"}
