import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter, ValidationError
from scripted_endpoint import SPEC, ScriptedEndpoint, refuses, reply, says

from harnesses.attempt import Attempt, AttemptFailedError, ModelStep, Prompt, StopReason
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.spec import EndpointSpec
from harnesses.openai_chat import OpenAIChat, OpenAIChatParams

pytestmark = pytest.mark.asyncio


def prompt(*, time_budget_s: float | None = None) -> Prompt:
    return Prompt(
        prompt_id="p-1",
        attempt=1,
        text="How long is the bridge at Lintholm?",
        folder=Path("unused"),
        fields={"level": "2"},
        time_budget_s=time_budget_s,
    )


def harness_of(script: ScriptedEndpoint, *, model: EndpointSpec = SPEC, **params: Any) -> OpenAIChat:
    return OpenAIChat(OpenAIChatParams(**params), model=model, transport=script.transport, sleep=script.sleep)


async def attempt_of(*steps: httpx.Response, **params: Any) -> Attempt:
    return await harness_of(ScriptedEndpoint(*steps), **params).run(prompt())


async def failure_of(*steps: httpx.Response, **params: Any) -> AttemptFailedError:
    with pytest.raises(AttemptFailedError) as caught:
        await attempt_of(*steps, **params)
    return caught.value


async def test_an_attempt_is_the_one_reply_of_the_model() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    attempt = await attempt_of(reply({"content": "FINAL ANSWER: 42"}, usage=usage, model="m-1-served"))
    assert attempt.final_message == {"role": "assistant", "content": "FINAL ANSWER: 42"}
    assert (attempt.finish_reason, attempt.stop_reason) == ("stop", StopReason.COMPLETED)
    assert attempt.usage == {"model": TokenUsage(input_tokens=9, output_tokens=2, n_requests=1)}
    (step,) = attempt.trajectory
    assert isinstance(step, ModelStep)
    assert (step.message, step.forced) == (attempt.final_message, False)
    assert attempt.meta["completion"]["served_model"] == "m-1-served"
    assert (attempt.n_tool_calls, attempt.issues) == (0, ())


async def test_the_question_alone_is_asked_by_default_and_without_tools() -> None:
    script = ScriptedEndpoint(says("42"))
    await harness_of(script).run(prompt())
    assert script.bodies == [
        {"model": "m-1", "messages": [{"role": "user", "content": "How long is the bridge at Lintholm?"}]}
    ]


async def test_the_prompts_of_the_user_frame_the_question() -> None:
    script = ScriptedEndpoint(says("42"))
    harness = harness_of(
        script,
        system_prompt="Be {brief} at level {level}.",
        agent_prompt="Level {level}. {problem_statement} {x}",
    )
    await harness.run(prompt())
    assert script.bodies[0]["messages"] == [
        {"role": "system", "content": "Be {brief} at level 2."},
        {"role": "user", "content": "Level 2. How long is the bridge at Lintholm? {x}"},
    ]


async def test_the_params_of_the_model_are_honoured() -> None:
    script = ScriptedEndpoint(says("42"))
    model = EndpointSpec(id="m-1", base_url="http://model.test/v1", params={"temperature": 0, "seed": 7})
    await harness_of(script, model=model).run(prompt())
    assert (script.bodies[0]["temperature"], script.bodies[0]["seed"]) == (0, 7)


@pytest.mark.parametrize(
    ("message", "finish_reason", "stop_reason"),
    [
        pytest.param({"content": "42"}, None, StopReason.COMPLETED, id="no-finish-reason"),
        pytest.param({"content": "So I will"}, "length", StopReason.TRUNCATED, id="cut"),
        pytest.param({"content": ""}, "length", StopReason.TRUNCATED, id="cut-at-the-tool-marker"),
        pytest.param(
            {"content": None, "reasoning": "hm"}, "length", StopReason.TRUNCATED, id="cut-in-thought"
        ),
        pytest.param({"content": None}, "content_filter", StopReason.CONTENT_FILTER, id="filtered"),
        pytest.param({"content": ""}, "stop", StopReason.COMPLETED, id="empty"),
        pytest.param(
            {"content": "<tool_call>", "tool_calls": []}, "tool_calls", StopReason.COMPLETED, id="leak"
        ),
        pytest.param({"content": "42", "reasoning": "hm"}, "stop", StopReason.COMPLETED, id="reasoned"),
        pytest.param(
            {"content": None, "refusal": "no", "reasoning": "hm"}, "stop", StopReason.COMPLETED, id="no"
        ),
    ],
)
async def test_the_stop_reason_tells_how_the_reply_ended(
    message: dict[str, Any], finish_reason: str | None, stop_reason: StopReason
) -> None:
    attempt = await attempt_of(reply(message, finish_reason=finish_reason))
    assert (attempt.stop_reason, attempt.finish_reason) == (stop_reason, finish_reason)
    assert attempt.final_message is not None


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
@pytest.mark.parametrize("content", [None, "", " \n"])
async def test_an_answer_in_the_reasoning_field_is_a_server_setting_and_no_wrong_answer(
    name: str, content: str | None
) -> None:
    failure = await failure_of(says(content, **{name: "FINAL ANSWER: 42"}))
    assert "a server setting" in str(failure)
    assert "'m-1'" in str(failure)
    assert "42" not in str(failure)
    assert failure.partial.final_message is None
    assert failure.partial.stop_reason is StopReason.ERROR
    assert len(failure.partial.trajectory) == 1
    assert failure.partial.usage["model"].n_requests == 1
    assert not failure.stops_run


