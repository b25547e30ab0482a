"""Watches one process and all it starts: time, CPU and memory."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from serving import MeasurementError

_LOOK_EVERY_S = 0.05


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What a process took from its start to its end.

    `started_at` is a moment of the machine's monotonic clock. `cpu_s` counts the process and its descendants,
    user and system. `largest_rss_bytes` is the peak of the largest single process, as the kernel keeps it.
    `tree_rss_bytes` and `tree_pss_bytes` are peaks of the sum over all processes, looked at every 50 ms:
    RSS counts shared pages in each process, PSS once.
    """

    exit_code: int
    started_at: float
    wall_s: float
    cpu_s: float
    largest_rss_bytes: int
    tree_rss_bytes: int
    tree_pss_bytes: int


def watch(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str], output: Path, patience_s: float
) -> Spent:
    """Run `command` to its end, its output in a file.

    Raises:
        MeasurementError: It did not end in `patience_s` seconds; it was killed.
    """
    with output.open("wb") as file:
        started_at = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        return _watched(process, started_at, patience_s)
    except BaseException:
        _kill_group(process)
        raise


def _watched(process: "subprocess.Popen[bytes]", started_at: float, patience_s: float) -> Spent:
    rss_bytes = pss_bytes = 0
    handle = os.pidfd_open(process.pid)
    try:
        ended = select.poll()
        ended.register(handle, select.POLLIN)
        while not ended.poll(_LOOK_EVERY_S * 1000):
            if time.monotonic() - started_at > patience_s:
                raise MeasurementError(f"not ended after {patience_s:g} s; killed")
            rss, pss = _memory_bytes(tree_of(process.pid))
            rss_bytes, pss_bytes = max(rss_bytes, rss), max(pss_bytes, pss)
        wall_s = time.monotonic() - started_at
    finally:
        os.close(handle)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Spent(
        exit_code=process.returncode,
        started_at=started_at,
        wall_s=wall_s,
        cpu_s=usage.ru_utime + usage.ru_stime,
        largest_rss_bytes=usage.ru_maxrss * 1024,
        tree_rss_bytes=rss_bytes,
        tree_pss_bytes=pss_bytes,
    )


def tree_of(pid: int) -> list[int]:
    """A process and its descendants, as far as they live."""
    found = [pid]
    for parent in found:
        for file in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += map(int, file.read_text().split())
            except OSError:
                continue  # it ended meanwhile
    return found


def _memory_bytes(pids: Sequence[int]) -> tuple[int, int]:
    """Sums of RSS and PSS."""
    rss = pss = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue  # it ended meanwhile
        values = dict(line.split(":", 1) for line in lines[1:])
        rss += _from_kilobytes(values["Rss"])
        pss += _from_kilobytes(values["Pss"])
    return rss, pss


def _from_kilobytes(text: str) -> int:
    return int(text.split(maxsplit=1)[0]) * 1024


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    """End what we started and what that started: it leads a session of its own."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
