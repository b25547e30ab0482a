"""What takes a verdict back: words after it that say otherwise, a quotation around it, a box left unticked.

A wrong A passes a gate, and an unreadable reply is asked again: in doubt a verdict does not stand.
"""

import re

from judges.verdict import JudgeProtocol, Verdict
from judges.verdict_grammar import ANCHOR, ANCHOR_WORD, FINAL_JUDGMENT, written_verdict

_WRONG = (
    r"(?:\b(?:wrong(?:ly)?|incorrect(?:ly|ness)?|inaccura\w{1,4}|erroneous(?:ly)?|mistaken|mismatch\w{0,3}"
    r"|contradict\w{0,6}|false|partial(?:ly)?|partly|incomplete(?:ness)?|repetitive|refus(?:al|e[sd]?)|disagree\w{0,4}"
    r"|(?<!wording\s)(?<!spelling\s)(?<!format\s)(?<!formatting\s)(?<!style\s)differ(?:s|ed)?"
    r"(?!\s(?:only|slightly|merely|in\s(?:wording|spelling|form|format|formatting|style))\b)"
    r"|unacceptable|invalid|inconsistent|not[ _-]attempted)\b|不正确|错误|不匹配|不一致|不符|未作答)"
)
_NOTHING_WRONG = (
    r"(?:\bnothing\s(?:(?:is|in|it|the|that|about|answer|prediction)\s){0,5}"
    r"|(?:\b(?:no|not|never|without|neither|nor)|n['’]t)\s(?:(?:an?|any|be|the|factually|contain|include)\s){0,3}"
    rf"|没有|无){_WRONG}"
)
_DENIED = (
    r"(?:\b(?:not?|never|cannot)|n['’]t)\s(?!only\s|just\s|merely\s)(?:\w{1,20}\s)?"
    r"(?:match(?:es|ing)?|agree|equal|correspond|correct|right|equivalent|the\ssame|acceptable|accurate|true|valid"
    r"|what|fit|consistent)\b|\bfail(?:s|ed)?\b|[✗✘✖❌]"
)
_AGAINST_A = re.compile(rf"(?P<harmless>{_NOTHING_WRONG})|{_WRONG}|{_DENIED}", re.IGNORECASE)
_LATIN = r"[A-Za-z0-9_\u00c0-\u024f]"
_LETTER_AGAINST_A = re.compile(
    rf"(?<!{_LATIN})(?<!{_LATIN}-)(?:B|(?<![<>/\\])b(?!>)|(?<!°)(?<!\d\s)C)(?!{_LATIN}|['’]s\b|[+#]|-{_LATIN})"
)
_LETTER_POSITION = (
    r"(?:[,:;=–—→]|\s-|->|\b(?:be|is|to|or|rather|makes?|actually|grade|verdict)|应为|是|boxed(?=\s?\{))"
    r"""[\s*_"'“\u2018(\[{$\\]{0,6}(?:boxed\s?\{\s?)?"""
)
_OTHER_LABELS = {"B": "CORRECT|INCOMPLETE|REPETITIVE|REFUSAL|NOT_ATTEMPTED", "C": "CORRECT|INCORRECT"}
_AGAINST = {
    letter: re.compile(
        rf"{_LETTER_POSITION}[{others}](?!{_LATIN}|['’]s\b|[+#-]|[^\S\n]{{1,9}}[a-z])"
        rf"|(?<!NOT[ _-])(?<!not\s)(?<!{_LATIN})(?:{_OTHER_LABELS[letter]})(?!{_LATIN})"
        r"(?!\s(?:answer|value|result|one|number|name|year|date|response))"
        r"|\b(?:is|was|are)\s(?:in\sfact\s|actually\s|indeed\s)?(?i:correct|right)\W*\Z"
    )
    for letter, others in {"B": "AC", "C": "AB"}.items()
}
_RETRACTED = re.compile(
    r"\b(?:wait\b(?=\s?[,:.!;–—-]|\sno\b)|(?:kidding|joking|oops|scratch\sthat)\b|correction\s?:"
    r"|on\s(?:second\sthoughts?|(?:further\s)?reflection|reconsideration)\b|reconsider"
    r"|take\s(?:that|it|this)\sback\b|i\s(?:(?:must|should|will|would|have\sto)\s)?(?:change|revise|retract|withdraw)\b"
    r"|(?:disregard|ignore)\s(?:that|my|the\sabove)\b)",
    re.IGNORECASE,
)
# "Correct: false", "Correct? No", but not "A - no difference".
_NO = re.compile(r"\W{0,12}(?:no|nope|not|false|0)(?=\s{0,9}(?:[^\w\s]|\Z))", re.IGNORECASE)

