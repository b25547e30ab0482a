"""Workers elsewhere: what they are handed, what they keep to themselves, and how a stop reaches them."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from examiner_scene import ToldHarness, attempt_with, made_run, made_tasks, one_record

from benchmarks.configuration.execution import Execution
from benchmarks.configuration.model import Configuration, Gates, Placement
from benchmarks.elsewhere import listen, sees_our_disk, watch_over
from benchmarks.handover import pack, unpack
from benchmarks.plan import write_plan
from benchmarks.results.record import Outcome
from benchmarks.run import Session, stop_mark_of

SOCKET = "socket=127.0.0.1:1"


def spec(text: str) -> Any:
    from execnet.xspec import XSpec

    return XSpec(text)


@pytest.mark.parametrize(
    ("text", "sees"),
    [
        ("popen", True),
        ("popen//python=python3", True),
        ("popen//chdir=somewhere", True),
        ("popen//via=gw9", False),
        ("ssh=host//python=python3", False),
        ("socket=127.0.0.1:8888", False),
        ("vagrant_ssh=box", False),
    ],
)
def test_only_a_process_started_here_sees_our_disk(text: str, sees: bool) -> None:
    assert sees_our_disk(spec(text)) is sees


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A controller's session of one run over two tasks."""
    run = replace(made_run(made_tasks(2)), directory=tmp_path / "run")
    write_plan(run.files.plan, run.tasks)
    configuration = Configuration(
        model=None,
        choices={"gaia": run.choice},
        execution=Execution(),
        placement=Placement(),
        gates=Gates(),
    )
    runs = {"gaia": run}
    return Session(
        configuration=configuration,
        runs=runs,
        stop_mark=stop_mark_of(runs),
        show_ground_truth=False,
        demo=False,
    )


def handed(session: Session, closing: ExitStack, *, sees_disk: bool) -> Session:
    return unpack(pack(session, share=2, process="gw1", sees_disk=sees_disk), closing)


@pytest.mark.parametrize("sees_disk", [True, False], ids=["here", "elsewhere"])
def test_a_worker_has_the_tasks_of_the_controller(session: Session, sees_disk: bool) -> None:
    with ExitStack() as closing:
        worker = handed(session, closing, sees_disk=sees_disk)
        assert worker.runs["gaia"].tasks == session.runs["gaia"].tasks
        assert (worker.share, worker.process) == (2, "gw1")


def test_a_worker_here_reads_the_tasks_from_the_task_file(session: Session) -> None:
    session.runs["gaia"].files.plan.unlink()
    with ExitStack() as closing, pytest.raises(FileNotFoundError):
        handed(session, closing, sees_disk=True)
    with ExitStack() as closing:
        assert len(handed(session, closing, sees_disk=False).runs["gaia"].tasks) == 2


def test_a_worker_elsewhere_writes_into_a_folder_of_its_own_that_is_removed(session: Session) -> None:
    with ExitStack() as closing:
        run = handed(session, closing, sees_disk=False).runs["gaia"]
        assert run.scratch is not None and run.scratch.is_dir()
        assert run.files.spool("gw1").is_relative_to(run.scratch)
    assert not run.scratch.exists()


def test_a_worker_elsewhere_tells_of_details_where_the_user_finds_them(session: Session) -> None:
    here = session.runs["gaia"]
    with ExitStack() as closing:
        there = handed(session, closing, sees_disk=False).runs["gaia"]
        assert there.detail_path("t-0") == here.detail_path("t-0") == here.files.detail("t-0")


def test_the_stop_mark_of_a_worker_elsewhere_is_its_own(session: Session) -> None:
    with ExitStack() as closing:
        here, there = (handed(session, closing, sees_disk=sees) for sees in (True, False))
        session.stop_mark.set("interrupted")
        assert here.stop_mark.line() == "interrupted"
        assert there.stop_mark.line() is None
        there.stop_mark.set("a key was refused")
        assert there.stop_mark.line() == "a key was refused"


