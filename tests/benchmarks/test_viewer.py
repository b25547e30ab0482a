"""The viewer's pages: runs, two of them side by side, a trajectory, and a run that goes on."""

import re
from pathlib import Path
from typing import Any

import pytest
from report_scene import HOSTILE, finished, model_step, start
from results_scene import TRUTH, record, run

from benchmarks.report.viewer_pages import NotThereError, ViewerPages
from benchmarks.report.viewer_runs import WatchedRun, find_runs
from benchmarks.results.files import RunFiles, RunFilesError, load_json
from benchmarks.results.spool import Spool


def key_of(run_dir: Path) -> str:
    return WatchedRun(path=run_dir).key


def page_of(run_dir: Path, *rest: str, **query: str) -> str:
    return str(ViewerPages([run_dir]).page("/".join(["/run", key_of(run_dir), *rest]), query))


def two_runs(folder: Path) -> tuple[Path, Path]:
    base = finished(folder / "base", {"t-1": "correct", "t-2": "correct", "t-3": "incorrect"})
    new = finished(folder / "new", {"t-1": "incorrect", "t-2": "correct", "t-3": "correct"})
    return base, new


def compared(folder: Path, path: str = "/compare", **query: str) -> str:
    base, new = two_runs(folder)
    return str(ViewerPages([base, new]).page(path, {"base": key_of(base), "new": key_of(new), **query}))


def test_the_list_has_every_run_below_the_folders_named(tmp_path: Path) -> None:
    two_runs(tmp_path / "results" / "gaia" / "model")
    text = str(ViewerPages([tmp_path / "results"]).page("/", {}))
    assert text.count('href="/run/') == 2 and "Accuracy 0.667 (2 of 3 evaluated, 3 planned)" in text


def test_the_list_begins_with_the_newest_run(tmp_path: Path) -> None:
    for name, day in (("b", 1), ("c", 3), ("a", 2)):
        volatile = {"started_at": f"2026-11-0{day}T12:00:00+00:00"}
        finished(tmp_path / name, {"t-1": "correct"}, run=name, volatile=volatile)
    text = str(ViewerPages([tmp_path]).page("/", {}))
    assert re.findall(r'href="/run/[0-9a-f]+">(\w)<', text) == ["c", "a", "b"]


def test_a_gate_is_not_decided_before_the_end(tmp_path: Path) -> None:
    gates = {**run().gates, "min_accuracy": {"overall": 0.5}}
    recorder = start(tmp_path / "run", run(["t-1"], gates=gates))
    pages = ViewerPages([tmp_path])
    assert "not decided yet" in pages.page("/", {})
    recorder.add(record("t-1", "correct"))
    recorder.finish()
    assert "not decided yet" not in pages.page("/", {}) and "passed" in pages.page("/", {})


def test_a_run_that_comes_later_is_in_the_next_list(tmp_path: Path) -> None:
    pages = ViewerPages([tmp_path])
    assert "No run lies here yet" in pages.page("/", {})
    finished(tmp_path / "run", {"t-1": "correct"})
    assert 'href="/run/' in pages.page("/", {})


def test_a_run_is_found_once_and_not_too_far_down(tmp_path: Path) -> None:
    near = finished(tmp_path / "a" / "b" / "c" / "run", {"t-1": "correct"})
    finished(tmp_path / "1" / "2" / "3" / "4" / "run", {"t-1": "correct"})
    assert find_runs([tmp_path, near, tmp_path / "gone"]) == [near]


def test_a_broken_run_does_not_hide_the_others(tmp_path: Path) -> None:
    finished(tmp_path / "good", {"t-1": "correct"})
    (finished(tmp_path / "bad", {"t-1": "correct"}) / "run.json").write_text("{")
    text = ViewerPages([tmp_path]).page("/", {})
    assert "is no JSON" in text and text.count('href="/run/') == 1


def test_a_run_page_has_the_result_and_a_row_for_each_task(tmp_path: Path) -> None:
    run_dir = finished(tmp_path / "run", {"t-1": "correct", "t-2": "run_error"})
    text = page_of(run_dir)
    assert "Accuracy 1.000 (1 of 1 evaluated, 2 planned)" in text and "No gate was set." in text
    assert f'<a href="/run/{key_of(run_dir)}/t-2">t-2</a>' in text and "<svg" in text
    assert "data-live" not in text, "nothing more will come"


def test_a_run_page_shows_the_tasks_that_ended_one_way(tmp_path: Path) -> None:
    text = page_of(finished(tmp_path / "run", {"t-1": "correct", "t-2": "incorrect"}), outcome="incorrect")
    assert "/t-2" in text and "/t-1" not in text


def test_a_task_page_steps_through_the_trajectory_and_the_tasks(tmp_path: Path) -> None:
    records = [record(f"t-{n}", "correct", trajectory=(model_step("It is the third."),)) for n in (1, 2, 3)]
    run_dir = finished(tmp_path / "run", records)
    text = page_of(run_dir, "t-2")
    assert "It is the third." in text and TRUTH in text and "Where does t-2 lie?" in text
    key = key_of(run_dir)
    assert f'href="/run/{key}/t-1" rel="prev"' in text and f'href="/run/{key}/t-3" rel="next"' in text


def test_two_runs_stand_side_by_side_with_what_flipped(tmp_path: Path) -> None:
    text = compared(tmp_path)
    assert "No difference shown: accuracy 0.667 in BASE, 0.667 in NEW" in text
    assert text.index("Regressed") < text.index("/compare/t-1?") < text.index("Improved")
    assert text.count("<svg") == 2


