r"""Reads the verdict out of a judge's reply, where the protocol puts it and nowhere else.

In order: the whole reply; what follows the last "Final Judgment"; the last box; a JSON field; an anchored
line such as ``Grade: B``; the sentence that ends the reply; its first line. The first place that holds a
verdict decides, and a later one that says otherwise makes the reply unreadable. Letters in prose never count.
"""

import re

from judges.verdict import JudgeProtocol, UnreadableVerdictError, Verdict
from judges.verdict_grammar import FINAL_JUDGMENT, D, Reading, normalised, read_whole
from judges.verdict_places import (
    ANCHORED_START,
    LONGEST_VERDICT,
    Place,
    after_final_judgment,
    agreeing_box,
    anchored_line,
    first_line,
    json_field,
    last_box,
    last_sentence,
)
from judges.verdict_retractions import has_empty_tick_box, is_quotation, says_otherwise
from judges.visible_text import cleaned, without_thinking

__all__ = ["UnreadableVerdictError", "parse_verdict"]

_ANYWHERE: tuple[Place, ...] = (last_box, json_field, anchored_line, last_sentence, first_line)
_AFTER_FINAL_JUDGMENT: tuple[Place, ...] = (
    after_final_judgment,
    agreeing_box,
    json_field,
    anchored_line,
    last_sentence,
)
_FENCE = re.compile(r"(```|~~~)[\w-]{0,20}")
# The answer's letter may be the candidate's: this word is an anchor only when the reply holds nothing else.
_ANSWER_ANCHOR = re.compile(rf"{D}(?:(?i:(?:the\s)?(?:final\s)?answer)|(?:最终)?答案){D}(?::|is\s|是|为)")


def parse_verdict(text: str | None, protocol: JudgeProtocol = "gaia") -> Verdict:
    """The verdict of a judge's reply.

    Args:
        text: The reply's content, ``None`` when it had none. Thinking blocks in it do not count.
        protocol: Whose labels are known: "gaia" (C is incomplete, repetitive or a refusal) or "sealqa"
            (C is not attempted).

    Raises:
        UnreadableVerdictError: No verdict where one belongs, or two that disagree; the error says which.
    """
    reply = _reply(text)
    if has_empty_tick_box(reply, protocol):
        raise UnreadableVerdictError("the reply is a form with boxes to tick")
    whole = _whole_reply(reply, protocol)
    if whole is not None:
        return whole
    *before, last = FINAL_JUDGMENT.split(reply)
    places = _AFTER_FINAL_JUDGMENT if before else _ANYWHERE
    found = [here for place in places if (here := place(last, protocol)) is not None]
    if not found:
        raise UnreadableVerdictError("no verdict stands where the protocol puts one")
    first, *others = found
    later = [here for here in others if here.position > first.position]
    if {here.verdict.letter for here in later} - {first.verdict.letter}:
        raise UnreadableVerdictError("the reply gives two verdicts")
    latest = max([first, *later], key=lambda here: here.position)
    if is_quotation(reply, len(reply) - len(last) + latest.position):
        raise UnreadableVerdictError("the verdict stands in a quotation")
    if says_otherwise(first.verdict, last[latest.end :]):
        raise UnreadableVerdictError("what follows the verdict contradicts it")
    return first.verdict


def _reply(text: str | None) -> str:
    """What counts of a reply, out of the code fence that may hold all of it."""
    # A decoder that takes "\b" for a backspace turns "\boxed" into this.
    mended = (text or "").replace("\x08oxed", r"\boxed")
    spoken = without_thinking(normalised(cleaned(mended)))
    if spoken is None:
        raise UnreadableVerdictError("the reply ends inside its thinking")
    reply = spoken.strip()
    if not reply:
        raise UnreadableVerdictError("the reply is empty")
    lines = reply.split("\n")
    fence = _FENCE.fullmatch(lines[0].strip())
    return "\n".join(lines[1:-1]).strip() if fence and lines[-1].strip() == fence[1] else reply


def _whole_reply(reply: str, protocol: JudgeProtocol) -> Verdict | None:
    """The verdict the reply consists of; said more than once, it must be the same each time."""
    if len(reply) > 4 * LONGEST_VERDICT:
        return None
    lines = [line for line in reply.split("\n") if line.strip()]
    verdicts: list[Verdict] = []
    for line in lines:
        reading = _whole_line(line, protocol, is_only=len(lines) == 1)
        if reading is None:
            return None
        verdicts.append(reading.verdict)
    if len({verdict.letter for verdict in verdicts}) > 1:
        raise UnreadableVerdictError("the reply gives two verdicts")
    return verdicts[-1] if verdicts else None


def _whole_line(line: str, protocol: JudgeProtocol, *, is_only: bool) -> Reading | None:
    if line.lstrip().startswith(">") and not is_only:
        return None  # a quotation
    anchor = ANCHORED_START.match(line) or (_ANSWER_ANCHOR.match(line) if is_only else None)
    reading = read_whole(line[anchor.end() if anchor else 0 :], protocol)
    return None if reading and reading.written.is_lower and not is_only else reading
