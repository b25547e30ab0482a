"""The recorder: whatever arrives, every planned unit ends in exactly one outcome."""

import json
import random
import tempfile
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_scene import ANSWER, KEY, QUESTION, TRUTH, files_of, noon, record, run, unhurried

from benchmarks.results import detail_store, recorder
from benchmarks.results.files import RunFiles, write_whole
from benchmarks.results.record import Outcome, Record
from benchmarks.results.recorder import Recorder, utc_now
from benchmarks.results.run_description import RunDescription
from benchmarks.results.spool import Spool


def _start(folder: Path, description: RunDescription | None = None) -> Recorder:
    return Recorder(folder, run() if description is None else description, now=noon)


def _spool(folder: Path, *records: Record, process: str = "gw0") -> None:
    spool = Spool(folder / "details" / "_spool" / f"{process}.jsonl")
    for each in records:
        spool.append(each)
    spool.close()


def _detail(folder: Path, task_id: str = "t-1") -> dict[str, Any]:
    detail: dict[str, Any] = json.loads((folder / "details" / f"{task_id}.json").read_text("utf-8"))
    return detail


def _entry(folder: Path, task_id: str = "t-1", attempt: int = 1) -> dict[str, Any]:
    entry: dict[str, Any] = _detail(folder, task_id)["attempts"][str(attempt)]
    return entry


def _outcomes(metrics: dict[str, Any]) -> dict[str, int]:
    return {name: n for name, n in metrics["outcomes"].items() if n}


# What a detail holds


@pytest.mark.parametrize("carries", [True, False])
def test_a_detail_tells_whether_a_tool_result_held_the_canary(tmp_path: Path, carries: bool) -> None:
    _start(tmp_path).add(record("t-1", carries_canary=carries))
    assert _entry(tmp_path)["carries_canary"] is carries


def test_the_canary_of_one_of_two_records_that_differ_is_not_lost(tmp_path: Path) -> None:
    made = _start(tmp_path, run(has_canary=True))
    made.add(record("t-1", carries_canary=True))
    made.add(record("t-1", "incorrect"))
    assert made.finish()["canary"] == {"n": 1, "task_ids": ["t-1"]}


def test_the_canary_in_what_finished_ahead_and_was_never_reached_does_not_count(tmp_path: Path) -> None:
    made = _start(tmp_path, run(has_canary=True))
    _spool(tmp_path, record("t-1", carries_canary=True))
    assert made.finish()["canary"] == {"n": 0, "task_ids": []}


def test_run_json_gives_the_groups_back_as_they_were(tmp_path: Path) -> None:
    groups = {"question type": {"t-1": ("reasoning", "filtering")}}
    _start(tmp_path, run(groups=groups, has_canary=True))
    read = RunDescription.from_json(json.loads((tmp_path / "run.json").read_text("utf-8")))
    assert (read.groups, read.has_canary) == (groups, True)


def test_a_detail_is_on_disk_as_soon_as_its_record_was_added(tmp_path: Path) -> None:
    _start(tmp_path).add(record("t-1"))
    assert _detail(tmp_path)["ground_truth"] == TRUTH
    assert _entry(tmp_path)["metrics"] == {"correct": True}


def test_the_primary_scoring_is_flat_and_the_scorers_have_their_names(tmp_path: Path) -> None:
    _start(tmp_path).add(record("t-1", "incorrect"))
    scoring = _entry(tmp_path)["meta"]["benchmark"]["scoring"]
    flat = {name: value for name, value in scoring.items() if not isinstance(value, dict)}
    assert flat == {
        "evaluation_type": "llm_judge",
        "correct": False,
        "grade": "B",
        "label": "X",
        "model_answer": ANSWER,
        "ground_truth": TRUTH,
        "raw_response": None,
        "judge_model": "judge-1",
        "prompt_digest": None,
    }
    assert sorted(set(scoring) - set(flat)) == ["contains", "gaia_official"]
    assert scoring["contains"] == {"evaluation_type": "contains", "correct": True, "grade": "A"}


