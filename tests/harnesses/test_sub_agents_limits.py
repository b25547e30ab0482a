"""How sub-agents end when iterations, time, the endpoint or a service run out."""

import asyncio
import time
from collections.abc import Callable

import httpx
import pytest
from scripted_services import OVERFLOW, Reply, always, calls, refuses, run_agent, says
from several_agents import MAIN, SEARCH, SeveralAgents, hands_out, reports, told

from harnesses.attempt import AttemptFailedError, StopReason, ToolStep

FILTERED = refuses(400, error={"message": "blocked", "code": "content_filter"})


async def never(request: httpx.Request) -> httpx.Response:
    await asyncio.Event().wait()
    raise AssertionError("woken")


@pytest.fixture
def lost_until(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], Reply]:
    """A request without an end, during which the loop's clock goes on by so many seconds."""

    def at(seconds: float) -> Reply:
        async def wait(request: httpx.Request) -> httpx.Response:
            monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: time.monotonic() + seconds)
            return await never(request)

        return wait

    return at


@pytest.mark.asyncio
async def test_at_its_last_iteration_a_sub_agent_is_asked_once_for_its_report() -> None:
    services = SeveralAgents({MAIN: [hands_out("a"), says("42")], "a": [SEARCH, SEARCH, says("half")]})
    attempt = await run_agent(services, mode="multi", sub_agent_max_iterations=2)
    assert reports(attempt) == ["Sub-agent 1 (cut short: max_iterations):\nhalf"]
    last = services.requests_of("a")[-1]
    assert "tools" not in last
    assert "final answer" in last["messages"][-1]["content"]


@pytest.mark.asyncio
async def test_without_forced_answers_a_sub_agent_at_its_last_iteration_reports_nothing() -> None:
    services = SeveralAgents({MAIN: [hands_out("a"), says("42")], "a": [SEARCH]})
    attempt = await run_agent(services, mode="multi", sub_agent_max_iterations=1, force_final_answer=False)
    assert reports(attempt) == ["Sub-agent 1:\nError: no report, it stopped at max_iterations."]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("reply", "line", "cause"),
    [
        pytest.param([FILTERED], "a request of it failed", "content filter", id="filtered"),
        pytest.param(
            [httpx.Response(200, text="<html>")] * 2, "a request of it failed", "HTML", id="malformed"
        ),
        pytest.param([says("  ")], "its last message is empty", "its last message is empty", id="empty"),
        pytest.param(
            [says(None, reasoning_content="42")],
            "its last message is empty",
            "into the reasoning field",
            id="hidden",
        ),
    ],
)
async def test_a_sub_agent_that_fails_says_so_in_its_place(reply: list[Reply], line: str, cause: str) -> None:
    services = SeveralAgents({MAIN: [hands_out("a", "b"), says("42")], "a": reply, "b": [says("from b")]})
    attempt = await run_agent(services, mode="multi", sub_agent_concurrency=1)
    assert reports(attempt) == [f"Sub-agent 1:\nError: no report, {line}.\n\nSub-agent 2:\nfrom b"]
    assert attempt.n_tool_failures == 0
    (issue,) = attempt.issues
    assert issue.startswith("no report of a sub-agent once: ") and cause in issue


@pytest.mark.asyncio
async def test_a_call_whose_sub_agents_all_fail_is_a_failed_call() -> None:
    services = SeveralAgents({MAIN: [hands_out("a", "b"), says("42")], "a": [says("")], "b": [says("")]})
    attempt = await run_agent(services, mode="multi")
    assert attempt.n_tool_failures == 1
    assert attempt.issues == (
        "create_sub_agents failed once",
        "no report of a sub-agent 2 times: its last message is empty",
    )


@pytest.mark.asyncio
async def test_before_the_time_budget_sub_agents_are_asked_for_what_they_know(
    lost_until: Callable[[float], Reply],
) -> None:
    services = SeveralAgents(
        {MAIN: [hands_out("a"), says("42")], "a": [SEARCH, lost_until(850.0), says("half")]}
    )
    attempt = await run_agent(services, mode="multi", time_budget_s=1000.0)
    assert reports(attempt) == ["Sub-agent 1 (cut short: time_budget):\nhalf"]
    assert "tools" not in services.requests_of("a")[-1]
    assert attempt.stop_reason is StopReason.COMPLETED


@pytest.mark.asyncio
async def test_a_sub_agent_whose_turn_comes_too_late_is_not_started(
    lost_until: Callable[[float], Reply],
) -> None:
    services = SeveralAgents(
        {MAIN: [hands_out("a", "b"), says("42")], "a": [lost_until(850.0), says("half")]}
    )
    attempt = await run_agent(services, mode="multi", time_budget_s=1000.0, sub_agent_concurrency=1)
    assert reports(attempt) == [
        "Sub-agent 1 (cut short: time_budget):\nhalf\n\nSub-agent 2:\nError: no report, its time ended."
    ]


