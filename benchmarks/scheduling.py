"""How items are dealt to xdist's workers, so that each can look ahead (controller)."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.results.files import write_whole
from benchmarks.run import Session, n_workers_of, session_key
from benchmarks.shares import share_of_node

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import Scheduling


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "Scheduling | None":
    """Deal a benchmark's items ourselves under `--dist load`; every other way is xdist's own."""
    session = config.stash.get(session_key, None)
    if session is None or config.getoption("dist") != "load":
        return None
    from benchmarks.ahead_scheduling import AheadScheduling

    wanted = session.configuration.execution.task_concurrency
    return AheadScheduling(config, log, share_of=lambda node: share_of_node(node, wanted))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Watch over the workers of a session that has some."""
    session = config.stash.get(session_key, None)
    if session is not None and not hasattr(config, "workerinput") and n_workers_of(config):
        config.pluginmanager.register(_Watch(config, session), "benchmarks-watch")


class _Watch:
    """Tells all workers what only the controller knows: that the session stops, and which of them died."""

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._session = session
        self._max_failures: int = config.option.maxfail
        self._n_failures = 0
        self._dead: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Stop every worker at `--maxfail`: xdist lets each of them run its queue to the end."""
        self._n_failures += report.failed
        if self._max_failures and self._n_failures >= self._max_failures:
            self._session.stop_mark.set(f"stopping after {self._n_failures} failures")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Let the others know of a dead worker before they get its items (`benchmarks/made_before.py`)."""
        if not error:
            return
        self._dead.append(str(node.gateway.id))
        for run in self._session.runs.values():
            with suppress(OSError):  # a full disk may be what it died of; then its attempts are made again
                write_whole(run.files.dead, "".join(f"{name}\n" for name in self._dead))
