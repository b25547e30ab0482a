"""A row of GAIA becomes a task, or one line that names it."""

from pathlib import Path
from typing import Any

import pytest
from gaia_rows import compass_row, hub_row, write_jsonl

from benchmarks.benchmark import Dataset, DatasetError
from benchmarks.gaia.benchmark import Gaia
from benchmarks.gaia.params import GaiaParams
from benchmarks.task import Task
from harnesses.downloads import sha256_of


def load(path: Path, **params: Any) -> Dataset:
    return Gaia().load(GaiaParams(dataset_path=str(path), **params), tell=lambda _: None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tasks.jsonl"


def task_of(file: Path, row: dict[str, Any], **params: Any) -> Task:
    (task,) = load(write_jsonl(file, [row]), **params).tasks
    return task


def test_a_row_of_the_hub_form_is_a_task(file: Path) -> None:
    task = task_of(file, hub_row(task_id="pond-9", Question="How deep?", Level="3", Final_answer="2 m"))
    assert task == Task(
        task_id="pond-9",
        question="How deep?",
        ground_truth="2 m",
        category="3",
        marks=("level3",),
        metadata=task.metadata,
    )


def test_a_row_of_the_agentcompass_form_is_a_task(file: Path) -> None:
    task = task_of(file, compass_row(category="2"))
    assert task == Task(
        task_id="mill-1",
        question="How tall is the mill?",
        ground_truth="12 m",
        category="2",
        marks=("level2",),
        metadata=task.metadata,
    )


def test_a_task_notes_which_set_it_is_of(file: Path) -> None:
    metadata = task_of(file, compass_row()).metadata
    assert metadata["dataset_subset"] == "local"
    assert metadata["dataset_revision"] == sha256_of(file)


def test_both_forms_may_stand_in_one_file_and_keep_its_order(file: Path) -> None:
    write_jsonl(file, [compass_row(), hub_row(), compass_row(task_id="a")])
    assert [task.task_id for task in load(file).tasks] == ["mill-1", "pond-1", "a"]


def test_a_row_without_a_task_id_is_named_by_its_index_from_0(file: Path) -> None:
    rows = [compass_row(task_id=name) for name in (None, "", "named")]
    del rows[0]["task_id"]
    assert [task.task_id for task in load(write_jsonl(file, rows)).tasks] == ["0", "1", "named"]


def test_a_blank_line_shifts_no_index(file: Path) -> None:
    rows = [{name: value for name, value in compass_row().items() if name != "task_id"}] * 2
    first, second = write_jsonl(file, rows).read_text().splitlines()
    file.write_text(f"\n{first}\n\n{second}\n")
    assert [task.task_id for task in load(file).tasks] == ["0", "1"]


def test_an_error_names_the_line_though_a_blank_one_shifts_no_index(file: Path) -> None:
    write_jsonl(file, [hub_row(), hub_row(), hub_row(task_id="x", Level=9)])
    file.write_text(f"\n{file.read_text()}")
    with pytest.raises(DatasetError) as caught:
        load(file)
    assert str(caught.value).splitlines() == [
        "tasks.jsonl, row 3: task_id 'pond-1' is in row 2 too; each task may be there once",
        "tasks.jsonl, row 4: level 9 is none; write 1, 2 or 3",
    ]


def test_the_answer_column_stands_in_for_a_blank_ground_truth(file: Path) -> None:
    row = compass_row(ground_truth="", answer="13 m")
    assert task_of(file, row).ground_truth == "13 m"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(0, "0", id="zero"),
        pytest.param(0.0, "0.0", id="zero as a float"),
        pytest.param(1.0, "1.0", id="whole float"),
        pytest.param(17, "17", id="integer"),
        pytest.param("1,000", "1,000", id="text"),
        pytest.param(" a b ", " a b ", id="white space kept"),
    ],
)
def test_a_ground_truth_keeps_its_spelling(file: Path, value: Any, text: str) -> None:
    assert task_of(file, compass_row(ground_truth=value)).ground_truth == text


