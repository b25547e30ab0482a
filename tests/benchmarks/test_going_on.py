"""The command that goes on with a session, in the words of the one that started it."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchmarks.configuration.model import Placement
from benchmarks.going_on import Command, GoingOn, going_on, is_whole, program_of
from benchmarks.redaction import Redactor
from benchmarks.report.ending import Finished
from benchmarks.run import Run, Session, redactor_key

FOLDER = Path("/home/me/work")


def run_in(directory: Path | None, *, suffix: str = "", parent: Any = None) -> Run:
    return cast(
        "Run", SimpleNamespace(directory=directory, choice=SimpleNamespace(run_suffix=suffix), parent=parent)
    )


def words_of(
    *words: str, runs: list[Run] | None = None, placement: Placement | None = None, **more: Any
) -> list[str]:
    command = Command(words=words, folder=FOLDER, stops_early=more.pop("stops_early", False))
    found = [run_in(FOLDER / "results" / "gaia" / "m-1" / "r")] if runs is None else runs
    return going_on(command, found, placement=placement or Placement(), **more)


@pytest.mark.parametrize(
    ("called", "words"),
    [
        (".venv/bin/pytest", (".venv/bin/pytest",)),
        (f"{FOLDER}/.venv/bin/pytest", (".venv/bin/pytest",)),
        ("/usr/bin/pytest", ("/usr/bin/pytest",)),
        ("/lib/pytest/__main__.py", (sys.executable, "-m", "pytest")),
        ("", ("pytest",)),
        ("-c", ("pytest",)),
    ],
)
def test_what_was_called_is_called_again(called: str, words: tuple[str, ...]) -> None:
    assert program_of(called, FOLDER) == words


RESUMED = "--resume=results/gaia/m-1/r"


def test_the_words_are_those_of_the_command_and_the_run_to_resume() -> None:
    assert words_of("benchmarks/gaia", "--config=ci.yaml", "-n", "2") == [
        "pytest",
        "benchmarks/gaia",
        "--config=ci.yaml",
        "-n",
        "2",
        RESUMED,
    ]


@pytest.mark.parametrize(
    "older",
    [
        ("--resume", "latest"),
        ("--resume=old", "--resume=older"),
        ("--run-name", "nightly"),
        ("--run-dir=out/x",),
        ("--rejudge", "old"),
        ("--lf",),
        ("--stepwise",),
    ],
    ids=" ".join,
)
def test_an_older_resume_and_the_name_of_the_run_are_left_out(older: tuple[str, ...]) -> None:
    assert words_of("benchmarks/gaia", *older, "-v") == ["pytest", "benchmarks/gaia", "-v", RESUMED]


def test_an_option_that_only_begins_alike_stays() -> None:
    assert words_of("x", "--resume-anyway", "--results-dir=r", "--run-timeout", "60") == [
        "pytest",
        "x",
        "--resume-anyway",
        "--results-dir=r",
        "--run-timeout",
        "60",
        RESUMED,
    ]


def test_each_run_of_a_session_is_resumed_wherever_it_lies() -> None:
    runs = [run_in(FOLDER / "a"), run_in(Path("/elsewhere/b"))]
    assert words_of("benchmarks", runs=runs) == [
        "pytest",
        "benchmarks",
        "--resume=a",
        "--resume=/elsewhere/b",
    ]


def test_a_failure_that_is_taken_over_must_not_stop_the_next_session() -> None:
    assert words_of("x", "-x", stops_early=True) == ["pytest", "x", "-x", RESUMED, "--maxfail=0"]


@pytest.mark.parametrize(
    ("name", "suffix", "taken", "following"),
    [
        ("nightly", "", [], "nightly-2"),
        ("nightly-2", "", [], "nightly-3"),
        ("nightly", "", ["nightly-2", "nightly-3"], "nightly-4"),
        ("nightly-longseal", "-longseal", [], "nightly-2"),
        ("20261130", "", [], "20261130-2"),
        ("2026-11-30", "", [], "2026-11-31"),
        ("run-20261130", "", [], "run-20261130-2"),
    ],
)
def test_a_name_of_the_users_is_counted_on(
    name: str, suffix: str, taken: list[str], following: str, tmp_path: Path
) -> None:
    for other in taken:
        (tmp_path / other).mkdir()
    runs = [run_in(tmp_path / name, suffix=suffix)]
    words = words_of("x", runs=runs, placement=Placement(run_name="nightly"))
    assert words[-1] == f"--run-name={following}"


def test_a_directory_of_the_users_is_counted_on_beside_it() -> None:
    words = words_of("x", runs=[run_in(FOLDER / "out" / "x")], placement=Placement(run_dir="out/x"))
    assert words == ["pytest", "x", "--resume=out/x", "--run-dir=out/x-2"]


def test_what_is_judged_again_is_judged_again_from_the_same_run() -> None:
    parent = {"how": "rejudge", "run": "first", "path": "../first"}
    runs = [run_in(FOLDER / "results" / "gaia" / "m-1" / "again", parent=parent)]
    assert words_of("x", "--rejudge", "latest", runs=runs, judges_again=True) == [
        "pytest",
        "x",
        "--rejudge=results/gaia/m-1/first",
    ]


def test_a_parent_that_no_path_leads_to_is_not_named() -> None:
    runs = [run_in(FOLDER / "again", parent={"how": "rejudge", "run": "first", "path": None})]
    assert words_of("x", runs=runs, judges_again=True) == ["pytest", "x"]


def metrics_of(*, stopped: str | None = None, **outcomes: int) -> dict[str, Any]:
    known = dict.fromkeys(("correct", "run_error", "judge_error", "unavailable"), 0)
    return {"stopped": stopped, "outcomes": known | outcomes}


@pytest.mark.parametrize(
    ("metrics", "whole"),
    [
        (metrics_of(correct=3), True),
        (metrics_of(correct=3, stopped="interrupted"), False),
        (metrics_of(unavailable=1), False),
        (metrics_of(run_error=1), False),
        (metrics_of(judge_error=1), False),
    ],
)
def test_a_run_is_whole_if_nothing_is_left_to_be_asked_or_judged(metrics: Any, whole: bool) -> None:
    assert is_whole(metrics) is whole


def no_limit(_name: str, _default: int) -> int:
    return 0


KEY = "sk-it's-secret"


def line_of(*args: object, judges_again: bool = False, **metrics: Any) -> str | None:
    config = SimpleNamespace(
        invocation_params=SimpleNamespace(args=args, dir=FOLDER),
        getoption=no_limit,
        stash={redactor_key: Redactor([KEY], show_ground_truth=False)},
    )
    session = SimpleNamespace(judges_again=judges_again, configuration=SimpleNamespace(placement=Placement()))
    told = GoingOn(cast("pytest.Config", config), cast("Session", session))
    told.take([Finished(run=run_in(FOLDER / "r"), metrics=metrics_of(**metrics))])
    return told.line()


def test_the_line_is_one_that_a_shell_reads_back_and_shows_no_key() -> None:
    line = line_of("x", Path("y z"), f"--model-api-key={KEY}", '{"a":\n "b"}', unavailable=1)
    assert line is not None and line.startswith("go on with, MODEL_API_KEY set: ")
    assert line.endswith("""pytest x 'y z' '{"a":  "b"}' --resume=r""")


def test_a_key_that_stands_in_other_words_has_to_be_put_back() -> None:
    line = line_of("x", f'{{"api_key": "{KEY}"}}', unavailable=1)
    assert line is not None and line.startswith("go on with, keys in place of ***: ") and KEY not in line


def test_a_whole_run_is_told_nothing() -> None:
    assert line_of("x", correct=3) is None


@pytest.mark.parametrize(
    ("metrics", "is_told"),
    [({"unavailable": 2}, False), ({"judge_error": 1}, True), ({"stopped": "interrupted"}, True)],
)
def test_what_the_run_that_is_judged_again_lacks_is_nothing_to_go_on_with(
    metrics: Any, is_told: bool
) -> None:
    assert (line_of("x", judges_again=True, **metrics) is not None) is is_told


def test_the_command_is_read_from_pytest(pytestconfig: pytest.Config) -> None:
    command = Command.of(pytestconfig)
    assert command.words == tuple(map(str, pytestconfig.invocation_params.args))
    assert command.folder == pytestconfig.invocation_params.dir
