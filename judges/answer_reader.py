r"""Reads the answer out of an attempt's final message: what the model says there, never what it thought.

In order: the last ``<answer>``; the last ``FINAL ANSWER:`` line; the last balanced ``\boxed{}``; else the
whole text. Reasoning fields and earlier turns are not looked at.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harnesses.endpoint.json_values import as_object, as_objects, is_list
from harnesses.endpoint.protocols.openai_chat import REASONING_FIELDS, content_text
from judges.answer_value import bare_value, is_template, joined_bullets
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


# Marks by which models call tools when the server's parser does not understand them; each begins a line.
_TOOL_MARKUP = re.compile(
    r"^[ \t]{0,20}(?:</?tool_calls?>|<function(?:=|_calls?>)|<invoke\b|<\|python_tag\|>|functools\["
    r"|<[|\N{FULLWIDTH VERTICAL LINE}](?:DSML|tool)|\[TOOL_CALLS?\])",
    re.MULTILINE | re.IGNORECASE,
)
_CALL_ARGUMENTS = frozenset({"arguments", "parameters"})
_ANSWER_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_COLON = r"(?::|\N{FULLWIDTH COLON})"
_MARKER = re.compile(
    rf"(?:final\s{{1,3}}answer|最终答案)\s{{0,3}}[*_`]{{0,3}}\s{{0,3}}(?:is\s{{0,3}})?{_COLON}[*_]{{0,3}}"
    r"|^[ \t#*_]{0,9}final\s{1,3}answer[ \t*_]{0,9}$",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"i['’]?m (?:very )?sorry|sorry,|i apologi[sz]e|i (?:cannot|can['’]?t|could not|couldn['’]?t|do not know)"
    r"|i don['’]?t know|i(?: am|['’]m| was) unable|unable to (?:determine|find|answer)"
    r"|cannot (?:determine|be determined)|not enough information|no answer|n/a$",
    re.IGNORECASE,
)


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
    markup = _TOOL_MARKUP.search(text)
    if markup is None and not _is_json_call(text):
        return Answer(text=text)
    before = text[: markup.start()].strip() if markup else ""
    return Answer(text=before) if any(_marked_values(before)) else Answer(text=None, flag="leaked_tool_call")


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
    values = list(_marked_values(text, is_cut=is_cut))
    if not values and is_cut:
        return Answer(text=None, flag="truncated")
    if not values:
        values = [bare_value(text) if "\n" not in text else text]
    real = [value for value in values if value and not is_template(value)]
    if real:
        return Answer(text=real[-1], flag="not_attempted" if _REFUSAL.match(real[-1]) else None)
    if any(values):
        return Answer(text=None, flag="template_echo")
    return Answer(text=None, flag="truncated" if is_cut else "empty")


def _marked_values(text: str, *, is_cut: bool = False) -> Iterator[str]:
    """What stands where an answer is announced, the weakest announcement first: box, lines, tags.

    A marker with nothing behind it gives "". A tag that a cut left open gives nothing.
    """
    closed = [box for box in boxes(text) if box.end is not None]
    if closed:
        yield bare_value(closed[-1].content(text))
    lines = text.split("\n")
    for number, line in enumerate(lines):
        marker = _last_marker(line)
        if marker:
            yield bare_value(line[marker.end() :]) or _below(lines, number + 1)
    tags = list(_ANSWER_TAG.finditer(text))
    ends = [*(tag.start() for tag in tags[1:]), len(text)]
    for tag, end in zip(tags, ends, strict=False):
        if not tag[1] and not (is_cut and end == len(text)):
            yield bare_value(text[tag.end() : end])


def _last_marker(line: str) -> re.Match[str] | None:
    markers = list(_MARKER.finditer(line))
    return markers[-1] if markers else None


def _below(lines: list[str], number: int) -> str:
    """The value on the first line with text from `number` on, or the list that begins there."""
    while number < len(lines) and not lines[number].strip():
        number += 1
    return joined_bullets(lines, number) or (bare_value(lines[number]) if number < len(lines) else "")
