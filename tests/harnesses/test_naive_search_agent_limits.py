"""How an attempt ends when iterations, time, context, the endpoint or a service run out."""

import asyncio
import time

import httpx
import pytest
from scripted_services import (
    OVERFLOW,
    Reply,
    ScriptedServices,
    always,
    calls,
    refuses,
    run_agent,
    says,
)

from harnesses.attempt import Attempt, AttemptFailedError, ModelStep, StopReason, ToolStep

SEARCH = calls(("search", {"query": "bridge"}))


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> Reply:
    """A request without an end, during which 1500 seconds pass on the loop's clock."""

    async def wait(request: httpx.Request) -> httpx.Response:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "time", lambda: time.monotonic() + 1500.0)
        await asyncio.Event().wait()
        raise AssertionError("woken")

    return wait


def tool_steps(attempt: Attempt) -> list[ToolStep]:
    return [step for step in attempt.trajectory if isinstance(step, ToolStep)]


def results(attempt: Attempt) -> list[str]:
    return [step.result for step in tool_steps(attempt)]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("reply", "stop_reason"),
    [
        (says("", finish_reason="length", tool_calls=None), StopReason.TRUNCATED),
        (says("Let me think about", finish_reason="length"), StopReason.TRUNCATED),
        (says("I will", finish_reason="content_filter"), StopReason.CONTENT_FILTER),
    ],
)
async def test_a_reply_that_was_cut_ends_the_attempt_with_its_reason(
    reply: httpx.Response, stop_reason: StopReason
) -> None:
    attempt = await run_agent(ScriptedServices(SEARCH, reply))
    assert attempt.stop_reason is stop_reason


@pytest.mark.asyncio
async def test_content_hidden_in_the_reasoning_field_is_a_run_error_with_its_trajectory() -> None:
    services = ScriptedServices(SEARCH, says(None, reasoning_content="FINAL ANSWER: 42"))
    with pytest.raises(AttemptFailedError, match="into the reasoning field") as failed:
        await run_agent(services)
    assert not failed.value.stops_run
    assert failed.value.partial.stop_reason is StopReason.ERROR
    assert failed.value.partial.final_message is None
    assert len(failed.value.partial.trajectory) == 3


@pytest.mark.asyncio
async def test_at_the_last_iteration_one_request_without_tools_asks_for_the_answer() -> None:
    services = ScriptedServices(SEARCH, SEARCH, says("FINAL ANSWER: 42"))
    attempt = await run_agent(services, max_iterations=2)
    assert attempt.stop_reason is StopReason.MAX_ITERATIONS
    assert attempt.final_message == {"role": "assistant", "content": "FINAL ANSWER: 42"}
    last = services.bodies()[-1]
    assert "tools" not in last
    assert [message["role"] for message in last["messages"]] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "user",
    ]
    assert "final answer" in last["messages"][-1]["content"]
    assert [step.forced for step in attempt.trajectory if isinstance(step, ModelStep)] == [False, False, True]
    assert attempt.meta["n_iterations"] == 2


@pytest.mark.asyncio
async def test_a_forced_answer_that_was_cut_keeps_the_first_reason() -> None:
    attempt = await run_agent(ScriptedServices(SEARCH, says("It", finish_reason="length")), max_iterations=1)
    assert (attempt.stop_reason, attempt.finish_reason) == (StopReason.MAX_ITERATIONS, "length")


@pytest.mark.asyncio
async def test_text_of_an_earlier_turn_is_never_the_answer() -> None:
    early = calls(("search", {"query": "x"}), content="FINAL ANSWER: 41")
    attempt = await run_agent(ScriptedServices(early, says("")), max_iterations=1)
    assert attempt.final_message == {"role": "assistant", "content": ""}


@pytest.mark.asyncio
async def test_without_a_forced_answer_there_is_no_final_message() -> None:
    attempt = await run_agent(ScriptedServices(SEARCH), max_iterations=1, force_final_answer=False)
    assert (attempt.final_message, attempt.finish_reason) == (None, None)
    assert attempt.stop_reason is StopReason.MAX_ITERATIONS
    assert attempt.n_tool_calls == 1


@pytest.mark.asyncio
async def test_at_the_time_budget_the_running_request_is_cancelled_and_the_answer_asked_for(
    lost: Reply,
) -> None:
    services = ScriptedServices(SEARCH, lost, says("42"))
    attempt = await run_agent(services, time_budget_s=1000.0)
    assert attempt.stop_reason is StopReason.TIME_BUDGET
    assert attempt.final_message == {"role": "assistant", "content": "42"}
    assert [message["role"] for message in services.bodies()[-1]["messages"]] == [
        "user",
        "assistant",
        "tool",
        "user",
    ]


