"""A file of answers that answers more than is asked, and a session whose model is not asked."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from configuration_scene import MODEL_URL, loaded, params, refused
from gating_scene import a_run, described

from benchmarks.configuration.model import Configuration
from benchmarks.run import Session, stop_mark_of
from benchmarks.unasked_answers import unasked_answers


def written(folder: Path, *rows: tuple[str, int]) -> Path:
    path = folder / "answers.jsonl"
    lines = (json.dumps({"task_id": task_id, "attempt": n, "answer": "x"}) for task_id, n in rows)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def configured(path: Path | None, *, names: Sequence[str] = ("gaia",), **given: Any) -> Configuration:
    values: dict[str, Any] = {
        "model": "m",
        "harness": "answers_file",
        "harness_params": json.dumps({} if path is None else {"answers_path": str(path)}),
        "benchmark_params": params(),
        "names": names,
    }
    return loaded(**{**values, **given})


def about_to_begin(configuration: Configuration) -> Session:
    """Its runs have two tasks each: gaia-0, gaia-1, sealqa-seal_0-0, …"""
    runs = {key: a_run(configuration, key, ("1", "2")) for key in configuration.choices}
    return Session(
        configuration=configuration,
        runs=runs,
        stop_mark=stop_mark_of(runs),
        show_ground_truth=False,
        demo=False,
    )


def told(configuration: Configuration, key: str = "gaia") -> tuple[str, ...]:
    session = about_to_begin(configuration)
    return unasked_answers(session, session.runs[key])


def test_answers_to_what_is_asked_need_no_line(tmp_path: Path) -> None:
    path = written(tmp_path, ("gaia-0", 1), ("gaia-1", 1))
    assert told(configured(path)) == ()
    assert told(configured(None)) == ()


def test_answers_to_other_tasks_are_named_with_what_may_be_meant(tmp_path: Path) -> None:
    path = written(tmp_path, ("gaia-O", 1), ("gaia-O", 2), ("zzz", 1))
    assert told(configured(path)) == (
        "answers.jsonl answers tasks that are not asked (2): 'gaia-O' (did you mean 'gaia-1'?), 'zzz'",
    )


def test_of_many_such_tasks_three_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, *((f"z{n}", 1) for n in range(5)))
    assert told(configured(path)) == (
        "answers.jsonl answers tasks that are not asked (5): 'z0', 'z1', 'z2', …",
    )


@pytest.mark.parametrize("strategy", ["avg", "pass"])
def test_answers_beyond_the_attempts_that_are_made_are_named(tmp_path: Path, strategy: str) -> None:
    path = written(tmp_path, ("gaia-0", 2), ("gaia-0", 3))
    assert told(configured(path, k="2", attempt_strategy=strategy)) == (
        "answers.jsonl answers attempts that are not made (k is 2): attempt 3 of 'gaia-0'",
    )


def test_one_file_may_answer_several_runs_of_a_session(tmp_path: Path) -> None:
    path = written(tmp_path, ("gaia-0", 1), ("sealqa-seal_0-1", 1))
    session = about_to_begin(configured(path, names=("gaia", "sealqa")))
    assert [unasked_answers(session, run) for run in session.runs.values()] == [(), ()]


def test_a_file_that_was_broken_meanwhile_is_told_by_the_attempts(tmp_path: Path) -> None:
    configuration = configured(path := written(tmp_path, ("gaia-0", 1)))
    path.unlink()
    assert told(configuration) == ()


def test_another_harness_has_no_such_file() -> None:
    assert (
        told(loaded(model="m", model_base_url=MODEL_URL, harness="openai_chat", benchmark_params=params()))
        == ()
    )


def test_the_lines_are_issues_of_the_run_and_attachments_are_no_matter(tmp_path: Path) -> None:
    session = about_to_begin(configured(written(tmp_path, ("zzz", 1))))
    run = session.runs["gaia"]
    tasks = tuple(replace(task, attachments=("/data/x.pdf",)) for task in run.tasks)
    found = described(replace(session, runs={"gaia": replace(run, tasks=tasks)}))
    assert found.issues == ("answers.jsonl answers tasks that are not asked (1): 'zzz'",)
    assert found.n_attachments_unopened == 0


def test_a_model_that_is_not_asked_needs_no_address() -> None:
    model = configured(None).model
    assert model is not None
    assert (model.id, model.base_url) == ("m", "http://nobody.invalid")


def test_it_still_needs_a_name() -> None:
    (line,) = refused(harness="answers_file", benchmark_params=params(), model_base_url=MODEL_URL)
    assert "no model is given; name one by --model ID" in line


def test_one_harness_that_asks_is_enough_to_need_an_address(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"benchmarks": {"sealqa": {"harness": {"id": "answers_file", "params": {}}}}}))
    given: dict[str, Any] = {"model": "m", "benchmark_params": params()}
    assert loaded(file, names=("sealqa",), **given).model is not None
    lines = refused(file, names=("gaia", "sealqa"), **given)
    assert any("base_url" in line for line in lines)


def test_every_fault_of_the_file_is_told_when_the_session_is_configured(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("task_id,answer\n/,x\nu,x,y\n")
    assert refused(
        model="m",
        harness="answers_file",
        harness_params=json.dumps({"answers_path": str(path)}),
        benchmark_params=params(),
    ) == [
        f"harness.params (command line): 'answers.csv', {line}"
        for line in (
            "row 2: task_id '/' is the id of no task; copy it from the form",
            "row 3: 3 cells under 2 columns; put an answer with a comma in quotes",
        )
    ]


def test_to_look_at_items_no_file_is_read(tmp_path: Path) -> None:
    assert configured(tmp_path / "none.csv", needs_model=False).choices.keys() == {"gaia"}