@pytest.mark.parametrize("level", [1, "1", " 1", 1.0], ids=repr)
def test_a_level_is_read_from_a_number_or_its_text(file: Path, level: Any) -> None:
    assert task_of(file, hub_row(Level=level)).category == "1"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            {"task_id": "x", "Level": "1", "Final answer": "7"},
            "column 'Question' is missing; columns present: 'task_id', 'Level', 'Final answer'",
            id="missing column, Hub form",
        ),
        pytest.param(
            {"task_id": "x", "question": "why"},
            "column 'category' is missing; columns present: 'task_id', 'question'",
            id="missing column, AgentCompass form",
        ),
        pytest.param(
            {"question": "why", "category": "1"},
            "column 'ground_truth' (or 'answer') is missing; columns present: 'question', 'category'",
            id="no ground truth in any column",
        ),
        pytest.param({}, "column 'question', 'category' is missing; columns present: none", id="empty row"),
        pytest.param(
            hub_row(Question=""), "the question is blank; every task needs one", id="empty question"
        ),
        pytest.param(hub_row(Question=" \n"), "the question is blank", id="blank question"),
        pytest.param(hub_row(Question=None), "the question is blank", id="null question"),
        pytest.param(
            hub_row(Question=["a"]), "the question is of type list; write text", id="list as question"
        ),
        pytest.param(hub_row(Question="\ud800"), "the question holds half a surrogate pair", id="surrogate"),
        pytest.param(hub_row(Final_answer=""), "the ground truth is blank", id="empty ground truth"),
        pytest.param(hub_row(Final_answer=" "), "the ground truth is blank", id="blank ground truth"),
        pytest.param(hub_row(Final_answer=None), "the ground truth is blank", id="null ground truth"),
        pytest.param(hub_row(Final_answer=float("nan")), "the ground truth is blank", id="empty cell"),
        pytest.param(
            hub_row(Final_answer="?"),
            "the ground truth is '?', so nothing can be judged; set subset to 'test' to run unscored",
            id="withheld ground truth",
        ),
        pytest.param(
            hub_row(Final_answer=["7"]),
            "the ground truth is of type list; write text or a number",
            id="list as ground truth",
        ),
        pytest.param(
            hub_row(Final_answer=True), "the ground truth is of type bool", id="bool as ground truth"
        ),
        pytest.param(hub_row(Level=9), "level 9 is none; write 1, 2 or 3", id="level 9"),
        pytest.param(hub_row(Level="hard"), "level 'hard' is none", id="level in words"),
        pytest.param(hub_row(Level=1.5), "level 1.5 is none", id="broken level"),
        pytest.param(hub_row(Level=None), "level None is none", id="null level"),
        pytest.param(hub_row(Level=True), "level True is none", id="level true"),
        pytest.param(
            hub_row(task_id="a/b"), "task_id 'a/b' cannot name a file; write 1 to 150 of", id="slash"
        ),
        pytest.param(hub_row(task_id="x\0y"), "task_id 'x\\x00y' cannot name a file", id="NUL"),
        pytest.param(
            hub_row(task_id="北京"), "task_id '北京' cannot name a file", id="letters pytest escapes"
        ),
        pytest.param(hub_row(task_id=".."), "task_id '..' cannot name a file", id="dots"),
        pytest.param(hub_row(task_id=""), "task_id '' cannot name a file", id="empty id"),
        pytest.param(hub_row(task_id=["x"]), "task_id ['x'] cannot name a file", id="list as id"),
        pytest.param(
            hub_row(task_id="x" * 151), "cannot name a file; write 1 to 150 of the characters", id="long"
        ),
        pytest.param(
            hub_row(file_name="map.png"), "attachment 'map.png' is missing; put it beside", id="no file"
        ),
        pytest.param(
            hub_row(file_name="../map.png"),
            "attachment '../map.png' leads out of the dataset's folder; name a file in it",
            id="file outside",
        ),
        pytest.param(hub_row(file_path="/etc/map.png"), "leads out of the dataset's folder", id="absolute"),
        pytest.param(
            hub_row(file_path="a\\..\\..\\m"), "leads out of the dataset's folder", id="backslashes"
        ),
        pytest.param(hub_row(file_path="C:map.png"), "leads out of the dataset's folder", id="drive"),
        pytest.param(hub_row(file_path="map\0.png"), "leads out of the dataset's folder", id="NUL in a name"),
    ],
)
def test_a_faulty_row_is_one_line_with_file_and_row(file: Path, row: dict[str, Any], message: str) -> None:
    write_jsonl(file, [hub_row(task_id="fine"), row])
    with pytest.raises(DatasetError) as caught:
        load(file)
    assert str(caught.value).startswith("tasks.jsonl, row 2: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_ground_truth_is_not_shown_by_an_error(file: Path) -> None:
    write_jsonl(file, [hub_row(Level=9, Final_answer="SECRET-TRUTH"), hub_row(Final_answer=["SECRET-TRUTH"])])
    file.write_text(file.read_text() + '{"Final answer": "SECRET-TRUTH", oops}\n')
    with pytest.raises(DatasetError) as caught:
        load(file)
    assert "SECRET-TRUTH" not in str(caught.value)


def test_an_id_that_is_there_twice_names_both_rows(file: Path) -> None:
    write_jsonl(file, [hub_row(), hub_row(task_id="other"), hub_row()])
    with pytest.raises(
        DatasetError, match=r"row 3: task_id 'pond-1' is in row 1 too; each task may be there once"
    ):
        load(file)


def test_a_number_and_its_text_are_the_same_id(file: Path) -> None:
    write_jsonl(file, [hub_row(task_id=7), hub_row(task_id="7")])
    with pytest.raises(DatasetError, match="task_id '7' is in row 1 too"):
        load(file)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(b'{"task_id": "x", ', "malformed JSON (Expecting property name", id="cut off"),
        pytest.param(b"[1, 2]", "a JSON list is no row; write one JSON object a line", id="a list"),
        pytest.param(b'{"question": "\xff"}', "not UTF-8 text; write one JSON object a line", id="latin-1"),
        pytest.param(b"[" * 100_000, "malformed JSON; write one JSON object a line", id="nested too deep"),
    ],
)
def test_a_line_that_is_no_row_is_named_by_its_number_blank_lines_counted(
    file: Path, line: bytes, message: str
) -> None:
    file.write_bytes(write_jsonl(file, [hub_row()]).read_bytes() + b"\n" + line + b"\n")
    with pytest.raises(DatasetError) as caught:
        load(file)
    assert str(caught.value).startswith(f"tasks.jsonl, row 3: {message}")