def test_meta_of_the_benchmark_and_the_harness_is_kept(tmp_path: Path) -> None:
    _start(tmp_path).add(record("t-1"))
    meta = _entry(tmp_path)["meta"]
    assert meta["benchmark"]["dataset_revision"] == "abc"
    assert meta["harness"] == {"n_iterations": 1}


@pytest.mark.parametrize(
    ("outcome", "correct"),
    [
        ("correct", True),
        ("incorrect", False),
        ("not_attempted", False),
        ("judge_error", None),
        ("unscored", None),
    ],
)
def test_only_what_was_evaluated_is_correct_or_not(
    tmp_path: Path, outcome: str, correct: bool | None
) -> None:
    _start(tmp_path).add(record("t-1", outcome))
    assert _entry(tmp_path)["metrics"]["correct"] is correct


def test_what_each_judge_call_was_like_is_kept(tmp_path: Path) -> None:
    calls = [{"status": 200, "finish_reason": "length", "n_characters": 0, "has_reasoning": True}]
    _start(tmp_path).add(record("t-1", "judge_error", private={"evidence": calls}))
    assert _entry(tmp_path)["private"] == {"evidence": calls}


def test_attempts_beyond_the_first_merge_into_the_same_detail(tmp_path: Path) -> None:
    made = _start(tmp_path, run(planned=(("t-1", 1, "1"), ("t-1", 2, "1"))))
    made.add(record("t-1", "incorrect", attempt=2))
    made.add(record("t-1", "correct"))
    outcomes = {number: entry["outcome"] for number, entry in _detail(tmp_path)["attempts"].items()}
    assert outcomes == {"1": "correct", "2": "incorrect"}


def test_a_ground_truth_that_is_known_outlasts_a_crash_of_another_attempt(tmp_path: Path) -> None:
    made = _start(tmp_path, run(planned=(("t-1", 1, "1"), ("t-1", 2, "1"))))
    made.add(record("t-1"))
    made.add_crash("t-1", 2, "died")
    assert _detail(tmp_path)["ground_truth"] == TRUTH


# What arrives twice, or not as planned


