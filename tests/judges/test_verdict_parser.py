r"""Where a verdict is read in a judge's reply, and where it is not."""

import json
from pathlib import Path
from typing import Any

import pytest

from judges.verdict import JudgeProtocol
from judges.verdict_parser import UnreadableVerdictError, parse_verdict

_CASES = Path(__file__).parent.parent / "cases" / "verdict.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in _CASES.read_text(encoding="utf-8").splitlines()]
LEFT_UNREADABLE = {"jv122", "jv123", "jv153"}
"""Rows whose letter stands in prose; docs/judges.md says why they stay unreadable."""


def _letter(reply: str | None, protocol: JudgeProtocol = "gaia") -> str:
    try:
        return parse_verdict(reply, protocol).letter
    except UnreadableVerdictError:
        return "unparsable"


def _protocols(row: dict[str, Any]) -> list[JudgeProtocol]:
    return ["gaia", "sealqa"] if row["protocol"] == "both" else [row["protocol"]]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_vector_row_is_read_as_allowed(row: dict[str, Any]) -> None:
    read = {_letter(row["raw"], protocol) for protocol in _protocols(row)}

    assert read <= {row["expected"], *row["also_ok"]}
    assert not read & set(row["never"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_vector_row_is_read_as_expected_unless_its_letter_stands_in_prose(row: dict[str, Any]) -> None:
    expected = "unparsable" if row["id"] in LEFT_UNREADABLE else row["expected"]

    assert {_letter(row["raw"], protocol) for protocol in _protocols(row)} == {expected}


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("As a judge, I considered the evidence carefully. The final grade is B.", "B"),
        ("INCORRECT", "B"),
        ("This is a B", "unparsable"),
        ("reasoning...\ncorrect: yes\nconfidence: 90%", "unparsable"),
        (
            "The page first suggests CORRECT, but the year differs.\nFinal Judgment: \\boxed{B} - INCORRECT",
            "B",
        ),
        ("A - CORRECT (minor wording difference)", "A"),
        ("Yes\nYes", "unparsable"),
        ("Yes, the question is hard, but No.", "unparsable"),
        ('{"grade": "A", "reason": "The candidate gave the sa', "A"),
        ("I cannot grade this.", "unparsable"),
        ("```\nGrade: A\n```\nThat is what the candidate wrote.\n\nGrade: B", "B"),
        ("> Grade: A\nGrade: B", "B"),
    ],
)
def test_a_reply_that_misled_other_suites_is_read_right(reply: str, letter: str) -> None:
    assert _letter(reply) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("It could be A.</think>\nB", "B"),
        ("<think>one</think> <think>two</think>\nGrade: A", "A"),
        ("\x08oxed{A}", "A"),
        ("$\\boxed{A}$", "A"),
        ("**\\boxed{B}** - INCORRECT", "B"),
        ("- Grade: A", "A"),
        ("2. **Verdict:** *INCORRECT*", "B"),
        ("Grade: B. A year is missing.", "B"),
        ("Grade: b", "B"),
        ("Correct (A)", "A"),
        ("A CORRECT", "A"),
        ("C\nREFUSAL", "C"),
        ("Final Judgment\n\nB - INCORRECT because the unit differs", "B"),
        ("My final judgment is B.", "B"),
        ("I'll give a Final Judgment below.\nThe unit differs.\nGrade: B", "B"),
        ("The two agree. Final Judgment: CORRECT", "A"),
        ("Same town.\n\nThe grade is A", "A"),
        ("B: INCORRECT\n\nThe unit differs.", "B"),
        ("\\boxed{42} is what the candidate wrote.\n\\boxed{A}", "A"),
        ('The values agree.\n{"is_correct": true}', "A"),
        ("Grade: A\n\nWait, the year differs.\n\nGrade: B", "B"),
    ],
)
def test_a_verdict_in_its_place_is_read(reply: str, letter: str) -> None:
    assert _letter(reply) == letter


