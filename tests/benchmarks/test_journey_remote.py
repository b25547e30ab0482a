"""A worker elsewhere: over a socket, from another folder, without a look at the controller's disk."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from journey import ROOT, Ended, Suite

SERVER = """
import os
from execnet.gateway_base import get_execmodel
from execnet.script import socketserver
socketserver.execmodel = get_execmodel("thread")
server = socketserver.bind_and_listen("127.0.0.1:0", socketserver.execmodel)
print(server.getsockname()[1], flush=True)
os.dup2(2, 1)
socketserver.startserver(server)
"""
"""execnet's own socket server on a free port, which is its first line; it ends with the one who connects."""


@contextmanager
def host(folder: Path) -> Generator[str]:
    """A process in `folder` that becomes a worker for whoever connects; what `--tx` calls it."""
    (folder / "tmp").mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    with (
        (folder / "output.txt").open("w") as output,
        subprocess.Popen(
            [sys.executable, "-c", SERVER],
            cwd=folder,
            env={**kept, "TMPDIR": str(folder / "tmp")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        ) as server,
    ):
        try:
            assert server.stdout is not None
            yield f"socket=127.0.0.1:{int(server.stdout.readline())}"
            server.wait(timeout=60)
        finally:
            server.kill()


def test_a_worker_elsewhere_and_one_here_leave_the_metrics_of_one_process(
    suite: Suite, tmp_path: Path
) -> None:
    suite.add_right("r-1", "r-2", level=1)
    suite.add_wrong("w-1", level=2)
    suite.add("e-1", answer=500, level=3)
    one = suite.run("--results-dir=one")
    with host(tmp_path / "host") as elsewhere:
        two = suite.run(
            "--results-dir=two",
            "--dist=load",
            "--tx=popen",
            f"--tx={elsewhere}",
            "--max-worker-restart=0",
            f"--rsyncdir={ROOT}",
            "--rsyncignore=tests",
        )
    here, there = (Ended(ran.code, ran.out, tmp_path / name) for ran, name in ((one, "one"), (two, "two")))
    assert two.code == 1, two.out
    assert there.stable_metrics == here.stable_metrics
    spools = list((there.run / "details" / "_spool").iterdir())
    assert [spool.name for spool in spools] == ["gw0.jsonl"], "the worker elsewhere keeps its spool to itself"
    assert len(spools[0].read_text().splitlines()) < 4, "it made some of the attempts"
    for task_id in ("w-1", "e-1"):
        assert f"record: {there.run / 'details' / task_id}.json" in two.out
    assert list((tmp_path / "host" / "tmp").iterdir()) == []
