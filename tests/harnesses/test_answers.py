"""Answers in a file: four formats, one meaning; every fault has its line, and no line gives a text away."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from harnesses.answers import FORMS, AnswersError, Entry, read_answers, write_answers

NO_COLUMN = (
    "'a.csv' cannot be read as CSV: its first line must name the column {!r} once, with commas between "
    "columns; correct it"
)
FORM = pytest.mark.parametrize("form", FORMS)


def written(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def lines_of(path: Path) -> tuple[str, ...]:
    with pytest.raises(AnswersError) as refused:
        read_answers(path)
    return refused.value.lines


def without_question(entry: Entry) -> Entry:
    return Entry(task_id=entry.task_id, attempt=entry.attempt, answer=entry.answer)


ids = some.text("abcXYZ019_.-", min_size=1, max_size=6)
awkward = some.sampled_from(
    ["\n", "\r", "\r\n", "\t", '"', '""', ",", ";", "<", "</answer>", "&", "&amp;", "]]>", "\ufeff", "\u2028"]
)
# What an XML document can hold: other control characters are no part of what anybody fills in.
characters = some.characters(
    exclude_categories=["Cs"], exclude_characters=[chr(n) for n in range(32)] + ["\ufffe", "\uffff"]
)
texts = some.lists(awkward | characters, max_size=12).map("".join)


@FORM
@settings(deadline=None, max_examples=60)
@given(
    entries=some.lists(
        some.builds(Entry, task_id=ids, attempt=some.integers(1, 12), question=texts, answer=texts),
        max_size=4,
        unique_by=lambda entry: (entry.task_id, entry.attempt),
    )
)
def test_what_is_filled_in_is_read_back_character_by_character(
    tmp_path_factory: pytest.TempPathFactory, form: str, entries: list[Entry]
) -> None:
    path = written(tmp_path_factory.mktemp("form"), write_answers(entries, form), f"answers.{form}")
    assert read_answers(path) == tuple(map(without_question, entries))


@FORM
def test_what_no_file_can_hold_does_not_break_a_form(tmp_path: Path, form: str) -> None:
    entries = [Entry(task_id="t", question="a\x00b\x1b", answer="x\ud800")]
    path = written(tmp_path, write_answers(entries, form), f"answers.{form}")
    assert read_answers(path)[0].answer == "x\ufffd"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '\ufeff[{"task_id": "t", "answer": "42"}]'),
        ("a.jsonl", '{"task_id": " t ", "attempt": "1", "answer": "42"}\r\n\r\n'),
        ("a.csv", '\ufeffanswer, task_id,attempt,note\r\n"42",t,,seen\r\n\r\n,,,\r\n'),
        ("a.csv", "task_id,answer,attempt\nt,42\n"),
        ("a.csv", "task_id,answer\nt,42,,\n"),
        ("a.XML", '<a><entry task_id="t"><answer>42</answer></entry></a>'),
        ("a.xml", "<!-- ours --><a><b><task_id>t</task_id><answer><![CDATA[42]]></answer></b></a>"),
    ],
    ids=["json bom", "jsonl crlf", "csv from a spreadsheet", "csv short", "csv padded", "xml", "xml cdata"],
)
def test_an_attempt_is_the_first_where_it_is_left_out(tmp_path: Path, name: str, text: str) -> None:
    assert read_answers(written(tmp_path, text, name)) == (Entry(task_id="t", answer="42"),)


@pytest.mark.parametrize("number", ["42", "1.50", "-0", "1e3", "9" * 5000])
def test_a_number_is_the_text_it_is_written_as(tmp_path: Path, number: str) -> None:
    path = written(tmp_path, f'{{"task_id": 7, "attempt": 2, "answer": {number}}}', "a.jsonl")
    assert read_answers(path) == (Entry(task_id="7", attempt=2, answer=number),)


def test_null_is_no_answer(tmp_path: Path) -> None:
    assert read_answers(written(tmp_path, '[{"task_id": "t", "answer": null}]', "a.json"))[0].answer == ""


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        (
            "a.txt",
            "",
            "'a.txt' has no known format; its name must end with .json, .jsonl, .csv, .xml",
        ),
        (
            "a.json",
            "{}",
            "'a.json' cannot be read as JSON: a list of entries is wanted; correct it",
        ),
        (
            "a.json",
            "[",
            "'a.json' cannot be read as JSON: Expecting value: line 1 column 2 (char 1); correct it",
        ),
        (
            "a.json",
            "[" * 100_000,
            "'a.json' cannot be read as JSON: it is nested too deep; correct it",
        ),
        (
            "a.json",
            '[["SECRET"]]',
            "'a.json', entry 1: a list is no entry; give an object with task_id, attempt, question, answer",
        ),
        (
            "a.jsonl",
            "\n\nnull",
            "'a.jsonl', line 3: a null is no entry; give an object with task_id, attempt, question, answer",
        ),
        (
            "a.jsonl",
            '{"task_id": "t", "answer": ""}\n{"task_id": SECRET',
            "'a.jsonl', line 2: no JSON from character 13 on; write one object on each line",
        ),
        (
            "a.jsonl",
            '{"task_id": "t", "answer": NaN}',
            "'a.jsonl', line 1: NaN is no value; use null where there is no answer; correct it",
        ),
        (
            "a.jsonl",
            '{"task_id": "t", "answer": "1", "answer": "2"}',
            "'a.jsonl', line 1: an entry names a field twice; correct it",
        ),
        (
            "a.csv",
            "",
            NO_COLUMN.format("task_id"),
        ),
        (
            "a.csv",
            "task_id;answer\n",
            NO_COLUMN.format("task_id"),
        ),
        (
            "a.csv",
            "task_id,answer,answer\n",
            NO_COLUMN.format("answer"),
        ),
        (
            "a.csv",
            'task_id,answer\n"t","a\nb"\nu,SECRET, really\n',
            "'a.csv', row 3: 3 cells under 2 columns; put an answer with a comma in quotes",
        ),
        (
            "a.csv",
            'task_id,answer\nt,"SECRET"x\n',
            "'a.csv', row 2: ',' expected after '\"'; double each quote within quotes, and close them",
        ),
        (
            "a.csv",
            'task_id,answer\nt,"SECRET',
            "'a.csv', row 2: unexpected end of data; double each quote within quotes, and close them",
        ),
        (
            "a.xml",
            "<a>",
            "'a.xml' cannot be read as XML: no element found: line 1, column 3; correct it",
        ),
        (
            "a.xml",
            '<?xml version="1.0"?>\n<!-- <x> --><?p x?><!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
            "'a.xml' cannot be read as XML: it has a DOCTYPE, which is refused; leave it out; correct it",
        ),
        (
            "a.xml",
            '<a><e task_id="t"><answer>x<b>SECRET</b></answer></e></a>',
            "'a.xml', entry 1: a field holds elements; write &lt; for each < of a text",
        ),
        (
            "a.xml",
            '<a><e task_id="t"><answer/><answer>SECRET</answer></e></a>',
            "'a.xml', entry 1: it names a field twice; keep one",
        ),
        (
            "a.xml",
            '<a><e task_id="t">SECRET</e></a>',
            "'a.xml', entry 1: it has no field 'answer'; add it, empty where there is no answer",
        ),
        (
            "a.csv",
            "task_id,answer\nWhat is the SECRET?,x\n",
            "'a.csv', row 2: task_id (a text of 19 characters) is the id of no task; copy it from the form",
        ),
        (
            "a.csv",
            "task_id,answer\nt/1,x\n",
            "'a.csv', row 2: task_id (a text of 3 characters) is the id of no task; copy it from the form",
        ),
        (
            "a.jsonl",
            '{"answer": "SECRET"}',
            "'a.jsonl', line 1: task_id None is the id of no task; copy it from the form",
        ),
        (
            "a.jsonl",
            '{"task_id": "t", "answer": ["SECRET"]}',
            "'a.jsonl', line 1: answer is a list, and an answer is text; put it in quotes",
        ),
        (
            "a.jsonl",
            '{"task_id": "t", "answer": true}',
            "'a.jsonl', line 1: answer is a bool, and an answer is text; put it in quotes",
        ),
        (
            "a.jsonl",
            '{"task_id": "t", "answer": ""}\n{"task_id": "u", "answer": ""}\n{"task_id": "t", "answer": ""}',
            "'a.jsonl', line 3: attempt 1 of 't' is already in line 1; keep one",
        ),
    ],
)
def test_what_is_no_entry_is_refused(tmp_path: Path, name: str, text: str, line: str) -> None:
    assert lines_of(written(tmp_path, text, name)) == (line,)


@pytest.mark.parametrize(
    ("attempt", "shown"),
    [
        ("0", "'0'"),
        ("-1", "'-1'"),
        ("1.0", "'1.0'"),
        ('"\u0661"', "'\u0661'"),
        ("true", "True"),
        ("[1]", "(a list)"),
        ("9" * 5000, "(a text of 5000 characters)"),
    ],
)
def test_an_attempt_is_a_whole_number_from_one(tmp_path: Path, attempt: str, shown: str) -> None:
    path = written(tmp_path, f'[{{"task_id": "t", "attempt": {attempt}, "answer": ""}}]', "a.json")
    assert lines_of(path) == (
        f"'a.json', entry 1: attempt {shown} is no whole number of 1 or more; correct it",
    )


def test_entities_that_grow_without_end_are_refused_before_they_grow(tmp_path: Path) -> None:
    grown = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 30))
    path = written(tmp_path, f'<!DOCTYPE a [<!ENTITY e0 "x">{grown}]><a>&e29;</a>', "a.xml")
    assert "DOCTYPE" in lines_of(path)[0]


def test_a_doctype_in_an_answer_is_text(tmp_path: Path) -> None:
    path = written(tmp_path, write_answers([Entry(task_id="t", answer="<!DOCTYPE html>")], "xml"), "a.xml")
    assert read_answers(path)[0].answer == "<!DOCTYPE html>"


def test_a_file_in_another_encoding_says_how_to_save_it(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("task_id,answer\nt,é\n".encode("latin-1"))
    assert lines_of(tmp_path / "a.csv") == ("'a.csv' is no UTF-8 (byte 18 is not); save it as UTF-8",)


@pytest.mark.parametrize("name", ["none.csv", "folder.csv", "nul\0.csv"])
def test_a_path_that_is_no_file_is_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    (line,) = lines_of(tmp_path / name)
    assert "cannot be read: " in line
    assert line.endswith("; give a file that can be, as answers_path")


def test_all_faults_are_told_together(tmp_path: Path) -> None:
    path = written(tmp_path, '{"attempt": 0}\n7\n', "a.jsonl")
    assert [line.partition(": ")[2].split()[0] for line in lines_of(path)] == [
        "task_id",
        "attempt",
        "it",
        "a",
    ]


def test_the_end_of_many_faults_is_counted(tmp_path: Path) -> None:
    lines = lines_of(written(tmp_path, "[]\n" * 50, "a.jsonl"))
    assert (len(lines), lines[-1]) == (21, "'a.jsonl': 30 more faults like these")