@pytest.mark.parametrize(
    "reply",
    [
        "A correct answer would mention the river.",
        "a correct",
        "Grade: a bit low",
        "The grade is a mess.",
        "Grade: A or B",
        "Grade: A, B",
        "Grade: A. B if the year counts.",
        "Grade: A/B/C",
        "If the year matched, the grade is A. It does not.",
        "The candidate wrote:\n\nA\n\nThe key says B.",
        "A\nB",
        "A\n\nOn reflection the year differs.\n\nB",
        "Grade: A - INCORRECT",
        "\\boxed{A} - INCORRECT",
        "\\boxed{A, B}",
        "\\boxed{" + "A" * 100 + "}",
        "\\boxed{A}\nGrade: B",
        "Final Judgment: \\boxed{A} or rather \\boxed{B}",
        "Final Judgment: B\nNote that \\boxed{A} would need the year.",
        "It would be \\boxed{A}. Final Judgment:",
        "Final Judgment: \\boxed{A/B/C} - <CORRECT/INCORRECT/INCOMPLETE/REPETITIVE/REFUSAL>",
        "Scale: \\boxed{A} - CORRECT, then \\boxed{B} - INCORRECT, and last of all \\boxed{C} - REFUSAL",
        '{"grade": "A", "label": "INCORRECT"}',
        '{"grade": "PASS"}',
        "A: CORRECT\nB: INCORRECT\nC: REFUSAL\n\nJust return the letter.",
        "```\n```",
        "```\nGrade: A\n```\nis what the candidate wrote.",
        "<think>\\boxed{A}</think> <think>and so",
    ],
)
def test_a_reply_without_one_clear_verdict_is_unreadable(reply: str) -> None:
    assert _letter(reply) == "unparsable"


@pytest.mark.parametrize(
    ("reply", "protocol", "label"),
    [
        ("C - REPETITIVE", "gaia", "REPETITIVE"),
        ("Final Judgment: \\boxed{C} - INCOMPLETE", "gaia", "INCOMPLETE"),
        ("\\boxed{C} - INCOMPLETE / REPETITIVE / REFUSAL", "gaia", "INCOMPLETE/REPETITIVE/REFUSAL"),
        ("C", "gaia", "INCOMPLETE/REPETITIVE/REFUSAL"),
        ("C", "sealqa", "NOT_ATTEMPTED"),
        ("not attempted", "sealqa", "NOT_ATTEMPTED"),
        ("B", "sealqa", "INCORRECT"),
        ("Grade: A (CORRECT)", "gaia", "CORRECT"),
    ],
)
def test_the_label_is_the_word_of_the_protocol(reply: str, protocol: JudgeProtocol, label: str) -> None:
    assert parse_verdict(reply, protocol).label == label


@pytest.mark.parametrize(("label", "protocol"), [("NOT_ATTEMPTED", "gaia"), ("REFUSAL", "sealqa")])
def test_a_label_of_the_other_protocol_is_unreadable(label: str, protocol: JudgeProtocol) -> None:
    assert _letter(label, protocol) == "unparsable"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (None, "the reply is empty"),
        ("<think>so", "the reply ends inside its thinking"),
        ("A: INCORRECT", "letter and label of the verdict disagree"),
        ("\\boxed{A} \\boxed{B}", "two verdicts stand side by side"),
        ("Grade: A\nGrade: B", "the reply gives two verdicts"),
        ("Some words.\nGrade: A\nGrade: B", "two verdicts stand side by side"),
        ("\\boxed{A/B}", "a box holds several letters, as the template does"),
        ('{"grade": "A", "grade": "B"}', "the fields of the reply give two verdicts"),
        ("Hard to say.", "no verdict stands where the protocol puts one"),
    ],
)
def test_the_error_says_why_a_reply_is_unreadable(reply: str | None, reason: str) -> None:
    with pytest.raises(UnreadableVerdictError, match=f"^{reason}$"):
        parse_verdict(reply)


def _hostile(piece: str) -> str:
    return piece * (200_000 // len(piece))


@pytest.mark.parametrize(
    "piece",
    [
        "\\boxed{",
        "{",
        "<think>",
        "</think>",
        "Final Judgment: ",
        '{"grade": "',
        "Grade: ",
        "((",
        "\u0345\u0300",
        " \n",
        "\ud800",
        "[] ",
        "\\textbf{",
    ],
)
def test_two_hundred_kilobytes_of_one_piece_are_read_to_the_end(piece: str) -> None:
    assert _letter(_hostile(piece)) == "unparsable"


def test_the_verdict_behind_two_hundred_kilobytes_of_boxes_is_read() -> None:
    assert _letter(_hostile("\\boxed{") + "\nFinal Judgment: \\boxed{B} - INCORRECT") == "B"
