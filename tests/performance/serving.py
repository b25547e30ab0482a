"""Starts the scripted endpoint beside us and reads what it counted."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

from load import N_CALLS, Load

_SCRIPT = Path(__file__).with_name("scripted_server.py")
_PATIENCE_S = 20.0


class MeasurementError(Exception):
    """Something was lost, made twice or wrong: what was measured is no figure. str() is one line."""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What the endpoint counted.

    `first_at` and `last_at` are seconds of the machine's monotonic clock: the first request was there, the
    last reply was written. `n_strange` are requests of no known task or turn. `worst_delay_s` is how late the
    endpoint itself was at worst. `cpu_s` is what it spent. `request_bytes` is the mean of a whole request.
    """

    n_requests: int
    n_repeated: int
    n_missing: int
    n_strange: int
    fewest_calls: int
    most_calls: int
    most_in_flight: int
    n_connections: int
    request_bytes: int
    first_at: float | None
    last_at: float
    worst_delay_s: float
    cpu_s: float = 0.0

    def check(self, load: Load) -> None:
        """Hold that each task made its calls, each once, and never more at once than were allowed.

        Raises:
            MeasurementError: It was otherwise.
        """
        expected = load.n_tasks * N_CALLS
        if self.n_strange or self.n_repeated or self.n_requests != expected:
            raise MeasurementError(
                f"{expected} requests were expected, {N_CALLS} of each task, but {self.n_requests} came "
                f"({self.fewest_calls} to {self.most_calls} of a task): {self.n_repeated} repeated, "
                f"{self.n_missing} missing, {self.n_strange} strange"
            )
        if self.most_in_flight > load.in_flight:
            raise MeasurementError(
                f"{self.most_in_flight} requests were in flight at once, but {load.in_flight} attempts were "
                "allowed"
            )


class Served:
    """A running endpoint."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        self._process = process
        self.port = int(process.stdout.readline())

    def tally(self) -> Tally:
        """End the endpoint; what it counted."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        counted = json.loads(self._process.stdout.read())
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        known = {field.name: counted[field.name] for field in fields(Tally) if field.name in counted}
        return Tally(**known, cpu_s=usage.ru_utime + usage.ru_stime)


@contextmanager
def serving(load: Load) -> Generator[Served]:
    """The endpoint for one measurement; it is gone when the block ends."""
    process = subprocess.Popen(
        [sys.executable, str(_SCRIPT), json.dumps(load.to_json())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Served(process)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(_PATIENCE_S)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
