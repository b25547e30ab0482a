r"""Reads the answer out of an attempt's final message: what the model says there, never what it thought.

In order: the last ``<answer>``; the last ``FINAL ANSWER:`` line; the last balanced ``\boxed{}``; else the
whole text. An empty one, or one that holds the template, is passed over. Reasoning fields and earlier turns
are not looked at.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

from harnesses.endpoint.json_values import as_object, as_objects, is_list
from harnesses.endpoint.protocols.openai_chat import REASONING_FIELDS, content_text
from judges.answer_value import (
    bare_value,
    before_another_marker,
    is_real,
    is_rule,
    joined_bullets,
    unwrapped,
    without_fence,
)
from judges.boxes import boxes
from judges.visible_text import cleaned, without_thinking


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was read.

    `text` is the answer, ``None`` if there is none (verdict C, no judge is asked). `flag` says what was odd,
    ``None`` if nothing was: "truncated", "empty", "template_echo", "leaked_tool_call", "tool_call" and
    "empty_content_with_reasoning" go with no text; "not_attempted" (a refusal, or words such as "unable to
    determine") may go with one.
    """

    text: str | None
    flag: str | None = None


_CALL_ARGUMENTS = frozenset({"arguments", "parameters"})
_ANSWER_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_COLON = r"(?::|\N{FULLWIDTH COLON})"


# Compiled when the first answer is read: that is no part of a start.


@cache
def _tool_markup() -> re.Pattern[str]:
    """Marks of tool calls that a server's parser did not understand; each begins a line."""
    return re.compile(
        r"^[ \t]{0,20}(?:</?tool_calls?>|<function(?:=|_calls?>)|<invoke\b|<\|python_tag\|>|functools\["
        r"|<[|\N{FULLWIDTH VERTICAL LINE}](?:DSML|tool)|\[TOOL_CALLS?\])",
        re.MULTILINE | re.IGNORECASE,
    )


@cache
def _marker() -> re.Pattern[str]:
    """What announces an answer."""
    return re.compile(
        rf"(?:final\s{{1,3}}answer|最终答案)\s{{0,3}}[*_`]{{0,3}}\s{{0,3}}(?:is\s{{0,3}})?{_COLON}[*_]{{0,3}}"
        r"|^[ \t#*_]{0,9}final\s{1,3}answer[ \t*_]{0,9}$",
        re.IGNORECASE,
    )


@cache
def _refusal() -> re.Pattern[str]:
    """What a refusal to answer begins with."""
    return re.compile(
        r"i['’]?m (?:very )?sorry|sorry,|i apologi[sz]e"
        r"|i (?:cannot|can['’]?t|could not|couldn['’]?t|do not know)"
        r"|i don['’]?t know|i(?: am|['’]m| was) unable|unable to (?:determine|find|answer)"
        r"|cannot (?:determine|be determined)|not enough information|no answer|n/a$",
        re.IGNORECASE,
    )


@dataclass(frozen=True, kw_only=True)
class _Mark:
    """One announcement, from `start` to `end` in the text; `value` is "" when nothing follows it."""

    value: str
    start: int
    end: int


def read_answer(message: Mapping[str, Any], finish_reason: str | None) -> Answer:
    """The answer in a final message, for scorers and reports.

    Args:
        message: An OpenAI-shaped message; its content may be a text, a list of parts, a number or ``None``.
        finish_reason: Why the model stopped. After "length" only an answer that was complete before the end
            counts.
    """
    said = _said(message, finish_reason)
    return said if said.text is None else _read(said.text, is_cut=finish_reason == "length")


def read_whole_text(message: Mapping[str, Any], finish_reason: str | None) -> Answer:
    """The whole final message without thinking, for a model judge; no text where `read_answer` finds none."""
    answer = read_answer(message, finish_reason)
    if answer.text is None:
        return answer
    return Answer(text=_said(message, finish_reason).text, flag=answer.flag)


def _said(message: Mapping[str, Any], finish_reason: str | None) -> Answer:
    """What the message says aloud, tool markup cut off; or why it says nothing."""
    if message.get("tool_calls"):
        return Answer(text=None, flag="tool_call")
    spoken = without_thinking(cleaned(content_text(message.get("content"))))
    if spoken is None:
        return Answer(text=None, flag="truncated")
    text = spoken.strip()
    if not text:
        return Answer(text=None, flag=_why_silent(message, finish_reason))
    markup = _tool_markup().search(text)
    if markup is None and not _is_json_call(text):
        return Answer(text=text)
    before = text[: markup.start()].strip() if markup else ""
    announced = any(mark.value for mark in _marks(before))
    return Answer(text=before) if announced else Answer(text=None, flag="leaked_tool_call")


