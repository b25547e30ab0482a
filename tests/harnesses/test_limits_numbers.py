"""What processes share: real files, and for what only processes can show, real processes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harnesses.endpoint.rates import Rate
from harnesses.endpoint.shared_numbers import SharedNumbers

ROOT = Path(__file__).parents[2]
OPENED = """
import os, sys
from pathlib import Path
from harnesses.endpoint.shared_numbers import SharedNumbers
numbers = SharedNumbers(Path(sys.argv[1]))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "not there yet" / "limits"


@pytest.fixture
def here(path: Path) -> Iterator[SharedNumbers]:
    numbers = SharedNumbers(path)
    yield numbers
    numbers.close()


@pytest.fixture
def there(path: Path) -> Iterator[SharedNumbers]:
    numbers = SharedNumbers(path)
    yield numbers
    numbers.close()


def start(path: Path, script: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", OPENED + script, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_number_that_nobody_has_set_is_0(here: SharedNumbers) -> None:
    assert here.look()["judge.paused_until"] == 0.0


def test_what_one_changes_the_other_sees(here: SharedNumbers, there: SharedNumbers) -> None:
    assert there.look() == {}
    with here.changing() as numbers:
        numbers["model.next_request_at"] = 12345.678901234567
        numbers["a name with ümlauts"] = -1.0
    assert there.look() == {"model.next_request_at": 12345.678901234567, "a name with ümlauts": -1.0}


def test_changes_by_turns_add_up(here: SharedNumbers, there: SharedNumbers) -> None:
    for each in (here, there, there, here):
        with each.changing() as numbers:
            numbers["n"] += 1
    assert (here.look()["n"], there.look()["n"]) == (4, 4)


def test_a_block_that_raises_has_changed_nothing(here: SharedNumbers, there: SharedNumbers) -> None:
    with here.changing() as numbers:
        numbers["n"] = 1
    with pytest.raises(ZeroDivisionError), here.changing() as numbers:
        numbers["n"] = 1 / 0 if numbers.update(n=7) is None else 0
    assert (here.look()["n"], there.look()["n"]) == (1, 1)
    with here.changing() as numbers:
        numbers["n"] += 1
    assert there.look()["n"] == 2


def test_who_comes_late_finds_what_was_left(path: Path, here: SharedNumbers) -> None:
    with here.changing() as numbers:
        numbers["spent_tokens"] = 3
    late = SharedNumbers(path)
    assert late.look()["spent_tokens"] == 3
    late.close()


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        SharedNumbers(tmp_path / "file" / "limits")


def test_a_file_system_without_locks_is_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_file: int, _operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("harnesses.endpoint.shared_numbers.fcntl.flock", refuse)
    with pytest.raises(OSError, match="not supported"):
        SharedNumbers(path)


def test_the_slots_of_several_processes_are_all_different_and_evenly_spaced(
    path: Path, here: SharedNumbers
) -> None:
    script = """
from harnesses.endpoint.rates import Rate
rate = Rate(name="slots", per_minute=60)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(2000):
    with numbers.changing() as n:
        at = max(rate.free_at(n), 1000.0)
        rate.take(n, 1, at=at)
    print(at)
"""
    processes = [start(path, script) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    slots = [float(line) for process in processes for line in process.communicate(timeout=60)[0].split()]
    assert sorted(slots) == [1000.0 + n for n in range(6000)]
    assert Rate(name="slots", per_minute=60).free_at(here.look()) == 7000.0


def test_a_process_that_dies_in_the_middle_holds_up_nobody(path: Path, here: SharedNumbers) -> None:
    with here.changing() as numbers:
        numbers["n"] = 1
    script = "block = numbers.changing(); block.__enter__()['n'] = 7; os._exit(3)"
    dying = start(path, script)
    dying.communicate(timeout=60)
    with here.changing() as numbers:
        numbers["n"] += 1
    assert (dying.returncode, here.look()["n"]) == (3, 2)
