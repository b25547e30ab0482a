"""A row of SealQA becomes a task, or one line that names it."""

from pathlib import Path
from typing import Any

import pytest
from gaia_rows import isolate, write_jsonl
from sealqa_rows import documents, longseal_row, sealqa_row

from benchmarks.benchmark import Dataset, DatasetError
from benchmarks.sealqa.benchmark import SealQA
from benchmarks.sealqa.dataset import GROUPS
from benchmarks.sealqa.params import SealQAParams
from benchmarks.task import TASK_ID, Task
from harnesses.downloads import sha256_of


def load(path: Path, **params: Any) -> Dataset:
    return SealQA().load(SealQAParams(dataset_path=str(path), **params), tell=lambda _: None)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "cache")
    return tmp_path / "tasks.jsonl"


def task_of(file: Path, row: dict[str, Any], **params: Any) -> Task:
    (task,) = load(write_jsonl(file, [row]), **params).tasks
    return task


def test_a_row_is_a_task(file: Path) -> None:
    task = task_of(file, sealqa_row())
    assert task == Task(
        task_id="seal_0-001",
        question="Which of the two lamps of Nowhere-on-Sea was lit later?",
        ground_truth="the north lamp",
        category="Sea & Shore",
        marks=("topic_sea_shore", "category_seal_0"),
        metadata={
            "dataset_category": "seal_0",
            "dataset_revision": sha256_of(file),
            "urls": ["https://lamps.example/north", "https://lamps.example/south"],
        },
        groups={
            "freshness": ("never-changing",),
            "question type": ("advanced reasoning", "entity disambiguation"),
            "effective year": ("before 2024",),
            "search results": ("conflicting",),
        },
        canary="CANARY-made-up-5f1c",
    )


@pytest.mark.parametrize(("category", "first"), [("seal_0", "seal_0-001"), ("seal_hard", "seal_hard-001")])
def test_ids_are_the_category_and_the_row_from_1(file: Path, category: str, first: str) -> None:
    tasks = load(write_jsonl(file, [sealqa_row()] * 12), category=category).tasks
    assert [task.task_id for task in tasks][::11] == [first, f"{category}-012"]
    assert all(TASK_ID.fullmatch(task.task_id) for task in tasks)


@pytest.mark.parametrize("category", ["seal_0", "longseal"])
def test_a_blank_line_shifts_no_id_and_no_draw(file: Path, category: str) -> None:
    rows = [longseal_row(), longseal_row(topic="Art"), longseal_row()]
    tasks = load(write_jsonl(file, rows), category=category).tasks
    first, *others = file.read_text().splitlines()
    file.write_text("\n".join(["", " \t", first, "", *others]))
    shifted = load(file, category=category).tasks
    assert [task.task_id for task in shifted] == [f"{category}-001", f"{category}-002", f"{category}-003"]
    assert [what_is_asked(task, category) for task in shifted] == [
        what_is_asked(task, category) for task in tasks
    ]


def what_is_asked(task: Task, category: Any) -> tuple[str, str]:
    return task.category, SealQA().prompt_text(task, SealQAParams(category=category))


def test_a_task_comes_back_from_the_task_file_as_it_was(file: Path) -> None:
    task = task_of(file, longseal_row(), category="longseal")
    assert Task.from_json(task.to_json()) == task


