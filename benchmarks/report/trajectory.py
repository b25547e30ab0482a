"""A kept attempt as something to read: turns, tool calls and results, the judge's reply. Private.

It reads whatever lies in a detail: a field of an unexpected shape is shown as it is, never an error.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.report.readable import as_json
from harnesses.endpoint.json_values import as_object, as_objects, is_list, is_object

_THOUGHTS = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
_THINKING_PARTS = frozenset({"thinking", "reasoning", "redacted_thinking"})


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call that a model asked for; `arguments` as it sent them."""

    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One step of a trajectory. `number` counts from 1; `kind` is "model", "tool" or "other".

    `agent` is the number of the sub-agent, ``None`` for the main one; `duration_s` seconds, ``None`` where
    unknown. `thoughts` and `text` are a model's; a tool has one of `calls` and its result in `text`. `notes`
    are a few words each, e.g. ``("finish reason length", "1,200 tokens in, 40 out")``.
    """

    number: int
    kind: str
    title: str
    text: str
    thoughts: str = ""
    calls: tuple[Call, ...] = ()
    agent: int | None = None
    duration_s: float | None = None
    failed: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Grade:
    """What a judge or a scorer said. `correct` is ``None`` where it gave no verdict."""

    name: str
    correct: bool | None
    grade: str
    label: str
    judge_model: str
    answer: str
    reply: str


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One attempt, ready to be read. `grades` has the primary judge first; `rest` what else is kept, by name.

    `usage` is by role: ``{"model": "12 tokens in, 3 out, 1 request"}``.
    """

    number: int
    outcome: str
    cause: str
    answer: str | None
    answer_flag: str
    stop_reason: str
    run_s: float | None
    judge_s: float | None
    usage: Mapping[str, str]
    issues: tuple[str, ...]
    reused: bool
    turns: tuple[Turn, ...]
    grades: tuple[Grade, ...]
    rest: Mapping[str, str]


def reading_of(number: int, entry: Mapping[str, Any]) -> Reading:
    """What is kept of attempt `number`, from 1, ready to be read.

    Args:
        number: The attempt.
        entry: As it lies in a detail (`results/details.py`).
    """
    timing = as_object(entry.get("timing"))
    answer = entry.get("final_answer")
    return Reading(
        number=number,
        outcome=_text(entry.get("outcome")),
        cause=_text(entry.get("cause")),
        answer=None if answer is None else _text(answer),
        answer_flag=_text(entry.get("answer_flag")),
        stop_reason=_text(entry.get("stop_reason")),
        run_s=_seconds(timing.get("run_s")),
        judge_s=_seconds(timing.get("judge_s")),
        usage={role: _usage(used) for role, used in as_object(entry.get("usage")).items()},
        issues=tuple(map(_text, _list(entry.get("issues")))),
        reused=entry.get("reused") is True,
        turns=tuple(_turn(n, step) for n, step in enumerate(_list(entry.get("trajectory")), start=1)),
        grades=tuple(_grades(entry)),
        rest=dict(_rest(entry)),
    )


def _turn(number: int, step: Any) -> Turn:
    values = as_object(step)
    if values.get("kind") == "model" and is_object(values.get("message")):
        return _model_turn(number, values, values["message"])
    if values.get("kind") == "tool":
        return _tool_turn(number, values)
    return Turn(number=number, kind="other", title="step", text=_text(step))


def _model_turn(number: int, step: Mapping[str, Any], message: Mapping[str, Any]) -> Turn:
    calls = tuple(_calls(message))
    text, thoughts = _content(message)
    told = [] if not step.get("forced") else ["asked for an answer from what is known"]
    finish = step.get("finish_reason")
    if finish not in {None, "stop", "tool_calls"}:
        told.append(f"finish reason {finish}")
    if used := _usage(step.get("usage")):
        told.append(used)
    asks = ", ".join(call.name for call in calls)
    return Turn(
        number=number,
        kind="model",
        title=f"model, calls {asks}" if asks else "model",
        text=text,
        thoughts=thoughts,
        calls=calls,
        agent=_agent(step),
        duration_s=_seconds(step.get("duration_s")),
        notes=tuple(told),
    )


def _tool_turn(number: int, step: Mapping[str, Any]) -> Turn:
    name = _text(step.get("tool")) or "tool"
    return Turn(
        number=number,
        kind="tool",
        title=name,
        text=_text(step.get("result")),
        calls=(Call(name=name, arguments=_text(step.get("arguments"))),),
        agent=_agent(step),
        duration_s=_seconds(step.get("duration_s")),
        failed=step.get("failed") is True,
    )


def _calls(message: Mapping[str, Any]) -> Iterator[Call]:
    for call in as_objects(message.get("tool_calls")):
        function = as_object(call.get("function"))
        yield Call(name=_text(function.get("name")) or "tool", arguments=_text(function.get("arguments")))


def _content(message: Mapping[str, Any]) -> tuple[str, str]:
    """What a message says, and what was thought before it."""
    said: list[str] = []
    thought = [_text(message[name]) for name in _THOUGHTS if message.get(name)]
    content = message.get("content")
    for part in _list(content) if is_list(content) else [content]:
        values = as_object(part)
        is_thinking = values.get("type") in _THINKING_PARTS
        text = values.get("thinking" if is_thinking else "text", part)
        (thought if is_thinking else said).append(_text(text))
    if message.get("refusal"):
        said.append(_text(message["refusal"]))
    return "\n\n".join(filter(None, said)), "\n\n".join(dict.fromkeys(filter(None, thought)))


def _grades(entry: Mapping[str, Any]) -> Iterator[Grade]:
    scoring = as_object(as_object(as_object(entry.get("meta")).get("benchmark")).get("scoring"))
    if scoring.get("evaluation_type") is not None:
        yield _grade(_text(scoring["evaluation_type"]), scoring)
    for name, values in scoring.items():
        if is_object(values) and "grade" in values:
            yield _grade(name, values)


def _grade(name: str, values: Mapping[str, Any]) -> Grade:
    correct = values.get("correct")
    return Grade(
        name=name,
        correct=correct if isinstance(correct, bool) else None,
        grade=_text(values.get("grade")),
        label=_text(values.get("label")),
        judge_model=_text(values.get("judge_model")),
        answer=_text(values.get("model_answer")),
        reply=_text(values.get("raw_response")),
    )


def _rest(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    meta = as_object(entry.get("meta"))
    benchmark = {name: value for name, value in as_object(meta.get("benchmark")).items() if name != "scoring"}
    kept = {
        **{f"private: {name}": value for name, value in as_object(entry.get("private")).items()},
        "what the harness noted": meta.get("harness"),
        "what the benchmark noted": benchmark,
        **{f"recorder: {name}": value for name, value in as_object(entry.get("recorder")).items()},
    }
    for name, value in kept.items():
        if value:
            yield name, _text(value)


def _usage(used: Any) -> str:
    values = as_object(used)
    tokens = [
        f"{values[name]:,} {word}"
        for name, word in (("input_tokens", "tokens in"), ("output_tokens", "out"))
        if isinstance(values.get(name), int)
    ]
    return ", ".join(tokens)


def _agent(step: Mapping[str, Any]) -> int | None:
    agent = step.get("sub_agent")
    return agent if isinstance(agent, int) else None


def _list(value: Any) -> list[Any]:
    return value if is_list(value) else []


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    """A text as it is, nothing for ``None``, anything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return as_json(value)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(str(value))
