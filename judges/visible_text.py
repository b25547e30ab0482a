"""What a reader sees of a model's text: no thinking, no control characters, no halves of characters."""

import re

from harnesses.endpoint.valid_text import without_halves

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
THINKING_TAG = re.compile(
    r"<(?P<close>/?)\s{0,2}(?:[\w-]{1,20}:)?(?:think|thinking|thoughts?|reasoning)\s{0,2}>"
    r"|\[(?P<bracket_close>/?)think\]"
    r"|◁(?P<triangle_close>/?)think▷",
    re.IGNORECASE,
)


def cleaned(text: str) -> str:
    r"""`text` without control characters (line ends and tabs stay) and with halves of characters made whole.

    A pair of surrogates becomes its character, a lone one U+FFFD: neither a request nor a report can carry
    them. Line ends become ``\n``.
    """
    whole = without_halves(text)
    return _CONTROL.sub("", whole.replace("\r\n", "\n").replace("\r", "\n"))


def without_thinking(text: str) -> str | None:
    """What a model says outside its thinking blocks, or ``None`` when its last block never ends.

    A block reads ``<think>…</think>``; thinking, thought, thoughts and reasoning work as well, and so does
    ``[THINK]``. Blocks do not nest. A closing tag without an opening one ends thinking that a chat template
    began: all text up to the last such tag is thinking.
    """
    kept: list[str] = []
    position = 0
    inside = False
    for tag in THINKING_TAG.finditer(text):
        closes = "/" in tag[0]
        if closes and not inside:
            kept.clear()
        elif not closes and not inside:
            kept.append(text[position : tag.start()])
        inside = not closes
        if closes:
            position = tag.end()
    return None if inside else "".join([*kept, text[position:]])
