"""The agent and the judge do not know which protocol they speak."""

from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from protocol_scene import SERVERS, Said, Server, call, says, spec_of
from scripted_endpoint import ScriptedEndpoint, Step

from harnesses.attempt import Attempt, AttemptFailedError, ModelStep, Prompt, StopReason, ToolStep
from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.spec import ApiProtocol, EndpointSpec
from harnesses.naive_search_agent import NaiveSearchAgent
from harnesses.search_agent_params import NaiveSearchAgentParams
from judges.judge import JudgeFailedError
from judges.llm_judge import LLMJudge
from judges.prompts import load_prompt

pytestmark = pytest.mark.asyncio(loop_scope="session")
in_every_protocol = pytest.mark.parametrize("server", SERVERS, ids=[server.protocol for server in SERVERS])

SEARCH = Said(thought="Where?", calls=(call("c1", "search", '{"query": "bridge"}'),), ends="tool_calls")
BOTH = Said(
    calls=(
        call("c2", "visit", '{"url": "local://bridge.md", "goal": "its length"}'),
        call("c3", "search", '{"query": "granite"}'),
    ),
    ends="tool_calls",
)
SUMMARY = Said(text='{"evidence": "42 m long", "summary": "42 m"}')
ANSWER = Said(thought="So 42.", text="FINAL ANSWER: 42")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "bridge.md").write_text("The bridge at Lintholm is 42 m long.", encoding="utf-8")
    return tmp_path


async def run_agent(script: ScriptedEndpoint, server: Server, corpus: Path, **params: Any) -> Attempt:
    local: dict[str, Any] = {"search_backend": "local", "visit_backend": "local", "corpus_dir": str(corpus)}
    seconds = count()
    agent = NaiveSearchAgent(
        NaiveSearchAgentParams(**local, system_prompt="Be brief.", max_retry=1, **params),
        model=spec_of(server),
        transport=script.transport,
        sleep=script.sleep,
        clock=lambda: float(next(seconds)),
    )
    try:
        return await agent.run(Prompt(prompt_id="p", attempt=1, text="How long is it?", folder=corpus))
    finally:
        await agent.aclose()


def played(server: Server, *said: Said | Step) -> ScriptedEndpoint:
    return ScriptedEndpoint(*[says(server, step) if isinstance(step, Said) else step for step in said])


@in_every_protocol
async def test_the_agent_searches_reads_and_answers(server: Server, corpus: Path) -> None:
    script = played(server, SEARCH, BOTH, SUMMARY, ANSWER)
    attempt = await run_agent(script, server, corpus)
    assert attempt.final_message is not None
    assert (attempt.final_message["content"], attempt.stop_reason) == (
        "FINAL ANSWER: 42",
        StopReason.COMPLETED,
    )
    tools = [step for step in attempt.trajectory if isinstance(step, ToolStep)]
    assert [(step.tool, step.call_id, step.failed) for step in tools] == [
        ("search", "c1", False),
        ("visit", "c2", False),
        ("search", "c3", False),
    ]
    assert tools[1].result == "local://bridge.md\nEvidence: 42 m long\nSummary: 42 m"
    one = TokenUsage(input_tokens=10, output_tokens=7, reasoning_tokens=5, n_requests=1)
    assert attempt.usage == {"model": one + one + one, "tools": one}
    assert server.heard(script.bodies[-1]) == [
        ("system", "Be brief."),
        ("user", "How long is it?"),
        ("thought", "Where?"),
        ("call", "c1", "search", {"query": "bridge"}),
        ("tool", "c1", tools[0].result),
        ("call", "c2", "visit", {"url": "local://bridge.md", "goal": "its length"}),
        ("call", "c3", "search", {"query": "granite"}),
        ("tool", "c2", tools[1].result),
        ("tool", "c3", tools[2].result),
    ]
    assert [server.tools(body) for body in script.bodies] == [
        ["search", "visit"],
        ["search", "visit"],
        [],
        ["search", "visit"],
    ]


