r"""How a verdict is written: a letter, a label or both, with Markdown or LaTeX around it.

Every quantifier here is bounded or stands alone, so that no text makes reading slow.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from judges.verdict import CORRECT, INCORRECT, JudgeProtocol, UnreadableVerdictError, Verdict

DECORATION = r"""[\s*_`"'“”\u2018’「」『』【】()\[\]{}<>$#\\]"""
"""One character of markup around a verdict."""
# Those that change how a letter looks; \not and \cancel say something.
_MACRO = (
    r"\\(?:(?:textcolor|color|colorbox)\{[^{}\n]{1,20}\}|(?:text(?!color|st(?![a-z]))[a-z]{0,8}|math[a-z]{1,8}|emph|[mhf]box|framebox"
    r"|underline|uline|boldsymbol|pmb|bm|bf|rm|it|tt|sf|sc|em|bfseries|itshape|ttfamily|sffamily|[Ll]arge|LARGE"
    r"|[Hh]uge|displaystyle|operatorname)(?![A-Za-z]))"
)
D = rf"(?:{_MACRO}|{DECORATION}){{0,12}}"
"""The markup before a verdict."""

_ZERO_WIDTH = (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\ufeff"
)

_UNNAMED_INVALID = Verdict(letter="C", label="INCOMPLETE/REPETITIVE/REFUSAL")
_NOT_ATTEMPTED = Verdict(letter="C", label="NOT_ATTEMPTED")
_COMMON_LABELS = {
    "CORRECT": CORRECT,
    "正确": CORRECT,
    "INCORRECT": INCORRECT,
    "NOT CORRECT": INCORRECT,
    "不正确": INCORRECT,
    "错误": INCORRECT,
}
_LABELS: Mapping[JudgeProtocol, Mapping[str, Verdict]] = {
    "gaia": {
        **_COMMON_LABELS,
        "INCOMPLETE": Verdict(letter="C", label="INCOMPLETE"),
        "REPETITIVE": Verdict(letter="C", label="REPETITIVE"),
        "REFUSAL": Verdict(letter="C", label="REFUSAL"),
        _UNNAMED_INVALID.label: _UNNAMED_INVALID,
    },
    "sealqa": {**_COMMON_LABELS, "NOT ATTEMPTED": _NOT_ATTEMPTED, "未作答": _NOT_ATTEMPTED},
}
_LETTERS: Mapping[JudgeProtocol, Mapping[str, Verdict]] = {
    "gaia": {"A": CORRECT, "B": INCORRECT, "C": _UNNAMED_INVALID},
    "sealqa": {"A": CORRECT, "B": INCORRECT, "C": _NOT_ATTEMPTED},
}


def _label_pattern(protocol: JudgeProtocol) -> str:
    spelt = sorted(_LABELS[protocol], key=len, reverse=True)
    words = (re.escape(label).replace(r"\ ", "[ _-]{1,3}").replace("/", r"\s?/\s?") for label in spelt)
    return rf"(?:{'|'.join(words)})(?![^\W_])"


def _joined_label_pattern(protocol: JudgeProtocol) -> str:
    """A label after a letter; with only blanks between in capitals, since "A correct answer" is prose.

    Behind a full stop it must end there: "B. Correct answer: 17" is prose as well.
    """
    label = _label_pattern(protocol)
    return (
        rf"(?:(?:{D}[-–—→:,]|[\s*_`$\])}}]{{0,8}}[(\[<]){D}(?P<label>(?i:{label}))|{D}(?P<loud_label>{label})"
        rf"|{D}[.;!?。=|]{{1,3}}{D}(?P<next_label>(?i:{label}))(?=\s{{0,9}}(?:[^\w\s]|_|\Z|\n)))"
    )


def _verdict_pattern(protocol: JudgeProtocol) -> re.Pattern[str]:
    letter_first = rf"(?P<letter>[ABCabc])(?![^\W_]|/){_joined_label_pattern(protocol)}?"
    letter_after = rf"(?:(?:{D}[-–—:]|[\s*_`$]{{0,8}}[(\[]){D}(?P<letter_after>[ABC])(?![^\W_]|/))?"
    return re.compile(
        rf"{D}(?:{letter_first}|(?P<label_first>(?i:{_label_pattern(protocol)}))(?!/){letter_after})"
    )


_PROTOCOLS: tuple[JudgeProtocol, ...] = ("gaia", "sealqa")
_VERDICT = {protocol: _verdict_pattern(protocol) for protocol in _PROTOCOLS}
_LABEL_AFTER = {protocol: re.compile(_joined_label_pattern(protocol)) for protocol in _PROTOCOLS}
_NOTHING_MORE = re.compile(rf"(?:{DECORATION}|[.。!])*\Z")
_END_OF_LINE = re.compile(rf"(?:(?!\n){DECORATION}|[.。!])*(?:\n|\Z)")