def test_the_problems_of_a_file_are_reported_together_in_the_order_of_rows(file: Path) -> None:
    write_jsonl(file, [hub_row(Level=9), hub_row(task_id="b", Question="")])
    file.write_text("oops\n" + file.read_text())
    with pytest.raises(DatasetError) as caught:
        load(file)
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()] == [
        "tasks.jsonl, row 1",
        "tasks.jsonl, row 2",
        "tasks.jsonl, row 3",
    ]


def test_many_problems_show_the_first_five_and_a_count(file: Path) -> None:
    write_jsonl(file, [hub_row(task_id=f"pond-{n}", Level=9) for n in range(12)])
    with pytest.raises(DatasetError) as caught:
        load(file)
    lines = str(caught.value).splitlines()
    assert (len(lines), lines[-1]) == (6, "tasks.jsonl: 7 more problems like these")


def test_a_byte_order_mark_is_no_part_of_the_first_row(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + write_jsonl(file, [hub_row()]).read_bytes())
    assert len(load(file).tasks) == 1


def test_a_file_without_rows_is_an_error(file: Path) -> None:
    file.write_text("\n")
    with pytest.raises(
        DatasetError, match=r"'tasks\.jsonl' holds no task; choose another subset or dataset_path"
    ):
        load(file)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(hub_row(file_name="a.txt"), id="Hub form, file_name"),
        pytest.param(hub_row(file_name="", file_path="a.txt"), id="Hub form, file_path"),
        pytest.param(hub_row(file_name="a.txt", file_path="2023/validation/a.txt"), id="Hub form, both"),
        pytest.param(compass_row(metadata={"file_name": "a.txt"}), id="AgentCompass form"),
    ],
)
def test_an_attachment_lies_beside_the_file(file: Path, row: dict[str, Any]) -> None:
    (file.parent / "a.txt").write_text("teal")
    assert task_of(file, row).attachments == (str(file.parent / "a.txt"),)


