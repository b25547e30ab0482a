"""Workers elsewhere: xdist workers that do not see the controller's disk, and how they hear of a stop.

A worker on this machine reads the task file and looks at the stop mark in the run directory. One that was
started over ssh or a socket is handed the tasks, keeps its own files in a scratch folder
(`benchmarks/handover.py`) and is told over xdist's channel. Records travel on reports either way.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, cast

import pytest

from benchmarks.run import Session
from benchmarks.stop_mark import StopMark

_STOP = "agent_benchmarks_stop"
"""The command that carries the stop line; a worker of xdist's own passes over commands it does not know."""
_MESSENGER = "benchmarks-messenger"


def sees_our_disk(spec: Any) -> bool:
    """Whether a worker started by this `execnet.XSpec` (`--tx`) runs on this machine: `popen`, not `via`."""
    return bool(spec.popen) and not spec.via


def watch_over(node: Any, session: Session) -> None:
    """Tell a worker elsewhere when the session stops (controller, once for each such worker)."""
    manager = node.config.pluginmanager
    if not manager.hasplugin(_MESSENGER):
        manager.register(_Messenger(session.stop_mark), _MESSENGER)
    manager.getplugin(_MESSENGER).nodes.append(node)


def listen(config: pytest.Config, session: Session) -> None:
    """Let this worker hear what `watch_over` tells it (worker elsewhere)."""
    config.pluginmanager.register(_Listener(session.stop_mark), "benchmarks-listener")


class _Messenger:
    """Carries the line that stops the session between the stop mark and the workers elsewhere."""

    def __init__(self, stop_mark: StopMark) -> None:
        self.nodes: list[Any] = []
        self._stop_mark = stop_mark

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self) -> None:
        """Tell them after the report that ends the session (`-x`), or once a worker here has set the mark."""
        self._tell()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over the line that a worker elsewhere stopped with, e.g. a key that was refused."""
        line = getattr(node, "workeroutput", {}).get("shouldstop")
        if line and not sees_our_disk(node.gateway.spec):
            self._stop_mark.set(str(line))
        self._tell()

    def _tell(self) -> None:
        line = self._stop_mark.line() if self.nodes else None
        if line is None:
            return
        told, self.nodes = self.nodes, []
        for node in told:
            with suppress(OSError):  # it has ended by itself
                node.sendcommand(_STOP, line=line)


class _Listener:
    """Sets the stop mark of a worker elsewhere when the controller says so."""

    def __init__(self, stop_mark: StopMark) -> None:
        self._stop_mark = stop_mark

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Hear commands before xdist does; it begins to take them once its own loop begins."""
        # xdist has no hook for a command (3.8: WorkerInteractor.handle_command in xdist/remote.py); where it
        # looks otherwise one day, a stop of the controller's comes when the channel is closed.
        for plugin in session.config.pluginmanager.get_plugins():
            if hasattr(plugin, "torun") and callable(getattr(plugin, "handle_command", None)):
                plugin.handle_command = self._hearing(plugin.handle_command)

    def _hearing(self, handle: Callable[[Any], None]) -> Callable[[Any], None]:
        def hear(command: Any) -> None:
            if isinstance(command, tuple):  # xdist's mark of the end is none
                name, told = cast("tuple[str, Mapping[str, Any]]", command)
                if name == _STOP:
                    self._stop_mark.set(str(told["line"]))
                    return
            handle(command)

        return hear