@pytest.mark.parametrize(
    ("topic", "category", "mark"),
    [
        pytest.param("Sports", "Sports", "topic_sports", id="a word"),
        pytest.param("  Art,\n Film -- TV ", "Art, Film -- TV", "topic_art_film_tv", id="punctuation"),
        pytest.param("__x__", "__x__", "topic_x", id="underscores"),
        pytest.param("?!", "?!", "topic_unknown", id="no letter"),
        pytest.param("Économie", "Économie", "topic_économie", id="letters beyond ASCII"),
        pytest.param("", "unknown", "topic_unknown", id="blank"),
        pytest.param(None, "unknown", "topic_unknown", id="null"),
        pytest.param(float("nan"), "unknown", "topic_unknown", id="empty cell"),
        pytest.param(7, "7", "topic_7", id="number"),
    ],
)
def test_the_topic_is_the_category_and_a_mark(file: Path, topic: Any, category: str, mark: str) -> None:
    task = task_of(file, sealqa_row(topic=topic))
    assert (task.category, task.marks[0]) == (category, mark)
    assert mark.isidentifier()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param(["b", "a"], ("b", "a"), id="list"),
        pytest.param('["b", "a"]', ("b", "a"), id="list as JSON"),
        pytest.param("['b', 'a']", ("b", "a"), id="list as Python"),
        pytest.param("b", ("b",), id="text"),
        pytest.param("[b", ("[b",), id="a bracket alone"),
        pytest.param("[" * 100_000, ("[" * 100_000,), id="nested too deep"),
        pytest.param("[{[1]: 2}]", ("[{[1]: 2}]",), id="a list as a key"),
        pytest.param("[\0]", ("[\0]",), id="NUL"),
        pytest.param("['a'], ['b']", ("['a'], ['b']",), id="two lists"),
        pytest.param("['\\d', 1]", ("\\d", "1"), id="an escape that Python warns of"),
        pytest.param(["a", None, ""], ("a",), id="blank items left out"),
        pytest.param([], ("unknown",), id="empty list"),
        pytest.param("[]", ("unknown",), id="empty list as text"),
        pytest.param(None, ("unknown",), id="null"),
        pytest.param(" ", ("unknown",), id="blank"),
    ],
)
def test_question_types_are_read_from_a_list_or_its_text(
    file: Path, value: Any, words: tuple[str, ...]
) -> None:
    assert task_of(file, sealqa_row(question_types=value)).groups["question type"] == words


@pytest.mark.parametrize(
    ("year", "word"),
    [
        pytest.param(2024, "2024", id="integer"),
        pytest.param(2024.0, "2024", id="whole float, as pandas writes it"),
        pytest.param("2024", "2024", id="text"),
        pytest.param("before  2024", "before 2024", id="words"),
        pytest.param(None, "unknown", id="null"),
    ],
)
def test_the_effective_year_is_a_number_or_words(file: Path, year: Any, word: str) -> None:
    assert task_of(file, sealqa_row(effective_year=year)).groups["effective year"] == (word,)


ODD: list[Any] = [True, {"a": 1}, [["a"]], ["a", False], "\ud800", f"[0x{'f' * 5000}]", '[["a"]]']
"""Cells that a column of lists has no reading for, the last two of them lists as text."""


@pytest.mark.parametrize("column", ["freshness", "question_types", "effective_year", "search_results"])
def test_a_group_of_another_type_than_text_is_unknown_and_a_warning_counts_the_rows(
    file: Path, column: str
) -> None:
    write_jsonl(file, [sealqa_row(), *(sealqa_row(**{column: odd}) for odd in ODD)])
    dataset = load(file)
    (name,) = (name for name, read in GROUPS.items() if read == column)
    assert [task.groups[name] == ("unknown",) for task in dataset.tasks] == [False, *[True] * len(ODD)]
    assert dataset.warnings == (f"7 rows have a {column!r} of another type than text; counted as unknown",)


@pytest.mark.parametrize("odd", [True, {"a": 1}, ["a"], "\ud800"], ids=repr)
def test_a_topic_of_another_type_than_text_is_unknown(file: Path, odd: Any) -> None:
    dataset = load(write_jsonl(file, [sealqa_row(topic=odd)]))
    assert (dataset.tasks[0].category, dataset.tasks[0].marks[0]) == ("unknown", "topic_unknown")
    assert dataset.warnings == ("1 row has a 'topic' of another type than text; counted as unknown",)


@pytest.mark.parametrize("odd", [True, [{"a": 1}]], ids=repr)
def test_urls_and_a_canary_of_another_type_than_text_are_left_out(file: Path, odd: Any) -> None:
    dataset = load(write_jsonl(file, [sealqa_row(urls=odd, canary=odd)] * 2))
    assert {(str(task.metadata["urls"]), task.canary) for task in dataset.tasks} == {("[]", None)}
    assert dataset.warnings == (
        "2 rows have a 'urls' of another type than text; left out",
        "2 rows have a 'canary' of another type than text; left out",
    )


