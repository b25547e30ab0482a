"""A verdict: what a judge says of one answer."""

from dataclasses import dataclass
from typing import Literal

Letter = Literal["A", "B", "C"]
JudgeProtocol = Literal["gaia", "sealqa"]
"""How a model judge is asked, and which labels stand for its letters."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A letter and its label. Only A is correct.

    `label` is the protocol's word in upper case, e.g. "CORRECT", "INCORRECT", "INCOMPLETE",
    "NOT_ATTEMPTED". A GAIA judge that says C and not why gives "INCOMPLETE/REPETITIVE/REFUSAL"; without an
    answer, when no judge was asked, it is "NO_ANSWER".
    """

    letter: Letter
    label: str

    @property
    def is_correct(self) -> bool:
        """True for A alone."""
        return self.letter == "A"


class UnreadableVerdictError(Exception):
    """A judge's reply holds no verdict, or more than one: trouble with the judge, never a wrong answer.

    `str()` is a short public reason without any text of the reply, e.g. "the reply is empty".
    """


CORRECT = Verdict(letter="A", label="CORRECT")
INCORRECT = Verdict(letter="B", label="INCORRECT")
NO_ANSWER = Verdict(letter="C", label="NO_ANSWER")
"""Given without asking a judge when the attempt ended without an answer."""
