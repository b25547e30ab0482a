import pytest

from harnesses.attempt import StopReason
from harnesses.endpoint.messages import Completion, ToolCall
from harnesses.final_message import hidden_answer_fault, stop_reason_of

CALL = ToolCall(call_id="c", name="search", arguments="{}")


@pytest.mark.parametrize(
    ("finish_reason", "expected"),
    [
        ("stop", StopReason.COMPLETED),
        (None, StopReason.COMPLETED),
        ("tool_calls", StopReason.COMPLETED),
        ("length", StopReason.TRUNCATED),
        ("content_filter", StopReason.CONTENT_FILTER),
    ],
)
def test_the_finish_reason_tells_why_an_attempt_ended(
    finish_reason: str | None, expected: StopReason
) -> None:
    assert stop_reason_of(Completion(message={}, finish_reason=finish_reason)) is expected


@pytest.mark.parametrize("finish_reason", ["stop", None])
def test_reasoning_without_content_is_a_server_setting(finish_reason: str | None) -> None:
    completion = Completion(message={}, text=" ", has_reasoning=True, finish_reason=finish_reason)
    fault = hidden_answer_fault(completion, model_id="m-1")
    assert fault is not None
    assert fault.startswith("model 'm-1' put its whole reply into the reasoning field")


@pytest.mark.parametrize(
    "completion",
    [
        pytest.param(Completion(message={}, text="42", has_reasoning=True), id="content"),
        pytest.param(Completion(message={}, has_reasoning=True, tool_calls=(CALL,)), id="tool-call"),
        pytest.param(Completion(message={}, has_reasoning=True, finish_reason="length"), id="cut"),
        pytest.param(
            Completion(message={}, has_reasoning=True, finish_reason="content_filter"), id="filtered"
        ),
        pytest.param(Completion(message={"refusal": "No."}, has_reasoning=True), id="refusal"),
        pytest.param(Completion(message={}), id="nothing-at-all"),
    ],
)
def test_other_replies_are_the_models_own_affair(completion: Completion) -> None:
    assert hidden_answer_fault(completion, model_id="m-1") is None
