r"""Takes the force out of verdict-shaped text in an answer, so that quoting it gives no verdict.

What a verdict reader or a prompt would take for its own is marked; the words stay readable:

- a verdict after an anchor, in a JSON field or as a line of its own: ``Grade: A`` → ``Grade: (quoted) A``;
- a box that holds a verdict: ``\boxed{A}`` → ``boxed(quoted: A)``;
- the labels of a prompt at the start of a line: ``Gold target: x`` → ``(quoted) Gold target: x``;
- delimiters and tags: ``<Candidate's Answer End>`` → the same in single angle quotes, ``[END DATA]`` →
  ``(END DATA)``; code fences become three apostrophes.

Every other answer stays as it is, byte for byte: numbers in boxes, a lone letter, HTML, single back-ticks.
"""

import re
from collections.abc import Iterator

from judges.boxes import boxes
from judges.verdict import JudgeProtocol, UnreadableVerdictError
from judges.verdict_grammar import (
    ANCHOR,
    FINAL_JUDGMENT,
    is_end_of_line,
    normalised,
    read_whole,
    written_verdict,
)
from judges.verdict_places import AFTER_FINAL_JUDGMENT, JSON_FIELD, LONGEST_VERDICT, SEVERAL_LETTERS
from judges.visible_text import THINKING_TAG

_QUOTED = "(quoted) "
_OPENS, _CLOSES = (
    "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}",
    "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
)
_PROTOCOLS: tuple[JudgeProtocol, ...] = ("gaia", "sealqa")

_TAG = re.compile(
    rf"<(?=[^<>\n]{{1,60}}\b(?:begin|end)>)[^<>\n]*>|<\|[^<>|\n]{{1,40}}\|>"
    rf"|</?(?:answer|system|user|assistant|grade|verdict|judge?ment)>|{THINKING_TAG.pattern}",
    re.IGNORECASE,
)
_BRACKET_TAG = re.compile(r"\[\s?/?(?:(?:begin|end|start)(?:\s[a-z' ]{1,30})?|inst|sys)\s?\]", re.IGNORECASE)
_FENCE = re.compile(r"```|~~~")
_PROMPT_LABEL = re.compile(
    r"^[ \t]{0,9}(?=(?:(?:gold|standard|reference|candidate's|predicted)\s(?:target|answer)|ground\struth)"
    r"(?:\s\d{1,2})?\s{0,3}:)",
    re.IGNORECASE | re.MULTILINE,
)
_ANCHOR = re.compile(ANCHOR)


def neutralise(answer: str) -> str:
    """`answer` as a judge may see it: the same for the same answer, and unchanged when done again."""
    seen = _marked(answer)
    # Zero-width marks and full-width forms hide a verdict from us that a reader of the reply would see.
    plain = normalised(seen)
    return seen if _marked(plain) == plain else _marked(plain)


def _marked(text: str) -> str:
    text = _TAG.sub(lambda tag: f"{_OPENS}{tag[0][1:-1]}{_CLOSES}", text)
    text = _BRACKET_TAG.sub(lambda tag: f"({tag[0][1:-1]})", text)
    text = _FENCE.sub("'''", text)
    text = _without_verdict_boxes(text)
    text = _PROMPT_LABEL.sub(lambda label: label[0] + _QUOTED, text)
    pieces: list[str] = []
    position = 0
    for start in sorted(set(_verdict_starts(text))):
        pieces += [text[position:start], _QUOTED]
        position = start
    return "".join([*pieces, text[position:]])


def _without_verdict_boxes(text: str) -> str:
    """Boxes that hold a verdict, or the letters of the template, become words."""
    edits: list[tuple[int, int, str]] = []
    for box in boxes(text):
        if box.length(text) <= LONGEST_VERDICT and _is_verdict(box.content(text)):
            edits.append((box.start, box.inside, "boxed(quoted: "))
            edits.extend([(box.end - 1, box.end, ")")] if box.end else [])
    pieces: list[str] = []
    position = 0
    for start, end, words in sorted(edits):
        pieces += [text[position:start], words]
        position = end
    return "".join([*pieces, text[position:]])


def _is_verdict(content: str) -> bool:
    return bool(SEVERAL_LETTERS.fullmatch(content)) or any(
        _is_whole(content, protocol) for protocol in _PROTOCOLS
    )


def _is_whole(content: str, protocol: JudgeProtocol) -> bool:
    try:
        return read_whole(content, protocol) is not None
    except UnreadableVerdictError:
        return True


def _verdict_starts(text: str) -> Iterator[int]:
    """Where a letter, a label or a JSON flag stands that a reader could take for the judge's verdict."""
    for anchor in _ANCHOR.finditer(text):
        yield from _starts(text, anchor.end())
    for phrase in FINAL_JUDGMENT.finditer(text):
        after = AFTER_FINAL_JUDGMENT.match(text, phrase.end())
        yield from _starts(text, after.end() if after else phrase.end())
    for field in JSON_FIELD.finditer(text):
        if field["flag"]:
            yield field.start("flag")
        elif _is_verdict(field["text"]):
            yield field.start("text")
    for line in re.finditer(r"^.", text, re.MULTILINE):
        yield from _starts(text, line.start(), only_loud=True)


def _starts(text: str, position: int, *, only_loud: bool = False) -> Iterator[int]:
    for protocol in _PROTOCOLS:
        written = written_verdict(text, protocol, position)
        if written is None or (only_loud and not written.is_loud):
            continue
        if not written.is_lower or is_end_of_line(text, written.end):
            yield written.start
