"""What may be said in public: no key, no canary, no ground truth, no question, no answer that was right."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

from benchmarks.configuration.masking import HIDDEN
from benchmarks.results.record import Outcome, Record
from benchmarks.task import Task

_SHOWN_CHARACTERS = 200
_LOOKED_AT_CHARACTERS = 10_000
"""Of a longer text only the beginning is looked at, and none of the rest is ever shown."""
_SHORTEST_IN_A_LINE = 3
"""A ground truth of fewer characters counts only in an answer: a line about an error is worth more."""
_QUOTED_WORDS = 6
"""A run of this many words of the question in a text counts as quoting it."""


class Redactor:
    """Decides what of a text may be shown.

    `secrets` are the key values of the session. With `show_ground_truth` only keys are masked and texts with
    the dataset's canary hidden: a public copy of it would mark its own page as a leak.
    """

    def __init__(self, secrets: Iterable[str], *, show_ground_truth: bool) -> None:
        spellings = {spelling for secret in secrets if secret for spelling in _spellings(secret)}
        self._secrets = sorted(spellings, key=len, reverse=True)
        self.show_ground_truth = show_ground_truth

    def mask_keys(self, text: str) -> str:
        """`text` with every key replaced by ``***``, also as an address or JSON spells it."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text

    def line(self, text: str, task: Task) -> str:
        """One printable line of `text`, or why it is hidden.

        A ground truth of one or two characters counts only in an answer: `HTTP 50` is no leak of "50".
        """
        # Masked before it is cut, so that no half of a key is left; and after, since dropping invisible marks
        # may put one together.
        masked = self.mask_keys(text)
        line = self.mask_keys(_one_line(masked[:_LOOKED_AT_CHARACTERS]))
        # Only what is shown can leak; a little more is looked at, so that the cut does not halve a word.
        longest = max(len(task.ground_truth), len(task.canary or ""))
        looked_at = line[: 2 * _SHOWN_CHARACTERS + 2 * longest]
        if len(masked) > _LOOKED_AT_CHARACTERS and len(line) <= _SHOWN_CHARACTERS + longest:
            return "(hidden: too long a text with too little to show; see details/)"
        if task.canary is not None and (_quotes(looked_at, task.canary) or _holds(looked_at, task.canary)):
            return "(hidden: it holds the dataset's canary; see details/)"
        if not self.show_ground_truth and (
            _quotes(looked_at, task.question) or _gives_away(looked_at, task.ground_truth)
        ):
            return "(hidden: it quotes the question or the ground truth; see details/)"
        return line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"

    def output(self, text: str, task: Task) -> str:
        """What an attempt printed, for a user who asked to see everything: only a canary hides it."""
        if task.canary is not None and _holds(text, task.canary):
            return "(hidden: it holds the dataset's canary; see details/)"
        return self.mask_keys(text)

    def answer(self, record: Record, task: Task) -> str:
        """The answer of a failed item as far as it may be shown."""
        if record.final_answer is None:
            return f"none ({record.answer_flag or 'no final message'})"
        if not self.show_ground_truth:
            if _is_right_somewhere(record):
                return "(hidden: a scorer takes it as correct)"
            beginning = record.final_answer[:_LOOKED_AT_CHARACTERS]
            if _holds(beginning, task.ground_truth) or _gives_away(_one_line(beginning), task.ground_truth):
                return "(hidden: it holds the ground truth)"
        return self.line(record.final_answer, task)


def _is_right_somewhere(record: Record) -> bool:
    return record.outcome is Outcome.CORRECT or any(score.get("correct") for score in record.scoring.values())


def _spellings(secret: str) -> Iterator[str]:
    """A key as it is, in an address and in JSON: a server that echoes it may spell it so."""
    yield secret
    yield from (quote(secret, safe="", errors="replace"), quote_plus(secret, errors="replace"))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])


def _one_line(text: str) -> str:
    """`text` on one line, without control characters and lone surrogates; invisible marks are dropped.

    What GitHub's runner would read as a command wherever it stands in a line, ``##[error]``, is broken up.
    """
    kinds = ((c, unicodedata.category(c)) for c in text)
    visible = "".join("" if kind == "Cf" else " " if kind[0] == "C" else c for c, kind in kinds)
    return " ".join(visible.split()).replace("##[", "## [")


def _words(text: str) -> list[str]:
    """The words of `text` as a reader would compare them: no case, no accents, no width.

    Character by character: normalising a whole text is quadratic in a row of combining marks.
    """
    parts = "".join(unicodedata.normalize("NFKD", c) for c in text)
    plain = "".join(c for c in parts if unicodedata.category(c) != "Mn")
    return re.findall(r"[^\W_]+", plain.casefold())


def _holds(text: str, ground_truth: str) -> bool:
    """Whether the words of the ground truth stand in `text`; a long one also with other spacing.

    A list is held by a text that holds all its items, in whatever order.
    """
    words = _words(text)
    items = [item for item in re.split(r"[,;]", ground_truth) if item.strip()]
    if not _words(ground_truth):
        return bool(ground_truth.strip()) and ground_truth.strip() in text
    return _stands_in(words, ground_truth) or (
        len(items) > 1 and all(_stands_in(words, item) for item in items)
    )


def _gives_away(line: str, ground_truth: str) -> bool:
    """Whether the ground truth can be read in `line`, as words or as characters of whatever stands there."""
    if len(ground_truth.strip()) < _SHORTEST_IN_A_LINE:
        return False
    readable = _one_line(ground_truth).casefold()
    return (readable != "" and readable in line.casefold()) or _holds(line, ground_truth)


def _stands_in(words: list[str], part: str) -> bool:
    wanted = _words(part)
    if f" {' '.join(wanted)} " in f" {' '.join(words)} ":
        return True
    return len("".join(wanted)) > 5 and "".join(wanted) in "".join(words)


def _quotes(text: str, question: str) -> bool:
    """Whether `text` holds a run of words of the question."""
    asked = _words(question)
    n_words = min(_QUOTED_WORDS, len(asked))
    return n_words > 0 and not _runs(asked, n_words).isdisjoint(_runs(_words(text), n_words))


def _runs(words: list[str], n_words: int) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + n_words]) for i in range(len(words) - n_words + 1)}