def test_a_canary_stays_as_the_dataset_has_it_but_for_its_ends(file: Path) -> None:
    canary = "CANARY\n\n  made-up  5f1c: KEEP\tout"
    assert task_of(file, sealqa_row(canary=f" \n{canary}\n")).canary == canary


@pytest.mark.parametrize("canary", [None, "", " "], ids=repr)
def test_a_blank_canary_is_none(file: Path, canary: str | None) -> None:
    assert task_of(file, sealqa_row(canary=canary)).canary is None


def test_the_canary_stands_in_no_field_that_is_recorded(file: Path) -> None:
    task = task_of(file, longseal_row(), category="longseal")
    assert "CANARY" not in str({**task.to_json(), "canary": None})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            {"answer": "x", "topic": "t"},
            "column 'question' is missing; columns present: 'answer', 'topic'",
            id="no question column",
        ),
        pytest.param({"question": "why"}, "column 'answer' is missing; columns", id="no answer column"),
        pytest.param({}, "column 'question', 'answer' is missing; columns present: none", id="empty row"),
        pytest.param(
            sealqa_row(question=""), "the question is blank; every task needs one", id="empty question"
        ),
        pytest.param(sealqa_row(question=None), "the question is blank", id="null question"),
        pytest.param(sealqa_row(question=7), "the question is of type int; write text", id="number question"),
        pytest.param(sealqa_row(question="\ud800"), "the question holds half a surrogate", id="surrogate"),
        pytest.param(
            sealqa_row(answer=" \n"),
            "the answer is blank, so nothing can be judged; every task needs one",
            id="blank answer",
        ),
        pytest.param(sealqa_row(answer=None), "the answer is blank", id="null answer"),
        pytest.param(sealqa_row(answer=float("nan")), "the answer is blank", id="empty cell"),
        pytest.param(sealqa_row(answer="?"), "the answer is '?', so nothing can be judged", id="withheld"),
        pytest.param(
            sealqa_row(answer=7),
            "the answer is of type int; write it as text, in quotes",
            id="integer answer",
        ),
        pytest.param(sealqa_row(answer=0.5), "the answer is of type float; write it", id="float answer"),
        pytest.param(sealqa_row(answer=["x"]), "the answer is of type list; write it", id="list answer"),
        pytest.param(sealqa_row(answer="\ud800"), "the answer holds half a surrogate", id="half an answer"),
    ],
)
def test_a_faulty_row_is_one_line_with_file_and_row(file: Path, row: dict[str, Any], message: str) -> None:
    write_jsonl(file, [sealqa_row(), row])
    with pytest.raises(DatasetError) as caught:
        load(file)
    assert str(caught.value).startswith("tasks.jsonl, row 2: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        pytest.param(
            {"golds": "a paper"}, "column 'golds' is of type str; write a list of documents", id="text"
        ),
        pytest.param({"golds": ["a", "b"]}, "column 'golds' is of type list of str; write a", id="texts"),
        pytest.param(
            {"golds": [{"text": "a"}, None]},
            "column 'golds' is of type list of NoneType",
            id="null in a list",
        ),
        pytest.param(
            {"12_docs": {"title": ["a"]}},
            "column '12_docs' is of type dict; write a list of documents, each an object with title, date",
            id="object of lists",
        ),
    ],
)
def test_faulty_documents_are_one_line(file: Path, columns: dict[str, Any], message: str) -> None:
    write_jsonl(file, [longseal_row(**columns)])
    with pytest.raises(DatasetError, match=r"^tasks\.jsonl, row 1: [^\n]*$") as caught:
        load(file, category="longseal")
    assert message in str(caught.value)


@pytest.mark.parametrize("column", ["golds", "20_docs"])
def test_a_longseal_row_needs_its_columns_of_documents(file: Path, column: str) -> None:
    row = {name: value for name, value in longseal_row().items() if name != column}
    with pytest.raises(DatasetError, match=f"row 1: column '{column}' is missing; columns present: "):
        load(write_jsonl(file, [row]), category="longseal", longseal_document_count=20)