@pytest.mark.parametrize(
    ("step", "stops_run", "n_requests"),
    [
        pytest.param(refuses(503, {"error": "busy"}), False, 3, id="outage"),
        pytest.param(refuses(400, {"error": "no"}), False, 1, id="refused-request"),
        pytest.param(refuses(400, {"error": {"code": "content_filter"}}), False, 1, id="filtered-prompt"),
        pytest.param(refuses(401, {"error": "no"}), True, 1, id="refused-key"),
        pytest.param(refuses(200, {"choices": []}), False, 2, id="malformed"),
    ],
)
async def test_an_endpoint_that_fails_is_a_failed_attempt_with_its_requests_counted(
    step: httpx.Response, stops_run: bool, n_requests: int
) -> None:
    failure = await failure_of(step, max_retry=2)
    assert str(failure).startswith("endpoint 'm-1' at http://model.test/v1")
    assert (failure.stops_run, failure.partial.usage["model"].n_requests) == (stops_run, n_requests)
    assert failure.partial.stop_reason is StopReason.ERROR
    assert failure.detail
    assert failure.__suppress_context__


async def test_the_retries_are_those_of_the_params() -> None:
    script = ScriptedEndpoint(refuses(503, {}), says("42"))
    attempt = await harness_of(script, max_retry=1, retry_interval=2).run(prompt())
    assert attempt.usage["model"].n_requests == 2
    assert 1.0 <= script.waits_s[0] <= 2.0


class NeverAnswers(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError(request)


async def test_a_model_that_outlasts_the_time_budget_is_a_failed_attempt() -> None:
    harness = OpenAIChat(OpenAIChatParams(), model=SPEC, transport=NeverAnswers())
    line = r"^no answer within the time budget of 0.01 s; raise run_timeout_seconds"
    with pytest.raises(AttemptFailedError, match=line) as caught:
        await harness.run(prompt(time_budget_s=0.01))
    assert caught.value.partial.usage["model"].n_requests == 1
    assert not caught.value.stops_run
    await harness.aclose()


async def test_a_time_budget_bounds_the_waits_between_retries_too() -> None:
    script = ScriptedEndpoint(refuses(503, {}, retry_after="60"))
    with pytest.raises(AttemptFailedError, match="time budget of 30 s"):
        await harness_of(script).run(prompt(time_budget_s=30))
    assert script.waits_s == []


async def test_the_duration_is_the_wall_time() -> None:
    times = iter([1.0])
    script = ScriptedEndpoint(says("42"))
    harness = OpenAIChat(
        OpenAIChatParams(), model=SPEC, transport=script.transport, clock=lambda: next(times, 4.0)
    )
    assert (await harness.run(prompt())).duration_s == 3.0


async def test_a_template_that_would_not_ask_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^agent_prompt 'Answer!' does not hold \{problem_statement\}"):
        OpenAIChatParams(agent_prompt="Answer!")


async def test_nothing_but_the_endpoint_is_needed() -> None:
    assert OpenAIChatParams().missing() == []


@pytest.mark.parametrize(
    "given",
    [{"max_retry": -1}, {"retry_interval": -1}, {"request_timeout": 0}, {"tools": []}, {"max_retry": "many"}],
)
async def test_params_out_of_range_or_unknown_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(given))):
        TypeAdapter(OpenAIChatParams).validate_python(given)


async def test_the_harness_says_what_it_is() -> None:
    assert (OpenAIChat.name, OpenAIChat.readable_suffixes, OpenAIChat.Params) == (
        "openai_chat",
        frozenset(),
        OpenAIChatParams,
    )
