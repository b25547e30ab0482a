"""Failed items at the end of the terminal output: four lines each, and not without end (controller)."""

from collections.abc import Collection, Generator
from typing import Any

import pytest

MOST_SHOWN = 50
"""Failed items, and items that erred, that are shown of a session; `-v` shows all."""


class FourLines:
    """What is said of a failed item: id, verdict, answer, reason; more only where the user asked for it.

    `reprcrash` is where pytest's short summary and its JUnit writer look for one line: the verdict with the
    answer, or with the reason where there is none.

    Args:
        text: The four lines.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.reprcrash = _OneLine(_short(text.splitlines()) or text)

    def toterminal(self, writer: Any) -> None:
        """Print the lines, as pytest asks any description of a failure to."""
        for line in self._text.splitlines():
            writer.line(line)

    def __str__(self) -> str:
        return self._text


def _short(lines: list[str]) -> str:
    if len(lines) < 4:
        return ""
    _, verdict, answer, reason = lines[:4]
    said = reason.partition("; record: ")[0] if answer.startswith("answer: none") else answer
    return f"{verdict}, {said}"


class _OneLine:
    def __init__(self, message: str) -> None:
        self.message = message

    def __str__(self) -> str:
        return self.message


def put_in_four_lines(report: pytest.TestReport) -> None:
    """Let the failed report of a benchmark item, which came as text, tell pytest the short line of it."""
    if report.failed and isinstance(report.longrepr, str):
        four_lines: Any = FourLines(report.longrepr)
        report.longrepr = four_lines
        # pytest would put a fifth in front under xdist: the worker, its Python and where that lies.
        report.toterminal = four_lines.toterminal  # type: ignore[method-assign]  # of this report alone


class FailedItems:
    """Bounds what pytest prints of failed benchmark items: a thousand wrong answers would bury the result.

    Args:
        node_ids: Those of benchmark items; what is planned later is in it, too. Others are shown in any case.
        is_verbose: Show all.
    """

    def __init__(self, node_ids: Collection[str], *, is_verbose: bool) -> None:
        self._node_ids = node_ids
        self._is_verbose = is_verbose

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        """Lend pytest shorter lists while it prints; its counts are made of the whole ones."""
        stats = terminalreporter.stats
        whole: dict[str, list[Any]] = {name: stats[name] for name in ("failed", "error") if name in stats}
        if not self._is_verbose:
            stats.update({name: self._first(reports) for name, reports in whole.items()})
        n_hidden = sum(len(reports) - len(stats[name]) for name, reports in whole.items())
        if n_hidden:
            terminalreporter.write_line(
                f"Of the items that failed or erred {n_hidden} are not shown: -v shows all; details/ has each"
            )
        try:
            yield
        finally:
            stats.update(whole)

    def _first(self, reports: list[Any]) -> list[Any]:
        shown: list[Any] = []
        n_ours = 0
        for report in reports:
            n_ours += (is_ours := getattr(report, "nodeid", None) in self._node_ids)
            if not is_ours or n_ours <= MOST_SHOWN:
                shown.append(report)
        return shown