@in_every_protocol
async def test_the_last_request_asks_for_an_answer_without_tools(server: Server, corpus: Path) -> None:
    script = played(server, SEARCH, ANSWER)
    attempt = await run_agent(script, server, corpus, max_iterations=1)
    assert attempt.stop_reason is StopReason.MAX_ITERATIONS
    assert [step.forced for step in attempt.trajectory if isinstance(step, ModelStep)] == [False, True]
    assert server.tools(script.bodies[-1]) == []
    assert server.heard(script.bodies[-1])[-1] == (
        "user",
        "No tools can be used any more. Give your final answer now, from what you know so far.",
    )


@in_every_protocol
async def test_a_context_that_is_full_ends_in_an_answer(server: Server, corpus: Path) -> None:
    full = server.error("prompt is too long: 9 tokens > 8 maximum", "invalid_request_error")
    script = played(server, SEARCH, httpx.Response(400, json=full), ANSWER)
    attempt = await run_agent(script, server, corpus)
    assert (attempt.stop_reason, attempt.finish_reason) == (StopReason.CONTEXT_OVERFLOW, "stop")


@in_every_protocol
async def test_a_call_that_is_broken_is_told_to_the_model_and_goes_back(server: Server, corpus: Path) -> None:
    broken = Said(calls=(call("c1", "search", '{"query": "len'),), ends="tool_calls")
    script = played(server, broken, ANSWER)
    attempt = await run_agent(script, server, corpus)
    told = 'Error: the arguments are no complete JSON object; write them like {"name": "value"}.'
    assert server.heard(script.bodies[-1])[-1] == ("tool", "c1", told)
    assert attempt.stop_reason is StopReason.COMPLETED


@in_every_protocol
async def test_an_answer_that_is_reasoning_alone_fails_the_attempt(server: Server, corpus: Path) -> None:
    with pytest.raises(AttemptFailedError, match="put its whole reply into the reasoning field"):
        await run_agent(played(server, Said(thought="FINAL ANSWER: 42")), server, corpus)


def judge_of(script: ScriptedEndpoint, server: Server, **params: Any) -> LLMJudge:
    spec = spec_of(server, **params)
    client = EndpointClient(spec, transport=script.transport, sleep=script.sleep)
    return LLMJudge(spec, load_prompt("builtin", "gaia"), client=client)


@in_every_protocol
async def test_the_judge_reads_its_verdict(server: Server) -> None:
    script = played(server, Said(thought="A?", text="They differ.\nFinal Judgment: \\boxed{B} - INCORRECT"))
    judgment = await judge_of(script, server).grade("How many arches?", "seven", "6")
    assert (judgment.verdict.letter, judgment.usage.input_tokens) == ("B", 10)
    ((role, text),) = server.heard(script.bodies[0])
    assert role == "user"
    assert "How many arches?" in text


@in_every_protocol
async def test_a_verdict_that_was_cut_is_asked_for_with_twice_the_limit(server: Server) -> None:
    script = played(server, Said(text="Let me", ends="length"), Said(text="Final Judgment: \\boxed{A}"))
    judgment = await judge_of(script, server, **{server.limit: 256}).grade("How many?", "seven", "7")
    assert judgment.verdict.letter == "A"
    assert [body[server.limit] for body in script.bodies] == [256, 512]


@in_every_protocol
async def test_a_verdict_in_the_reasoning_is_none(server: Server) -> None:
    script = played(server, Said(thought="Final Judgment: \\boxed{A} - CORRECT"))
    with pytest.raises(JudgeFailedError, match="empty content beside reasoning"):
        await judge_of(script, server).grade("How many arches?", "seven", "7")


@in_every_protocol
async def test_a_judge_whose_key_is_refused_stops_the_run(server: Server) -> None:
    refused = httpx.Response(401, json=server.error("invalid x-api-key", "authentication_error"))
    with pytest.raises(JudgeFailedError, match="HTTP 401; check its api_key") as caught:
        await judge_of(played(server, refused), server).grade("How many arches?", "seven", "7")
    assert caught.value.stops_run


async def test_a_protocol_nobody_speaks_is_refused_with_those_we_do() -> None:
    unknown: ApiProtocol = "openai"  # type: ignore[assignment] # pyright: ignore[reportAssignmentType] - the fault under test
    with pytest.raises(
        ValueError,
        match="api_protocol 'openai' is unknown; it must be one of openai-chat, openai-responses, anthropic",
    ):
        EndpointSpec(id="m-1", base_url="http://model.test/v1", api_protocol=unknown)
