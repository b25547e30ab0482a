"""A judge prompt: a template with places for question, ground truth and answer."""

import re
from dataclasses import dataclass
from hashlib import sha256

from judges.verdict import JudgeProtocol

FIELDS: dict[JudgeProtocol, tuple[str, str, str]] = {
    "gaia": ("question", "gold_answer", "llm_response"),
    "sealqa": ("question", "target", "predicted_answer"),
}
"""The names a template uses for question, ground truth and answer, in this order."""

_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")


class PromptError(Exception):
    """A judge prompt cannot be had or used: one line with the value, the rule and the remedy."""


@dataclass(frozen=True, kw_only=True)
class JudgePrompt:
    """A template and where it came from.

    `text` is the raw template: ``{question}`` and the other two `FIELDS` of its protocol are places, ``{{``
    and ``}}`` stand for single braces, other braces for themselves. `source` is "official", "builtin" or the
    name of a file. `digest` is the SHA-256 of the text in UTF-8, in hex.
    """

    text: str
    source: str
    digest: str
    protocol: JudgeProtocol

    def render(self, question: str, ground_truth: str, answer: str) -> str:
        """The text to send. Braces in the three strings are never looked at."""
        values = dict(zip(FIELDS[self.protocol], (question, ground_truth, answer), strict=True))
        braces = {"{{": "{", "}}": "}"}
        return _PLACE.sub(lambda place: braces.get(place[0]) or values.get(place[1], place[0]), self.text)


def digest_of(text: str) -> str:
    """SHA-256 of `text` in UTF-8: 64 lower-case hex digits."""
    return sha256(text.encode()).hexdigest()


def missing_fields(text: str, protocol: JudgeProtocol) -> list[str]:
    """The places of the protocol that `text` lacks, e.g. ``["llm_response"]``."""
    present = {place[1] for place in _PLACE.finditer(text)}
    return [field for field in FIELDS[protocol] if field not in present]