def test_the_same_record_twice_is_one_record(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add(record("t-1"))
    made.add(Record.from_json(json.loads(json.dumps(record("t-1").to_json()))))
    assert _outcomes(made.finish()) == {"correct": 1}


def test_two_records_that_differ_are_one_run_error_with_both_kept(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add(record("t-1", "incorrect"))
    made.add(record("t-1", "correct"))
    made.add(record("t-1", "incorrect"))
    metrics = made.finish()
    cause = "differing records came for one attempt; all are kept in its detail"
    assert metrics["errors"]["run_error"] == {cause: 1}
    kept = _entry(tmp_path)["recorder"]["differing"]
    assert sorted(entry["outcome"] for entry in kept) == ["correct", "incorrect"]


def test_a_third_record_that_differs_joins_the_others(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    for outcome in ("incorrect", "correct", "judge_error"):
        made.add(record("t-1", outcome))
    assert len(_entry(tmp_path)["recorder"]["differing"]) == 3
    assert _outcomes(made.finish()) == {"run_error": 1}


@pytest.mark.parametrize("unit", [("t-9", 1), ("t-1", 2)], ids=["task", "attempt"])
def test_a_record_that_was_not_planned_is_kept_aside_and_never_counted(
    tmp_path: Path, unit: tuple[str, int]
) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add(record("t-1"))
    stray = record(unit[0], attempt=unit[1])
    made.add(stray)
    made.add(stray)
    assert _outcomes(made.finish()) == {"correct": 1}
    lines = (tmp_path / "details" / "_aside" / "records.jsonl").read_text("utf-8").splitlines()
    assert [Record.from_json(json.loads(line)) for line in lines] == [stray]
    line = f"{unit[0]} attempt {unit[1]}: a record came, but it was not planned; kept aside, not counted"
    assert made.issues == (line,)


def test_the_counts_stay_those_of_the_plan_after_a_rerun_with_new_records(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1", "t-2"]))
    for outcome in ("run_error", "correct", "incorrect"):
        made.add(record("t-1", outcome))
        made.add(record("t-2"))
    assert sum(made.finish()["outcomes"].values()) == 2


# A worker that dies


def test_a_crash_is_a_run_error_with_its_reason_at_once(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add_crash("t-1", 1, "Not properly\nterminated")
    assert _entry(tmp_path)["outcome"] == "run_error"
    assert made.finish()["errors"]["run_error"] == {"worker crashed: Not properly terminated": 1}


@pytest.mark.parametrize("crash_first", [True, False], ids=["crash-first", "record-first"])
def test_a_finished_record_wins_over_a_crash(tmp_path: Path, crash_first: bool) -> None:
    made = _start(tmp_path, run(["t-1"]))
    arrivals: list[Callable[[], None]] = [
        lambda: made.add_crash("t-1", 1, "died"),
        lambda: made.add(record("t-1")),
    ]
    for arrive in arrivals if crash_first else reversed(arrivals):
        arrive()
    assert _outcomes(made.finish()) == {"correct": 1}
    assert made.issues == (
        "t-1 attempt 1: a worker crashed on it (died); its finished record came and counts",
    )


def test_a_finished_record_in_the_spool_wins_over_a_crash(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add_crash("t-1", 1, "died")
    _spool(tmp_path, record("t-1"))
    assert _outcomes(made.finish()) == {"correct": 1}
    assert len(made.issues) == 1


def test_a_crash_told_twice_is_one_crash(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add_crash("t-1", 1, "died")
    made.add_crash("t-1", 1, "died")
    assert _outcomes(made.finish()) == {"run_error": 1}
    assert made.issues == ()


def test_a_crash_on_what_was_not_planned_is_told_and_not_counted(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add_crash("t-9", 1, "died")
    line = "t-9 attempt 1: a worker crashed on it (died), but it was not planned; not counted"
    assert made.issues == (line,)
    assert _outcomes(made.finish()) == {"unavailable": 1}


# The end: spools, and what never came


def test_a_spooled_record_that_was_reported_is_the_same_record(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add(record("t-1"))
    _spool(tmp_path, record("t-1"))
    assert _outcomes(made.finish()) == {"correct": 1}
    assert "recorder" not in _entry(tmp_path)


def test_a_reported_record_counts_though_a_dead_worker_had_spooled_another(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add(record("t-1"))
    _spool(tmp_path, record("t-1", "incorrect"))
    write_whole(RunFiles(root=tmp_path).dead, "gw0\n")
    metrics = made.finish()
    assert _outcomes(metrics) == {"correct": 1}
    (issue,) = metrics["volatile"]["issues"]
    assert issue == "t-1 attempt 1: run twice after a worker crashed; the reported record counts"


def test_what_finished_ahead_and_was_never_reached_is_unavailable_and_kept(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    _spool(tmp_path, record("t-1"))
    metrics = made.finish("-x")
    assert metrics["unavailable"] == {"finished ahead of the run's end, never reached": 1}
    (kept,) = _entry(tmp_path)["recorder"]["finished_ahead"]
    assert (kept["outcome"], kept["final_answer"]) == ("correct", ANSWER)
    assert _detail(tmp_path)["ground_truth"] == TRUTH


def test_tokens_of_what_was_never_reached_were_spent_all_the_same(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    _spool(tmp_path, record("t-1"))
    assert made.finish()["volatile"]["tokens"]["model"]["input_tokens"] == 10


def test_an_item_reported_unavailable_stays_so_with_its_finished_record_kept(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add(record("t-1", "unavailable", cause="not started: -x"))
    _spool(tmp_path, record("t-1"), record("t-1"))
    assert made.finish()["unavailable"] == {"not started: -x": 1}
    assert len(_entry(tmp_path)["recorder"]["finished_ahead"]) == 1


def test_two_spools_with_differing_records_of_one_unreached_attempt_are_both_kept(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    _spool(tmp_path, record("t-1"))
    _spool(tmp_path, record("t-1", "incorrect"), process="gw1")
    assert _outcomes(made.finish()) == {"unavailable": 1}
    assert len(_entry(tmp_path)["recorder"]["finished_ahead"]) == 2


@pytest.mark.parametrize("reported", [True, False])
def test_a_spooled_record_that_is_unavailable_adds_nothing(tmp_path: Path, reported: bool) -> None:
    made = _start(tmp_path, run(["t-1"]))
    if reported:
        made.add(record("t-1"))
    _spool(tmp_path, record("t-1", "unavailable", cause="cancelled"))
    assert _outcomes(made.finish()) == ({"correct": 1} if reported else {"unavailable": 1})
    assert "recorder" not in _entry(tmp_path)


def test_a_spooled_record_that_was_not_planned_is_kept_aside(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    _spool(tmp_path, record("t-9"))
    assert _outcomes(made.finish()) == {"unavailable": 1}
    assert (tmp_path / "details" / "_aside" / "records.jsonl").exists()


def test_a_spool_line_that_cannot_be_read_is_an_issue(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    _spool(tmp_path)
    (tmp_path / "details" / "_spool" / "gw0.jsonl").write_text("{}\n")
    assert made.finish()["volatile"]["issues"] == [
        "spool gw0.jsonl, line 1: no record can be read from it; left out"
    ]


@pytest.mark.parametrize(
    ("stopped", "cause"), [(None, "never started"), ("the key was\nrefused", "the key was refused")]
)
def test_units_nobody_heard_of_are_unavailable_with_the_reason(
    tmp_path: Path, stopped: str | None, cause: str
) -> None:
    made = _start(tmp_path)
    made.add(record("t-1"))
    metrics = made.finish(stopped)
    assert metrics["unavailable"] == {cause: 2}
    assert _detail(tmp_path, "t-3")["ground_truth"] is None


def test_a_worker_that_dies_with_others_never_started_leaves_a_whole_plan(tmp_path: Path) -> None:
    made = _start(tmp_path, run([f"t-{n}" for n in range(6)]))
    made.add(record("t-0"))
    made.add_crash("t-1", 1, "Not properly terminated")
    _spool(tmp_path, record("t-0"), record("t-2"))
    metrics = made.finish("worker 'gw0' crashed, and no more workers may start")
    assert _outcomes(metrics) == {"correct": 1, "run_error": 1, "unavailable": 4}


# The files of a run


def test_run_json_is_there_from_the_start_and_tells_of_no_end(tmp_path: Path) -> None:
    _start(tmp_path)
    values = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert values["format"] == 1
    assert values["volatile"]["started_at"] == "2026-11-30T12:00:00Z"
    assert values["volatile"]["finished_at"] is None


def test_run_json_tells_at_the_end_when_and_why_it_ended(tmp_path: Path) -> None:
    made = _start(tmp_path)
    made.finish("-x")
    values = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert (values["stopped"], values["volatile"]["finished_at"]) == ("-x", "2026-11-30T12:00:00Z")
    assert RunDescription.from_json(values).planned == run().planned


def test_run_json_of_another_layout_is_refused() -> None:
    with pytest.raises(ValueError, match=r"run\.json has format 2; this version reads format 1"):
        RunDescription.from_json({**run().to_json(), "format": 2})


def test_the_files_of_a_finished_run_are_these_and_no_drafts(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add(record("t-1"))
    made.finish()
    assert sorted(files_of(tmp_path)) == ["details/t-1.json", "metrics.json", "run.json", "summary.md"]


def test_only_what_lies_under_details_is_private(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1", "t-2"]))
    made.add(record("t-1"))
    made.add(record("t-1", "incorrect"))
    _spool(tmp_path, record("t-2"), record("t-9"))
    made.finish()
    public = {name: text for name, text in files_of(tmp_path).items() if not name.startswith("details/")}
    assert [
        s for s in (TRUTH, ANSWER, QUESTION, KEY) if any(s.encode() in text for text in public.values())
    ] == []


def test_metrics_json_is_what_finish_returns(tmp_path: Path) -> None:
    metrics = _start(tmp_path).finish()
    assert json.loads((tmp_path / "metrics.json").read_text("utf-8")) == metrics


def test_a_foreign_object_in_the_description_becomes_text(tmp_path: Path) -> None:
    made = _start(tmp_path, run(harness={"id": "mine", "params": {"folder": Path("a/b")}}))
    assert made.finish()["harness"]["params"] == {"folder": "a/b"}


def test_a_unit_planned_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 units are planned, but some twice: plan each unit once"):
        _start(tmp_path, run(["t-1", "t-1"]))


def test_the_clock_of_a_run_is_utc() -> None:
    assert str(utc_now().tzinfo) == "UTC"


# Trouble with files


def test_a_detail_that_cannot_be_written_does_not_lose_the_others(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1", "t-2"]))
    (tmp_path / "details" / "t-1.json").mkdir()
    made.add(record("t-1"))
    made.add(record("t-2"))
    metrics = made.finish()
    assert _outcomes(metrics) == {"correct": 1, "unavailable": 1}
    assert any(line.startswith("details/t-1.json could not be written: ") for line in made.failures)


def test_a_detail_that_could_not_be_written_is_written_at_the_end(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    (tmp_path / "details" / "t-1.json").mkdir()
    made.add(record("t-1"))
    (tmp_path / "details" / "t-1.json").rmdir()
    _spool(tmp_path, record("t-1"))
    assert _outcomes(made.finish()) == {"correct": 1}
    assert made.failures == []
    assert _entry(tmp_path)["outcome"] == "correct"


def test_a_second_record_for_a_detail_that_was_not_written_yet_still_differs(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    (tmp_path / "details" / "t-1.json").mkdir()
    made.add(record("t-1"))
    made.add(record("t-1", "incorrect"))
    (tmp_path / "details" / "t-1.json").rmdir()
    assert _outcomes(made.finish()) == {"run_error": 1}


def test_a_name_too_long_for_the_file_system_loses_one_task(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t" * 300, "t-2"]))
    made.add(record("t" * 300))
    made.add(record("t-2"))
    assert _outcomes(made.finish()) == {"correct": 1, "unavailable": 1}
    assert len(made.failures) == 1


def test_a_detail_somebody_broke_meanwhile_does_not_stop_the_run(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add(record("t-1"))
    (tmp_path / "details" / "t-1.json").write_text("{")
    made.add(record("t-1", "incorrect"))
    assert _outcomes(made.finish()) == {"run_error": 1}
    assert "is no JSON" in made.failures[0]


def test_a_record_that_cannot_be_kept_aside_is_a_failure_of_its_own(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"]))
    (tmp_path / "details" / "_aside").write_text("in the way")
    made.add(record("t-9"))
    assert made.failures[0].startswith("records.jsonl could not be written: ")


def test_a_failing_summary_never_hides_metrics_json_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(metrics: dict[str, Any]) -> str:
        raise KeyError(f"no such key among {len(metrics)}")

    monkeypatch.setattr(recorder, "render_summary", fail)
    made = _start(tmp_path)
    metrics = made.finish()
    assert json.loads((tmp_path / "metrics.json").read_text("utf-8")) == metrics
    assert made.failures[0].startswith("summary.md could not be written: KeyError: ")


@pytest.mark.parametrize(
    ("module", "name", "line"),
    [
        (recorder, "reduce_run", "metrics.json and summary.md could not be made: KeyError: 'gone'"),
        (recorder, "read_spools", "what the spools hold could not be taken over: KeyError: 'gone'"),
    ],
    ids=["reducing", "folding"],
)
def test_whatever_goes_wrong_at_the_end_is_told_and_the_run_still_has_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, line: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("gone")

    made = _start(tmp_path, run(["t-1"]))
    made.add(record("t-1"))
    monkeypatch.setattr(module, name, fail)
    metrics = made.finish()
    assert made.failures == [line]
    assert json.loads((tmp_path / "run.json").read_text("utf-8"))["volatile"]["finished_at"] is not None
    assert bool(metrics) is (tmp_path / "metrics.json").exists() is (name == "read_spools")


def test_a_write_that_is_cut_short_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add_crash("t-1", 1, "died")
    before = files_of(tmp_path)

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, f"No space left on device for {self.name} and {target.name}")

    monkeypatch.setattr(Path, "replace", full)
    made.add(record("t-1"))
    assert files_of(tmp_path) == before


def test_a_stale_detail_counts_as_it_lies_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _start(tmp_path, run(["t-1"]))
    made.add_crash("t-1", 1, "died")

    def full(path: Path, text: str) -> None:
        raise OSError(28, f"No space left on device for {len(text)} characters in {path.name}")

    monkeypatch.setattr(detail_store, "write_whole", full)
    made.add(record("t-1"))
    assert _outcomes(made.finish()) == {"run_error": 1}


def test_a_stale_detail_that_is_broken_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _start(tmp_path, run(["t-1"]))

    def broken(path: Path, text: str) -> None:
        path.write_text(text[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(detail_store, "write_whole", broken)
    made.add(record("t-1"))
    assert _outcomes(made.finish()) == {"unavailable": 1}
    assert len(made.failures) == 2


# Order


Arrival = tuple[str, str]
arrivals = st.lists(
    st.tuples(
        st.sampled_from(["t-1", "t-2", "t-9"]),
        st.sampled_from(["crash", "correct", "incorrect", "run_error"]),
    ),
    max_size=7,
)


def _arrive(folder: Path, come: Iterable[Arrival]) -> dict[str, bytes]:
    made = _start(folder)
    for task_id, what in come:
        if what == "crash":
            made.add_crash(task_id, 1, "died")
        else:
            made.add(record(task_id, what))
    made.finish()
    files = files_of(folder)
    aside = files.pop("details/_aside/records.jsonl", b"")
    return {**files, "aside": b"\n".join(sorted(aside.splitlines()))}


@unhurried
@given(arrivals, st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_no_byte(come: list[Arrival], rng: random.Random) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        assert _arrive(Path(one), come) == _arrive(Path(other), rng.sample(come, len(come)))


@unhurried
@given(arrivals, arrivals)
def test_planned_is_always_the_sum_of_the_outcomes(come: list[Arrival], spooled: list[Arrival]) -> None:
    with tempfile.TemporaryDirectory() as name:
        made = _start(Path(name))
        for task_id, what in come:
            if what == "crash":
                made.add_crash(task_id, 1, "died")
            else:
                made.add(record(task_id, what))
        _spool(Path(name), *(record(task_id, what) for task_id, what in spooled if what != "crash"))
        metrics = made.finish()
        assert sum(metrics["outcomes"].values()) == 3
        assert metrics["outcomes"][Outcome.UNSCORED] == 0


def test_spooled_or_reported_first_the_bytes_are_the_same(tmp_path: Path) -> None:
    for name, process in (("a", "gw0"), ("b", "main")):
        made = _start(tmp_path / name)
        for task_id in ("t-1", "t-2"):
            _spool(tmp_path / name, record(task_id), process=process)
            made.add(record(task_id))
        made.finish()
    one, other = files_of(tmp_path / "a"), files_of(tmp_path / "b")
    assert one["metrics.json"] == other["metrics.json"]
    assert one["details/t-1.json"] == other["details/t-1.json"]


def test_trajectories_are_not_held_in_memory_once_they_are_written(tmp_path: Path) -> None:
    made = _start(tmp_path, run([f"t-{n}" for n in range(20)]))
    tracemalloc.start()
    try:
        for n in range(20):
            made.add(record(f"t-{n}", trajectory=({"content": str(n) * 100_000},)))
        held_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held_bytes < 1_000_000


def test_a_run_that_was_whole_when_another_run_was_stopped_was_not_stopped(tmp_path: Path) -> None:
    made = _start(tmp_path, run(["t-1"], gates={"min_accuracy": 0.5}))
    made.add(record("t-1"))
    metrics = made.finish("the key of the other run is refused")
    assert metrics["stopped"] is None and metrics["gate"]["status"] == "passed"
