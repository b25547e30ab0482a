"""What an attempt's last reply means, before anybody reads an answer from it."""

from harnesses.attempt import StopReason
from harnesses.endpoint.messages import Completion

_CUT_SHORT = {"length": StopReason.TRUNCATED, "content_filter": StopReason.CONTENT_FILTER}


def stop_reason_of(completion: Completion) -> StopReason:
    """Why an attempt ended that this reply ended of its own accord."""
    return _CUT_SHORT.get(completion.finish_reason or "", StopReason.COMPLETED)


def hidden_answer_fault(completion: Completion, *, model_id: str) -> str | None:
    """One line if the reply is reasoning and nothing else, though nothing cut it short.

    That is a setting of the server, so the attempt is no wrong answer (vLLM with a parser that expects
    thinking: https://github.com/vllm-project/vllm/issues/17357). ``None`` if the reply can be read, or if its
    emptiness is the model's own affair.
    """
    if completion.text.strip() or completion.tool_calls or completion.finish_reason in _CUT_SHORT:
        return None
    if not completion.has_reasoning or completion.message.get("refusal"):
        return None
    return (
        f"model {model_id!r} put its whole reply into the reasoning field and left the content empty: "
        "a server setting; match the reasoning parser to the model, or switch its thinking on"
    )
