"""How many attempts each process of a session may have in flight."""

import pytest

from benchmarks.run import n_workers_of

_DEFAULT_CONCURRENCY = 16


def check_concurrency(config: pytest.Config, wanted: int | None) -> None:
    """Refuse what cannot be shared out; `wanted` is `task_concurrency`, ``None`` if not given.

    Raises:
        pytest.UsageError: Fewer attempts than workers, or a scheduler that runs each item on each worker.
    """
    n_workers = n_workers_of(config)
    if wanted is not None and wanted < n_workers:
        raise pytest.UsageError(
            f"task_concurrency is {wanted}, but -n starts {n_workers} workers with at least one attempt "
            f"each; start at most -n {wanted}, or raise --task-concurrency"
        )
    if n_workers and config.getoption("dist") == "each":
        raise pytest.UsageError(
            "--dist each would make every attempt once on each worker; use --dist load, the default of -n"
        )


def share_of(config: pytest.Config, wanted: int | None, *, worker: int | None = None) -> int:
    """The share of one process, at least 1 (asked in the controller).

    Args:
        config: The controller's.
        wanted: `task_concurrency`, ``None`` if not given: 16, or one for each worker.
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
    share, n_left_over = divmod(wanted or n_workers, n_workers)
    return share + int(worker is not None and worker < n_left_over)
