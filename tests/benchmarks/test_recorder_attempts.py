"""The recorder with several attempts per task: under `avg` each is a unit, under `pass` the task is one."""

import json
import random
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results_scene import files_of, noon, record, run, unhurried

from benchmarks.results.files import RunFiles, write_whole
from benchmarks.results.rebuild import rebuild
from benchmarks.results.record import Record
from benchmarks.results.recorder import Recorder
from benchmarks.results.run_description import RunDescription
from benchmarks.results.spool import Spool


def description(strategy: str, *task_ids: str, k: int = 3) -> RunDescription:
    ids = task_ids or ("t-1",)
    tries = range(1, k + 1) if strategy == "avg" else (1,)
    planned = tuple((task_id, n, "1") for task_id in ids for n in tries)
    return run(planned=planned, k=k, strategy=strategy)


def start(folder: Path, strategy: str, *task_ids: str, k: int = 3) -> Recorder:
    return Recorder(folder, description(strategy, *task_ids, k=k), now=noon)


def spool(folder: Path, *records: Record, process: str = "gw0") -> None:
    made = Spool(folder / "details" / "_spool" / f"{process}.jsonl")
    for each in records:
        made.append(each)
    made.close()


def tried(*outcomes: str, task_id: str = "t-1", first: int = 1, **changes: Any) -> list[Record]:
    """The records of one task's attempts, in order."""
    return [record(task_id, what, attempt=first + n, **changes) for n, what in enumerate(outcomes)]


def entries(folder: Path, task_id: str = "t-1") -> dict[int, dict[str, Any]]:
    detail = json.loads((folder / "details" / f"{task_id}.json").read_text("utf-8"))
    return {int(number): entry for number, entry in detail["attempts"].items()}


def outcomes(folder: Path, task_id: str = "t-1") -> list[str | None]:
    """The outcome of each of three attempts as the detail tells it; ``None`` where it tells of none."""
    kept = entries(folder, task_id)
    return [kept[n]["outcome"] if n in kept else None for n in (1, 2, 3)]


def ended(metrics: dict[str, Any]) -> dict[str, int]:
    return {name: n for name, n in metrics["outcomes"].items() if n}


UNAVAILABLE = "unavailable"


# `pass`: what a task needs


@pytest.mark.parametrize(
    ("reported", "kept", "outcome"),
    [
        (("correct",), ["correct", None, None], "correct"),
        (("incorrect", "run_error", "correct"), ["incorrect", "run_error", "correct"], "correct"),
        (("incorrect", "incorrect", "incorrect"), ["incorrect"] * 3, "incorrect"),
        (("run_error",), ["run_error", UNAVAILABLE, UNAVAILABLE], "run_error"),
        (("incorrect", UNAVAILABLE), ["incorrect", UNAVAILABLE, UNAVAILABLE], UNAVAILABLE),
        ((), [UNAVAILABLE] * 3, UNAVAILABLE),
    ],
    ids=["right at once", "right at last", "all wrong", "broken set-up", "stopped between", "never started"],
)
def test_a_task_with_a_success_needs_nothing_more_and_any_other_is_filled_up(
    tmp_path: Path, reported: tuple[str, ...], kept: list[str | None], outcome: str
) -> None:
    made = start(tmp_path, "pass")
    for each in tried(*reported):
        made.add(each)
    metrics = made.finish()
    assert outcomes(tmp_path) == kept
    assert ended(metrics) == {outcome: 1}


def test_a_record_beyond_a_success_is_kept_and_no_error(tmp_path: Path) -> None:
    made = start(tmp_path, "pass")
    for each in tried("correct", "incorrect"):
        made.add(each)
    metrics = made.finish()
    assert outcomes(tmp_path) == ["correct", "incorrect", None]
    assert (ended(metrics), made.issues, made.failures) == ({"correct": 1}, (), [])


def test_what_a_dead_worker_left_beyond_a_success_is_kept_as_evidence(tmp_path: Path) -> None:
    made = start(tmp_path, "pass")
    made.add(record("t-1", "correct"))
    spool(tmp_path, *tried("incorrect", "incorrect"))
    write_whole(RunFiles(root=tmp_path).dead, "gw0\n")
    assert ended(made.finish()) == {"correct": 1}
    (kept,) = entries(tmp_path)[2]["recorder"]["finished_ahead"]
    assert kept["outcome"] == "incorrect"


def test_tries_that_finished_ahead_and_were_never_reached_are_unavailable_and_kept(tmp_path: Path) -> None:
    made = start(tmp_path, "pass")
    spool(tmp_path, *tried("incorrect", "correct"))
    assert ended(made.finish("-x")) == {UNAVAILABLE: 1}
    kept = entries(tmp_path)
    assert [kept[n]["recorder"]["finished_ahead"][0]["outcome"] for n in (1, 2)] == ["incorrect", "correct"]
    assert kept[3]["cause"] == "-x"


