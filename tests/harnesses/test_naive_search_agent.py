import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from scripted_services import (
    MODEL,
    ScriptedServices,
    always,
    calls,
    run_agent,
    says,
)

from harnesses.attempt import Attempt, StopReason, ToolStep
from harnesses.endpoint.messages import TokenUsage
from harnesses.naive_search_agent import NaiveSearchAgent
from harnesses.search_agent_params import NaiveSearchAgentParams

SEARCH = calls(("search", {"query": "bridge"}))


def tool_steps(attempt: Attempt) -> list[ToolStep]:
    return [step for step in attempt.trajectory if isinstance(step, ToolStep)]


def results(attempt: Attempt) -> list[str]:
    return [step.result for step in tool_steps(attempt)]


@pytest.mark.asyncio
async def test_the_agent_searches_then_visits_then_answers() -> None:
    services = ScriptedServices(
        SEARCH,
        calls(("visit", {"url": "http://lintholm.test/bridge", "goal": "its length"})),
        says('{"evidence": "42 m long", "summary": "42 m"}'),
        says("FINAL ANSWER: 42"),
    )
    attempt = await run_agent(services)
    assert attempt.final_message == {"role": "assistant", "content": "FINAL ANSWER: 42"}
    assert attempt.stop_reason is StopReason.COMPLETED
    assert [type(step).__name__ for step in attempt.trajectory] == [
        "ModelStep",
        "ToolStep",
        "ModelStep",
        "ToolStep",
        "ModelStep",
    ]
    assert results(attempt) == [
        "Results for 'bridge':\n1. Lintholm\n   http://lintholm.test/bridge\n   2021. A bridge of 42 m.",
        "http://lintholm.test/bridge\nEvidence: 42 m long\nSummary: 42 m",
    ]


@pytest.mark.asyncio
async def test_each_request_carries_the_conversation_and_the_tools() -> None:
    services = ScriptedServices(SEARCH, says("42"))
    await run_agent(services)
    first, second = services.bodies()
    assert first["messages"] == [{"role": "user", "content": "How long is the bridge?"}]
    assert [tool["function"]["name"] for tool in first["tools"]] == ["search", "visit"]
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "tool"]
    assert second["messages"][2]["tool_call_id"] == "call-1"


@pytest.mark.asyncio
async def test_prompts_are_filled() -> None:
    services = ScriptedServices(says("42"))
    await run_agent(
        services, system_prompt="Level {level}.", agent_prompt='{problem_statement} Reply {"like": "this"}.'
    )
    assert services.bodies()[0]["messages"] == [
        {"role": "system", "content": "Level 2."},
        {"role": "user", "content": 'How long is the bridge? Reply {"like": "this"}.'},
    ]


@pytest.mark.asyncio
async def test_tokens_of_model_and_tools_are_kept_apart() -> None:
    services = ScriptedServices(
        calls(("visit", {"url": "http://a.test/x", "goal": "g"})), says("a summary"), says("42")
    )
    attempt = await run_agent(services)
    assert attempt.usage == {
        "model": TokenUsage(input_tokens=20, output_tokens=4, n_requests=2),
        "tools": TokenUsage(input_tokens=10, output_tokens=2, n_requests=1),
    }


@pytest.mark.asyncio
async def test_pages_can_be_read_by_another_model_of_the_same_endpoint() -> None:
    visit = calls(("visit", {"url": "http://a.test/x", "goal": "g"}))
    services = ScriptedServices(visit, says("a summary"), says("42"))
    attempt = await run_agent(services, tool_model_name="small-1")
    assert [body["model"] for body in services.bodies()] == ["m-1", "small-1", "m-1"]
    assert attempt.meta["tool_model_name"] == "small-1"


@pytest.mark.asyncio
async def test_meta_tells_how_the_agent_worked() -> None:
    attempt = await run_agent(ScriptedServices(SEARCH, SEARCH, says("42")))
    assert attempt.meta == {
        "n_iterations": 3,
        "search_backend": "serper",
        "visit_backend": "jina",
        "tools": ["search", "visit"],
        "tool_model_name": None,
    }


@pytest.mark.asyncio
async def test_calls_of_a_turn_run_together_and_come_back_in_order() -> None:
    everyone_is_here = asyncio.Barrier(3)

    async def answer(request: httpx.Request) -> httpx.Response:
        async with asyncio.timeout(10):  # never reached, unless the calls wait for one another
            await everyone_is_here.wait()
        return says("a summary")

    visits = calls(*[("visit", {"url": f"http://{name}.test", "goal": "g"}) for name in "abc"])
    attempt = await run_agent(ScriptedServices(visits, answer, answer, answer, says("42")))
    assert results(attempt) == [f"http://{name}.test\na summary" for name in "abc"]


