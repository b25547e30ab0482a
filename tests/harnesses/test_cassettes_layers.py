"""The layers between request and attempt: a replay gives the same attempt, and none swallows a miss."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from scripted_services import MODEL, PAGES_URL, SEARCH_URL, ScriptedServices, calls, no_wait, refuses, says
from several_agents import MAIN, SEARCH, SeveralAgents, hands_out

from harnesses.attempt import Attempt, AttemptFailedError, Prompt
from harnesses.endpoint.cassettes import recording, replaying
from harnesses.endpoint.json_values import as_object
from harnesses.endpoint.network import Network
from harnesses.naive_search_agent import NaiveSearchAgent
from harnesses.openai_chat import OpenAIChat, OpenAIChatParams
from harnesses.search_agent_params import NaiveSearchAgentParams

pytestmark = pytest.mark.asyncio
PAGE = "http://lintholm.test/bridge"
PROMPT = Prompt(prompt_id="p", attempt=1, text=MAIN, folder=Path("unused"), fields={"level": "2"})


async def examined(network: Network, **params: Any) -> Attempt:
    given: dict[str, Any] = {
        "serper_api_key": "s",
        "jina_api_key": "j",
        "max_retry": 1,
        "tool_model_name": "reader-1",
    }
    given["tool_model_name"] = "reader-1"
    addresses: dict[str, Any] = {"serper_base_url": SEARCH_URL, "jina_base_url": PAGES_URL}
    agent = NaiveSearchAgent(
        NaiveSearchAgentParams(**{**given, **addresses, **params}),
        model=MODEL,
        network=network,
        clock=lambda: 0.0,
    )
    try:
        return await agent.run(PROMPT)
    finally:
        await agent.aclose()


async def recorded(services: ScriptedServices, folder: Path, **params: Any) -> Attempt:
    network = Network(connect=lambda _: services.transport, sleep=no_wait)
    return await examined(recording(network, folder), **params)


def without(folder: Path, is_gone: Callable[[dict[str, Any]], bool]) -> None:
    """Take exchanges off the tape."""
    tape = folder / "_session.jsonl"
    lines = [json.loads(line) for line in tape.read_text().splitlines()]
    kept = [line for line in lines if not is_gone(line)]
    assert len(kept) < len(lines)
    tape.write_text("".join(json.dumps(line) + "\n" for line in kept))


def searching_and_reading() -> ScriptedServices:
    return ScriptedServices(
        calls(("search", {"query": "bridge"}), ("visit", {"url": PAGE, "goal": "length"})),
        says('{"evidence": "42 m", "summary": "it is 42 m long"}'),
        calls(("browse", {"url": PAGE})),
        says("42 m"),
    )


async def test_a_replayed_attempt_is_the_recorded_one(tmp_path: Path) -> None:
    tools = ("search", "visit", "browse")
    first = await recorded(searching_and_reading(), tmp_path, tools=tools)
    again = await examined(replaying(tmp_path), tools=tools)
    assert again == first
    assert again.n_tool_calls == 3 and again.n_tool_failures == 0


@pytest.mark.parametrize(
    ("path", "model", "told"),
    [
        ("/chat/completions", "m-1", r"POST /chat/completions \(model 'm-1', 1 message\)"),
        ("/chat/completions", "reader-1", r"POST /chat/completions \(model 'reader-1', 1 message\)"),
        ("/search", None, "POST /search"),
        (f"/{PAGE}", None, r"GET /… \(a page\)"),
    ],
    ids=["model", "tool model", "search", "page"],
)
async def test_a_miss_of_any_service_ends_the_attempt(
    tmp_path: Path, path: str, model: str | None, told: str
) -> None:
    tools = ("search", "visit", "browse")
    await recorded(searching_and_reading(), tmp_path, tools=tools)
    without(tmp_path, lambda line: line["path"] == path and as_object(line["body"]).get("model") == model)
    with pytest.raises(AttemptFailedError, match=f"_session.jsonl' holds no reply to {told}") as caught:
        await examined(replaying(tmp_path), tools=tools)
    assert not caught.value.stops_run


async def test_a_miss_of_a_browsed_page_ends_the_attempt(tmp_path: Path) -> None:
    services = ScriptedServices(calls(("browse", {"url": PAGE})), says("42 m"))
    await recorded(services, tmp_path, tools=("browse",))
    without(tmp_path, lambda line: line["path"] == f"/{PAGE}")
    with pytest.raises(AttemptFailedError, match=r"holds no reply to GET /… \(a page\); record it again"):
        await examined(replaying(tmp_path), tools=("browse",))


async def test_a_miss_at_the_forced_answer_ends_the_attempt(tmp_path: Path) -> None:
    services = ScriptedServices(calls(("search", {"query": "bridge"})), says("42 m"))
    await recorded(services, tmp_path, tools=("search",), max_iterations=1)
    without(tmp_path, lambda line: len(line["body"].get("messages", ())) > 1)
    with pytest.raises(AttemptFailedError, match=r"\(model 'm-1', 4 messages\); record it again"):
        await examined(replaying(tmp_path), tools=("search",), max_iterations=1)


def several_agents() -> SeveralAgents:
    return SeveralAgents(
        {
            MAIN: [hands_out("a", "b"), says("42")],
            "a": [SEARCH, says("from a")],
            "b": [SEARCH, says("from b")],
        }
    )


async def test_an_attempt_with_sub_agents_is_replayed(tmp_path: Path) -> None:
    first = await recorded(several_agents(), tmp_path, mode="multi")
    again = await examined(replaying(tmp_path), mode="multi")
    assert again == first
    assert again.final_message == {"role": "assistant", "content": "42"}


async def test_a_miss_of_a_sub_agent_ends_the_attempt(tmp_path: Path) -> None:
    await recorded(several_agents(), tmp_path, mode="multi")
    without(tmp_path, lambda line: line["body"].get("messages", [{}])[-1].get("content") == "b")
    with pytest.raises(
        AttemptFailedError, match=r"holds no reply to POST /chat/completions \(model 'm-1', 2 mess"
    ):
        await examined(replaying(tmp_path), mode="multi")


async def test_trouble_that_ended_all_sub_agents_is_the_same_trouble(tmp_path: Path) -> None:
    """One sub-agent meets an outage; the request of the other one is cancelled, and is so again."""
    hangs = asyncio.Event()

    async def hang(_: httpx.Request) -> httpx.Response:
        hangs.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def down(_: httpx.Request) -> httpx.Response:
        await hangs.wait()
        return refuses(503)

    services = SeveralAgents({MAIN: [hands_out("a", "b")], "a": [hang], "b": [down, down]})
    told = r"HTTP 503, 2 requests; check the server, or raise max_retry"
    with pytest.raises(AttemptFailedError, match=told) as first:
        await recorded(services, tmp_path, mode="multi")
    with pytest.raises(AttemptFailedError, match=told) as again:
        await examined(replaying(tmp_path), mode="multi")
    assert str(again.value) == str(first.value)


async def test_openai_chat_is_replayed_and_ends_with_a_miss(tmp_path: Path) -> None:
    network = Network(connect=lambda _: ScriptedServices(says("42")).transport)
    chat = OpenAIChat(OpenAIChatParams(), model=MODEL, network=recording(network, tmp_path))
    await chat.run(PROMPT)
    again = OpenAIChat(OpenAIChatParams(), model=MODEL, network=replaying(tmp_path))
    assert (await again.run(PROMPT)).final_message == {"role": "assistant", "content": "42"}
    with pytest.raises(AttemptFailedError, match=r"\(model 'm-1', 1 message\), the 2nd such request; record"):
        await again.run(PROMPT)
