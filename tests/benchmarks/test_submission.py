"""The leaderboard's file: what is in it, what never is, and over what it is not written."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from results_scene import ANSWER, KEY, TRUTH, noon, record, run

from benchmarks.__main__ import main
from benchmarks.redaction import Redactor
from benchmarks.report.submitting import Submitting, refuse_unfit_submission
from benchmarks.results.files import RunFiles, RunFilesError
from benchmarks.results.record import Record
from benchmarks.results.recorder import Recorder
from benchmarks.results.run_description import RunDescription
from benchmarks.results.spool import Spool
from benchmarks.results.submission import Submission, submission_of
from benchmarks.run import Session, redactor_key


def recorded(folder: Path, *records: Record, description: RunDescription | None = None) -> Path:
    recorder = Recorder(folder, description or run(), now=noon)
    for each in records:
        recorder.add(each)
    recorder.finish()
    return folder


def said(content: Any, *calls: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "reasoning_content": "a thought of its own"}
    return {"kind": "model", "message": {**message, "tool_calls": [{"function": call} for call in calls]}}


def tool_result(text: str) -> dict[str, Any]:
    return {"kind": "tool", "tool": "search", "result": text}


def handed_in(folder: Path, *, attempt: int = 1) -> tuple[Submission, list[dict[str, str]]]:
    made = submission_of(folder, attempt=attempt, mask=Redactor([KEY], show_ground_truth=True).mask_keys)
    return made, [json.loads(line) for line in made.text.splitlines()]


def test_it_holds_what_the_model_said_and_called_and_nothing_of_tools_or_judges(tmp_path: Path) -> None:
    trajectory = (
        said("I look it up.", {"name": "search", "arguments": '{"query": "ponds"}'}),
        tool_result("what a page said"),
        said([{"type": "text", "text": "Seven."}, {"type": "thinking", "thinking": "hm"}]),
        said(None),
    )
    folder = recorded(tmp_path, record("t-1", trajectory=trajectory))
    made, lines = handed_in(folder)
    assert lines == [
        {
            "task_id": "t-1",
            "model_answer": ANSWER,
            "reasoning_trace": 'I look it up.\n\nsearch({"query": "ponds"})\n\nSeven.',
        }
    ]
    assert TRUTH not in made.text


def test_steps_of_whatever_shape_break_nothing(tmp_path: Path) -> None:
    odd: tuple[dict[str, Any], ...] = (
        {"kind": "model"},
        {"kind": "model", "message": "text"},
        {"kind": "model", "message": {"content": 7, "tool_calls": "none"}},
        said("", {"name": None}),
    )
    _, lines = handed_in(recorded(tmp_path, record("t-1", trajectory=odd)))
    assert lines[0]["reasoning_trace"] == "7\n\n()"


def test_keys_are_masked_and_halves_of_characters_are_made_whole(tmp_path: Path) -> None:
    spoken = record("t-1", final_answer=f"{KEY} \ud800", trajectory=(said(f"my key is {KEY}"),))
    made, lines = handed_in(recorded(tmp_path, spoken))
    assert (lines[0]["model_answer"], lines[0]["reasoning_trace"]) == ("*** \ufffd", "my key is ***")
    assert KEY not in made.text


def test_answers_stand_in_the_order_of_the_plan_and_tasks_without_one_are_counted(tmp_path: Path) -> None:
    folder = recorded(
        tmp_path,
        record("b", "judge_error", final_answer="of b"),
        record("c", "run_error", final_answer=None),
        record("a", "unscored", final_answer="of a", ground_truth=""),
        record("d", "not_attempted", final_answer=None),
        description=run(["d", "b", "a", "c", "e"]),
    )
    made, lines = handed_in(folder)
    assert [(line["task_id"], line["model_answer"]) for line in lines] == [("b", "of b"), ("a", "of a")]
    assert made.line == "submission: 2 of 5 tasks have an answer; left out: 3"


def test_a_whole_set_leaves_nothing_out(tmp_path: Path) -> None:
    made, _ = handed_in(recorded(tmp_path, record("t-1"), description=run(["t-1"])))
    assert made.line == "submission: 1 of 1 tasks have an answer"


def test_what_a_killed_session_left_in_its_spool_is_in_it(tmp_path: Path) -> None:
    Recorder(tmp_path, run(), now=noon)
    spool = Spool(RunFiles(root=tmp_path).spool("gw0"))
    spool.append(record("t-2"))
    spool.close()
    assert [line["task_id"] for line in handed_in(tmp_path)[1]] == ["t-2"]


@pytest.fixture
def twice(tmp_path: Path) -> Path:
    of_run = run(planned=(("t-1", 1, "1"), ("t-1", 2, "1")), k=2)
    records = [record("t-1", attempt=n, final_answer=f"answer {n}") for n in (1, 2)]
    return recorded(tmp_path / "run", *records, description=of_run)


def test_of_several_attempts_it_is_the_one_that_is_asked_for(twice: Path) -> None:
    answers = [handed_in(twice, attempt=n)[1][0]["model_answer"] for n in (1, 2)]
    assert answers == ["answer 1", "answer 2"]
    with pytest.raises(RunFilesError, match=r"attempt 3 was not planned in .*; give 1 to 2"):
        handed_in(twice, attempt=3)


def test_another_benchmark_is_not_handed_in(tmp_path: Path) -> None:
    folder = recorded(tmp_path, description=run(benchmark="sealqa"))
    with pytest.raises(RunFilesError, match=r"is a run of 'sealqa', and the leaderboard is that of 'gaia'"):
        handed_in(folder)


def test_it_is_written_over_an_earlier_one_and_over_no_other_file(tmp_path: Path) -> None:
    made, _ = handed_in(recorded(tmp_path / "run", record("t-1")))
    path = tmp_path / "submission.jsonl"
    path.touch()
    made.write(path)
    made.write(path)
    assert path.read_text() == made.text
    path.write_text('{"task_id": "t-1", "answer": "hours of work"}\n')
    with pytest.raises(RunFilesError, match="exists and is no submission; name another file"):
        made.write(path)
    assert "hours of work" in path.read_text()
    with pytest.raises(RunFilesError, match="cannot be written: Is a directory; name another"):
        made.write(tmp_path / "run")


def test_the_command_prints_it_or_writes_it(
    twice: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["submission", str(twice)]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["model_answer"] == "answer 1"
    assert printed.err == "submission: 1 of 1 tasks have an answer\n"
    path = tmp_path / "submission.jsonl"
    assert main(["submission", str(twice), "--attempt=2", f"--into={path}"]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(path.read_text())["model_answer"] == "answer 2"


def test_the_command_masks_what_the_environment_calls_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OUR_API_KEY", KEY)
    assert main(["submission", str(recorded(tmp_path, record("t-1", final_answer=KEY)))]) == 0
    assert json.loads(capsys.readouterr().out)["model_answer"] == "***"


def test_the_command_refuses_with_one_line_and_exit_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["submission", str(tmp_path)]) == 4
    assert "run.json' is missing: name a run directory that holds it\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "names", "line"),
    [
        ("s.jsonl", ["sealqa"], r"needs a run of GAIA; give its folder: pytest benchmarks/gaia"),
        (" ", ["gaia"], r"' ' is no file that can be written; name one in a folder that exists"),
        ("none/s.jsonl", ["gaia"], r"is no file that can be written"),
        ("folder", ["gaia"], r"is no file that can be written"),
        ("filled.jsonl", ["gaia"], r"filled\.jsonl' exists and is no submission; name another file"),
    ],
    ids=["sealqa", "blank", "nowhere", "folder", "answers"],
)
def test_a_file_that_could_not_be_written_is_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, names: list[str], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "filled.jsonl").write_text('{"answer": "x"}\n')
    with pytest.raises(pytest.UsageError, match=line):
        refuse_unfit_submission(file, names)


def test_a_file_that_can_be_written_is_not_refused(tmp_path: Path) -> None:
    refuse_unfit_submission(str(tmp_path / "s.jsonl"), ["gaia", "sealqa"])
    refuse_unfit_submission(None, ["sealqa"])


def ended(path: Path, directory: Path | None, *, exit_code: int = 0) -> tuple[int, list[str]]:
    """The exit code and the last lines of a session that was to write a submission."""
    stash = pytest.Stash()
    stash[redactor_key] = Redactor([], show_ground_truth=False)
    config: Any = SimpleNamespace(option=SimpleNamespace(gaia_submission=str(path)), stash=stash)
    session: Any = SimpleNamespace(runs={"gaia": SimpleNamespace(directory=directory)})
    submitting = Submitting(config, cast("Session", session))
    of_pytest: Any = SimpleNamespace(exitstatus=exit_code)
    submitting.pytest_sessionfinish(of_pytest)
    lines: list[str] = []
    terminal: Any = SimpleNamespace(line=lines.append)
    submitting.pytest_terminal_summary(terminal)
    return int(of_pytest.exitstatus), lines


def test_at_the_end_of_a_session_it_is_written_and_its_path_told(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    folder = recorded(tmp_path / "run", record("t-1"), description=run(["t-1"]))
    assert ended(path, folder) == (0, [f"submission: 1 of 1 tasks have an answer: {path}"])
    assert path.read_text() == handed_in(folder)[0].text


@pytest.mark.parametrize(("exit_code", "ends_with"), [(0, 3), (1, 3), (10, 10)])
def test_a_session_whose_submission_could_not_be_written_does_not_end_green(
    tmp_path: Path, exit_code: int, ends_with: int
) -> None:
    folder = recorded(tmp_path / "run", record("t-1"))
    code, (line,) = ended(folder, folder, exit_code=exit_code)
    assert code == ends_with
    assert line.startswith("NOT WRITTEN: ")


def test_a_session_that_planned_nothing_writes_nothing(tmp_path: Path) -> None:
    assert ended(tmp_path / "s.jsonl", None) == (0, [])
    assert ended(tmp_path / "s.jsonl", tmp_path / "run") == (0, [])
    assert not (tmp_path / "s.jsonl").exists()