@pytest.mark.asyncio
async def test_tools_that_run_at_the_time_budget_are_cancelled_and_finished_ones_kept(lost: Reply) -> None:
    turn = calls(("search", {"query": "x"}), ("visit", {"url": "http://a.test", "goal": "g"}))
    services = ScriptedServices(turn, lost, says("42"))
    attempt = await run_agent(services, time_budget_s=1000.0)
    finished, unfinished = tool_steps(attempt)
    assert (finished.failed, unfinished.failed) == (False, True)
    assert services.tool_messages() == [finished.result, "Error: not finished."]
    assert attempt.stop_reason is StopReason.TIME_BUDGET


@pytest.mark.asyncio
async def test_a_context_overflow_shortens_tool_results_and_asks_for_the_answer() -> None:
    long_page = always(200, text="word " * 5000)
    services = ScriptedServices(
        calls(("browse", {"url": "http://a.test"})), refuses(400, **OVERFLOW), says("42"), page=long_page
    )
    attempt = await run_agent(services, tools=("browse",))
    assert attempt.stop_reason is StopReason.CONTEXT_OVERFLOW
    assert attempt.final_message == {"role": "assistant", "content": "42"}
    assert len(services.bodies()) == 3
    assert len(services.tool_messages()[0].split()) < 260
    assert len(results(attempt)[0].split()) == 5000


@pytest.mark.asyncio
async def test_a_forced_request_that_overflows_is_sent_once_more_with_short_results() -> None:
    services = ScriptedServices(SEARCH, refuses(400, **OVERFLOW), says("42"))
    attempt = await run_agent(services, max_iterations=1)
    assert attempt.stop_reason is StopReason.MAX_ITERATIONS
    assert attempt.final_message == {"role": "assistant", "content": "42"}


@pytest.mark.asyncio
async def test_an_overflow_that_shortening_does_not_cure_is_a_run_error() -> None:
    services = ScriptedServices(*[refuses(400, **OVERFLOW)] * 3)
    with pytest.raises(AttemptFailedError) as failed:
        await run_agent(services)
    assert not failed.value.stops_run
    assert failed.value.partial.usage["model"].n_requests == 3


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("replies", "stops_run", "n_requests"),
    [
        pytest.param([refuses(503)] * 2, False, 2, id="down"),
        pytest.param([refuses(401)], True, 1, id="refused-key"),
        pytest.param(
            [refuses(400, message='"auto" tool choice requires --enable-auto-tool-choice to be set')],
            True,
            1,
            id="no-tools",
        ),
    ],
)
async def test_trouble_with_the_endpoint_is_a_run_error(
    replies: list[httpx.Response], stops_run: bool, n_requests: int
) -> None:
    with pytest.raises(AttemptFailedError) as failed:
        await run_agent(ScriptedServices(*replies))
    assert failed.value.stops_run is stops_run
    assert failed.value.partial.usage["model"].n_requests == n_requests


@pytest.mark.asyncio
async def test_trouble_on_the_last_request_is_a_run_error() -> None:
    with pytest.raises(AttemptFailedError) as failed:
        await run_agent(ScriptedServices(SEARCH, refuses(503), refuses(503)), max_iterations=1)
    assert len(failed.value.partial.trajectory) == 2


@pytest.mark.asyncio
async def test_the_last_request_takes_no_longer_than_one_request_with_its_retries() -> None:
    busy = httpx.Response(503, headers={"Retry-After": "300"})
    with pytest.raises(AttemptFailedError, match="no usable reply in the time of this call, 1 request"):
        await run_agent(ScriptedServices(SEARCH, busy), max_iterations=1, request_timeout=100.0)


@pytest.mark.asyncio
async def test_a_search_service_that_is_down_is_a_run_error() -> None:
    services = ScriptedServices(SEARCH, search=always(503))
    with pytest.raises(
        AttemptFailedError, match=r"search service at 'http://search.test' still failed after 2"
    ) as failed:
        await run_agent(services)
    assert not failed.value.stops_run
    assert results(failed.value.partial) == ["Error: not finished."]


@pytest.mark.asyncio
async def test_a_refused_search_key_stops_the_run() -> None:
    services = ScriptedServices(SEARCH, search=always(403, message="Unauthorized."))
    with pytest.raises(AttemptFailedError, match="set SERPER_API_KEY to a valid key") as failed:
        await run_agent(services)
    assert failed.value.stops_run
    assert "Unauthorized." in failed.value.detail
