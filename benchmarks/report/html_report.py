"""The report at work: its hooks, from the title to the last row."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape

from benchmarks.node_ids import UnitsByNode
from benchmarks.redaction import Redactor
from benchmarks.report.html import links_are_wanted
from benchmarks.report.overview import name_of, overview
from benchmarks.report.readable import shown
from benchmarks.report.rendering import asset
from benchmarks.report.rows import Row, cells, header, sorted_by
from benchmarks.report.unit_rows import rows_of
from benchmarks.results.files import RunFilesError, load_json
from benchmarks.results.summary import headline_sentence
from benchmarks.run import Run, Session, redactor_key
from harnesses.endpoint.json_values import is_object

_UNFOLDED_BY_DEFAULT = ["passed"]
"""What pytest-html takes to mean: fold what passed, unfold the rest."""


_LEGEND = (
    "Passed: correct. Failed: a wrong answer. Error: no verdict, never counted as wrong. Skipped: not run. "
    "Click a row for more."
)


class HtmlReport:
    """Fills pytest-html's page. What it shows of a run it reads from its files, when they are written.

    It lives in the controller, where pytest-html makes its rows. The hooks are pytest-html 4.2's; what else
    of it is used: `title`, `data` and `outcomes` of the report that `pytest_html_report_title` hands over.
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._session = session
        self._redactor: Redactor = config.stash[redactor_key]
        self._path = Path.cwd() / Path(os.path.expandvars(config.option.htmlpath)).expanduser()
        self._links = links_are_wanted(config, os.environ.get("CI"))
        self._page: Any = None
        self._units = UnitsByNode(session)
        self._node_ids: dict[tuple[str, str, int], str] = {}

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        """Keep the page; fold all rows unless the ini file says otherwise: a row tells most by itself."""
        self._page = report
        report.title = "Benchmark report"
        if report.data["renderCollapsed"] == _UNFOLDED_BY_DEFAULT:
            report.data["renderCollapsed"] = ["all"]

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[str]) -> None:
        """Name the columns."""
        words = dict.fromkeys(run.benchmark.breakdown for run in self._session.runs.values())
        cells[:] = header(" or ".join(words))

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_row(self, report: Any, cells: list[str]) -> None:
        """Give each row the report's columns; what an attempt came to is filled in at the end."""
        unit = self._units.find(report.nodeid)
        if unit is None:
            row = Row(task=report.nodeid, time_s=getattr(report, "duration", None))
        else:
            self._node_ids[unit.run, unit.task.task_id, unit.attempt] = report.nodeid
            row = self._bare_row(
                self._session.runs[unit.run], unit.task.task_id, unit.attempt, unit.task.category
            )
        cells[:] = _with(row, cells, part="tear-down" if report.when == "teardown" else "")

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_html(self, report: Any, data: list[str]) -> None:
        """Leave out the line that nothing was captured: of an attempt nothing ever is."""
        if self._units.find(report.nodeid) is not None and report.passed:
            data.clear()

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Finish the page: the runs at its top, its rows, its title; then pytest-html writes it."""
        finished = list(self._finished())
        prefix.append(f"<style>{asset('palette.css')}{asset('report.css')}</style>")
        for n, (_, metrics) in enumerate(finished):
            top = overview(metrics, anchor=f"run-{n}", heading=len(finished) > 1)
            prefix.append(self._redactor.mask_keys(top))
        prefix.append(f'<p class="legend">{_LEGEND}</p>')
        media = "some" if self._has_media() else "none"
        prefix.append(f'<script data-media="{media}">{asset("report.js")}</script>')
        self._page.title = self._redactor.mask_keys(_title([metrics for _, metrics in finished]))
        environment = self._page.data["environment"]
        self._page.set_data("environment", {name: self._masked(value) for name, value in environment.items()})
        for run, _ in finished:
            self._fill_rows(run)

    def _has_media(self) -> bool:
        """Whether a fixture of the user's put a picture or a film into some row."""
        tests = (test for of_item in self._page.data["tests"].values() for test in of_item)
        return any(extra["format_type"] in {"image", "video"} for test in tests for extra in test["extras"])

    def _finished(self) -> Iterator[tuple[Run, Mapping[str, Any]]]:
        """The runs whose numbers were written, which all were but those without a planned unit."""
        for run in self._session.runs.values():
            try:
                yield run, load_json(run.files.metrics)
            except RunFilesError:
                continue

    def _fill_rows(self, run: Run) -> None:
        report = self._path if self._links else None
        tests: dict[str, list[dict[str, Any]]] = self._page.data["tests"]
        for key, row in rows_of(run.files, report=report, shown_as=self._shown_as(run)):
            node_id = self._node_ids.get((run.key, *key))
            if node_id is None:
                self._add(f"{run.key}::{row.task}::{key[1]}", row)
                continue
            for test in tests[node_id]:
                part = test["testId"].partition(" (")[2].removesuffix(")")
                _fill(test, _with(row, test["resultsTableRow"], part=part))
                test["log"] = "\n".join([*filter(None, [test["log"].rstrip("\n")]), *map(_safe, row.lines)])

    def _add(self, node_id: str, row: Row) -> None:
        """A unit that no report told of to its end: its worker died, or nobody started it."""
        result = "Error" if row.outcome.endswith("error") else "Skipped"
        test: dict[str, Any] = {"extras": [], "log": _safe("\n".join(row.lines))}
        _fill(test, cells(row, result=result))
        self._page.outcomes = result
        self._page.data["tests"][node_id].append(test)

    def _bare_row(self, run: Run, task_id: str, attempt: int, category: str) -> Row:
        k = self._session.attempts.k
        told = str(attempt) if k == 1 else f"up to {k}" if self._is_pass else f"{attempt} of {k}"
        return Row(
            task=f"{self._shown_as(run)}{task_id}",
            breakdown=run.benchmark.breakdown,
            category=category,
            attempt=told,
        )

    @property
    def _is_pass(self) -> bool:
        return self._session.attempts.strategy == "pass"

    def _shown_as(self, run: Run) -> str:
        """What stands before a task id: with several runs, which of them it belongs to."""
        return "" if len(self._session.runs) == 1 else f"{run.key}: "

    def _masked(self, value: Any) -> Any:
        if is_object(value):
            return {name: self._masked(each) for name, each in value.items()}
        return self._redactor.mask_keys(value) if isinstance(value, str) else value


def _with(row: Row, old: Sequence[str], *, part: str) -> list[str]:
    """The cells of `row`, with the result and the links of the cells that pytest-html made."""
    named = row if not part else replace(row, task=f"{row.task} ({part})")
    result = old[0].partition(">")[2].removesuffix("</td>")
    links = old[-1].partition(">")[2].removesuffix("</td>")
    return cells(named, result=result, links=links)


def _fill(test: dict[str, Any], of_cells: list[str]) -> None:
    test.update(sorted_by(of_cells), resultsTableRow=of_cells)


def _title(runs: Sequence[Mapping[str, Any]]) -> str:
    if len(runs) == 1:
        return f"{name_of(runs[0])}: {headline_sentence(runs[0])}"
    return (
        f"{len(runs)} runs: {'; '.join(map(name_of, runs))}" if runs else "Benchmark report: nothing was run"
    )


def _safe(text: str) -> str:
    return str(escape(shown(text)))
