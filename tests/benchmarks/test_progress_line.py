"""Where the progress stands on the screen."""

from collections.abc import Callable, Generator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from results_scene import record
from screen import Screen
from test_progress import unit

from benchmarks.report.progress import Progress, RunProgress
from benchmarks.report.progress_line import ProgressLine, progress_line_of
from benchmarks.running import examiner_key

WIDTH = 60


class Terminal:
    """pytest's terminal reporter and its writer, as far as they are used, on a screen."""

    def __init__(self, *, isatty: bool, width: int) -> None:
        self._isatty = isatty
        self.screen = Screen(width)
        self.fullwidth = width
        self._current = ""

    def isatty(self) -> bool:
        return self._isatty

    @property
    def width_of_current_line(self) -> int:
        return len(self._current)

    def write(self, text: str) -> None:
        self._current = text.rsplit("\n", 1)[-1] if "\n" in text else self._current + text
        self.screen.write(text)

    def line(self, text: str = "") -> None:
        self.write(f"{text}\n")

    def ensure_newline(self) -> None:
        """Under xdist pytest does not know that dots stand in the line."""

    def write_raw(self, text: str, *, flush: bool) -> None:  # noqa: ARG002 - pytest's has it
        self.screen.write(text)

    def flush(self) -> None:
        pass


