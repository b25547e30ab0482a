"""Cutting what a tool brings back to a length a model can read."""

import re
from collections import deque
from itertools import islice

_UNIT = re.compile(r"[a-zA-Z0-9_'-]+|\S")
_CUT = "...(truncated)..."


def truncate(text: str, max_units: int) -> str:
    """`text` with its middle cut out where it is longer than `max_units` (at least 1).

    A unit is a run of letters, digits, ``_ ' -``, or one other character that is no space, so that a word of
    English and a character of Chinese weigh the same (the unit of AgentCompass 1.0.1, `fc_inferencer.py`).
    Half of the units are kept at the head, the rest at the tail; takes time linear in the text.

    Example: ``truncate("alpha beta gamma delta epsilon zeta", 4)`` is
    ``"alpha beta...(truncated)...epsilon zeta"``.
    """
    n_head = max_units // 2
    units = _UNIT.finditer(text)
    head_end = 0
    for unit in islice(units, n_head):
        head_end = unit.end()
    rest: deque[int] = deque(maxlen=max_units - n_head)
    n_rest = 0
    for unit in units:
        rest.append(unit.start())
        n_rest += 1
    if n_rest <= max_units - n_head:
        return text
    return f"{text[:head_end]}{_CUT}{text[rest[0] :]}"
