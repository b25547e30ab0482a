"""Spools: written by one process, read whatever happened to it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from results_scene import record

from benchmarks.results.spool import Place, Spool, places_in, read_spools


def _write(path: Path, *task_ids: str) -> None:
    spool = Spool(path)
    for task_id in task_ids:
        spool.append(record(task_id))
    spool.close()


def _ids(folder: Path) -> list[str]:
    return [each.task_id for each in read_spools(folder)]


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    _write(tmp_path / "gw0.jsonl", "t-1")
    assert list(read_spools(tmp_path)) == [record("t-1")]


def test_a_record_can_be_read_while_the_spool_is_open(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "gw0.jsonl")
    spool.append(record("t-1"))
    assert _ids(tmp_path) == ["t-1"]
    spool.close()


def test_a_killed_process_leaves_its_records(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, signal, sys\n"
        "from benchmarks.results.record import Outcome, Record\n"
        "from benchmarks.results.spool import Spool\n"
        f"spool = Spool(pathlib.Path({str(tmp_path)!r}) / 'gw0.jsonl')\n"
        "values = dict(task_id='t-1', attempt=1, category='1', ground_truth='')\n"
        "spool.append(Record(**values, outcome=Outcome.CORRECT))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[2], check=False)
    assert done.returncode != 0
    assert _ids(tmp_path) == ["t-1"]


def test_spools_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    _write(tmp_path / "gw1.jsonl", "t-3")
    _write(tmp_path / "gw0.jsonl", "t-1", "t-2")
    assert _ids(tmp_path) == ["t-1", "t-2", "t-3"]


def test_a_missing_folder_holds_no_records(tmp_path: Path) -> None:
    assert _ids(tmp_path / "nowhere") == []


@pytest.mark.parametrize("n_bytes", [1, 40, 200])
def test_a_cut_last_line_is_left_out_without_a_word(tmp_path: Path, n_bytes: int) -> None:
    path = tmp_path / "gw0.jsonl"
    _write(path, "t-1", "t-2")
    path.write_bytes(path.read_bytes()[:-n_bytes])
    told: list[str] = []
    assert [each.task_id for each in read_spools(tmp_path, tell=told.append)] == ["t-1"]
    assert told == []


def test_a_cut_character_is_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "gw0.jsonl"
    _write(path, "t-1")
    with path.open("ab") as file:
        file.write('{"task_id": "é'.encode()[:-1])
    assert _ids(tmp_path) == ["t-1"]


def test_appending_after_a_cut_line_starts_a_new_line(tmp_path: Path) -> None:
    path = tmp_path / "gw0.jsonl"
    path.write_bytes(b'{"task_id": "t-')
    _write(path, "t-2")
    assert _ids(tmp_path) == ["t-2"]


@pytest.mark.parametrize(
    "line", ["{", "[]", "3", '{"task_id": "t-9"}', "\udcff"], ids=["cut", "list", "number", "fields", "bytes"]
)
def test_a_whole_line_that_is_no_record_is_left_out_and_told(tmp_path: Path, line: str) -> None:
    path = tmp_path / "gw0.jsonl"
    path.write_bytes(line.encode(errors="surrogateescape") + b"\n")
    _write(path, "t-1")
    told: list[str] = []
    assert [each.task_id for each in read_spools(tmp_path, tell=told.append)] == ["t-1"]
    assert told == ["spool gw0.jsonl, line 1: no record can be read from it; left out"]


def test_one_record_is_one_line_whatever_its_text(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "gw0.jsonl")
    spool.append(record("t-1", final_answer="a\nb\u2028c\x85d"))
    spool.close()
    lines = (tmp_path / "gw0.jsonl").read_bytes().split(b"\n")
    assert [bool(line) for line in lines] == [True, False]
    assert json.loads(lines[0])["final_answer"] == "a\nb\u2028cd"


def test_closing_twice_is_fine(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "gw0.jsonl")
    spool.close()
    spool.close()


def test_lines_of_units_that_are_not_wanted_are_not_even_parsed(tmp_path: Path) -> None:
    _write(tmp_path / "gw0.jsonl", "t-1", "t-2")
    with (tmp_path / "gw0.jsonl").open("a") as file:
        file.write('{"task_id": "t-3", "attempt": 2, and no JSON at all\n')
    told: list[str] = []
    read = read_spools(tmp_path, tell=told.append, passes_over=lambda unit: unit in {("t-1", 1), ("t-3", 2)})
    assert [each.task_id for each in read] == ["t-2"]
    assert told == []


def test_a_record_can_be_read_where_it_lies(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "gw0.jsonl")
    first, second = spool.append(record("t-1")), spool.append(record("t-2"))
    assert [place.read() for place in (second, first)] == [record("t-2"), record("t-1")]
    spool.close()
    assert dict(places_in(tmp_path / "gw0.jsonl")) == {("t-1", 1): first, ("t-2", 1): second}


def test_a_place_whose_spool_is_gone_or_changed_holds_nothing(tmp_path: Path) -> None:
    _write(tmp_path / "gw0.jsonl", "t-1")
    assert Place(path=tmp_path / "gw0.jsonl", at_byte=5).read() is None
    assert Place(path=tmp_path / "gw1.jsonl", at_byte=0).read() is None
    assert list(places_in(tmp_path / "gw1.jsonl")) == []


def test_a_cut_line_has_no_place(tmp_path: Path) -> None:
    _write(tmp_path / "gw0.jsonl", "t-1", "t-2")
    whole = (tmp_path / "gw0.jsonl").read_bytes()
    (tmp_path / "gw0.jsonl").write_bytes(whole[:-20])
    assert [unit for unit, _ in places_in(tmp_path / "gw0.jsonl")] == [("t-1", 1)]
