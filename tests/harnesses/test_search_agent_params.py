from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from harnesses.search_agent_params import NaiveSearchAgentParams


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERPER_API_KEY", raising=False)
    monkeypatch.delenv("JINA_API_KEY", raising=False)


def test_the_defaults_are_those_of_the_specification() -> None:
    params = NaiveSearchAgentParams()
    assert params.tools == ("search", "visit")
    assert (params.max_iterations, params.max_tool_calls_per_turn, params.max_tool_response_length) == (
        50,
        5,
        8192,
    )
    assert (params.max_retry, params.retry_interval, params.request_timeout) == (10, 5.0, 2000.0)
    assert (params.mode, params.sub_agent_max_iterations, params.sub_agent_concurrency) == ("single", 50, 4)
    assert (params.search_backend, params.visit_backend) == ("serper", "jina")
    assert (params.serper_base_url, params.jina_base_url) == (
        "https://google.serper.dev",
        "https://r.jina.ai",
    )
    assert (params.system_prompt, params.agent_prompt, params.corpus_dir) == (None, None, None)
    assert (params.force_final_answer, params.allow_private_addresses, params.tool_model_name) == (
        True,
        False,
        "",
    )


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERPER_API_KEY", "s-1")
    monkeypatch.setenv("JINA_API_KEY", "j-1")
    params = NaiveSearchAgentParams()
    assert (params.serper_api_key, params.jina_api_key) == ("s-1", "j-1")


def test_keys_are_not_in_the_repr() -> None:
    assert "SECRET" not in repr(NaiveSearchAgentParams(serper_api_key="SECRET", jina_api_key="SECRET"))


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (
            {"tools": ("serch",)},
            "there is no tool 'serch'; did you mean 'search'[?] valid tools: search, visit, browse",
        ),
        ({"tools": ("search", "Visit")}, "there is no tool 'Visit'; did you mean 'visit'"),
        ({"tools": ("search", "search")}, "tools names 'search' twice; name it once"),
        ({"tools": ()}, "tools is empty: name some of search, visit, browse, or use the harness openai_chat"),
        (
            {"tools": ("search", "create_sub_agents")},
            "tools names 'create_sub_agents', which comes with mode: multi; leave it out",
        ),
        ({"agent_prompt": "Answer!"}, "agent_prompt 'Answer!' does not hold {problem_statement}"),
        (
            {"serper_base_url": "google.serper.dev"},
            "serper_base_url 'google.serper.dev' is not an http or https",
        ),
        ({"jina_base_url": "https://"}, "jina_base_url 'https://' is not an http or https address"),
    ],
)
def test_what_cannot_work_is_refused(wrong: dict[str, Any], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        NaiveSearchAgentParams(**wrong)


def test_all_faults_are_told_together() -> None:
    with pytest.raises(ValueError, match=r"no tool 'x'.*; agent_prompt .*; jina_base_url"):
        NaiveSearchAgentParams(tools=("x",), agent_prompt="?", jina_base_url="?")


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        pytest.param(
            {},
            [
                "serper_api_key is empty: set SERPER_API_KEY, or search_backend: local",
                "jina_api_key is empty: set JINA_API_KEY, or visit_backend: local",
            ],
            id="no-keys",
        ),
        pytest.param({"serper_api_key": "s", "jina_api_key": "j"}, [], id="both-keys"),
        pytest.param({"serper_api_key": "s", "tools": ("search",)}, [], id="no-page-tool-needs-no-reader"),
        pytest.param({"jina_api_key": "j", "tools": ("browse",)}, [], id="no-search-needs-no-search-key"),
        pytest.param(
            {"search_backend": "local", "visit_backend": "local"},
            ["corpus_dir is not set: the local backends need a folder of documents"],
            id="local-without-a-folder",
        ),
        pytest.param(
            {"search_backend": "local", "visit_backend": "local", "corpus_dir": "no/such/folder"},
            ["corpus_dir 'no/such/folder' is no directory: name a folder of documents"],
            id="no-such-folder",
        ),
    ],
)
def test_missing_names_what_the_chosen_tools_need(given: dict[str, Any], missing: list[str]) -> None:
    assert NaiveSearchAgentParams(**given).missing() == missing


def test_a_folder_that_is_there_is_enough(tmp_path: Path) -> None:
    params = NaiveSearchAgentParams(search_backend="local", visit_backend="local", corpus_dir=str(tmp_path))
    assert params.missing() == []


def test_the_validated_model_takes_a_list_of_tools() -> None:
    validated = TypeAdapter(NaiveSearchAgentParams).validate_python(
        {"tools": ["browse"], "max_iterations": 3}
    )
    assert (validated.tools, validated.max_iterations) == (("browse",), 3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tool": []},
        {"max_iterations": 0},
        {"request_timeout": 0},
        {"tools": "search"},
        {"search_backend": "bing"},
        {"mode": "multiple"},
        {"sub_agent_concurrency": 0},
        {"sub_agent_max_iterations": 0},
    ],
    ids=str,
)
def test_the_validated_model_refuses(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(NaiveSearchAgentParams).validate_python(wrong)
