"""What a model is asked: the question, under `answer_format: gaia` with the rules for its answer."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal

from benchmarks.task import Task

ANSWER_RULES = """\
Work the question out as you see fit. Then end your reply with one line of this form:

FINAL ANSWER: <your answer>

A program compares your answer with the right one, so keep to these rules:
- Answer with a number, with as few words as possible, or with a list of those, separated by commas.
- Write a number in digits, without thousands separators, and without a unit ($, %, km ...) unless the \
question asks for one.
- Write text without articles and abbreviations, its digits in plain text unless the question says otherwise.
- In a list, each item follows the rule for its kind.
- Give nothing but the answer on that line: no explanation and no second answer.
"""
"""The leaderboard's rules in our words (GAIA, arXiv 2311.12983, section 4, gives the original prompt)."""


def prompt_text(task: Task, answer_format: Literal["none", "gaia"]) -> str:
    """The whole text that is asked; attachments are named as they lie in the attempt's folder."""
    parts = [task.question]
    if task.attachments:
        parts.append(_attachment_note(task.attachments))
    if answer_format == "gaia":
        parts.append(ANSWER_RULES.rstrip())
    return "\n\n".join(parts)


def _attachment_note(attachments: Sequence[str]) -> str:
    names = ", ".join(PurePath(path).name for path in attachments)
    noun = "This file belongs" if len(attachments) == 1 else "These files belong"
    return f"{noun} to the question and can be found in your working folder: {names}"
