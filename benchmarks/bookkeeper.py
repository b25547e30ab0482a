"""The bookkeeper: folds what came, reduces it, and sets the exit code (controller)."""

import shutil
import signal
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import pytest

from benchmarks.describing import describe
from benchmarks.plan import Unit
from benchmarks.report.terminal import exit_code_line, terminal_lines
from benchmarks.reporting import RECORDS_ATTRIBUTE, TEAR_DOWN_ATTRIBUTE
from benchmarks.results.gates.exit_codes import GateResult, exit_code_for, strictest
from benchmarks.results.record import Record
from benchmarks.results.recorder import Recorder
from benchmarks.run import Run, Session, n_workers_of, redactor_key, unit_key
from benchmarks.running import examiner_key


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


class Bookkeeper:
    """The one writer of a session: plans, books each report, and closes the books at the end."""

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._config = config
        self._session = session
        self._recorders: dict[str, Recorder] = {}
        self._units: dict[str, Unit] = {}
        self._has_other_failures = False
        self._is_interrupted = False
        self._code = 0
        self._finished: list[Finished] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Plan what is left after deselection (without xdist; under it the controller has no items)."""
        units = {item.nodeid: item.stash[unit_key] for item in session.items if unit_key in item.stash}
        self._plan(units, n_workers=0)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Plan what the first worker has left after deselection; xdist holds the others to the same."""
        if not self._units:
            self._plan(self._units_of(ids), n_workers=n_workers_of(self._config))

    def _units_of(self, node_ids: Iterable[str]) -> dict[str, Unit]:
        """The unit each node id stands for. Its folder depends on pytest's root, its module does not."""
        known = {
            (f"test_{run.choice.name}", unit.unit_id): unit
            for run in self._session.runs.values()
            for unit in run.units(self._session.attempts)
        }
        units: dict[str, Unit] = {}
        for node_id in node_ids:
            path, _, rest = node_id.partition("::")
            key = PurePosixPath(path).stem, rest.partition("[")[2].partition("]")[0]
            if key in known:
                units[node_id] = known[key]
        return units

    def _plan(self, units: Mapping[str, Unit], *, n_workers: int) -> None:
        self._units.update(units)
        for key, run in self._session.runs.items():
            planned = [unit for unit in self._units.values() if unit.run == key]
            if planned and run.directory is not None:
                description = describe(self._config, self._session, run, planned, n_workers=n_workers)
                self._recorders[key] = Recorder(run.directory, description)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be collected is a failure of something else than a benchmark item."""
        self._has_other_failures |= report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Book what a report carries, from this process or from a worker."""
        unit = self._units.get(report.nodeid)
        if unit is None:
            self._has_other_failures |= report.failed
            return
        tear_down = getattr(report, TEAR_DOWN_ATTRIBUTE, None)
        if tear_down is not None:
            self._book_tear_down(self._session.runs[unit.run], report.nodeid, tear_down)
        lines = getattr(report, RECORDS_ATTRIBUTE, None)
        if lines is not None:
            # The terminal keeps every report to the end; what is booked need not stay in memory.
            delattr(report, RECORDS_ATTRIBUTE)
            for line in lines:
                self._recorders[unit.run].add(Record.from_line(line))
        elif str(report.when) == "???":
            # How xdist reports a dead worker: a phase pytest does not have, and no record.
            self._recorders[unit.run].add_crash(unit.task.task_id, unit.attempt, "the worker process ended")

    def _book_tear_down(self, run: Run, node_id: str, traceback: str) -> None:
        """A tear-down that failed changes no outcome, but no gate may turn it green."""
        self._has_other_failures = True
        path = run.files.tear_down
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{node_id}\n{traceback}\n\n")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Stop what still runs, then fold, then reduce, then decide the exit code."""
        with _undisturbed():
            self._close_the_books(session, exitstatus)

    def _close_the_books(self, session: pytest.Session, exitstatus: int) -> None:
        self._forget_passed_phases()
        stopped = self._why_stopped(session, exitstatus)
        self._stop_everything(stopped)
        for key, recorder in self._recorders.items():
            metrics = recorder.finish(stopped)
            self._finished.append(
                Finished(run=self._session.runs[key], metrics=metrics, failures=tuple(recorder.failures))
            )
        self._remove_empty_directories()
        code = exit_code_for(
            int(exitstatus),
            strictest(finished.gate for finished in self._finished),
            only_benchmark_failures=not self._has_other_failures,
        )
        if code in {0, 1} and any(finished.failures for finished in self._finished):
            code = int(pytest.ExitCode.INTERNAL_ERROR)
        self._code = code
        session.exitstatus = code

    def _why_stopped(self, session: pytest.Session, exitstatus: int) -> str | None:
        for line in (session.shouldstop, session.shouldfail, self._session.stop_mark.line()):
            if line:
                return str(line)
        if self._is_interrupted or exitstatus == pytest.ExitCode.INTERRUPTED:
            return "interrupted"
        return None

    def _forget_passed_phases(self) -> None:
        """Spare pytest's failure summary, which looks through all passed tear-downs once for each failure.

        Its cost grows with the square of the tasks. Our phases have no output of their own to show there.
        """
        terminal: Any = self._config.pluginmanager.getplugin("terminalreporter")
        if terminal is not None:
            phases = terminal.stats.get("", [])
            phases[:] = [report for report in phases if getattr(report, "nodeid", None) not in self._units]

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """Note it at once, and tell the workers: pytest takes half a second until it ends the session.

        A second Ctrl-C may leave it no time to set the exit status.
        """
        self._is_interrupted = True
        self._session.stop_mark.set("interrupted")

    def _stop_everything(self, stopped: str | None) -> None:
        examiner = self._config.stash.get(examiner_key, None)
        if examiner is not None:
            examiner.stop()
        if stopped is None:
            return
        self._session.stop_mark.set(stopped)
        # xdist ends its workers in a sessionfinish of its own, after this one: without this they would go on
        # asking models while the books are closed (xdist 3.8, DSession.nodemanager).
        nodes = getattr(self._config.pluginmanager.getplugin("dsession"), "nodemanager", None)
        if nodes is not None:
            nodes.teardown_nodes()

    def _remove_empty_directories(self) -> None:
        """Of runs without a planned unit; every process has opened a spool for each run all the same."""
        for key, run in self._session.runs.items():
            has_records = any(spool.stat().st_size for spool in run.files.spools.glob("*"))
            if key not in self._recorders and not has_records and run.directory is not None:
                shutil.rmtree(run.directory, ignore_errors=True)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The headline, the breakdown, the gate's sentence and where the files are."""
        redactor = self._config.stash[redactor_key]
        for finished in self._finished:
            terminalreporter.section(finished.run.key)
            for line in terminal_lines(finished.metrics):
                terminalreporter.line(redactor.mask_keys(line))
            for line in finished.failures:
                terminalreporter.line(f"NOT WRITTEN: {redactor.mask_keys(line)}", red=True)
            terminalreporter.line(f"{finished.run.directory}/summary.md")
        end = exit_code_line((finished.metrics for finished in self._finished), exit_code=self._code)
        if end is not None:
            terminalreporter.line(end)


@contextmanager
def _undisturbed() -> Generator[None]:
    """No interrupt in here: the files of a run are written whole though the user presses Ctrl-C again."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    try:
        before = [signal.signal(number, signal.SIG_IGN) for number in numbers]
    except ValueError:  # pytest runs in a thread that is not the main one
        yield
        return
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
