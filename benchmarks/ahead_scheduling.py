"""Deals items so that every worker has enough to look ahead into, and none more than is fair at the end."""

from collections.abc import Callable
from contextlib import suppress
from math import ceil
from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScheduling

from benchmarks.shares import WINDOW

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

_FEWEST = 2
"""xdist's worker runs an item only when it knows the one after it, or that there is none."""


class AheadScheduling(LoadScheduling):  # type: ignore[misc]  # xdist is no typed package to mypy
    """xdist's `load`, with each worker's queue as deep as its share of the attempts in flight asks for.

    An item is never taken back from a worker that lives. Those of a dead one go to the others; its first
    pending item is the one xdist calls crashed.

    Args:
        config: The controller's.
        log: xdist's own log.
        share_of: How many attempts a worker may have in flight, at least 1.
    """

    def __init__(
        self, config: pytest.Config, log: "Producer", *, share_of: "Callable[[WorkerController], int]"
    ) -> None:
        super().__init__(config, log)
        self._share_of = share_of
        # What xdist itself deals at the start and after a crash; the rest of a queue is filled up below.
        self.maxschedchunk = _FEWEST

    def schedule(self) -> None:
        """Deal the first items to every worker, once all of them have collected the same."""
        super().schedule()
        for node in self.nodes:
            self.check_schedule(node)

    def check_schedule(self, node: "WorkerController", duration: float = 0) -> None:  # noqa: ARG002 - xdist's
        """Fill up the queue of a worker; tell one with a single item that none follows."""
        if node.shutting_down or self.collection is None or node not in self.node2collection:
            return
        queued = self.node2pending[node]
        if not self.pending:
            # Not before its last item: until then it can take over what a dead worker leaves.
            if len(queued) < _FEWEST:
                node.shutdown()
            return
        wanted = self._depth(node)
        if len(queued) < _FEWEST or len(queued) <= wanted * 3 // 4:
            self._deal(node, wanted - len(queued))

    def _depth(self, node: "WorkerController") -> int:
        """How many items `node` may have queued: its examiner's window, at most its part of what is left.

        Dealing less, and the rest to whoever is first, looks fairer and is slower: the attempts behind a slow
        one run out (1,000 tasks of log-normal length, 64 in flight, two workers: 43 s against 29 s).
        """
        share = self._share_of(node)
        if share == 1:
            return _FEWEST
        n_left = len(self.pending) + sum(map(len, self.node2pending.values()))
        fair = ceil(n_left / len(self.node2pending))
        return max(_FEWEST, min(WINDOW * share, fair))

    def _deal(self, node: "WorkerController", n_items: int) -> None:
        places = self.pending[:n_items]
        del self.pending[:n_items]
        self.node2pending[node].extend(places)
        # A worker that died a moment ago is not known to be dead yet: its items come back when it is.
        with suppress(OSError):
            node.send_runtest_some(places)
