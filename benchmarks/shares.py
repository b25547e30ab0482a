"""How many attempts each process of a session may have in flight."""

import os
from typing import Any

import pytest

from benchmarks.catalogue import BENCHMARKS
from benchmarks.paths import benchmarks_on
from benchmarks.run import n_workers_of

WINDOW = 16
"""Times its share that a process may have started: attempts behind the slowest need somewhere to go.

With 64 in flight, 1,000 tasks of log-normal length (sigma 1) take 110 s at once the share, 43 s at four times
it, 31 s at eight, and 29.8 s at sixteen, which is all that the models need.
"""
_DEFAULT_CONCURRENCY = 16
_MOST_AUTO_WORKERS = 4
"""`-n auto` starts no more: one process only waits for models, and keeps hundreds of attempts in flight."""

_auto_key = pytest.StashKey[bool]()
"""True where the number of workers was left to us (`-n auto`)."""


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """A few processes where a benchmark is asked for, xdist's own number elsewhere (controller)."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    if not benchmarks_on(config.args, names=BENCHMARKS, invoked_in=config.invocation_params.dir):
        return None
    config.stash[_auto_key] = True
    wanted = config.getoption("task_concurrency", default=None)
    return min(_n_cores(), _MOST_AUTO_WORKERS, wanted if isinstance(wanted, int) and wanted > 0 else 999)


def _n_cores() -> int:
    """The cores this process may use: a container may have fewer than its machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_concurrency(config: pytest.Config, wanted: int | None) -> None:
    """Refuse what cannot be shared out; `wanted` is `task_concurrency`, ``None`` if not given.

    Raises:
        pytest.UsageError: Fewer attempts than workers, a scheduler that runs each item on each worker or that
            cannot look ahead as far as asked for, or a plugin that runs items again.
    """
    if config.getoption("reruns", default=None):
        raise pytest.UsageError(
            "--reruns would make an attempt again that has its outcome; leave it out: a failed request is "
            "sent again by itself (max_retry), and a wrong answer counts"
        )
    n_workers = n_workers_of(config)
    if wanted is not None and wanted < n_workers:
        raise pytest.UsageError(
            f"task_concurrency is {wanted}, but -n starts {n_workers} workers with at least one attempt "
            f"each; start at most -n {wanted}, or raise --task-concurrency"
        )
    dist = config.getoption("dist", "no")
    if n_workers and dist == "each":
        raise pytest.UsageError(
            "--dist each would make every attempt once on each worker; use --dist load, the default of -n"
        )
    if n_workers and dist != "load" and wanted is not None and wanted > n_workers:
        raise pytest.UsageError(
            f"task_concurrency is {wanted}, but under --dist {dist} each of the {n_workers} workers makes "
            "one attempt at a time; use --dist load, the default of -n, or leave task_concurrency out"
        )


def share_of(config: pytest.Config, wanted: int | None, *, worker: int | None = None) -> int:
    """The share of one process, at least 1 (asked in the controller).

    Args:
        config: The controller's.
        wanted: `task_concurrency`, ``None`` if not given: 16, or one for each worker of `-n W`.
        worker: The worker's number from 0, ``None`` for the controller. A remainder goes to the first
            workers; one that replaces a dead worker has a higher number and gets none of it.
    """
    n_workers = n_workers_of(config)
    if not n_workers:
        return wanted or _DEFAULT_CONCURRENCY
    # Only `load` never takes an item back from a worker: under the others an attempt that was started ahead
    # could be started again elsewhere, and paid for twice.
    if config.getoption("dist") != "load":
        return 1
    in_all = wanted or (_DEFAULT_CONCURRENCY if config.stash.get(_auto_key, False) else n_workers)
    share, n_left_over = divmod(max(in_all, n_workers), n_workers)
    return share + int(worker is not None and worker < n_left_over)


def share_of_node(node: Any, wanted: int | None) -> int:
    """The share of an xdist worker, as the controller sees it: a `WorkerController`."""
    number = str(node.gateway.id).removeprefix("gw")
    return share_of(node.config, wanted, worker=int(number) if number.isdigit() else None)
