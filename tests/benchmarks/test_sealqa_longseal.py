"""A LongSeal prompt: which documents, where, and at what cost in memory."""

import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from gaia_rows import isolate, write_jsonl
from sealqa_rows import documents, helpful, longseal_row, sealqa_row

from benchmarks.benchmark import DatasetError
from benchmarks.configuration.validation import validated
from benchmarks.plan import write_plan
from benchmarks.redaction import Redactor
from benchmarks.sealqa.benchmark import SealQA
from benchmarks.sealqa.longseal import Draw, draw, missing_documents
from benchmarks.sealqa.params import SealQAParams
from benchmarks.sources.apart import file_of
from benchmarks.sources.layout import conversion
from benchmarks.task import Task


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "cache")
    return tmp_path / "tasks.jsonl"


def params_for(file: Path, **params: Any) -> SealQAParams:
    return SealQAParams(dataset_path=str(file), category="longseal", **params)


def task_of(file: Path, row: dict[str, Any], **params: Any) -> Task:
    (task,) = SealQA().load(params_for(write_jsonl(file, [row]), **params), tell=lambda _: None).tasks
    return task


def prompt_of(file: Path, row: dict[str, Any], **params: Any) -> str:
    return SealQA().prompt_text(task_of(file, row, **params), params_for(file, **params))


@pytest.mark.parametrize(
    ("seed", "task_id", "n_documents", "index", "position"),
    [
        (0, "longseal-001", (2, 12), 1, 9),
        (0, "longseal-002", (2, 12), 0, 10),
        (0, "longseal-254", (3, 20), 0, 15),
        (1, "longseal-001", (2, 12), 0, 4),
        (1, "longseal-254", (2, 30), 0, 22),
        (-5, "longseal-002", (2, 12), 1, 4),
    ],
)
def test_the_draw_is_that_of_the_vectors(
    seed: int, task_id: str, n_documents: tuple[int, int], index: int, position: int
) -> None:
    n_helpful, n_others = n_documents
    drawn = draw(task_id, n_helpful, n_others, seed=seed)
    assert drawn == Draw(index=index, position=position)


def test_without_a_helpful_document_nothing_is_drawn() -> None:
    assert draw("longseal-001", 0, 12, seed=0) is None


def test_the_helpful_document_may_stand_first_and_last() -> None:
    draws = [draw("longseal-001", 1, 2, seed=seed) for seed in range(40)]
    assert {drawn.position for drawn in draws if drawn} == {1, 2, 3}


def test_the_prompt_is_numbered_documents_and_then_the_question(file: Path) -> None:
    row = longseal_row(golds=helpful(1), **{"12_docs": documents(1, about="other paper")})
    assert prompt_of(file, row, longseal_seed=1) == (
        "Below are documents, numbered from 1 to 2, and then a question. Answer the question from what the "
        "documents say. Some of them may be out of date, contradict each other or have nothing to do with "
        "the question: weigh what each of them says before you rely on it.\n\n"
        "Document 1\n"
        "Title: Title of helpful paper 1\n"
        "Date: 2024-05-01\n"
        "URL: https://papers.example/1\n"
        "Text:\n"
        "helpful paper 1\n\n"
        "Document 2\n"
        "Title: Title of other paper 1\n"
        "Date: 2024-05-01\n"
        "URL: https://papers.example/1\n"
        "Text:\n"
        "other paper 1\n\n"
        "Question: Which of the two lamps of Nowhere-on-Sea was lit later?"
    )


@pytest.mark.parametrize("empty", [{}, {"title": None, "date": None, "url": None, "text": None}], ids=repr)
def test_what_a_document_does_not_say_is_untitled_or_unknown(file: Path, empty: dict[str, Any]) -> None:
    text = prompt_of(file, longseal_row(golds=[], **{"12_docs": [empty]}))
    assert "Document 1\nTitle: Untitled\nDate: Unknown\nURL: Unknown\nText:\n\n\nQuestion" in text


def test_a_number_in_a_document_is_its_text(file: Path) -> None:
    text = prompt_of(file, longseal_row(golds=[], **{"12_docs": [{"date": 2024, "text": 0}]}))
    assert "Date: 2024\nURL: Unknown\nText:\n0\n" in text


@pytest.mark.parametrize("n_documents", [12, 20, 30])
def test_the_documents_are_those_of_the_count_in_their_order_with_one_helpful_among_them(
    file: Path, n_documents: int
) -> None:
    row, params = longseal_row(), {"longseal_document_count": n_documents}
    task = task_of(file, row, **params)
    lines = SealQA().prompt_text(task, params_for(file, **params)).splitlines()
    texts = [line for before, line in itertools.pairwise(lines) if before == "Text:"]
    position = task.metadata["longseal_gold_position"]
    assert texts.pop(position - 1) in {"helpful paper 1", "helpful paper 2"}
    assert texts == [f"other paper of {n_documents}, no. {n}" for n in range(1, n_documents + 1)]
    assert lines.count(f"Document {n_documents + 1}") == 1


@pytest.mark.parametrize("written", [20, "20"], ids=repr)
def test_a_document_count_from_a_variable_is_text_and_counts_as_its_number(file: Path, written: Any) -> None:
    write_jsonl(file, [longseal_row()])
    values = {"category": "longseal", "dataset_path": str(file), "longseal_document_count": written}
    params, problems = validated(SealQAParams, values, at=())
    assert params is not None and problems == []
    assert asdict(params)["longseal_document_count"] == 20
    (task,) = SealQA().load(params, tell=lambda _: None).tasks
    assert task.metadata["longseal_document_count"] == 21


@pytest.mark.parametrize("written", [21, "21"], ids=repr)
def test_another_document_count_is_refused(written: Any) -> None:
    _, (problem,) = validated(SealQAParams, {"longseal_document_count": written}, at=())
    assert problem.line == f"{written!r} is refused; it must be 12, 20 or 30"


