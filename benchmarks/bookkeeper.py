"""The bookkeeper: folds what came, reduces it, and sets the exit code (controller)."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from benchmarks.describing import describe
from benchmarks.going_on import GoingOn
from benchmarks.interrupts import Workers, undisturbed
from benchmarks.node_ids import UnitsByNode
from benchmarks.plan import Unit
from benchmarks.report.ending import Ending, Finished, WithoutNumbers
from benchmarks.report.failed_items import FailedItems, put_in_four_lines
from benchmarks.report.junit import JUnitFile
from benchmarks.report.progress import Progress, RunProgress
from benchmarks.report.progress_line import progress_line_of
from benchmarks.reporting import RECORDS_ATTRIBUTE, TEAR_DOWN_ATTRIBUTE
from benchmarks.results.gates.exit_codes import exit_code_for, nothing_planned, strictest
from benchmarks.results.gates.scopes import OVERALL
from benchmarks.results.record import Record
from benchmarks.results.recorder import Recorder
from benchmarks.run import Run, Session, n_workers_of, unit_key
from benchmarks.running import examiner_key


class Bookkeeper:
    """The one writer of a session: plans, books each report, and closes the books at the end."""

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._config = config
        self._session = session
        self._recorders: dict[str, Recorder] = {}
        self._units: dict[str, Unit] = {}
        self._has_other_failures = False
        self._is_interrupted = False
        self._finished: list[Finished] = []
        self._progress: Progress | None = None
        self._junit = JUnitFile(config)
        self._ending = Ending(config, self._junit)
        config.pluginmanager.register(self._ending, "benchmarks-ending")
        self._going_on = GoingOn(config, session)
        config.pluginmanager.register(self._going_on, "benchmarks-going-on")
        self._workers = Workers()
        config.pluginmanager.register(self._workers, "benchmarks-workers")
        shown = FailedItems(self._units.keys(), is_verbose=config.get_verbosity() > 0)
        config.pluginmanager.register(shown, "benchmarks-failed-items")

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
        """The unit each node id stands for."""
        units = UnitsByNode(self._session)
        return {node_id: unit for node_id in node_ids if (unit := units.find(node_id)) is not None}

    def _plan(self, units: Mapping[str, Unit], *, n_workers: int) -> None:
        self._units.update(units)
        for key, run in self._session.runs.items():
            planned = [unit for unit in self._units.values() if unit.run == key]
            if planned and run.directory is not None:
                description = describe(self._config, self._session, run, planned, n_workers=n_workers)
                self._recorders[key] = Recorder(run.directory, description)
        self._start_progress()

    def _start_progress(self) -> None:
        attempts = self._session.attempts
        runs = [
            RunProgress(
                key=key,
                n_planned=sum(unit.run == key for unit in self._units.values()),
                is_clustered=attempts.k > 1 and attempts.strategy == "avg",
                prices=self._session.runs[key].prices,
                judges_again=self._session.judges_again,
            )
            for key in self._recorders
        ]
        if runs:
            self._progress = Progress(runs)
            shown = progress_line_of(self._config, self._progress)
            if shown is not None:
                self._config.pluginmanager.register(shown, "benchmarks-progress-line")

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
        self._junit.watch(report)
        tear_down = getattr(report, TEAR_DOWN_ATTRIBUTE, None)
        if tear_down is not None:
            self._book_tear_down(self._session.runs[unit.run], report.nodeid, tear_down)
        lines = getattr(report, RECORDS_ATTRIBUTE, None)
        if lines is not None:
            # The terminal keeps every report to the end; what is booked need not stay in memory.
            delattr(report, RECORDS_ATTRIBUTE)
            put_in_four_lines(report)
            self._book(unit, [Record.from_line(line) for line in lines])
        elif str(report.when) == "???":
            # How xdist reports a dead worker: a phase pytest does not have, and no record.
            self._recorders[unit.run].add_crash(unit.task.task_id, unit.attempt, "the worker process ended")
            self._book(unit, [])

    def _book(self, unit: Unit, records: Sequence[Record]) -> None:
        for record in records:
            self._recorders[unit.run].add(record)
        if self._progress is not None:
            self._progress.note(unit, records)

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Mark what was not run again; nothing else is told otherwise."""
        is_reused = ("reused", True) in report.user_properties and report.when == "call"
        if not is_reused or report.outcome not in {"passed", "failed"}:
            return None
        letter = "." if report.passed else "F"
        return report.outcome, letter, f"{report.outcome.upper()} (reused)"

    def _book_tear_down(self, run: Run, node_id: str, traceback: str) -> None:
        """A tear-down that failed changes no outcome, but no gate may turn it green."""
        self._has_other_failures = True
        path = run.files.tear_down
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{node_id}\n{traceback}\n\n")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Stop what still runs, then fold, then reduce, then decide the exit code."""
        with undisturbed():
            self._close_the_books(session, exitstatus)

    def _close_the_books(self, session: pytest.Session, exitstatus: int) -> None:
        self._forget_passed_phases()
        stopped = self._why_stopped(session, exitstatus)
        self._stop_everything(stopped)
        without_numbers: list[WithoutNumbers] = []
        for key, recorder in self._recorders.items():
            metrics, run = recorder.finish(stopped), self._session.runs[key]
            failures = tuple(recorder.failures)
            if metrics:
                self._finished.append(Finished(run=run, metrics=metrics, failures=failures))
            else:
                without_numbers.append(WithoutNumbers(key=key, failures=failures))
        if self._units or exitstatus in {0, 1}:
            without_numbers += self._emptied()
        self._remove_empty_directories()
        told: list[Finished | WithoutNumbers] = [*self._finished, *without_numbers]
        gate = strictest(each.gate for each in told)
        code = exit_code_for(int(exitstatus), gate, only_benchmark_failures=not self._has_other_failures)
        if code in {0, 1} and gate.exit_code is None and self._session.stop_mark.is_budget:
            # pytest went to its end all the same, so that what had finished is told.
            code = int(pytest.ExitCode.INTERRUPTED)
        if code in {0, 1} and any(each.failures for each in told):
            code = int(pytest.ExitCode.INTERNAL_ERROR)
        session.exitstatus = code
        self._ending.take(self._finished, exit_code=code, without_numbers=without_numbers, stopped=stopped)
        self._going_on.take(self._finished)

    def _emptied(self) -> list[WithoutNumbers]:
        """The runs of which `-k`, `-m` or the like left nothing though a gate names them: it must not go too.

        A gate for all runs stands for what was selected.
        """
        return [
            WithoutNumbers(key=key, gate=nothing_planned(key))
            for key, run in self._session.runs.items()
            if key not in self._recorders
            and run.directory is not None
            and set(run.gates.get("min_accuracy") or ()) - {OVERALL}
        ]

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
            self._workers.interrupt()
            nodes.teardown_nodes()

    def _remove_empty_directories(self) -> None:
        """Of runs without a planned unit; every process has opened a spool for each run all the same."""
        for key, run in self._session.runs.items():
            has_records = any(spool.stat().st_size for spool in run.files.spools.glob("*"))
            if key not in self._recorders and not has_records and run.directory is not None:
                shutil.rmtree(run.directory, ignore_errors=True)
