"""Where the progress stands on the screen: below pytest's own line, or a line now and then (controller)."""

import os
import time
from collections.abc import Callable, Generator
from typing import Any

import pytest

from benchmarks.report.progress import Progress
from benchmarks.running import examiner_key

_SHARE_BETWEEN = 0.1
_LEAST_BETWEEN_S = 5.0
_MOST_BETWEEN_S = 300.0
"""Where stdout is no terminal: a line with each tenth that is done, but none within five seconds of another;
after five minutes without one, a line with the next item."""
_ERASE = "\x1b[J"
"""From the cursor to the end of the screen."""


class ProgressLine:
    """Shows the progress with each report.

    On a terminal it is one line below the one pytest writes to: drawn after pytest wrote, erased before it
    writes again, with the cursor put back, so that dots and the lines of `-v` stay as they are. Nothing is
    drawn while an item is waited for: its output is captured then, and the terminal's with it.

    Elsewhere, and where the user asked to see all output (`-s`, live logs, `--setup-show`), it is a line of
    its own now and then. Under `-q -q` there is none.

    Args:
        config: The controller's.
        progress: What is told; whoever books reports notes them there.
        clock: Seconds that only grow.
    """

    def __init__(
        self, config: pytest.Config, progress: Progress, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._config = config
        self._progress = progress
        self._clock = clock
        self._terminal: Any = config.pluginmanager.getplugin("terminalreporter")
        self._is_live = _can_be_live(config, self._terminal)
        self._started: set[str] = set()
        self._since: float | None = None
        self._said_at = clock()
        self._n_said = 0
        self._is_over = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logstart(self, nodeid: str) -> Generator[None]:
        """An item is about to run here or in a worker."""
        self._since = self._clock() if self._since is None else self._since
        self._started.add(nodeid)
        self._erase()
        yield
        self._draw()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None]:
        """Something was reported; what the terminal makes of it stands above the progress."""
        self._erase()
        yield
        if str(report.when) in {"teardown", "???"}:
            self._started.discard(report.nodeid)
            self._say_now_and_then()
        self._draw()

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Generator[None, Any, Any]:
        """Leave the screen to pytest once the last item was run, whatever ended the loop."""
        try:
            return (yield)
        finally:
            self._erase()
            self._is_over = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_internalerror(self) -> None:
        """Make room for what pytest is about to print."""
        self._erase()

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_testnodedown(self) -> None:
        """Make room for what xdist may print about a dead worker."""
        self._erase()

    def _line(self) -> str:
        elapsed_s = 0.0 if self._since is None else self._clock() - self._since
        examiner = self._config.stash.get(examiner_key, None)
        if examiner is None:
            # Of what workers have started ahead the controller hears nothing.
            n = len(self._started)
            return self._progress.line(elapsed_s=elapsed_s, in_flight=f"at least {n}" if n else "")
        n_ahead = max(0, examiner.n_finished - self._progress.n_done)
        in_flight = str(examiner.n_in_flight)
        return self._progress.line(elapsed_s=elapsed_s, in_flight=in_flight, n_ahead=n_ahead)

    def _erase(self) -> None:
        if self._is_live and not self._is_over:
            self._terminal.write_raw(_ERASE, flush=True)

    def _draw(self) -> None:
        is_done = self._progress.n_done >= self._progress.n_planned
        if not self._is_live or self._is_over or is_done:
            return
        writer = self._config.get_terminal_writer()
        written, width = writer.width_of_current_line, writer.fullwidth
        if written and written % width == 0:
            return  # the cursor is past the last column, and no movement brings it back there
        back = f"\x1b[{written % width}C" if written % width else ""
        self._terminal.write_raw(f"\n{_cut(self._line(), width - 1)}\x1b[A\r{back}", flush=True)

    def _say_now_and_then(self) -> None:
        now, n_done, n_planned = self._clock(), self._progress.n_done, self._progress.n_planned
        if self._is_live or n_done >= n_planned:
            return
        waited_s = now - self._said_at
        is_far = n_done - self._n_said >= _SHARE_BETWEEN * n_planned
        if waited_s >= _MOST_BETWEEN_S or (is_far and waited_s >= _LEAST_BETWEEN_S):
            self._said_at, self._n_said = now, n_done
            self._terminal.ensure_newline()
            writer = self._config.get_terminal_writer()
            if writer.width_of_current_line:
                writer.line()
            writer.line(self._line())
            writer.flush()


def progress_line_of(config: pytest.Config, progress: Progress) -> ProgressLine | None:
    """What shows `progress` in this session; ``None`` where nothing is to be shown."""
    terminal: Any = config.pluginmanager.getplugin("terminalreporter")
    if terminal is None or config.get_verbosity() <= -2:
        return None
    return ProgressLine(config, progress)


def _can_be_live(config: pytest.Config, terminal: Any) -> bool:
    shows_output = (
        config.getoption("capture", "no") == "no"
        or config.getoption("setupshow", False)
        or config.getoption("log_cli_level", None) is not None
        or config.getini("log_cli")
    )
    return bool(terminal.isatty()) and os.environ.get("TERM", "dumb") != "dumb" and not shows_output


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: max(0, width - 1)]}…"