def test_another_seed_builds_another_prompt(file: Path) -> None:
    assert prompt_of(file, longseal_row()) != prompt_of(file, longseal_row(), longseal_seed=1)


def test_without_any_document_the_prompt_is_the_question(file: Path) -> None:
    row = longseal_row(golds=None, **{"12_docs": []})
    assert prompt_of(file, row) == row["question"]


@pytest.mark.parametrize("category", ["seal_0", "seal_hard"])
def test_the_prompt_of_another_category_is_the_question(file: Path, category: Any) -> None:
    params = SealQAParams(dataset_path=str(write_jsonl(file, [sealqa_row()])), category=category)
    (task,) = SealQA().load(params, tell=lambda _: None).tasks
    assert SealQA().prompt_text(task, params) == sealqa_row()["question"]


@pytest.mark.parametrize("damage", ["gone", "cut off"])
def test_documents_lost_from_the_cache_after_the_load_are_one_line_with_the_remedy(
    file: Path, damage: str
) -> None:
    task = task_of(file, longseal_row())
    lost = Path(task.locator["negatives"])
    if damage == "gone":
        lost.unlink()
    else:
        lost.write_text('[{"title"')
    with pytest.raises(
        DatasetError,
        match=r"^delete 'sealqa/local/longseal/v1-[0-9a-f]{40}' in AGENT_BENCHMARKS_CACHE "
        r"\(else ~/\.cache/agent-benchmarks\) and run again; documents in it are missing$",
    ) as caught:
        SealQA().prompt_text(task, params_for(file))
    assert str(file.parent) not in str(caught.value)


def test_documents_lost_from_the_cache_before_the_load_are_refused_and_the_remedy_helps(file: Path) -> None:
    task = task_of(file, longseal_row())
    Path(task.locator["golds"]).unlink()
    with pytest.raises(
        DatasetError,
        match=r"^delete 'sealqa/local/longseal/v1-.* and run again; documents in it are missing$",
    ):
        task_of(file, longseal_row())
    shutil.rmtree(Path(task.locator["golds"]).parents[1])
    assert task_of(file, longseal_row()) == task


def line_on_lost_documents(task: Task, params: SealQAParams) -> str:
    Path(task.locator["negatives"]).unlink()
    with pytest.raises(DatasetError) as caught:
        SealQA().prompt_text(task, params)
    return str(caught.value)


def test_all_tasks_whose_documents_are_lost_give_one_line(file: Path) -> None:
    params = params_for(write_jsonl(file, [longseal_row()] * 3))
    tasks = SealQA().load(params, tell=lambda _: None).tasks
    assert len({line_on_lost_documents(task, params) for task in tasks}) == 1


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(conversion(Path("/c/sealqa/hub/longseal"), "a" * 40), id="commit"),
        pytest.param(conversion(Path("/c/sealqa/local/longseal"), "b" * 64), id="digest of a file"),
    ],
)
def test_the_line_on_lost_documents_is_shown_whole_and_begins_with_the_remedy(
    file: Path, folder: Path
) -> None:
    line = missing_documents(str(file_of(folder, "12_docs", 254)))
    assert len(line) < 180
    assert line.startswith(f"delete '{folder.relative_to('/c')}' in ")
    assert "run again" in line
    public = Redactor([], show_ground_truth=False)
    assert public.line(line, task_of(file, longseal_row())) == line


def test_the_task_file_holds_no_text_of_a_document(file: Path, tmp_path: Path) -> None:
    row = longseal_row(golds=[{"text": "HELPFUL-TEXT"}], **{"12_docs": [{"text": "OTHER-TEXT"}] * 12})
    task = task_of(file, row)
    write_plan(tmp_path / "plan.jsonl", [task])
    held = (tmp_path / "plan.jsonl").read_text()
    assert "longseal-001" in held
    assert "-TEXT" not in held


def test_the_rows_that_are_loaded_hold_no_text_of_a_document(file: Path) -> None:
    task = task_of(file, longseal_row(golds=[{"text": "HELPFUL-TEXT"}]))
    rows = Path(task.locator["golds"]).parents[1] / "rows.jsonl"
    assert json.loads(rows.read_text())["golds"] == 1
    assert "-TEXT" not in rows.read_text()


def test_a_prompt_reads_the_documents_of_its_own_task_alone(file: Path) -> None:
    params = params_for(write_jsonl(file, [longseal_row(), longseal_row()]))
    first, second = SealQA().load(params, tell=lambda _: None).tasks
    for path in second.locator.values():
        Path(path).unlink()
    assert "Document 13" in SealQA().prompt_text(first, params)


def test_a_worker_builds_the_same_prompt_without_a_heavy_import(file: Path, tmp_path: Path) -> None:
    task = task_of(file, longseal_row())
    write_plan(tmp_path / "plan.jsonl", [task])
    code = (
        "import hashlib, sys\n"
        "from pathlib import Path\n"
        "from benchmarks.catalogue import BENCHMARKS\n"
        "from benchmarks.plan import read_plan\n"
        "from benchmarks.sealqa.params import SealQAParams\n"
        "(task,) = read_plan(Path(sys.argv[1]))\n"
        "text = BENCHMARKS['sealqa'].prompt_text(task, SealQAParams(category='longseal'))\n"
        "print(hashlib.sha256(text.encode()).hexdigest())\n"
        "print({'datasets', 'pyarrow', 'pandas', 'huggingface_hub', 'pydantic'} & set(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "plan.jsonl")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = hashlib.sha256(SealQA().prompt_text(task, params_for(file)).encode()).hexdigest()
    assert done.stdout == f"{expected}\nset()\n"