class Node:
    """A worker as the controller sees it, of which only what is sent is kept."""

    def __init__(
        self, config: pytest.Config, *, spec_text: str = "socket=127.0.0.1:1", is_gone: bool = False
    ) -> None:
        self.config = config
        self.gateway = SimpleNamespace(spec=spec(spec_text))
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.is_gone = is_gone

    def sendcommand(self, name: str, **told: Any) -> None:
        if self.is_gone:
            raise OSError("cannot send (already closed?)")
        self.sent.append((name, told))


@pytest.fixture
def config() -> Any:
    """A configuration that only has plugins."""
    manager = pytest.PytestPluginManager()
    return SimpleNamespace(pluginmanager=manager, hook=manager.hook)


def report(config: Any) -> None:
    config.hook.pytest_runtest_logreport(report=SimpleNamespace())


def test_workers_elsewhere_are_told_once_that_the_session_stops(session: Session, config: Any) -> None:
    one, gone, two = Node(config), Node(config, is_gone=True), Node(config)
    for node in (one, gone, two):
        watch_over(node, session)
    report(config)
    assert one.sent == two.sent == []
    session.stop_mark.set("stopping after 1 failures")
    report(config)
    report(config)
    told = [("agent_benchmarks_stop", {"line": "stopping after 1 failures"})]
    assert one.sent == two.sent == told


@pytest.mark.parametrize(
    ("spec_text", "output", "line"),
    [
        pytest.param(
            "socket=127.0.0.1:1", {"shouldstop": "a key was refused"}, "a key was refused", id="line"
        ),
        pytest.param(SOCKET, {"shouldstop": False}, None, id="it ran through"),
        pytest.param(SOCKET, None, None, id="it died"),
        pytest.param("popen", {"shouldstop": "a line"}, None, id="here, where it sets the mark itself"),
    ],
)
def test_the_line_that_a_worker_elsewhere_stopped_with_stops_the_session(
    session: Session, config: Any, spec_text: str, output: dict[str, Any] | None, line: str | None
) -> None:
    ended, other = Node(config, spec_text=spec_text), Node(config)
    watch_over(other, session)
    (messenger,) = (plugin for plugin in config.pluginmanager.get_plugins() if hasattr(plugin, "nodes"))
    if output is not None:
        ended.workeroutput = output  # type: ignore[attr-defined]  # as xdist puts it there
    messenger.pytest_testnodedown(ended)
    assert session.stop_mark.line() == line
    assert bool(other.sent) is (line is not None)


class Interactor:
    """What of xdist's side of a worker is looked at."""

    torun = ()

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def handle_command(self, command: Any) -> None:
        self.heard.append(command)


def listening(session: Session, config: Any) -> tuple[Interactor, Callable[[Any], None]]:
    interactor = Interactor()
    config.pluginmanager.register(interactor)
    config.pluginmanager.register(object())
    listen(config, session)
    (listener,) = (p for p in config.pluginmanager.get_plugins() if hasattr(p, "pytest_runtestloop"))
    listener.pytest_runtestloop(SimpleNamespace(config=config))
    return interactor, interactor.handle_command


def test_a_worker_elsewhere_sets_its_mark_when_it_is_told(session: Session, config: Any) -> None:
    interactor, handle = listening(session, config)
    handle(("agent_benchmarks_stop", {"line": "stopping after 1 failures"}))
    assert session.stop_mark.line() == "stopping after 1 failures"
    assert interactor.heard == []


def test_every_other_command_is_xdist_s_own(session: Session, config: Any) -> None:
    interactor, handle = listening(session, config)
    end = object()
    handle(("runtests", {"indices": [1]}))
    handle(end)
    assert interactor.heard == [("runtests", {"indices": [1]}), end]
    assert session.stop_mark.line() is None


def test_an_attachment_that_is_not_on_the_worker_s_machine_is_a_run_error_with_the_remedy(
    tmp_path: Path,
) -> None:
    tasks = made_tasks(1, attachments=("/nowhere/else/table.xlsx",))
    harness = ToldHarness(lambda _: attempt_with("stone 0"))
    record = asyncio.run(one_record(tmp_path, harness, tasks=tasks))
    assert record.outcome is Outcome.RUN_ERROR
    assert record.cause == (
        "the attachment 'table.xlsx' cannot be read (No such file or directory); it must lie at the same "
        "path on every machine that has a worker"
    )