@pytest.mark.asyncio
async def test_sub_agents_are_cut_off_in_time_for_the_reports_that_came(
    lost_until: Callable[[float], Reply],
) -> None:
    services = SeveralAgents(
        {MAIN: [hands_out("a", "b"), says("42")], "a": [says("from a")], "b": [SEARCH, lost_until(950.0)]}
    )
    attempt = await run_agent(services, mode="multi", time_budget_s=1000.0, sub_agent_concurrency=1)
    assert reports(attempt) == ["Sub-agent 1:\nfrom a\n\nSub-agent 2:\nError: no report, its time ended."]
    assert (2, "search") in told(attempt)
    assert attempt.issues == ("no report of a sub-agent once: its time ended",)


@pytest.mark.asyncio
async def test_a_report_that_takes_too_long_is_given_up(lost_until: Callable[[float], Reply]) -> None:
    busy = httpx.Response(503, headers={"Retry-After": "110"})
    services = SeveralAgents({MAIN: [hands_out("a"), says("42")], "a": [lost_until(850.0), busy]})
    attempt = await run_agent(services, mode="multi", time_budget_s=1000.0)
    assert reports(attempt) == ["Sub-agent 1:\nError: no report, its time ended."]


@pytest.mark.asyncio
async def test_past_the_time_budget_all_end_and_the_main_agent_is_asked_for_its_answer(
    lost_until: Callable[[float], Reply],
) -> None:
    services = SeveralAgents(
        {MAIN: [hands_out("a", "b"), says("42")], "a": [SEARCH, never], "b": [lost_until(1500.0)]}
    )
    attempt = await run_agent(services, mode="multi", time_budget_s=1000.0)
    assert attempt.stop_reason is StopReason.TIME_BUDGET
    assert attempt.final_message == {"role": "assistant", "content": "42"}
    assert told(attempt) == [
        (None, "model"),
        (1, "model"),
        (1, "search"),
        (None, "create_sub_agents"),
        (None, "model"),
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("reply", "stops_run", "n_requests"),
    [
        pytest.param([refuses(401)], True, 2, id="refused-key"),
        pytest.param([refuses(503)] * 2, False, 3, id="down"),
    ],
)
async def test_an_endpoint_that_fails_for_all_ends_the_attempt_and_every_sub_agent(
    reply: list[Reply], stops_run: bool, n_requests: int
) -> None:
    services = SeveralAgents({MAIN: [hands_out("a", "b", "c")], "a": [never], "b": reply, "c": []})
    with pytest.raises(AttemptFailedError) as failed:
        await run_agent(services, mode="multi", sub_agent_concurrency=2)
    assert failed.value.stops_run is stops_run
    assert failed.value.partial.usage["model"].n_requests == n_requests
    assert reports(failed.value.partial) == ["Error: not finished."]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "stops_run", "line"),
    [
        pytest.param(403, True, "set SERPER_API_KEY to a valid key", id="refused-key"),
        pytest.param(503, False, "still failed after 2", id="down"),
    ],
)
async def test_a_search_service_that_fails_a_sub_agent_ends_the_attempt(
    status: int, stops_run: bool, line: str
) -> None:
    services = SeveralAgents(
        {MAIN: [hands_out("a", "b")], "a": [never], "b": [SEARCH]}, search=always(status, message="no")
    )
    with pytest.raises(AttemptFailedError, match=line) as failed:
        await run_agent(services, mode="multi")
    assert failed.value.stops_run is stops_run
    steps = failed.value.partial.trajectory
    assert [(step.sub_agent, step.result) for step in steps if isinstance(step, ToolStep)] == [
        (2, "Error: not finished."),
        (None, "Error: not finished."),
    ]


@pytest.mark.asyncio
async def test_an_error_of_ours_in_a_sub_agent_is_not_hidden() -> None:
    def broken(request: httpx.Request) -> httpx.Response:
        raise ZeroDivisionError

    services = SeveralAgents(
        {MAIN: [hands_out("a")], "a": [calls(("search", {"query": "x"}))]}, search=broken
    )
    with pytest.raises(ZeroDivisionError):
        await run_agent(services, mode="multi")


@pytest.mark.asyncio
async def test_a_sub_agent_whose_context_is_full_is_asked_for_its_report() -> None:
    services = SeveralAgents(
        {MAIN: [hands_out("a"), says("42")], "a": [SEARCH, refuses(400, **OVERFLOW), says("half")]}
    )
    attempt = await run_agent(services, mode="multi")
    assert reports(attempt) == ["Sub-agent 1 (cut short: context_overflow):\nhalf"]
    assert "tools" not in services.requests_of("a")[-1]


@pytest.mark.asyncio
async def test_long_reports_are_each_cut_so_that_none_is_lost() -> None:
    services = SeveralAgents(
        {MAIN: [hands_out("a", "b"), says("42")], "a": [says("yes " * 100)], "b": [says("no " * 100)]}
    )
    attempt = await run_agent(services, mode="multi", max_tool_response_length=44)
    assert reports(attempt) == [
        "Sub-agent 1:\nyes yes...(truncated)...yes yes\n\nSub-agent 2:\nno no...(truncated)...no no"
    ]
