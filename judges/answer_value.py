r"""From the words after a marker to the answer they hold: Markdown, quotes and LaTeX around it go.

The answer itself stays as written; normalising it is a scorer's work.
"""

import re
from collections.abc import Sequence

from judges.boxes import boxes

_PAIRS = {
    "`": "`",
    '"': '"',
    "'": "'",
    "“": "”",
    "\N{LEFT SINGLE QUOTATION MARK}": "’",
    "«": "»",
    "「": "」",
    "[": "]",
}
_EMPHASIS = ("**", "__")
_TEXT_MACRO = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s{0,3}\{([^{}]*)\}")
_NUMBER_AND_STOP = re.compile(r"([-+]?[$€£]?\d[\d,]{0,40}(?:\.\d{1,40})?\s?%?)\.")
_TEMPLATE = re.compile(
    r"[\[<{(]\s{0,3}(?:(?:insert|put|write)\s)?(?:your|the|final|short)?\s{0,3}(?:final\s|short\s)?answer"
    r"(?:\shere)?\s{0,3}[\]>})][.]?|your\s(?:final\s|short\s)?answer(?:\shere)?[.]?",
    re.IGNORECASE,
)
_FENCED = re.compile(r"(?P<fence>```|~~~)(?:[\w-]{0,20}\n)?(?P<inside>.*?)\s*(?P=fence)", re.DOTALL)
_RULE = re.compile(r"\s{0,20}(?:(?:`{3,6}|~{3,6})(?:[A-Za-z][\w+-]{0,19})?|[-*_=]{3,40})\s{0,20}")
_CLOSERS = {**_PAIRS, "*": "*", "_": "_", "(": ")"}
_STOPS = ".,;!。"
_NEXT_SENTENCE = re.compile(r"(?<=[.!?。])\s{1,3}(?=[A-Z])|(?<=。)")
_UNCLOSED = re.compile(r"\s?[(\[][^()\[\]]*\Z")
_BULLET = re.compile(r"\s{0,20}(?:[-*•+]|\d{1,3}[.)])\s{1,20}(\S.*)")


def is_template(value: str) -> bool:
    """Whether `value` is a placeholder such as ``[YOUR FINAL ANSWER]`` instead of an answer."""
    return _TEMPLATE.fullmatch(value.strip()) is not None


def is_real(value: str) -> bool:
    """Whether `value` answers something: it is not empty and no placeholder."""
    return bool(value) and not is_template(value)


def is_rule(line: str) -> bool:
    """Whether `line` is a code fence or a horizontal rule, which hold no value."""
    return _RULE.fullmatch(line) is not None


def without_fence(text: str) -> str:
    """What stands in the code fence that is all of `text`; `text` if none is."""
    fenced = _FENCED.fullmatch(text)
    return fenced["inside"].strip() if fenced and fenced["fence"] not in fenced["inside"] else text


def unwrapped(text: str, before: str) -> str:
    """`text`, which follows a marker, up to the end of what was opened right `before` the marker.

    `` `FINAL ANSWER: 42` `` and ``**FINAL ANSWER: 42**.`` close behind the value.
    """
    value = text.strip()
    for opening in reversed(before[-6:]):
        closer = _CLOSERS.get(opening)
        if closer is None:
            break
        bare = value.rstrip(_STOPS)
        if bare.endswith(closer):
            value = bare[: -len(closer)].rstrip()
        elif opening not in "*_([" and (closed := re.search(rf"{closer}(?!\w)", value)):
            value = value[: closed.start()].rstrip()
        else:
            break
    return value


def before_another_marker(text: str) -> str:
    """The value in `text`, which leads from one marker to the next: no words that introduce the next one."""
    value = text.rstrip("".join(_CLOSERS) + " \t")
    value = _NEXT_SENTENCE.split(value.strip(), maxsplit=1)[0]
    return _UNCLOSED.sub("", value).rstrip(" \t…-–—,;:(") if value else value


def bare_value(text: str) -> str:
    r"""`text` without what is wrapped around it.

    That is bold, code, quotes, square brackets, a box, ``\text{}``, and the full stop after a number.
    """
    value = without_fence(text.strip())
    # No answer is wrapped more often; the bound keeps a line of brackets from being peeled one by one.
    for _ in range(6):
        peeled = _peeled(value)
        if peeled == value:
            break
        value = peeled
    return value


def _peeled(value: str) -> str:
    for mark in _EMPHASIS:
        if value.count(mark) == 1 and value.endswith(mark) and value != mark:
            return value[: -len(mark)].strip()  # its partner stands before the marker
        if len(value) > 2 * len(mark) and value.startswith(mark) and value.endswith(mark):
            return value[len(mark) : -len(mark)].strip()
    if len(value) > 2 and _PAIRS.get(value[0]) == value[-1] and not set(value[1:-1]) & {value[0], value[-1]}:
        return value[1:-1].strip()
    for wrapped in (_TEXT_MACRO.fullmatch(value), _NUMBER_AND_STOP.fullmatch(value)):
        if wrapped:
            return wrapped[1].strip()
    box = next(iter(boxes(value)), None)
    is_boxed = box is not None and box.start == 0 and box.end is not None and value[box.end :] in {"", "."}
    return box.content(value).strip() if box and is_boxed else value


def joined_bullets(lines: Sequence[str], number: int) -> str | None:
    """The items of the list that begins at line `number`, e.g. ``"apple, banana"``; ``None`` if none does."""
    items: list[str] = []
    while number < len(lines) and (bullet := _BULLET.fullmatch(lines[number])):
        items.append(bullet[1].strip())
        number += 1
    return ", ".join(items) or None