def test_a_longseal_row_needs_no_documents_of_another_count(file: Path) -> None:
    row = {name: value for name, value in longseal_row().items() if name not in {"20_docs", "30_docs"}}
    assert task_of(file, row, category="longseal").metadata["longseal_document_count"] == 13


def test_an_answer_is_not_shown_by_an_error(file: Path) -> None:
    write_jsonl(file, [sealqa_row(answer=["SECRET-TRUTH"]), sealqa_row(answer="SECRET-TRUTH", question="")])
    file.write_text(file.read_text() + '{"answer": "SECRET-TRUTH", oops}\n')
    with pytest.raises(DatasetError) as caught:
        load(file)
    assert "SECRET-TRUTH" not in str(caught.value)


@pytest.mark.parametrize("category", ["seal_0", "longseal"])
def test_the_problems_of_a_file_are_reported_together_in_the_order_of_rows(file: Path, category: str) -> None:
    write_jsonl(file, [longseal_row(answer=7), longseal_row(), longseal_row(question="")])
    file.write_text(f"oops\n{file.read_text()}\n[1]\n")
    with pytest.raises(DatasetError) as caught:
        load(file, category=category)
    assert [line.partition(": ")[0] for line in str(caught.value).splitlines()] == [
        "tasks.jsonl, row 1",
        "tasks.jsonl, row 2",
        "tasks.jsonl, row 4",
        "tasks.jsonl, row 6",
    ]


def test_a_file_without_rows_is_an_error(file: Path) -> None:
    file.write_text("\n")
    with pytest.raises(
        DatasetError, match=r"^'tasks\.jsonl' holds no task; choose another category or dataset_path$"
    ):
        load(file)


def test_columns_that_no_row_has_are_a_warning(file: Path) -> None:
    bare = {"question": "Which lamp?", "answer": "the north lamp", "topic": "Sea"}
    write_jsonl(file, [bare, {**bare, "urls": None, "canary": "c"}])
    (line,) = load(file).warnings
    assert line == (
        "no row has the columns freshness, question_types, effective_year, search_results; what they tell of "
        "a task is unknown"
    )


@pytest.mark.parametrize(
    ("columns", "n_documents", "position", "keys"),
    [
        pytest.param({}, 13, 9, {"golds", "negatives"}, id="one helpful document among twelve"),
        pytest.param({"golds": []}, 12, None, {"negatives"}, id="no helpful document"),
        pytest.param({"golds": None}, 12, None, {"negatives"}, id="null as helpful documents"),
        pytest.param({"12_docs": documents(3, about="x")}, 4, 4, {"golds", "negatives"}, id="a shorter list"),
        pytest.param({"12_docs": None}, 1, 1, {"golds"}, id="no other document"),
        pytest.param({"12_docs": [], "golds": []}, 0, None, set[str](), id="no document at all"),
    ],
)
def test_a_longseal_task_notes_its_documents_in_all_and_the_place_of_the_helpful_one(
    file: Path, columns: dict[str, Any], n_documents: int, position: int | None, keys: set[str]
) -> None:
    task = task_of(file, longseal_row(**columns), category="longseal")
    assert task.metadata["longseal_document_count"] == n_documents
    assert task.metadata["longseal_gold_position"] == position
    assert set(task.locator) == keys


@pytest.mark.parametrize("category", ["seal_0", "seal_hard"])
def test_other_categories_note_nothing_of_documents(file: Path, category: str) -> None:
    task = task_of(file, sealqa_row(), category=category)
    assert not [key for key in task.metadata if key.startswith("longseal")]
    assert task.locator == {}


def test_tasks_without_any_document_are_a_warning(file: Path) -> None:
    write_jsonl(file, [longseal_row(), longseal_row(golds=[], **{"12_docs": []})])
    assert load(file, category="longseal").warnings == (
        "1 tasks have no document: their prompt is the question alone",
    )
