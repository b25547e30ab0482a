"""The end of a session, its books closed: what the terminal, JUnit and GitHub are told (controller)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from benchmarks.report.github import Told, tell_github
from benchmarks.report.junit import JUnitFile
from benchmarks.report.terminal import exit_code_line, terminal_lines
from benchmarks.results.gates.exit_codes import NO_GATE, GateResult, strictest
from benchmarks.run import Run, redactor_key
from benchmarks.stopping import RUN_TIMEOUT


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A run whose files are written. `metrics` is the content of metrics.json."""

    run: Run
    metrics: Mapping[str, Any]
    failures: tuple[str, ...] = ()
    """Files that could not be written, one public line each."""

    @property
    def gate(self) -> GateResult:
        """What the gate of this run decided."""
        return GateResult(**self.metrics["gate"])


@dataclass(frozen=True, kw_only=True)
class WithoutNumbers:
    """A run of the session that has no metrics.json: nothing of it was asked, or it could not be reduced."""

    key: str
    gate: GateResult = NO_GATE
    failures: tuple[str, ...] = ()
    """Files that could not be written, one public line each."""


class Ending:
    """Tells whoever reads, from the same numbers.

    Args:
        config: The controller's.
        junit: Is given the properties of the test suite.
    """

    def __init__(self, config: pytest.Config, junit: JUnitFile) -> None:
        self._mask_keys = config.stash[redactor_key].mask_keys
        self._junit = junit
        self._finished: tuple[Finished, ...] = ()
        self._without_numbers: tuple[WithoutNumbers, ...] = ()
        self._exit_code = 0
        self._stopped: str | None = None
        self._commands: list[str] = []

    def take(
        self,
        finished: Sequence[Finished],
        *,
        exit_code: int,
        without_numbers: Sequence[WithoutNumbers] = (),
        stopped: str | None = None,
    ) -> None:
        """Write what is written to files of others; the terminal is told later.

        `stopped` is why the session ended early, ``None`` where it did not.
        """
        self._finished, self._exit_code, self._stopped = tuple(finished), exit_code, stopped
        self._without_numbers = tuple(without_numbers)
        self._junit.tell((each.run.key, each.metrics) for each in finished)
        told = [
            Told(key=each.run.key, directory=each.run.directory, metrics=each.metrics)
            for each in finished
            if each.run.directory is not None
        ]
        every: list[Finished | WithoutNumbers] = [*finished, *without_numbers]
        gate = strictest(each.gate for each in every)
        self._commands = tell_github(told, exit_code=exit_code, gate=gate.status)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Headline, breakdown, trouble, gate and paths of each run, and what the exit code means."""
        for finished in self._finished:
            terminalreporter.section(finished.run.key)
            for line in terminal_lines(finished.metrics):
                terminalreporter.line(self._mask_keys(line))
            self._tell_failures(terminalreporter, finished.failures)
            terminalreporter.line(f"{finished.run.directory}/summary.md")
        for run in self._without_numbers:
            terminalreporter.section(run.key)
            if run.gate != NO_GATE:
                terminalreporter.line(self._mask_keys(run.gate.sentence))
            self._tell_failures(terminalreporter, run.failures)
        every: list[Finished | WithoutNumbers] = [*self._finished, *self._without_numbers]
        # The metrics of a run say why it stopped; here there is none, and nothing to go on with.
        if not every and self._stopped is not None and self._stopped.startswith(RUN_TIMEOUT):
            cause = self._stopped.partition(";")[0]
            terminalreporter.line(f"nothing was asked: {cause}; raise --run-timeout")
        gates = [{"gate": each.gate.to_json()} for each in every]
        end = exit_code_line(gates, exit_code=self._exit_code)
        for line in [*([] if end is None else [end]), *self._commands]:
            terminalreporter.line(self._mask_keys(line))

    def _tell_failures(self, reporter: pytest.TerminalReporter, failures: Sequence[str]) -> None:
        for line in failures:
            reporter.line(f"NOT WRITTEN: {self._mask_keys(line)}", red=True)