def test_a_record_past_the_last_attempt_is_kept_aside(tmp_path: Path) -> None:
    made = start(tmp_path, "pass")
    made.add(record("t-1", attempt=4))
    assert made.issues == ("t-1 attempt 4: a record came, but it was not planned; kept aside, not counted",)


def test_a_task_planned_twice_is_refused_under_pass_too(tmp_path: Path) -> None:
    twice = run(planned=(("t-1", 1, "1"), ("t-1", 2, "1")), k=2, strategy="pass")
    with pytest.raises(ValueError, match="2 units are planned, but some twice: plan each unit once"):
        Recorder(tmp_path, twice, now=noon)


def test_attempts_lie_in_their_detail_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    made = start(tmp_path, "pass", k=11)
    for each in reversed(tried(*["incorrect"] * 11)):
        made.add(each)
    text = (tmp_path / "details" / "t-1.json").read_text("utf-8")
    places = [text.index(f'\n"{number}": {{') for number in range(1, 12)]
    assert places == sorted(places)


# A worker that dies


@pytest.mark.parametrize(
    ("finished", "kept", "outcome"),
    [
        ((), ["run_error", UNAVAILABLE, UNAVAILABLE], "run_error"),
        (("incorrect",), ["incorrect", "run_error", UNAVAILABLE], "run_error"),
        (("incorrect", "incorrect"), ["incorrect", "incorrect", "run_error"], "run_error"),
        (("incorrect", "correct"), ["incorrect", "correct", None], "correct"),
        (("incorrect", "incorrect", "incorrect"), ["incorrect"] * 3, "incorrect"),
    ],
    ids=["in the first", "in the second", "in the third", "after a success", "after the last"],
)
@pytest.mark.parametrize("reported", [True, False], ids=["reported", "spooled"])
def test_a_crash_costs_the_first_attempt_without_a_record(
    tmp_path: Path, finished: tuple[str, ...], kept: list[str | None], outcome: str, reported: bool
) -> None:
    made = start(tmp_path, "pass")
    made.add_crash("t-1", 1, "died")
    spool(tmp_path, *tried(*finished))
    if reported:
        for each in tried(*finished):
            made.add(each)
    assert ended(made.finish()) == {outcome: 1}
    assert outcomes(tmp_path) == kept


def test_a_crash_that_cost_nothing_is_told_with_the_attempt_that_decided(tmp_path: Path) -> None:
    made = start(tmp_path, "pass")
    made.add_crash("t-1", 1, "died")
    spool(tmp_path, *tried("incorrect", "correct"))
    made.finish()
    assert made.issues == (
        "t-1 attempt 2: a worker crashed on it (died); its finished record came and counts",
    )


def test_a_crash_is_on_disk_at_once_and_moves_on_when_a_record_comes(tmp_path: Path) -> None:
    made = start(tmp_path, "pass")
    made.add_crash("t-1", 1, "died")
    assert outcomes(tmp_path) == ["run_error", None, None]
    made.add(record("t-1", "incorrect"))
    assert outcomes(tmp_path) == ["incorrect", "run_error", None]


def test_tries_spread_over_the_spools_of_two_dead_workers_all_count(tmp_path: Path) -> None:
    made = start(tmp_path, "pass")
    made.add_crash("t-1", 1, "died")
    spool(tmp_path, *tried("incorrect", "run_error"), process="gw3")
    spool(tmp_path, *tried("correct", first=3), process="gw10")
    made.finish()
    assert outcomes(tmp_path) == ["incorrect", "run_error", "correct"]


def test_under_avg_a_crash_costs_its_own_attempt_alone(tmp_path: Path) -> None:
    made = start(tmp_path, "avg")
    made.add_crash("t-1", 2, "died")
    made.add(record("t-1", attempt=3))
    spool(tmp_path, record("t-1"))
    assert ended(made.finish()) == {"correct": 1, "run_error": 1, UNAVAILABLE: 1}
    assert outcomes(tmp_path) == [UNAVAILABLE, "run_error", "correct"]


def test_under_avg_each_planned_attempt_has_an_outcome_though_others_succeeded(tmp_path: Path) -> None:
    made = start(tmp_path, "avg")
    made.add(record("t-1"))
    assert ended(made.finish("-x")) == {"correct": 1, UNAVAILABLE: 2}


# Whether a run was stopped


