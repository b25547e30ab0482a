"""The run that a session goes on from is found, compared and taken over."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from examiner_scene import made_run, made_tasks
from results_scene import noon, record, run

from benchmarks.configuration.execution import Attempts
from benchmarks.configuration.options import Options
from benchmarks.inherited_settings import configuration_of
from benchmarks.parents import Parent, Places, by_run, parents_of, taken_over
from benchmarks.plan import prompt_digest, write_plan
from benchmarks.results.behaviour import behaviour_of, differences
from benchmarks.results.files import RunFiles, write_whole
from benchmarks.results.finished import FinishedAttempts
from benchmarks.results.record import Record
from benchmarks.results.recorder import Recorder
from benchmarks.results.run_description import RunDescription
from benchmarks.run import Run, Session
from benchmarks.taking_over import in_words, inheritance, left_out, take_over


def left_by(
    folder: Path, description: RunDescription, *records: Record, session: str = "s-1", **volatile: Any
) -> Path:
    """A run directory of an ended run."""
    told = replace(description, volatile={**description.volatile, "session": session, **volatile})
    recorder = Recorder(folder, told, now=noon)
    for each in records:
        recorder.add(each)
    recorder.finish()
    return folder


def parent_in(folder: Path, *, judges_again: bool = False) -> Parent:
    return Parent(directory=folder, finished=FinishedAttempts(folder), judges_again=judges_again)


# Which run


def test_latest_are_the_runs_of_the_session_that_began_last(tmp_path: Path) -> None:
    def at(name: str) -> Path:
        return tmp_path / "gaia" / "org_m" / name

    left_by(at("one"), run(), session="old", started_at="2026-11-30T10:00:00Z")
    left_by(at("two"), run(), session="new", started_at="2026-11-30T11:00:00Z")
    left_by(tmp_path / "sealqa" / "org_m" / "three", run(), session="new", started_at="2026-11-30T11:00:01Z")
    write_whole(at("broken") / "run.json", "{")
    places = Places(results_dir=tmp_path)
    assert places.latest(["gaia"]) == [at("two")]
    assert sorted(places.latest(["gaia", "sealqa"])) == [at("two"), tmp_path / "sealqa/org_m/three"]


def test_latest_is_of_the_model_that_is_asked(tmp_path: Path) -> None:
    left_by(tmp_path / "gaia" / "m" / "one", run(model="m"), started_at="2026-11-30T10:00:00Z")
    left_by(tmp_path / "gaia" / "n" / "two", run(model="n"), started_at="2026-11-30T11:00:00Z")
    assert Places(results_dir=tmp_path, model="m").latest(["gaia"]) == [tmp_path / "gaia" / "m" / "one"]
    with pytest.raises(pytest.UsageError, match=r"no run of gaia of the model 'x' under .*name the run"):
        Places(results_dir=tmp_path, model="x").latest(["gaia"])


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (Options(resume=("a",), rejudge="b"), "given together; resume first"),
        (Options(resume=(" ",)), "--resume '' names no run"),
        (Options(resume_anyway=True), "--resume-anyway needs a run to resume"),
        (Options(resume=("nowhere",)), r"--resume 'nowhere' cannot be read: .*is missing"),
        (Options(rejudge="nowhere"), r"--rejudge 'nowhere' cannot be read: .*is missing"),
    ],
)
def test_what_cannot_be_gone_on_from_is_refused(options: Options, line: str) -> None:
    with pytest.raises(pytest.UsageError, match=line):
        parents_of(options, ["gaia"], lowest=None)


def test_a_run_of_the_demo_needs_the_demo(tmp_path: Path) -> None:
    left_by(tmp_path / "run", run(demo=True))
    with pytest.raises(pytest.UsageError, match=r"is a run of the demo.*add --demo"):
        parents_of(Options(resume=(str(tmp_path / "run"),)), ["gaia"], lowest=None)
    (parent,) = parents_of(Options(resume=(str(tmp_path / "run"),), demo=True), ["gaia"], lowest=None)
    assert parent.option == "--resume"


def test_each_run_has_one_parent_and_each_parent_one_run(tmp_path: Path) -> None:
    parent = parent_in(left_by(tmp_path / "a", run(), key="sealqa seal_0"))
    other = parent_in(left_by(tmp_path / "b", run(), key="sealqa seal_0"))
    assert by_run([parent], ["sealqa seal_0"]) == {"sealqa seal_0": parent}
    assert by_run([], ["gaia"]) == {}
    with pytest.raises(pytest.UsageError, match="is a run of 'sealqa seal_0', and this session has 'gaia'"):
        by_run([parent], ["gaia"])
    twins = Options(resume=(str(parent.directory), str(other.directory)))
    with pytest.raises(pytest.UsageError, match="names two runs of 'sealqa seal_0'"):
        parents_of(twins, ["sealqa"], lowest=None)
    with pytest.raises(pytest.UsageError, match="names no run of 'gaia', which would be asked anew"):
        by_run([parent], ["sealqa seal_0", "gaia"])
    assert by_run([parent], ["sealqa seal_0", "gaia"], is_part=True).keys() == {"sealqa seal_0"}


# What it was asked for


def told(**changes: Any) -> RunDescription:
    params = {"judge_model": {"id": "j", "api_key": "***"}, "answer_format": "auto"}
    configuration: dict[str, Any] = {
        "model": {"id": "m", "api_key": "***"},
        "run": {"results_dir": "out", "run_name": "one", "run_dir": None},
        "benchmarks": {"gaia": {"params": params, "harness": {"id": "openai_chat", "params": {}}}},
    }
    return run(configuration=configuration, **changes)


def test_its_own_settings_are_taken_without_keys_and_without_its_place(tmp_path: Path) -> None:
    layer = configuration_of([parent_in(left_by(tmp_path / "a", told()))])
    assert layer == {
        "model": {"id": "m"},
        "run": {"results_dir": "out"},
        "benchmarks": {
            "gaia": {
                "params": {"judge_model": {"id": "j"}, "answer_format": "auto"},
                "harness": {"id": "openai_chat", "params": {}},
            }
        },
    }
    assert configuration_of([]) == {}


def test_an_address_that_held_a_key_is_not_taken(tmp_path: Path) -> None:
    own: dict[str, Any] = {"params": {}, "harness": {}}
    model = {"id": "m", "base_url": "https://m.example/v1?api-key=***"}
    left_by(tmp_path / "a", run(configuration={"model": model, "benchmarks": {"gaia": own}}))
    assert configuration_of([parent_in(tmp_path / "a")])["model"] == {"id": "m"}


def test_two_runs_of_one_benchmark_are_told_by_their_categories(tmp_path: Path) -> None:
    def of(category: str) -> RunDescription:
        own: dict[str, Any] = {
            "params": {"category": category, "limit": 3},
            "harness": {"id": "openai_chat", "params": {}},
        }
        return run(configuration={"model": {"id": "m"}, "benchmarks": {"sealqa": own}})

    parents = [parent_in(left_by(tmp_path / name, of(name))) for name in ("seal_0", "longseal")]
    section = configuration_of(parents)["benchmarks"]["sealqa"]
    assert section["params"] == {"category": ["seal_0", "longseal"]}
    assert section["by_category"]["longseal"] == {
        "params": {"limit": 3},
        "harness": {"id": "openai_chat", "params": {}},
    }


def test_two_runs_of_a_benchmark_that_pools_its_categories_are_told_apart_later(tmp_path: Path) -> None:
    parents = [parent_in(left_by(tmp_path / name, told())) for name in ("a", "b")]
    assert configuration_of(parents) == configuration_of(parents[:1])


def test_answers_that_are_judged_again_keep_the_format_they_were_asked_in(tmp_path: Path) -> None:
    left_by(tmp_path / "a", told(answer_format="none"))
    layer = configuration_of([parent_in(tmp_path / "a", judges_again=True)])
    assert layer["benchmarks"]["gaia"]["params"]["answer_format"] == "none"


# Whether it is alike


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"model": "other"}, ['model: "org/model_v1" there, "other" now']),
        ({"model_params": {"temperature": 1}}, ['model params: {} there, {"temperature": 1} now']),
        ({"answer_format": "gaia"}, ['answer format: "none" there, "gaia" now']),
        ({"strategy": "pass", "k": 2}, ['attempt strategy: "avg" there, "pass" now']),
        ({"k": 5}, []),
        ({"gates": {"min_accuracy": {"overall": 0.5}}}, []),
        ({"partial": ("limit 5",)}, []),
        (
            {"configuration": {"model": {"api_protocol": "anthropic", "base_url": "http://b"}}},
            ['model api_protocol: null there, "anthropic" now'],
        ),
        (
            {"harness": {"id": "naive_search_agent", "params": {"max_iterations": 9, "tool_model_name": ""}}},
            ["harness param max_iterations: 50 there, 9 now"],
        ),
        (
            {
                "harness": {
                    "id": "naive_search_agent",
                    "params": {
                        "max_iterations": 50,
                        "tool_model_name": "",
                        "serper_base_url": "http://elsewhere",
                        "serper_api_key": "***",
                    },
                }
            },
            [],
        ),
    ],
    ids=lambda value: "" if isinstance(value, list) else "+".join(value),
)
def test_what_changes_behaviour_is_named_and_nothing_else(changes: dict[str, Any], named: list[str]) -> None:
    assert list(differences(run(), run(**changes), graded_alike=True)) == named


def test_another_judge_matters_only_where_its_verdicts_are_taken_over() -> None:
    other = run(judge={**run().judge, "prompt_digest": "bb", "params": {"temperature": 1}})
    assert len(differences(run(), other, graded_alike=True)) == 2
    assert differences(run(), other, graded_alike=False) == ()


def test_where_a_judge_is_does_not_matter() -> None:
    moved = run(judge={**run().judge, "base_url": "http://elsewhere"})
    assert behaviour_of(moved) == behaviour_of(run())


# What is taken over


def unit_of(outcomes: list[str]) -> list[Record]:
    return [record("t-1", outcome, attempt=number) for number, outcome in enumerate(outcomes, 1)]


@pytest.mark.parametrize(
    ("outcomes", "whole", "to_judge"),
    [
        (["incorrect", "run_error", "correct"], {1, 2, 3}, set[int]()),
        (["incorrect", "run_error", "incorrect"], {1, 3}, set[int]()),
        (["judge_error", "not_attempted"], {2}, {1}),
        (["run_error"], set[int](), set[int]()),
    ],
    ids=["success", "no success", "no judgment", "error"],
)
def test_a_task_that_came_to_its_end_keeps_every_try(
    tmp_path: Path, outcomes: list[str], whole: set[int], to_judge: set[int]
) -> None:
    left_by(tmp_path, run(k=3, strategy="pass"), *unit_of(outcomes))
    kept, judged = taken_over(parent_in(tmp_path))
    assert ({n for _, n in kept}, {n for _, n in judged}) == (whole, to_judge)


def test_all_answers_are_judged_again_and_nothing_is_kept_whole(tmp_path: Path) -> None:
    left_by(tmp_path, run(), record("t-1"), record("t-2", "run_error"))
    whole, to_judge = taken_over(parent_in(tmp_path, judges_again=True))
    assert whole == frozenset()
    assert to_judge == {("t-1", 1), ("t-2", 1)}


TASKS = made_tasks(2)


def asked(run_: Run, number: int, outcome: str = "correct", **changes: Any) -> Record:
    """A record of the task at `number`, asked just as `run_` asks it."""
    task = run_.tasks[number]
    digest = prompt_digest(run_.benchmark.prompt_text(task, run_.choice.params), [])
    values = {"prompt_digest": digest, "ground_truth": task.ground_truth, "category": task.category}
    return record(task.task_id, outcome, **{**values, **changes})


def described(run_: Run) -> RunDescription:
    return run([task.task_id for task in run_.tasks])


def test_records_are_kept_beside_the_plan_and_marked(tmp_path: Path) -> None:
    now = replace(made_run(TASKS), directory=tmp_path / "now")
    left_by(tmp_path / "p", described(now), asked(now, 0, category="9"), asked(now, 1, "judge_error"))
    inherited = inheritance(parent_in(tmp_path / "p"), now, described(now), anyway=False)
    made = take_over(now, inherited)
    (kept,) = map(json.loads, made.files.made_before.read_text().splitlines())
    (to_judge,) = map(json.loads, made.files.to_judge.read_text().splitlines())
    assert (kept["task_id"], kept["reused"], kept["category"]) == ("t-0", True, TASKS[0].category)
    assert (to_judge["task_id"], to_judge["outcome"]) == ("t-1", "judge_error")
    assert made.parent is not None
    assert made.parent["path"] == "../p"
    assert in_words(made.parent).endswith("2 attempts taken over, 1 of them only to be judged")


def test_a_selection_takes_over_its_own_part_alone(tmp_path: Path) -> None:
    whole = replace(made_run(TASKS), directory=tmp_path / "now")
    left_by(tmp_path / "p", described(whole), asked(whole, 0), asked(whole, 1))
    part = replace(whole, tasks=TASKS[:1])
    inherited = inheritance(parent_in(tmp_path / "p"), part, described(part), anyway=False)
    assert inherited.whole == {("t-0", 1)}


def test_what_a_parent_had_deselected_is_left_out_and_what_it_never_selected_is_not(tmp_path: Path) -> None:
    whole = replace(made_run(made_tasks(3)), directory=tmp_path / "now")
    left_by(tmp_path / "p", run(["t-0"], deselected=("-k t-0",)))
    write_plan(RunFiles(root=tmp_path / "p").plan, whole.tasks[:2])
    session = cast("Session", SimpleNamespace(runs={"gaia": whole}, attempts=Attempts(k=2)))
    assert left_out(session, {"gaia": parent_in(tmp_path / "p")}) == {
        "gaia": frozenset({("t-1", 1), ("t-1", 2)})
    }
    assert left_out(session, {}) == {}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"prompt_digest": "another"}, r"what is asked of 1 task \('t-0'\) was another text or file there"),
        ({"prompt_digest": None}, r"what is asked of 1 task \('t-0'\)"),
        ({"ground_truth": "another"}, r"the ground truth of 1 task \('t-0'\) was another there"),
    ],
    ids=["prompt", "no digest", "ground truth"],
)
def test_a_task_that_is_another_now_is_refused_and_named(
    tmp_path: Path, changes: dict[str, Any], line: str
) -> None:
    now = replace(made_run(TASKS), directory=tmp_path / "now")
    parent = parent_in(left_by(tmp_path / "p", described(now), asked(now, 0, **changes)))
    with pytest.raises(pytest.UsageError, match=f"was made otherwise: {line}.*--resume-anyway"):
        inheritance(parent, now, described(now), anyway=False)
    inherited = inheritance(parent, now, described(now), anyway=True)
    assert (len(inherited.differences), len(inherited.whole)) == (1, 1)


def test_a_ground_truth_may_change_where_all_is_judged_again(tmp_path: Path) -> None:
    now = replace(made_run(TASKS), directory=tmp_path / "now")
    left_by(tmp_path / "p", described(now), asked(now, 0, ground_truth="another"))
    parent = parent_in(tmp_path / "p", judges_again=True)
    assert inheritance(parent, now, described(now), anyway=False).differences == ()


def test_names_and_contents_of_attachments_count_and_their_folders_do_not(tmp_path: Path) -> None:
    def file(folder: str, name: str, content: str) -> Path:
        write_whole(tmp_path / folder / name, content)
        return tmp_path / folder / name

    one = prompt_digest("ask", [file("a", "x.txt", "1")])
    assert one == prompt_digest("ask", [file("b", "x.txt", "1")])
    assert len({one, prompt_digest("ask", []), prompt_digest("ask", [file("a", "y.txt", "1")])}) == 3
    assert prompt_digest("ask", [file("c", "x.txt", "2")]) != one


def test_a_parent_without_records_is_taken_over_as_it_is(tmp_path: Path) -> None:
    now = replace(made_run(TASKS), directory=tmp_path / "now")
    left_by(tmp_path / "p", described(now))
    made = take_over(now, inheritance(parent_in(tmp_path / "p"), now, described(now), anyway=False))
    assert not made.files.made_before.exists()
    assert RunFiles(root=tmp_path / "now").to_judge.exists() is False
