"""The parameters of `naive_search_agent`."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from annotated_types import Ge, Gt
from typing_extensions import Doc

from harnesses.prompt_template import template_faults
from harnesses.tools.jina import JINA_BASE_URL, JINA_VARIABLE
from harnesses.tools.serper import SERPER_BASE_URL, SERPER_VARIABLE

TOOL_NAMES = ("search", "visit", "browse")


def _variable(name: str) -> Callable[[], str]:
    return lambda: os.environ.get(name, "")


@dataclass(frozen=True, kw_only=True)
class NaiveSearchAgentParams:
    """How the agent searches, reads and ends.

    Raises:
        ValueError: A misspelt tool, a template without ``{problem_statement}``, a wrong address.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    tools: Annotated[
        tuple[str, ...],
        Doc(
            "Tools the model may call: `search`, `visit` (pages read for a goal), `browse` (the page itself)."
        ),
    ] = ("search", "visit")
    mode: Annotated[
        Literal["single", "multi"],
        Doc(
            "`single`: one agent. `multi`: it may also hand tasks to sub-agents with `create_sub_agents`, at "
            "most 10 in a call. All are paid for: a call can take 10 times sub_agent_max_iterations requests."
        ),
    ] = "single"
    max_iterations: Annotated[
        int, Ge(1), Doc("Model requests with tools in an attempt; past them it is asked for its answer.")
    ] = 50
    max_tool_calls_per_turn: Annotated[
        int, Ge(1), Doc("Tool calls of one reply that are run; further ones are answered with an error.")
    ] = 5
    max_tool_response_length: Annotated[
        int,
        Ge(1),
        Doc("Units (a word, or one other character) a tool result is cut to; head and tail are kept."),
    ] = 8192
    max_retry: Annotated[
        int, Ge(0), Doc("Times a failed request is sent again, to the model and to the search service.")
    ] = 10
    retry_interval: Annotated[
        float, Ge(0), Doc("Seconds before the first retry; doubles with each, up to 60.")
    ] = 5.0
    request_timeout: Annotated[
        float, Gt(0), Doc("Seconds one model request may take; searches and pages get at most 120.")
    ] = 2000.0
    tool_model_name: Annotated[
        str, Doc("Model id, at the same endpoint, that reads visited pages. Empty: the model under test.")
    ] = ""
    sub_agent_max_iterations: Annotated[
        int,
        Ge(1),
        Doc(
            "For mode `multi`: model requests with tools of one sub-agent, beside the main agent's; past "
            "them it is asked once for its report."
        ),
    ] = 50
    sub_agent_concurrency: Annotated[
        int,
        Ge(1),
        Doc(
            "For mode `multi`: sub-agents of an attempt at work at once; further ones wait. The endpoint "
            "gets up to this many times task_concurrency requests at once."
        ),
    ] = 4
    force_final_answer: Annotated[
        bool,
        Doc(
            "Whether one last request without tools asks for an answer when iterations, time or context run "
            "out. False: such an attempt has no answer."
        ),
    ] = True
    search_backend: Annotated[
        Literal["serper", "local"], Doc("Who searches: Serper, or the documents of corpus_dir.")
    ] = "serper"
    visit_backend: Annotated[
        Literal["jina", "local"],
        Doc("Who opens pages: Jina Reader, or corpus_dir. `local://` addresses always come from corpus_dir."),
    ] = "jina"
    system_prompt: Annotated[
        str | None,
        Doc(
            "First message; may hold `{problem_statement}` and the benchmark's own word: `{level}` for GAIA, "
            "`{topic}` for SealQA. Null: none is sent, or in mode `multi` one on sub-agents; empty: none. "
            "It does not reach sub-agents."
        ),
    ] = None
    agent_prompt: Annotated[
        str | None,
        Doc(
            "Template of the question, with `{problem_statement}` and, if wanted, the benchmark's own word: "
            "`{level}` for GAIA, `{topic}` for SealQA. Null: the question alone."
        ),
    ] = None
    serper_api_key: Annotated[
        str, Doc("Key of Serper; from SERPER_API_KEY if not given. Masked everywhere.")
    ] = field(default_factory=_variable(SERPER_VARIABLE), repr=False)
    serper_base_url: Annotated[str, Doc("Address of the search service.")] = SERPER_BASE_URL
    jina_api_key: Annotated[
        str, Doc("Key of Jina Reader; from JINA_API_KEY if not given. Masked everywhere.")
    ] = field(default_factory=_variable(JINA_VARIABLE), repr=False)
    jina_base_url: Annotated[str, Doc("Address of the page service.")] = JINA_BASE_URL
    corpus_dir: Annotated[
        str | None, Doc("Folder of .md, .txt, .html and .json documents for the `local` backends.")
    ] = None
    allow_private_addresses: Annotated[
        bool, Doc("Lets the model open addresses of this machine and of private networks.")
    ] = False

    def __post_init__(self) -> None:
        faults = [
            *_tool_faults(self.tools),
            *template_faults("agent_prompt", self.agent_prompt),
            *_address_faults("serper_base_url", self.serper_base_url),
            *_address_faults("jina_base_url", self.jina_base_url),
        ]
        if faults:
            raise ValueError("; ".join(faults))

    @property
    def opens_pages(self) -> bool:
        """Whether a tool is chosen that needs the page backend."""
        return bool({"visit", "browse"} & set(self.tools))

    def missing(self) -> list[str]:
        """Keys and the corpus that the chosen tools need and that are not there, one line each."""
        searches_web = "search" in self.tools and self.search_backend == "serper"
        opens_web = self.opens_pages and self.visit_backend == "jina"
        is_local = "local" in {
            self.search_backend if "search" in self.tools else "",
            self.visit_backend if self.opens_pages else "",
        }
        lines: list[str] = []
        if searches_web and not self.serper_api_key:
            lines.append(f"serper_api_key is empty: set {SERPER_VARIABLE}, or search_backend: local")
        if opens_web and not self.jina_api_key:
            lines.append(f"jina_api_key is empty: set {JINA_VARIABLE}, or visit_backend: local")
        if is_local and self.corpus_dir is None:
            lines.append("corpus_dir is not set: the local backends need a folder of documents")
        elif self.corpus_dir is not None and not Path(self.corpus_dir).is_dir():
            lines.append(f"corpus_dir {self.corpus_dir!r} is no directory: name a folder of documents")
        return lines


def _tool_faults(tools: tuple[str, ...]) -> list[str]:
    valid = ", ".join(TOOL_NAMES)
    if not tools:
        return [f"tools is empty: name some of {valid}, or use the harness openai_chat"]
    faults: list[str] = []
    for name in dict.fromkeys(tools):
        if name == "create_sub_agents":
            faults.append("tools names 'create_sub_agents', which comes with mode: multi; leave it out")
        elif name not in TOOL_NAMES:
            near = get_close_matches(name.lower(), TOOL_NAMES, n=1, cutoff=0.0)[0]
            faults.append(f"there is no tool {name!r}; did you mean {near!r}? valid tools: {valid}")
        elif tools.count(name) > 1:
            faults.append(f"tools names {name!r} twice; name it once")
    return faults


def _address_faults(name: str, url: str) -> list[str]:
    parts = urlsplit(url)
    if parts.scheme in {"http", "https"} and parts.hostname:
        return []
    return [f"{name} {url!r} is not an http or https address; write it like https://service.example"]