def _why_silent(message: Mapping[str, Any], finish_reason: str | None) -> str:
    refused = any(part.get("type") == "refusal" for part in as_objects(message.get("content")))
    if refused or message.get("refusal"):
        return "not_attempted"
    if any(message.get(name) for name in REASONING_FIELDS):
        return "empty_content_with_reasoning"
    return "truncated" if finish_reason == "length" else "empty"


def _is_json_call(text: str) -> bool:
    """Whether the text is JSON that names a function and its arguments, once or as a list."""
    if text[0] + text[-1] not in {"{}", "[]"}:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    calls = value if is_list(value) else [value]
    return bool(calls) and all(map(_is_call, calls))


def _is_call(value: Any) -> bool:
    fields = set(as_object(value))
    return "name" in fields and bool(fields & _CALL_ARGUMENTS)


def _read(text: str, *, is_cut: bool) -> Answer:
    marks = list(_marks(text, is_cut=is_cut))
    real = [mark.value for mark in marks if is_real(mark.value)]
    if real:
        return _answered(real[-1])
    if not is_cut and (rest := _without(marks, text)):
        return _answered(rest)
    if any(mark.value for mark in marks):
        return Answer(text=None, flag="template_echo")
    return Answer(text=None, flag="truncated" if is_cut else "empty")


def _answered(value: str) -> Answer:
    return Answer(text=value, flag="not_attempted" if _refusal().match(value) else None)


def _without(marks: Sequence[_Mark], text: str) -> str:
    """What is said besides `marks`, bare if it is one line; empty if that is nothing but markup."""
    pieces: list[str] = []
    position = 0
    for mark in sorted(marks, key=lambda mark: mark.start):
        pieces.append(text[position : mark.start])
        position = max(position, mark.end)
    whole = without_fence("".join([*pieces, text[position:]]).strip())
    value = bare_value(whole) if "\n" not in whole else whole
    return value if is_real(value) and (not marks or re.search(r"\w", value)) else ""


def _marks(text: str, *, is_cut: bool = False) -> Iterator[_Mark]:
    """Where an answer is announced, the weakest announcement first: boxes, lines, tags.

    A tag that a cut left open gives nothing.
    """
    yield from _boxed(text)
    yield from _announced(text)
    tags = list(_ANSWER_TAG.finditer(text))
    ends = [*(tag.start() for tag in tags[1:]), len(text)]
    for number, (tag, end) in enumerate(zip(tags, ends, strict=False)):
        if not tag[1] and not (is_cut and end == len(text)):
            closing = tags[number + 1].end() if end < len(text) and tags[number + 1][1] else end
            yield _Mark(value=bare_value(text[tag.end() : end]), start=tag.start(), end=closing)


def _boxed(text: str) -> Iterator[_Mark]:
    """The last closed box that holds something, and the empty ones behind it."""
    passed: list[_Mark] = []
    for box in reversed(boxes(text)):
        if box.end is not None:
            passed.append(_Mark(value=bare_value(box.content(text)), start=box.start, end=box.end))
            if is_real(passed[-1].value):
                break
    yield from reversed(passed)


def _announced(text: str) -> Iterator[_Mark]:
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for number, line in enumerate(lines):
        markers = list(_marker().finditer(line))
        for marker, following in pairwise(markers):
            segment = before_another_marker(line[marker.end() : following.start()])
            value = bare_value(unwrapped(segment, line[: marker.start()]))
            yield _Mark(
                value=value, start=starts[number] + marker.start(), end=starts[number] + following.start()
            )
        if markers:
            yield _last_on_line(lines, number, markers[-1], starts)


def _last_on_line(lines: Sequence[str], number: int, marker: re.Match[str], starts: Sequence[int]) -> _Mark:
    start, end = starts[number] + marker.start(), starts[number] + len(lines[number])
    rest = lines[number][marker.end() :]
    value = "" if is_rule(rest) else bare_value(unwrapped(rest, lines[number][: marker.start()]))
    if not value:
        below = _line_below(lines, number + 1)
        value = joined_bullets(lines, below) or (bare_value(lines[below]) if below < len(lines) else "")
        end = starts[below] + len(lines[below]) if value else end
    return _Mark(value=value, start=start, end=end)


def _line_below(lines: Sequence[str], number: int) -> int:
    """The first line from `number` on that holds a value; past the end if none does before another marker."""
    while number < len(lines) and (not lines[number].strip() or is_rule(lines[number])):
        number += 1
    return number if number < len(lines) and not _marker().search(lines[number]) else len(lines)