@pytest.mark.asyncio
async def test_more_calls_than_allowed_get_an_error_and_are_not_run() -> None:
    services = ScriptedServices(calls(*[("search", {"query": str(n)}) for n in range(4)]), says("42"))
    attempt = await run_agent(services, max_tool_calls_per_turn=2)
    assert [step.failed for step in tool_steps(attempt)] == [False, False, True, True]
    assert results(attempt)[2] == "Error: not run, at most 2 calls in a turn. Call again if needed."
    assert [body["q"] for body in services.bodies("search.test")] == ["0", "1"]
    assert len(services.tool_messages()) == 4


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("call", "error"),
    [
        pytest.param(
            ("serch", {"query": "x"}),
            "Error: there is no tool 'serch'; the tools are search, visit.",
            id="unknown-tool",
        ),
        pytest.param(
            ("search", '{"query": "length of'),
            'Error: the arguments are no complete JSON object; write them like {"name": "value"}.',
            id="cut-arguments",
        ),
        pytest.param(
            ("search", {"q": "x"}), "Error: query is missing: give it as text.", id="missing-argument"
        ),
        pytest.param(
            ("visit", {"url": "http://127.0.0.1/", "goal": "g"}),
            "the address 'http://127.0.0.1/' is refused: it does not lead to the public internet",
            id="private-address",
        ),
    ],
)
async def test_a_wrong_call_is_told_to_the_model_and_the_attempt_goes_on(
    call: tuple[str, Any], error: str
) -> None:
    services = ScriptedServices(calls(call), says("42"))
    attempt = await run_agent(services)
    assert services.tool_messages() == [error]
    assert tool_steps(attempt)[0].failed
    assert attempt.stop_reason is StopReason.COMPLETED


@pytest.mark.asyncio
async def test_arguments_as_an_object_are_run_and_sent_back_as_text() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": {"query": "x"}}}
    services = ScriptedServices(says(None, finish_reason="tool_calls", tool_calls=[call]), says("42"))
    await run_agent(services)
    assert services.bodies("search.test") == [{"q": "x"}]
    sent_back = services.bodies()[1]["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert sent_back == '{"query": "x"}'


@pytest.mark.asyncio
async def test_a_long_tool_result_is_cut_to_units() -> None:
    long_page = always(200, text="one two three four five six")
    services = ScriptedServices(calls(("browse", {"url": "http://a.test"})), says("42"), page=long_page)
    await run_agent(services, tools=("browse",), max_tool_response_length=4)
    assert services.tool_messages() == ["one two...(truncated)...five six"]


@pytest.mark.asyncio
async def test_failed_tools_are_counted_in_the_issues_without_the_models_words() -> None:
    services = ScriptedServices(
        calls(("browse", {"url": "http://a.test"}), ("browse", {}), ("launch <b>", {}), ("search", {})),
        says("42"),
        page=always(404),
    )
    attempt = await run_agent(services, tools=("search", "browse"))
    assert attempt.issues == ("browse failed 2 times", "another tool failed once", "search failed once")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(
            says('<tool_call>\n{"name":"search"}\n</tool_call>', finish_reason="tool_calls", tool_calls=[]),
            id="47",
        ),
        pytest.param(
            says("<\N{FULLWIDTH VERTICAL LINE}DSML\N{FULLWIDTH VERTICAL LINE}function_calls>..."), id="48"
        ),
    ],
)
async def test_leaked_tool_markup_is_handed_on_for_the_answer_reader(reply: httpx.Response) -> None:
    attempt = await run_agent(ScriptedServices(SEARCH, reply))
    assert attempt.final_message is not None
    assert attempt.final_message["content"].startswith("<")
    assert attempt.stop_reason is StopReason.COMPLETED


@pytest.mark.asyncio
async def test_no_results_and_failed_pages_are_no_trouble() -> None:
    turn = calls(("search", {"query": "x"}), ("visit", {"url": "http://a.test", "goal": "g"}))
    services = ScriptedServices(turn, says("42"), search=always(200), page=always(499, text="Pay for usage"))
    attempt = await run_agent(services)
    assert services.tool_messages() == [
        "No results for 'x'. Try other words.",
        "http://a.test could not be opened (HTTP 499)",
    ]
    assert attempt.stop_reason is StopReason.COMPLETED


@pytest.mark.asyncio
async def test_the_local_backends_need_no_service(tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text("# Lintholm\nThe bridge is 42 m long.")
    services = ScriptedServices(
        calls(("search", {"query": "bridge"})), calls(("browse", {"url": "local://bridge.md"})), says("42")
    )
    local: dict[str, Any] = {"search_backend": "local", "visit_backend": "local", "corpus_dir": str(tmp_path)}
    attempt = await run_agent(services, tools=("search", "browse"), **local)
    assert "local://bridge.md" in results(attempt)[0]
    assert results(attempt)[1] == "# Lintholm\nThe bridge is 42 m long."
    assert services.sent["search.test"] + services.sent["pages.test"] == []


@pytest.mark.asyncio
async def test_local_addresses_are_opened_beside_the_web(tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text("The bridge is 42 m long.")
    services = ScriptedServices(
        calls(("browse", {"url": "local://bridge.md"}), ("browse", {"url": "http://a.test"})), says("42")
    )
    attempt = await run_agent(services, tools=("browse",), corpus_dir=str(tmp_path))
    assert results(attempt) == ["The bridge is 42 m long.", "The bridge at Lintholm is 42 m long."]


def test_a_local_backend_without_a_folder_is_refused() -> None:
    with pytest.raises(ValueError, match="corpus_dir is not set: the local backends need a folder"):
        NaiveSearchAgent(NaiveSearchAgentParams(search_backend="local"), model=MODEL)


@pytest.mark.asyncio
async def test_two_attempts_at_once_do_not_mix() -> None:
    one, other = ScriptedServices(SEARCH, says("1")), ScriptedServices(SEARCH, says("2"))
    attempts = list(await asyncio.gather(run_agent(one), run_agent(other)))
    assert [attempt.final_message and attempt.final_message["content"] for attempt in attempts] == ["1", "2"]
    assert [attempt.n_tool_calls for attempt in attempts] == [1, 1]


@pytest.mark.asyncio
async def test_an_error_in_a_tool_of_ours_is_not_hidden() -> None:
    def broken(request: httpx.Request) -> httpx.Response:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await run_agent(ScriptedServices(SEARCH, search=broken))
