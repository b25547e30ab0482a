"""What the terminal is told once the books are closed."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from results_scene import record, run

from benchmarks.redaction import Redactor
from benchmarks.report.ending import Ending, Finished, WithoutNumbers
from benchmarks.results.details import entry_of
from benchmarks.results.facts import facts_of
from benchmarks.results.gates.exit_codes import nothing_planned
from benchmarks.results.metrics import reduce_run
from benchmarks.run import Run, redactor_key
from benchmarks.stopping import run_timeout_line

KEY = "sk-SECRET-4f0c"


class Lines(list[str]):
    """Stands in for pytest's terminal reporter; titles are in capitals."""

    def section(self, title: str) -> None:
        self.append(title.upper())

    def line(self, text: str, **_: bool) -> None:
        self.append(text)


def printed(
    *finished: Finished,
    exit_code: int = 0,
    without_numbers: Sequence[WithoutNumbers] = (),
    stopped: str | None = None,
) -> list[str]:
    stash, lines = pytest.Stash(), Lines()
    stash[redactor_key] = Redactor([KEY], show_ground_truth=False)
    ending = Ending(cast(pytest.Config, SimpleNamespace(stash=stash)), cast(Any, SimpleNamespace(tell=list)))
    ending.take(finished, exit_code=exit_code, without_numbers=without_numbers, stopped=stopped)
    ending.pytest_terminal_summary(cast(pytest.TerminalReporter, lines))
    return lines


def finished(key: str, *failures: str, **gates: Any) -> Finished:
    description, made = run(["t-1"], gates={**run().gates, **gates}), record("t-1", "incorrect")
    metrics = reduce_run(description, [facts_of("t-1", 1, entry_of(made))])
    of_run = SimpleNamespace(key=key, directory=Path("r") / key)
    return Finished(run=cast(Run, of_run), metrics=metrics, failures=failures)


def test_each_run_ends_with_its_gate_and_its_page_and_the_session_with_the_exit_code() -> None:
    lines = printed(finished("gaia"), finished("other", min_accuracy={"overall": 0.0}))
    assert [line for line in lines if line.isupper()] == ["GAIA", "OTHER"]
    assert "No gate was set." in lines and "r/gaia/summary.md" in lines
    assert lines[-2:] == [
        "r/other/summary.md",
        "exit code 0 (the gate decides; what pytest calls failed are wrong answers)",
    ]


def test_a_session_that_ended_before_it_had_a_run_says_why() -> None:
    line = run_timeout_line(0.5)
    assert printed(stopped=line) == [
        "nothing was asked: run timeout: the session has taken 0.5 s; raise --run-timeout"
    ]
    assert line not in printed(finished("gaia"), stopped=line), "its metrics say it"
    assert printed(stopped="interrupted") == [] == printed(stopped="stopping after 1 failures")


def test_what_could_not_be_written_is_said_without_keys() -> None:
    assert "NOT WRITTEN: metrics.json: *** is no folder" in printed(
        finished("gaia", f"metrics.json: {KEY} is no folder")
    )


def test_a_run_that_nothing_was_left_of_ends_with_its_gate() -> None:
    emptied = WithoutNumbers(key="other", gate=nothing_planned("other"))
    assert printed(finished("gaia"), exit_code=10, without_numbers=[emptied])[-3:] == [
        "OTHER",
        "Gate not measured (other): none of its tasks was left to ask.",
        "exit code 10",
    ]


def test_a_run_that_could_not_be_reduced_ends_with_what_was_not_written() -> None:
    failed = WithoutNumbers(key="other", failures=(f"metrics.json could not be made: {KEY}",))
    assert printed(finished("gaia"), without_numbers=[failed])[-2:] == [
        "OTHER",
        "NOT WRITTEN: metrics.json could not be made: ***",
    ]


def test_github_s_commands_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    lines = printed(finished("gaia", min_accuracy={"overall": 0.5}), exit_code=1)
    assert lines[-1].startswith("::error title=gaia%3A gate missed::Gate missed: accuracy 0.000 (0/1)")


@pytest.fixture(autouse=True)
def outside_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