@pytest.mark.parametrize(
    ("strategy", "reported", "stopped"),
    [
        ("pass", ("incorrect", "correct"), None),
        ("pass", ("incorrect", "incorrect", "incorrect"), None),
        ("pass", ("run_error",), None),
        ("pass", ("incorrect", UNAVAILABLE), "-x"),
        ("pass", ("run_error", UNAVAILABLE), "-x"),
        ("pass", ("incorrect",), "-x"),
        ("avg", ("correct", "correct", "incorrect"), None),
        ("avg", ("correct", "correct"), "-x"),
    ],
)
def test_a_run_was_stopped_only_if_a_unit_was_left_without_its_end(
    tmp_path: Path, strategy: str, reported: tuple[str, ...], stopped: str | None
) -> None:
    made = start(tmp_path, strategy)
    for each in tried(*reported):
        made.add(each)
    assert made.finish("-x")["stopped"] == stopped


# Made again


def _fill(made: Recorder, folder: Path) -> None:
    for each in (*tried("incorrect", "correct"), *tried("incorrect", task_id="t-2")):
        made.add(each)
    made.add_crash("t-3", 1, "died")
    spool(folder, *tried("incorrect", "correct"), *tried("incorrect", task_id="t-3"))


@pytest.mark.parametrize("strategy", ["avg", "pass"])
def test_a_finished_run_is_reduced_again_byte_for_byte(tmp_path: Path, strategy: str) -> None:
    made = start(tmp_path, strategy, "t-1", "t-2", "t-3", "t-4")
    _fill(made, tmp_path)
    made.finish()
    before = files_of(tmp_path)
    rebuild(tmp_path)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("strategy", ["avg", "pass"])
def test_a_killed_controller_loses_nothing_that_was_reported_or_spooled(
    tmp_path: Path, strategy: str
) -> None:
    for name in ("killed", "finished"):
        made = start(tmp_path / name, strategy, "t-1", "t-2", "t-3", "t-4")
        _fill(made, tmp_path / name)
        if name == "finished":
            made.finish("the session was killed before it could end")
    rebuild(tmp_path / "killed")
    for n in range(1, 5):
        assert entries(tmp_path / "killed", f"t-{n}") == entries(tmp_path / "finished", f"t-{n}")


# Order

Arrival = tuple[str, int, str]
arrivals = st.lists(
    st.tuples(
        st.sampled_from(["t-1", "t-2"]),
        st.sampled_from([1, 2, 3, 4]),
        st.sampled_from(["crash", "correct", "incorrect", "run_error"]),
    ),
    max_size=7,
)
spooled_records = st.lists(
    st.tuples(
        st.sampled_from(["t-1", "t-2"]), st.sampled_from([1, 2, 3]), st.sampled_from(["correct", "incorrect"])
    ),
    max_size=5,
)
strategies = st.sampled_from(["avg", "pass"])
briefly = settings(unhurried, max_examples=25)
"""Each example makes two runs, and thousands were tried once."""


def _arrive(made: Recorder, strategy: str, come: Iterable[Arrival]) -> None:
    for task_id, attempt, what in come:
        if what == "crash":
            made.add_crash(task_id, attempt if strategy == "avg" else 1, "died")
        else:
            made.add(record(task_id, what, attempt=attempt))


def _all_of(folder: Path, strategy: str, come: Iterable[Arrival]) -> dict[str, bytes]:
    made = start(folder, strategy, "t-1", "t-2")
    _arrive(made, strategy, come)
    made.finish()
    files = files_of(folder)
    aside = files.pop("details/_aside/records.jsonl", b"")
    return {**files, "aside": b"\n".join(sorted(aside.splitlines()))}


@briefly
@given(strategies, arrivals, st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_no_byte(strategy: str, come: list[Arrival], rng: random.Random) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        shuffled = rng.sample(come, len(come))
        assert _all_of(Path(one), strategy, come) == _all_of(Path(other), strategy, shuffled)


@briefly
@given(strategies, arrivals, spooled_records)
def test_planned_is_always_the_sum_of_the_outcomes(
    strategy: str, come: list[Arrival], spooled: list[Arrival]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        made = start(Path(name), strategy, "t-1", "t-2")
        _arrive(made, strategy, come)
        spool(Path(name), *(record(task_id, what, attempt=n) for task_id, n, what in spooled))
        metrics = made.finish()
        assert sum(metrics["outcomes"].values()) == (6 if strategy == "avg" else 2)


@briefly
@given(strategies, arrivals, spooled_records)
def test_a_controller_killed_at_its_end_leaves_the_same_details(
    strategy: str, come: list[Arrival], spooled: list[Arrival]
) -> None:
    with tempfile.TemporaryDirectory() as killed, tempfile.TemporaryDirectory() as whole:
        for name in (killed, whole):
            made = start(Path(name), strategy, "t-1", "t-2")
            _arrive(made, strategy, come)
            spool(Path(name), *(record(task_id, what, attempt=n) for task_id, n, what in spooled))
            if name == whole:
                made.finish("killed")
        Recorder.reopen(Path(killed)).finish("killed")
        for task_id in ("t-1", "t-2"):
            assert entries(Path(killed), task_id) == entries(Path(whole), task_id)
