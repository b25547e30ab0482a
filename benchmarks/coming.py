"""Which items come next in this process: what the examiner may start ahead."""

from itertools import takewhile
from typing import Any

import pytest

from benchmarks.run import run_key

place_key = pytest.StashKey[int]()
"""An item's place in the session's list, from 0."""
_LOOK_AGAIN_S = 0.05
"""How soon an item that waits for its model looks for others that were dealt to its worker meanwhile."""


class Coming:
    """Hands out the items that this process will run next, each once, in pytest's order.

    Without xdist these are the items behind the one at hand. An xdist worker looks into its own queue; where
    that cannot be seen, there are none.

    Args:
        config: Of this process.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._is_worker = hasattr(config, "workerinput")
        self._queue = _queue_of(config) if self._is_worker else None
        self._furthest = -1

    @property
    def look_again_s(self) -> float | None:
        """Seconds after which more items may follow than before; ``None`` where their number is settled.

        A worker's queue arrives in several messages, and the items of a dead worker come later still.
        """
        return None if self._queue is None else _LOOK_AGAIN_S

    def after(self, item: pytest.Item, *, at_most: int) -> list[pytest.Item]:
        """Up to `at_most` items of the same run that follow `item` without a gap and were not handed out."""
        if at_most < 1:
            return []
        items, run = item.session.items, item.stash[run_key]
        places = self._waiting() if self._is_worker else self._behind(item)
        ahead = [items[place] for place in places[:at_most]]
        taken = list(takewhile(lambda other: other.stash.get(run_key, None) is run, ahead))
        if taken:
            self._furthest = places[len(taken) - 1]
        return [other for other in taken if not _is_never_run(other)]

    def _behind(self, item: pytest.Item) -> range:
        return range(max(self._furthest, item.stash[place_key]) + 1, len(item.session.items))

    def _waiting(self) -> list[int]:
        """Places in this worker's queue behind the last one handed out. The queue only grows at its end."""
        if self._queue is None:
            return []
        with self._queue.torun.lock() as queued:
            places = [self._queue.nextitem_index, *queued]
        fresh: list[int] = []
        for place in reversed(places):
            if place == self._furthest:
                break
            if isinstance(place, int):  # xdist's mark of the end is none
                fresh.append(place)
        return fresh[::-1]


def _is_never_run(item: pytest.Item) -> bool:
    """Whether a mark of the user's keeps pytest from running it, for certain."""
    expected = item.get_closest_marker("xfail")
    return item.get_closest_marker("skip") is not None or (
        expected is not None and expected.kwargs.get("run") is False
    )


def _queue_of(config: pytest.Config) -> Any:
    # xdist has no public view of a worker's queue (3.8: WorkerInteractor.torun and nextitem_index in
    # xdist/remote.py), so it is looked for and done without when it is not there.
    for plugin in config.pluginmanager.get_plugins():
        if hasattr(plugin, "nextitem_index") and hasattr(getattr(plugin, "torun", None), "lock"):
            return plugin
    return None
