"""`python -m benchmarks template RUN`: the form to fill, an entry for each attempt that was planned."""

from pathlib import Path
from typing import Any

import pytest
from gaia_rows import isolate, write_jsonl
from results_scene import noon, run
from sealqa_rows import longseal_row

from benchmarks.__main__ import main
from benchmarks.gaia.prompt import ANSWER_RULES
from benchmarks.plan import write_plan
from benchmarks.results.files import RunFiles
from benchmarks.results.recorder import Recorder
from benchmarks.results.run_description import RunDescription
from benchmarks.sealqa.benchmark import SealQA
from benchmarks.sealqa.params import SealQAParams
from benchmarks.task import Task
from harnesses.answers import FORMS, Entry, read_answers

PONDS = [
    Task(task_id="t-1", question="How many ponds?", ground_truth="SECRET-7", category="1"),
    Task(
        task_id="t-2",
        question='Which "pond",\nwhich <duck>?',
        ground_truth="SECRET-8",
        category="2",
        attachments=("/data/ponds.txt",),
    ),
]


def planned(folder: Path, description: RunDescription, tasks: list[Task]) -> Path:
    Recorder(folder, description, now=noon)
    write_plan(RunFiles(root=folder).plan, tasks)
    return folder


def described(benchmark: str = "gaia", params: dict[str, Any] | None = None, **more: Any) -> RunDescription:
    told = {"benchmarks": {benchmark: {"params": params or {}}}}
    return run(["t-1", "t-2"], **{"configuration": told, "benchmark": benchmark, **more})


@pytest.fixture
def ponds(tmp_path: Path) -> Path:
    return planned(tmp_path / "run", described(), PONDS)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_asks_for_each_planned_attempt_and_reads_as_answers(
    ponds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    path = tmp_path / f"form.{form}"
    assert main(["template", str(ponds), f"--format={form}", f"--into={path}"]) == 0
    assert read_answers(path) == (Entry(task_id="t-1"), Entry(task_id="t-2"))
    text = path.read_text("utf-8")
    assert "How many ponds?" in text
    assert "ponds.txt" in text
    assert "SECRET" not in text
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "2 answers to fill in; private: the form holds the questions\n"


def test_without_a_file_the_form_is_printed(ponds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["template", str(ponds)]) == 0
    first, _ = capsys.readouterr().out.splitlines()
    assert first == '{"task_id": "t-1", "attempt": 1, "question": "How many ponds?", "answer": ""}'


def test_what_is_to_be_asked_is_the_whole_prompt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["template", str(planned(tmp_path / "run", described(params={"answer_format": "gaia"}), PONDS))])
    assert ANSWER_RULES.splitlines()[0] in capsys.readouterr().out


@pytest.mark.parametrize("strategy", ["avg", "pass"])
def test_a_task_with_several_attempts_has_as_many_entries(tmp_path: Path, strategy: str) -> None:
    numbers = (1, 2) if strategy == "avg" else (1,)
    units = tuple((task.task_id, number, task.category) for task in PONDS for number in numbers)
    folder = planned(tmp_path / "run", described(planned=units, k=2, strategy=strategy), PONDS)
    main(["template", str(folder), f"--into={tmp_path / 'form.jsonl'}"])
    found = [(entry.task_id, entry.attempt) for entry in read_answers(tmp_path / "form.jsonl")]
    assert found == [("t-1", 1), ("t-1", 2), ("t-2", 1), ("t-2", 2)]


def test_a_task_of_longseal_is_asked_with_its_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    isolate(monkeypatch, tmp_path / "cache")
    told = {
        "category": "longseal",
        "dataset_path": str(write_jsonl(tmp_path / "tasks.jsonl", [longseal_row()])),
    }
    params = SealQAParams(category="longseal", dataset_path=told["dataset_path"])
    (task,) = SealQA().load(params, tell=lambda _: None).tasks
    of_run = described("sealqa", told, planned=((task.task_id, 1, task.category),))
    main(["template", str(planned(tmp_path / "run", of_run, [task]))])
    assert "Document 13" in capsys.readouterr().out


def test_a_file_that_exists_is_not_written_over(
    ponds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "form.csv"
    path.write_text("hours of work")
    assert main(["template", str(ponds), "--format=csv", f"--into={path}"]) == 4
    assert path.read_text() == "hours of work"
    assert "exists, and answers may be in it; name a new file" in capsys.readouterr().err


def bare(folder: Path) -> None:
    RunFiles(root=folder).run.unlink()


def without_plan(folder: Path) -> None:
    RunFiles(root=folder).plan.unlink()


def without_a_task(folder: Path) -> None:
    write_plan(RunFiles(root=folder).plan, PONDS[:1])


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (bare, "is missing: name a run directory that holds it"),
        (without_plan, "cannot be read (FileNotFoundError): name a run that has its details"),
        (without_a_task, "lacks the planned task 't-2': restore the file"),
    ],
)
def test_a_run_that_cannot_be_read_is_one_line_and_exit_4(
    ponds: Path, capsys: pytest.CaptureFixture[str], spoil: Any, line: str
) -> None:
    spoil(ponds)
    assert main(["template", str(ponds)]) == 4
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("description", "line"),
    [
        (described("ponds"), "is of the benchmark 'ponds', which is none of gaia, sealqa; name a run of one"),
        (described(params={"subset": "none"}), "run.json names params that are none: 'none' is refused"),
    ],
    ids=["benchmark", "params"],
)
def test_a_run_that_this_version_did_not_write_is_one_line_and_exit_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], description: RunDescription, line: str
) -> None:
    assert main(["template", str(planned(tmp_path / "run", description, PONDS))]) == 4
    assert line in capsys.readouterr().err


def test_a_folder_that_does_not_exist_is_one_line_and_exit_4(
    ponds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["template", str(ponds), f"--into={tmp_path / 'none' / 'form.jsonl'}"]) == 4
    assert "cannot be written: No such file or directory; name another file" in capsys.readouterr().err