def test_a_task_of_two_runs_stands_side_by_side(tmp_path: Path) -> None:
    text = compared(tmp_path, "/compare/t-1")
    assert text.count("Where does t-1 lie?") == 2 and text.count('class="outcome outcome-') == 2
    assert 'id="BASE-attempt-1"' in text and 'id="NEW-attempt-1"' in text


def test_a_task_of_one_run_only_says_so(tmp_path: Path) -> None:
    base, new = finished(tmp_path / "a", {"t-1": "correct"}), finished(tmp_path / "b", {"t-2": "correct"})
    query = {"base": key_of(base), "new": key_of(new)}
    assert "Not planned in this run." in ViewerPages([tmp_path]).page("/compare/t-2", query)
    with pytest.raises(NotThereError, match="no task 't-9'"):
        ViewerPages([tmp_path]).page("/compare/t-9", query)


def test_runs_that_do_not_compare_say_why_and_can_be_compared_all_the_same(tmp_path: Path) -> None:
    base = finished(tmp_path / "a", {"t-1": "correct"})
    new = finished(tmp_path / "b", {"t-1": "incorrect"}, k=1, answer_format="gaia")
    pages, query = ViewerPages([tmp_path]), {"base": key_of(base), "new": key_of(new)}
    text = pages.page("/compare", query)
    assert "Not comparable" in text and "answer_format" in text and "anyway=1" in text
    assert "Compared all the same" in pages.page("/compare", {**query, "anyway": "1"})


def test_runs_that_cannot_be_paired_say_why(tmp_path: Path) -> None:
    base, new = finished(tmp_path / "a", {"t-1": "run_error"}), finished(tmp_path / "b", {"t-1": "correct"})
    text = ViewerPages([tmp_path]).page("/compare", {"base": key_of(base), "new": key_of(new)})
    assert "BASE has no task with a verdict on every attempt" in text


def test_a_run_that_goes_on_is_shown_as_far_as_it_is(tmp_path: Path) -> None:
    recorder = start(tmp_path / "run", run(["t-1", "t-2", "t-3"]))
    pages, address = ViewerPages([tmp_path]), f"/run/{key_of(tmp_path / 'run')}"
    assert "Going on: 0 of 3 attempts ended." in pages.page(address, {})
    recorder.add(record("t-1", "correct"))
    text = pages.page(address, {})
    assert "Going on: 1 of 3 attempts ended." in text and "data-live" in text
    assert text.count("not yet") == 2 and "Accuracy 1.000 (1 of 1 evaluated, 3 planned)" in text
    assert "1 of 3" in pages.page("/", {})
    recorder.add(record("t-2", "incorrect"))
    recorder.add(record("t-3", "incorrect"))
    recorder.finish()
    assert "No gate was set." in pages.page(address, {})


def test_what_a_process_finished_ahead_is_shown_before_it_is_reported(tmp_path: Path) -> None:
    run_dir = tmp_path / "run"
    start(run_dir, run(["t-1", "t-2"]))
    pages, address = ViewerPages([tmp_path]), f"/run/{key_of(run_dir)}"
    assert "Nothing is kept of this task yet." in pages.page(f"{address}/t-2", {})
    spool = Spool(RunFiles(root=run_dir).spool("gw0"))
    spool.append(record("t-2", "incorrect", trajectory=(model_step("A pebble."),)))
    spool.append(record("t-9", "incorrect"))
    spool.close()
    for _ in range(2):
        assert "Going on: 1 of 2 attempts ended." in pages.page(address, {})
    assert "A pebble." in pages.page(f"{address}/t-2", {})
    assert "data-live" in pages.page(f"{address}/t-1", {}), "it may still come"


def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = start(tmp_path / "run", run(["t-1", "t-2"]))
    recorder.add(record("t-1", "correct"))
    watched = WatchedRun(path=tmp_path / "run")
    before = watched.snapshot()
    assert watched.snapshot() is before
    read: list[str] = []

    def load(path: Path) -> dict[str, Any]:
        read.append(path.name)
        return load_json(path)

    monkeypatch.setattr("benchmarks.report.viewer_runs.load_json", load)
    recorder.add(record("t-2", "correct"))
    watched.snapshot()
    assert read == ["t-2.json"]


def test_a_run_with_numbers_of_an_older_version_is_counted_anew(tmp_path: Path) -> None:
    run_dir = finished(tmp_path / "run", {"t-1": "correct"})
    (run_dir / "metrics.json").write_text('{"format": 1}')
    assert "Accuracy 1.000 (1 of 1 evaluated, 1 planned)" in page_of(run_dir)


def test_a_run_that_cannot_be_counted_says_what_may_help(tmp_path: Path) -> None:
    run_dir = finished(tmp_path / "run", {"t-1": "correct"})
    RunFiles(root=run_dir).detail("t-1").write_text('{"attempts": {"1": 7}}')
    with pytest.raises(RunFilesError, match=r"cannot be shown: TypeError.*python -m benchmarks summary"):
        page_of(run_dir)


def test_a_record_that_was_taken_away_is_not_shown(tmp_path: Path) -> None:
    run_dir = tmp_path / "run"
    start(run_dir, run(["t-1"]))
    spool = Spool(RunFiles(root=run_dir).spool("gw0"))
    spool.append(record("t-1", "incorrect"))
    spool.close()
    watched = WatchedRun(path=run_dir)
    assert watched.snapshot().n_done == 1
    RunFiles(root=run_dir).spool("gw0").unlink()
    assert watched.detail("t-1") is None


def test_hostile_text_stays_text_in_the_viewer(tmp_path: Path) -> None:
    text = page_of(finished(tmp_path / "run", [record("t-1", "incorrect", final_answer=HOSTILE)]), "t-1")
    assert "<script>document" not in text and "<img" not in text and "&lt;script&gt;document" in text
