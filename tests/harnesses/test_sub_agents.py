"""Mode `multi` of `naive_search_agent`: who is told what, and what comes back."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from scripted_services import ScriptedServices, calls, run_agent, says
from several_agents import MAIN, READER, SEARCH, SeveralAgents, hands_out, reports, told

from harnesses.attempt import StopReason, ToolStep, step_from_json
from harnesses.endpoint.messages import TokenUsage


def tool_names(body: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in body["tools"]]


@pytest.mark.asyncio
async def test_sub_agents_report_to_the_main_agent_who_answers() -> None:
    services = SeveralAgents(
        {MAIN: [hands_out("a", "b"), says("42")], "a": [SEARCH, says("from a")], "b": [says("from b")]}
    )
    attempt = await run_agent(services, mode="multi")
    assert services.tool_messages() == ["Sub-agent 1:\nfrom a\n\nSub-agent 2:\nfrom b"]
    assert attempt.final_message == {"role": "assistant", "content": "42"}
    assert attempt.stop_reason is StopReason.COMPLETED


@pytest.mark.asyncio
async def test_the_main_agent_is_told_of_sub_agents_and_has_every_tool() -> None:
    services = SeveralAgents({MAIN: [says("42")]})
    await run_agent(services, mode="multi")
    system, question = services.bodies()[0]["messages"]
    assert "create_sub_agents" in system["content"]
    assert question == {"role": "user", "content": MAIN}
    assert tool_names(services.bodies()[0]) == ["search", "visit", "create_sub_agents"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("system_prompt", "sent"),
    [
        pytest.param("Be brief.", [{"role": "system", "content": "Be brief."}], id="own"),
        pytest.param("", [], id="empty"),
    ],
)
async def test_a_system_prompt_of_the_user_takes_the_place_of_ours(
    system_prompt: str, sent: list[dict[str, str]]
) -> None:
    services = SeveralAgents({MAIN: [says("42")]})
    await run_agent(services, mode="multi", system_prompt=system_prompt)
    assert services.bodies()[0]["messages"] == [*sent, {"role": "user", "content": MAIN}]


@pytest.mark.asyncio
async def test_a_sub_agent_knows_its_task_alone_and_cannot_create_others() -> None:
    services = SeveralAgents({MAIN: [hands_out("a"), says("42")], "a": [SEARCH, says("from a")]})
    await run_agent(services, mode="multi", agent_prompt=None, system_prompt="Level {level}.")
    first, second = services.requests_of("a")
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert "another agent" in first["messages"][0]["content"]
    assert MAIN not in json.dumps(first) and "Level" not in json.dumps(first)
    assert tool_names(first) == tool_names(second) == ["search", "visit"]


@pytest.mark.asyncio
async def test_a_sub_agent_that_calls_create_sub_agents_is_told_that_there_is_no_such_tool() -> None:
    services = SeveralAgents({MAIN: [hands_out("a"), says("42")], "a": [hands_out("b"), says("from a")]})
    attempt = await run_agent(services, mode="multi")
    assert services.asked == [MAIN, "a", "a", MAIN]
    refused = next(step for step in attempt.trajectory if isinstance(step, ToolStep))
    assert (refused.sub_agent, refused.result) == (
        1,
        "Error: there is no tool 'create_sub_agents'; the tools are search, visit.",
    )
    assert attempt.issues == ("create_sub_agents failed once",)


@pytest.mark.asyncio
async def test_a_single_agent_has_no_sub_agents() -> None:
    services = ScriptedServices(hands_out("a"), says("42"))
    attempt = await run_agent(services)
    assert services.bodies()[0]["messages"] == [{"role": "user", "content": MAIN}]
    assert services.tool_messages() == [
        "Error: there is no tool 'create_sub_agents'; the tools are search, visit."
    ]
    assert "n_sub_agents" not in attempt.meta


@pytest.mark.asyncio
async def test_with_concurrency_1_sub_agents_work_one_after_the_other() -> None:
    services = SeveralAgents(
        {
            MAIN: [hands_out("a", "b"), says("42")],
            "a": [SEARCH, SEARCH, says("from a")],
            "b": [SEARCH, says("from b")],
        }
    )
    await run_agent(services, mode="multi", sub_agent_concurrency=1)
    assert services.asked == [MAIN, "a", "a", "a", "b", "b", MAIN]


@pytest.mark.asyncio
async def test_with_concurrency_2_two_work_at_once_and_a_third_waits() -> None:
    first_two_are_here = asyncio.Barrier(2)
    n_ended = 0

    async def meet(request: httpx.Request) -> httpx.Response:
        nonlocal n_ended
        async with asyncio.timeout(10):  # never reached, unless one waits for the other
            await first_two_are_here.wait()
        await asyncio.sleep(0)  # a third that did not wait would ask now
        n_ended += 1
        return says("met")

    async def come_third(request: httpx.Request) -> httpx.Response:
        return says("third" if n_ended else "too early")

    services = SeveralAgents(
        {MAIN: [hands_out("a", "b", "c"), says("42")], "a": [meet], "b": [meet], "c": [come_third]}
    )
    attempt = await run_agent(services, mode="multi", sub_agent_concurrency=2)
    assert reports(attempt) == ["Sub-agent 1:\nmet\n\nSub-agent 2:\nmet\n\nSub-agent 3:\nthird"]


@pytest.mark.asyncio
async def test_reports_come_in_the_order_of_the_tasks_whoever_ends_first() -> None:
    b_has_ended = asyncio.Event()

    async def wait(request: httpx.Request) -> httpx.Response:
        async with asyncio.timeout(10):  # never reached, unless b waits for a
            await b_has_ended.wait()
        return says("from a")

    async def end(request: httpx.Request) -> httpx.Response:
        b_has_ended.set()
        return says("from b")

    services = SeveralAgents({MAIN: [hands_out("a", "b"), says("42")], "a": [wait], "b": [end]})
    attempt = await run_agent(services, mode="multi")
    assert reports(attempt) == ["Sub-agent 1:\nfrom a\n\nSub-agent 2:\nfrom b"]
    assert told(attempt) == [
        (None, "model"),
        (1, "model"),
        (2, "model"),
        (None, "create_sub_agents"),
        (None, "model"),
    ]


@pytest.mark.asyncio
async def test_two_calls_of_a_turn_share_the_concurrency_and_count_on() -> None:
    both = calls(("create_sub_agents", {"tasks": ["a"]}), ("create_sub_agents", {"tasks": ["b"]}))
    services = SeveralAgents(
        {MAIN: [both, says("42")], "a": [SEARCH, says("from a")], "b": [SEARCH, says("from b")]}
    )
    attempt = await run_agent(services, mode="multi", sub_agent_concurrency=1)
    assert services.asked == [MAIN, "a", "a", "b", "b", MAIN]
    assert reports(attempt) == ["Sub-agent 1:\nfrom a", "Sub-agent 2:\nfrom b"]


@pytest.mark.asyncio
async def test_a_call_of_create_sub_agents_is_one_call_of_a_turn() -> None:
    turn = calls(("create_sub_agents", {"tasks": ["a", "b"]}), ("search", {"query": "x"}))
    services = SeveralAgents({MAIN: [turn, says("42")], "a": [says("from a")], "b": [says("from b")]})
    await run_agent(services, mode="multi", max_tool_calls_per_turn=1)
    assert services.tool_messages() == [
        "Sub-agent 1:\nfrom a\n\nSub-agent 2:\nfrom b",
        "Error: not run, at most 1 calls in a turn. Call again if needed.",
    ]


@pytest.mark.asyncio
async def test_a_wrong_call_is_told_to_the_main_agent_and_costs_no_sub_agent() -> None:
    services = SeveralAgents({MAIN: [hands_out(), says("42")]})
    attempt = await run_agent(services, mode="multi")
    assert services.tool_messages() == [
        "Error: tasks is missing: give a list of texts, one for each sub-agent."
    ]
    assert attempt.n_tool_failures == 1
    assert attempt.meta["n_sub_agents"] == 0


@pytest.mark.asyncio
async def test_what_a_sub_agent_thought_is_not_reported() -> None:
    services = SeveralAgents(
        {MAIN: [hands_out("a"), says("42")], "a": [says("<think>Perhaps 41?</think>\nIt is 42.")]}
    )
    assert reports(await run_agent(services, mode="multi")) == ["Sub-agent 1:\nIt is 42."]


@pytest.mark.asyncio
async def test_the_work_of_sub_agents_is_counted() -> None:
    visit = calls(("visit", {"url": "http://a.test", "goal": "g"}))
    services = SeveralAgents(
        {
            MAIN: [hands_out("a", "b"), hands_out("c"), says("42")],
            "a": [SEARCH, says("from a")],
            "b": [calls(("search", {})), says("from b")],
            "c": [visit, says("from c")],
            READER: [says("a summary")],
        }
    )
    attempt = await run_agent(services, mode="multi")
    assert attempt.usage == {
        "model": TokenUsage(input_tokens=90, output_tokens=18, n_requests=9),
        "tools": TokenUsage(input_tokens=10, output_tokens=2, n_requests=1),
    }
    assert (attempt.n_tool_calls, attempt.n_tool_failures) == (5, 1)
    assert attempt.issues == ("search failed once",)
    assert (attempt.meta["n_iterations"], attempt.meta["n_sub_agents"]) == (3, 3)


@pytest.mark.asyncio
async def test_the_trajectory_tells_which_sub_agent_did_what_and_can_be_read_back() -> None:
    services = SeveralAgents(
        {
            MAIN: [SEARCH, hands_out("a", "b"), hands_out("c"), says("42")],
            "a": [SEARCH, says("from a")],
            "b": [says("from b")],
            "c": [says("from c")],
        }
    )
    attempt = await run_agent(services, mode="multi")
    assert told(attempt) == [
        (None, "model"),
        (None, "search"),
        (None, "model"),
        (1, "model"),
        (1, "search"),
        (1, "model"),
        (2, "model"),
        (None, "create_sub_agents"),
        (None, "model"),
        (3, "model"),
        (None, "create_sub_agents"),
        (None, "model"),
    ]
    written = json.loads(json.dumps([step.to_json() for step in attempt.trajectory]))
    assert tuple(map(step_from_json, written)) == attempt.trajectory
    assert ["sub_agent" in step for step in written[:4]] == [False, False, False, True]


@pytest.mark.asyncio
async def test_the_answer_is_never_a_report() -> None:
    services = SeveralAgents({MAIN: [hands_out("a")], "a": [says("FINAL ANSWER: 42")]})
    attempt = await run_agent(services, mode="multi", max_iterations=1, force_final_answer=False)
    assert (attempt.final_message, attempt.finish_reason) == (None, None)
    assert attempt.stop_reason is StopReason.MAX_ITERATIONS
