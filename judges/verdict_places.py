r"""The places in a judge's reply where a verdict counts: a box, a JSON field, an anchored line, the end.

Each place is a function of the reply and the protocol; it gives what it found and where, or ``None``.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from judges.boxes import Box, boxes
from judges.verdict import JudgeProtocol, UnreadableVerdictError, Verdict
from judges.verdict_grammar import (
    ANCHOR,
    D,
    Reading,
    is_end,
    label_end,
    read_verdict,
    read_whole,
    with_label_after,
)

LONGEST_VERDICT = 64
"""Characters of the longest text that is looked at as a verdict and nothing else."""
_LONGEST_SENTENCE = 160

ANCHORED_START = re.compile(rf"(?:\d{{1,2}}[.)]|[-+•])?{D}{ANCHOR}")
AFTER_FINAL_JUDGMENT = re.compile(rf"{D}(?::|=|is\s|是|为)?")
_SENTENCE_START = r"(?:^|(?<=[.!?。\n]))\s{0,3}(?:(?i:i\s(?:would\s|will\s)?(?:assign|give)\s(?:it\s)?))?"
_SENTENCE = re.compile(_SENTENCE_START + ANCHOR)
_CLOSING_WORDS = re.compile(r"(?:\s{1,2}here)?")
_REMARK = re.compile(
    r"[\s*_`\"'”’)\]}>$]{0,8}(?:[.。!,;:–—]|(?<=\s)(?:[-(]|(?:because|since|as|due\sto)\b))", re.IGNORECASE
)
_THEREFORE = r"(?:so|thus|hence|therefore|accordingly|overall|finally|in\sconclusion)"
_BEFORE_BOX = re.compile(
    rf"(?:^(?:\d{{1,2}}[.)]|[-+•])?|(?<=[.!?。])\s{{1,3}}|(?<=[,;])\s{{1,3}}(?={_THEREFORE}\b)){D}"
    rf"(?:{_THEREFORE}[,:]?\s{{1,3}})?"
    rf"(?:(?:{ANCHOR}|(?:(?:final|overall)\s)?(?:result|rating|assessment|evaluation|classification|label|final)"
    rf"{D}[:=]|i\s(?:(?:would|will)\s)?(?:assign|give|choose|select|conclude)(?:\s(?:it|this))?"
    rf"(?:\s(?:a|the)\sgrade(?:\sof)?)?\s|[:=]|is\s|是|为){D})?\Z",
    re.IGNORECASE,
)
_SECOND_LETTER = re.compile(rf"[,;:/.|&(-]*{D}(?:and\s|or\s)?{D}(?:A(?!\s[a-z])|B|C)(?![\w'])")
_SEPARATORS = re.compile(r"[^\S\n]*(?:[,;/|&-]|and|or|then)?[^\S\n]*")
SEVERAL_LETTERS = re.compile(r"\s*[ABC]\s*(?:[/|,]|or)\s*[ABC]\b.*", re.DOTALL)
_JSON_START = re.compile(r"^[ \t]{0,20}[{\[]", re.MULTILINE)
_FALSE = frozenset({"false", "no", "0"})
JSON_FIELD = re.compile(
    r"""["'](?:final[_ ])?(?:grade|verdict|judge?ment|decision|label)["']\s{0,9}:\s{0,9}["']"""
    r"""(?P<text>[^"'\\\n]{0,64})["']|["'](?:is_)?correct["']\s{0,9}:\s{0,9}["']?(?P<flag>true|false|yes|no|[01])\b""",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Found:
    """A verdict and where it stands in the text, from `position` to `end` (as for slicing)."""

    verdict: Verdict
    position: int
    end: int


Place = Callable[[str, JudgeProtocol], Found | None]


def after_final_judgment(text: str, protocol: JudgeProtocol) -> Found | None:
    """The verdict right after "Final Judgment", where `text` begins."""
    start = AFTER_FINAL_JUDGMENT.match(text)
    reading = on_its_own(text, start.end() if start else 0, protocol)
    return Found(verdict=reading.verdict, position=0, end=reading.written.end) if reading else None


def last_box(text: str, protocol: JudgeProtocol) -> Found | None:
    """The last box, if it holds a verdict and stands as one.

    That is on a line, or in a sentence, that has nothing before it but an anchor (``Grade:``, ``So the grade
    is``) and nothing behind it but a label or a remark. A box in the middle of prose may be the candidate's.
    """
    placed = boxes(text)
    read = [_boxed(box, text, protocol) for box in placed]
    if len(_letters(read)) == 3:
        raise UnreadableVerdictError("the reply repeats the grading scale")
    if not read or read[-1] is None:
        return None
    if len(_letters(read[-2:])) > 1 and _side_by_side(*placed[-2:], text=text):
        raise UnreadableVerdictError("two verdicts stand side by side")
    box = placed[-1]
    end = len(text) if box.end is None else box.end
    if not _stands_as_verdict(text, box.start, end, protocol):
        return None
    return Found(verdict=read[-1], position=box.start, end=end)


def agreeing_box(text: str, protocol: JudgeProtocol) -> Found | None:
    """The last box after "Final Judgment", if it holds a verdict; every box there that does must agree."""
    if len(_letters([_boxed(box, text, protocol) for box in boxes(text)])) > 1:
        raise UnreadableVerdictError("two verdicts follow the words Final Judgment")
    return last_box(text, protocol)


def json_field(text: str, protocol: JudgeProtocol) -> Found | None:
    """The verdict fields of a JSON object that begins a line, even one that was cut; all must agree."""
    start = _JSON_START.search(text)
    if start is None:
        return None
    found = [
        Found(verdict=reading.verdict, position=field.start(), end=field.end())
        for field in JSON_FIELD.finditer(text, start.start())
        if (reading := read_whole(_value(field), protocol))
    ]
    if len(_letters([place.verdict for place in found])) > 1:
        raise UnreadableVerdictError("the fields of the reply give two verdicts")
    return found[-1] if found else None


def anchored_line(text: str, protocol: JudgeProtocol) -> Found | None:
    """The last line such as ``Grade: B``; one right above it must not say otherwise."""
    last = above = None
    for position, line in _own_lines(text):
        anchor = ANCHORED_START.match(line)
        reading = on_its_own(line, anchor.end(), protocol) if anchor else None
        if reading and above and len(_letters([above, reading.verdict])) > 1:
            raise UnreadableVerdictError("two verdicts stand side by side")
        above = reading.verdict if reading else None
        if reading:
            last = Found(verdict=reading.verdict, position=position, end=position + reading.written.end)
    return last


def last_sentence(text: str, protocol: JudgeProtocol) -> Found | None:
    """The sentence that ends the reply, such as ``The grade is B.``."""
    found = None
    for anchor in _SENTENCE.finditer(text, max(0, len(text) - _LONGEST_SENTENCE)):
        reading = read_verdict(text, protocol, anchor.end())
        closing = _CLOSING_WORDS.match(text, reading.written.end) if reading else None
        if reading and closing and not reading.written.is_lower and is_end(text, closing.end()):
            found = Found(verdict=reading.verdict, position=anchor.start(), end=reading.written.end)
    return found


def first_line(text: str, protocol: JudgeProtocol) -> Found | None:
    """The first line, if it is a verdict alone or begins with letter and label in agreement.

    No other line that is a verdict may say otherwise: that would be the grading scale, repeated.
    """
    (position, first), *others = list(_own_lines(text)) or [(0, "")]
    named = on_its_own(first, 0, protocol)
    verdict = _alone(first, protocol) or (named.verdict if named and named.written.is_loud else None)
    if verdict is None:
        return None
    if len(_letters([verdict, *(_alone(line, protocol) for _, line in others)])) > 1:
        raise UnreadableVerdictError("the lines of the reply give two verdicts")
    end = position + (named.written.end if named else len(first))
    return Found(verdict=verdict, position=position, end=end)


def _letters(verdicts: list[Verdict | None] | list[Verdict]) -> set[str]:
    return {verdict.letter for verdict in verdicts if verdict}


def on_its_own(text: str, position: int, protocol: JudgeProtocol) -> Reading | None:
    """The verdict at `position`, if the line ends after it or goes on as a remark and not as prose."""
    reading = read_verdict(text, protocol, position)
    if reading is None:
        return None
    line_end = text.find("\n", reading.written.end)
    rest = text[reading.written.end : line_end if line_end >= 0 else len(text)]
    if is_end(rest, 0):
        return reading
    goes_on = _REMARK.match(rest) or (reading.written.is_loud and rest[0].isspace())
    return reading if goes_on and not reading.written.is_lower and not _SECOND_LETTER.match(rest) else None


def _alone(line: str, protocol: JudgeProtocol) -> Verdict | None:
    reading = read_whole(line, protocol) if len(line) <= LONGEST_VERDICT else None
    return reading.verdict if reading and not reading.written.is_lower else None


def _boxed(box: Box, text: str, protocol: JudgeProtocol) -> Verdict | None:
    if box.length(text) > LONGEST_VERDICT:
        return None
    content = box.content(text)
    if SEVERAL_LETTERS.fullmatch(content):
        raise UnreadableVerdictError("a box holds several letters, as the template does")
    reading = read_whole(content, protocol)
    return with_label_after(reading.verdict, text, box.end or len(text), protocol) if reading else None


def _stands_as_verdict(text: str, start: int, end: int, protocol: JudgeProtocol) -> bool:
    earliest = max(0, start - _LONGEST_SENTENCE)
    before = text[max(earliest, text.rfind("\n", earliest, start) + 1) : start]
    line_end = text.find("\n", end)
    after = text[label_end(text, end, protocol) : line_end if line_end >= 0 else len(text)]
    return bool(_BEFORE_BOX.search(before) and (is_end(after, 0) or _REMARK.match(after)))


def _side_by_side(one: Box, other: Box, *, text: str) -> bool:
    return one.end is not None and _SEPARATORS.fullmatch(text, one.end, other.start) is not None


def _value(field: re.Match[str]) -> str:
    if field["flag"]:
        return "INCORRECT" if field["flag"].lower() in _FALSE else "CORRECT"
    return str(field["text"])


def _own_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines in the judge's own words with their positions: no quoted, fenced or blank ones."""
    position = 0
    fence = ""
    for line in text.split("\n"):
        mark = line.strip()[:3]
        if mark in {"```", "~~~"} and fence in {"", mark}:
            fence = "" if fence else mark
        elif mark and not fence and not mark.startswith(">"):
            yield position, line
        position += len(line) + 1