_EMPTY_TICK_BOX = re.compile(r"\[\s{0,3}\]|\(\s{1,3}\)|[☐□○◯⬜▢]|\\(?:big)?square\b")
_NAMED_BEFORE = re.compile(
    r"(?:(?<!\w)[ABC]|CORRECT|INCOMPLETE|REPETITIVE|REFUSAL|ATTEMPTED)[\s*_`:-]{0,6}\Z", re.IGNORECASE
)

_COLON_AT_END = re.compile(r"[:\N{FULLWIDTH COLON}][\s*_`]{0,6}\Z")
_BARE_ANCHOR = re.compile(
    rf"[\W_]{{0,12}}(?:(?i:the|my)\s)?(?:(?i:final|overall)\s)?(?i:{ANCHOR_WORD}|answer)(?:\sis)?[\W_]{{0,12}}"
)
_ANCHOR_AT_END = re.compile(rf"(?i:{ANCHOR_WORD}(?:\sis)?)[\s:*_`\uff1a]{{0,9}}\Z")
_ANCHOR_ANYWHERE = re.compile(rf"{ANCHOR}|{FINAL_JUDGMENT.pattern}")
_QUOTING = re.compile(
    r"\b(?:wrote|writes?|sa(?:ys?|id)|inject\w{0,4}|claim(?:s|ed)?|quot(?:es?|ed)|stat(?:es|ed)|tr(?:ies|ied)"
    r"|instruct\w{0,5}|includes?|contains?|reads|attempt(?:s|ed)|asks?|embedded|repl(?:ies|ied)|answered)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"\b(?:candidate|answer|prediction|predicted|response|key|truth|gold|target)\b", re.IGNORECASE
)
_FENCE_LINE = re.compile(r"^[ \t]{0,9}(?:```|~~~)[ \t]{0,3}(?P<language>[\w-]{0,20})", re.MULTILINE)


def says_otherwise(verdict: Verdict, tail: str) -> bool:
    """Whether `tail`, all that follows a verdict in the reply, contradicts it or takes it back.

    After an A, that is any word for wrong that is not itself denied, and the letters B and C. After the
    others, which explain what is wrong, it is another letter or label where a verdict would stand.
    """
    if _RETRACTED.search(tail) or _NO.match(tail):
        return True
    if verdict.letter != "A":
        return _AGAINST[verdict.letter].search(tail) is not None
    said = any(not word["harmless"] for word in _AGAINST_A.finditer(tail))
    return said or _LETTER_AGAINST_A.search(tail) is not None


def has_empty_tick_box(text: str, protocol: JudgeProtocol) -> bool:
    """Whether a box that nobody ticked stands beside a letter or a label: the reply is a form."""
    return any(
        written_verdict(text, protocol, box.end())
        or _NAMED_BEFORE.search(text[max(0, box.start() - 24) : box.start()])
        for box in _EMPTY_TICK_BOX.finditer(text)
    )


def is_quotation(text: str, position: int) -> bool:
    """Whether the line at `position` is quoted: marked as such, or introduced by a line that ends in a colon.

    A line that announces the verdict itself (``My verdict:``) introduces no quotation. Any other counts when
    the reply goes on below; at its end only one that tells what somebody wrote.
    """
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line, below = (text[start:], "") if end < 0 else (text[start:end], text[end:].strip())
    if line.lstrip().startswith(">") or _is_fenced(text, start):
        return True
    paragraph, _, _ = text[:start][::-1].strip().partition("\n\n")
    above = paragraph[::-1].split("\n")
    while above and _BARE_ANCHOR.fullmatch(above[-1]):
        above.pop()
    if above and _COLON_AT_END.search(above[-1]) and _introduces(above[-1], line, goes_on=bool(below)):
        return True
    return bool(below) and any(_COLON_AT_END.search(words) and _QUOTING.search(words) for words in above)


def _introduces(words: str, line: str, *, goes_on: bool) -> bool:
    if _QUOTING.search(words):
        return True
    is_about_answers = _ANSWERS.search(words) is not None
    announces = _ANCHOR_AT_END.search(words) is not None
    if goes_on:
        return is_about_answers or not announces
    return is_about_answers and not announces and not _ANCHOR_ANYWHERE.search(line)


def _is_fenced(text: str, position: int) -> bool:
    """Whether a fence is open at `position` and the reply goes on after it; JSON in one is no quotation."""
    marks = list(_FENCE_LINE.finditer(text, 0, position))
    if len(marks) % 2 == 0 or marks[-1]["language"].lower() == "json":
        return False
    closing = _FENCE_LINE.search(text, position)
    return closing is not None and bool(text[closing.end() :].strip())