def test_an_attachment_may_lie_at_its_path_under_the_file(file: Path) -> None:
    write_jsonl(file.parent / "2023" / "a.txt", [])
    row = hub_row(file_name="a.txt", file_path="2023/a.txt")
    assert task_of(file, row).attachments == (str(file.parent / "2023" / "a.txt"),)


@pytest.mark.parametrize("metadata", [None, "text", {}, {"file_name": None}], ids=repr)
def test_metadata_without_a_file_name_is_no_attachment(file: Path, metadata: Any) -> None:
    assert task_of(file, compass_row(metadata=metadata)).attachments == ()


def test_the_text_subset_leaves_out_tasks_with_attachments_there_or_not(file: Path) -> None:
    write_jsonl(file, [hub_row(), hub_row(task_id="b", file_name="missing.png")])
    dataset = load(file, subset="text")
    assert [task.task_id for task in dataset.tasks] == ["pond-1"]
    assert dataset.subset == "local text"


def test_the_text_subset_of_tasks_with_attachments_only_is_an_error(file: Path) -> None:
    write_jsonl(file, [hub_row(file_name="missing.png")])
    with pytest.raises(DatasetError, match="holds no task without attachments; choose another subset"):
        load(file, subset="text")


@pytest.mark.parametrize("truth", ["?", "", "7"], ids=repr)
def test_the_test_subset_takes_no_ground_truth(file: Path, truth: str) -> None:
    task = task_of(file, hub_row(Final_answer=truth), subset="test")
    assert (task.ground_truth, task.scored) == ("", False)


@pytest.mark.parametrize("row", [hub_row(), compass_row()], ids=["Hub form", "AgentCompass form"])
def test_the_test_subset_needs_no_column_of_ground_truths(file: Path, row: dict[str, Any]) -> None:
    bare = {name: value for name, value in row.items() if name not in {"Final answer", "ground_truth"}}
    assert task_of(file, bare, subset="test").scored is False


@pytest.mark.parametrize(
    ("category", "ids", "partial"),
    [
        pytest.param("all", ["a", "b", "c"], (), id="all"),
        pytest.param(1, ["a"], ("category 1",), id="integer"),
        pytest.param("1", ["a"], ("category 1",), id="text"),
        pytest.param([1, "3"], ["a", "c"], ("category 1, 3",), id="union"),
        pytest.param([1, 2, 3], ["a", "b", "c"], (), id="every level"),
    ],
)
def test_a_category_keeps_its_levels(
    file: Path, category: Any, ids: list[str], partial: tuple[str, ...]
) -> None:
    write_jsonl(file, [hub_row(task_id=name, Level=str(n)) for n, name in enumerate("abc", start=1)])
    dataset = load(file, category=category)
    assert [task.task_id for task in dataset.tasks] == ids
    assert dataset.partial == partial


@pytest.mark.parametrize("category", [9, "9", [1, 9], []], ids=repr)
def test_a_category_that_is_not_there_lists_the_values_present(file: Path, category: Any) -> None:
    write_jsonl(file, [hub_row(), hub_row(task_id="b", Level="2"), hub_row(task_id="c", Level="2")])
    with pytest.raises(
        DatasetError, match=r"is not there to select; values present: 1 \(1 tasks\), 2 \(2 tasks\)$"
    ):
        load(file, category=category)


def test_the_repr_of_a_dataset_hides_question_and_ground_truth(file: Path) -> None:
    shown = repr(load(write_jsonl(file, [hub_row(Question="SECRET-Q", Final_answer="SECRET-A")])))
    assert "SECRET" not in shown


def test_the_scorers_of_gaia_and_its_breakdown_are_public_names() -> None:
    assert (Gaia.name, Gaia.breakdown, Gaia.scorers) == ("gaia", "level", ("gaia_official", "contains"))