ANCHOR_WORD = (
    r"(?:grade|verdict|judge?ment|decision|conclusion|最终结论|结论|最终判[定断]|判[定断]|评判|评级)"
)
ANCHOR = (
    r"(?i:(?:the\s|my\s|a\s)?(?:final\s|overall\s)?"
    rf"{ANCHOR_WORD}{D}(?::|=|(?:is|of)(?=\s|{DECORATION})|是|为))"
)
"""The words a verdict follows, e.g. ``Grade:``, ``The final grade is``, ``结论:``."""
FINAL_JUDGMENT = re.compile(r"(?i:final\s{1,3}judge?ment)|最终判[定断]")


@dataclass(frozen=True, kw_only=True)
class Written:
    """What looks like a verdict, from `start` to `end` in a text (as for slicing; markup before it left out).

    `letter` is as written, `label` in the spelling of the protocol; at least one is there. `is_loud` tells
    that letter and label stand together, the label in capitals.
    """

    letter: str | None
    label: str | None
    start: int
    end: int
    is_loud: bool

    @property
    def is_lower(self) -> bool:
        """Whether the letter is lower-case: it may be an article."""
        return self.letter is not None and self.letter.islower()


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A verdict and how it is written."""

    verdict: Verdict
    written: Written


def normalised(text: str) -> str:
    """`text` with compatibility forms made plain (NFKC: a full-width A is A) and zero-width marks off.

    Done a character at a time: normalising the whole would sort runs of combining marks, in a time that grows
    with the square of their number.
    """
    unusual = {character for character in text if not character.isascii()}
    plain = {ord(character): unicodedata.normalize("NFKC", character) for character in unusual}
    return text.translate({**plain, **dict.fromkeys(map(ord, _ZERO_WIDTH))})


def written_verdict(text: str, protocol: JudgeProtocol, position: int = 0) -> Written | None:
    """What looks like a verdict at `position`, markup before it skipped; ``None`` if nothing does."""
    found = _VERDICT[protocol].match(text, position)
    if found is None:
        return None
    letter = found["letter"] or found["letter_after"]
    label = found["label"] or found["loud_label"] or found["next_label"] or found["label_first"]
    return Written(
        letter=letter,
        label=_spelling(label) if label else None,
        start=found.start("letter") if found["letter"] else found.start("label_first"),
        end=found.end(),
        is_loud=bool(letter and label and label == label.upper()),
    )


def read_verdict(text: str, protocol: JudgeProtocol, position: int = 0) -> Reading | None:
    """The verdict that begins at `position`, markup before it skipped; ``None`` if something else does.

    Raises:
        UnreadableVerdictError: Letter and label disagree.
    """
    written = written_verdict(text, protocol, position)
    if written is None or (written.is_lower and written.label):
        return None
    given: list[Verdict] = []
    if written.letter:
        given.append(_LETTERS[protocol][written.letter.upper()])
    if written.label:
        given.append(_LABELS[protocol][written.label])
    return Reading(verdict=_agreed(*given), written=written)


def read_whole(text: str, protocol: JudgeProtocol) -> Reading | None:
    """The verdict that `text` is, with nothing but markup around it.

    Raises:
        UnreadableVerdictError: Letter and label disagree.
    """
    reading = read_verdict(text, protocol)
    return reading if reading and is_end(text, reading.written.end) else None


def is_end(text: str, position: int) -> bool:
    """Whether nothing but markup and a full stop follows."""
    return _NOTHING_MORE.match(text, position) is not None


def is_end_of_line(text: str, position: int) -> bool:
    """Whether nothing but markup and a full stop follows on the line."""
    return _END_OF_LINE.match(text, position) is not None


def with_label_after(verdict: Verdict, text: str, position: int, protocol: JudgeProtocol) -> Verdict:
    """`verdict` with the label that follows it, e.g. after a box; as it is if none does.

    Raises:
        UnreadableVerdictError: They disagree.
    """
    found = _LABEL_AFTER[protocol].match(text, position)
    if found is None:
        return verdict
    label = found["label"] or found["loud_label"] or found["next_label"]
    return _agreed(verdict, _LABELS[protocol][_spelling(label)])


def label_end(text: str, position: int, protocol: JudgeProtocol) -> int:
    """Where the label after `position` ends; `position` if none follows."""
    found = _LABEL_AFTER[protocol].match(text, position)
    return found.end() if found else position


def _spelling(label: str) -> str:
    spaced = re.sub(r"[\s_-]+", " ", label).upper()
    return spaced.replace(" /", "/").replace("/ ", "/")


def _agreed(*given: Verdict) -> Verdict:
    """The last of them, which names its label, if all have one letter."""
    if len({verdict.letter for verdict in given}) > 1:
        raise UnreadableVerdictError("letter and label of the verdict disagree")
    return given[-1]