class Scene:
    """A session with `n_planned` items, its terminal and its clock."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        *,
        isatty: bool = True,
        n_planned: int = 20,
        width: int = WIDTH,
        **options: Any,
    ) -> None:
        monkeypatch.setenv("TERM", "xterm")
        self.now = 0.0
        self.terminal = Terminal(isatty=isatty, width=width)
        self.progress = Progress([RunProgress(key="gaia", n_planned=n_planned)])
        values = {"capture": "fd", "setupshow": False, "log_cli_level": None, **options}
        self.stash = pytest.Stash()
        self.config = SimpleNamespace(
            pluginmanager=SimpleNamespace(getplugin={"terminalreporter": self.terminal}.get),
            getoption=values.get,
            getini=values.get,
            get_terminal_writer=lambda: self.terminal,
            get_verbosity=lambda: values.get("verbose", 0),
            stash=self.stash,
        )
        self.shown = ProgressLine(cast(pytest.Config, self.config), self.progress, clock=lambda: self.now)

    @property
    def lines(self) -> list[str]:
        return self.terminal.screen.lines

    def start(self, task_id: str, prefix: str = "") -> None:
        around(self.shown.pytest_runtest_logstart(task_id), lambda: self.terminal.write(prefix))

    def report(self, task_id: str, text: str, *, when: str = "teardown", is_booked: bool = True) -> None:
        if is_booked:
            self.progress.note(unit(task_id), [record(task_id, usage={})])
        report = cast(pytest.TestReport, SimpleNamespace(nodeid=task_id, when=when))
        around(self.shown.pytest_runtest_logreport(report), lambda: self.terminal.write(text))

    def end(self) -> None:
        around(self.shown.pytest_runtestloop(), lambda: None)


def around(hook: Generator[None, Any, Any], inner: Callable[[], None]) -> None:
    next(hook)
    inner()
    with pytest.raises(StopIteration):
        next(hook)


def test_on_a_terminal_the_progress_stands_below_the_dots(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    scene.terminal.write("test_gaia.py ")
    scene.start("a")
    assert scene.lines == ["test_gaia.py", "gaia 0/20 · at least 1 in flight · accuracy —"]
    scene.report("a", ".")
    assert scene.lines == ["test_gaia.py .", "gaia 1/20 · accuracy 1.000 (0.207 to 1.000)"]
    scene.report("b", "F")
    assert scene.lines[0] == "test_gaia.py .F"
    scene.end()
    scene.terminal.write("  [100%]\n")
    assert scene.lines == ["test_gaia.py .F  [100%]", ""]


def test_lines_of_v_are_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    for task_id in ("a", "b"):
        scene.start(task_id, f"\ntest_gaia[{task_id}] ")
        scene.report(task_id, "PASSED")
    scene.end()
    scene.terminal.write("\n")
    assert scene.lines == ["", "test_gaia[a] PASSED", "test_gaia[b] PASSED", ""]
    assert "gaia 1/20 · at least 1 in flight · accuracy 1.000 (0.207 t…" in scene.terminal.screen.seen


def test_a_line_that_pytest_wrapped_is_not_touched_either(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    scene.report("a", "x" * (WIDTH + 5))
    scene.report("b", "y" * (WIDTH - 5))
    scene.report("c", "z")
    scene.end()
    assert scene.lines == ["x" * WIDTH, "x" * 5 + "y" * (WIDTH - 5), "z"]


def test_a_progress_longer_than_the_screen_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, width=12)
    scene.report("a", ".")
    assert scene.lines[1] == "gaia 1/20 ·…"[:10] + "…"


def test_nothing_is_drawn_once_all_is_done_or_the_loop_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, n_planned=1)
    scene.report("a", ".")
    assert scene.lines == ["."]
    late = Scene(monkeypatch)
    late.end()
    late.report("a", ".")
    assert late.lines == ["."]


@pytest.mark.parametrize("event", ["pytest_internalerror", "pytest_testnodedown"])
def test_room_is_made_for_bad_news(monkeypatch: pytest.MonkeyPatch, event: str) -> None:
    scene = Scene(monkeypatch)
    scene.report("a", ".")
    getattr(scene.shown, event)()
    assert scene.lines == ["."]


def test_without_xdist_the_examiner_knows_what_is_in_flight_and_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(monkeypatch, width=100)
    scene.stash[examiner_key] = cast(Any, SimpleNamespace(n_in_flight=7, n_finished=10))
    scene.start("a")
    scene.now = 10.0
    scene.report("a", ".")
    assert scene.lines[1] == ("gaia 1/20 · 7 in flight · accuracy 1.000 (0.207 to 1.000) · about 10 s left")


@pytest.mark.parametrize(
    "options",
    [
        {"isatty": False},
        {"capture": "no"},
        {"setupshow": True},
        {"log_cli_level": "INFO"},
        {"log_cli": True},
    ],
    ids=lambda options: next(iter(options)),
)
def test_elsewhere_it_is_a_line_with_each_tenth(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    scene = Scene(monkeypatch, **options)
    for n in range(20):
        scene.now += 10.0
        scene.report(f"t-{n}", ".")
    progress = [line for line in scene.lines if line.startswith("gaia")]
    assert [line.split()[1] for line in progress] == [f"{n}/20" for n in range(2, 20, 2)]
    assert scene.lines[0] == ".." and scene.terminal.screen.seen == []


def test_a_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    monkeypatch.setenv("TERM", "dumb")
    shown = ProgressLine(cast(pytest.Config, scene.config), scene.progress)
    around(shown.pytest_runtest_logstart("a"), lambda: None)
    assert scene.lines == [""]


def test_a_short_run_has_no_lines_and_a_slow_one_has_one_in_five_minutes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(monkeypatch, isatty=False, n_planned=1000, width=100)
    for n in range(30):
        scene.now += 0.1
        scene.report(f"t-{n}", "")
    assert scene.lines == [""]
    scene.now = 299.0
    scene.report("u", "")
    assert scene.lines == [""]
    scene.now = 301.0
    scene.report("v", "", when="call")
    assert scene.lines == [""], "in the middle of an item a line would break another"
    scene.report("w", "", is_booked=False)
    assert [line.split()[:2] for line in scene.lines if line] == [["gaia", "32/1000"]]


@pytest.mark.parametrize(("verbose", "is_shown"), [(0, True), (-1, True), (-2, False)])
def test_under_q_q_there_is_none(monkeypatch: pytest.MonkeyPatch, verbose: int, is_shown: bool) -> None:
    scene = Scene(monkeypatch, verbose=verbose)
    made = progress_line_of(cast(pytest.Config, scene.config), scene.progress)
    assert (made is not None) is is_shown


def test_without_a_terminal_plugin_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    scene.config.pluginmanager = SimpleNamespace(getplugin=dict[str, object]().get)
    assert progress_line_of(cast(pytest.Config, scene.config), scene.progress) is None
