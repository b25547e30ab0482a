"""Which items come next in this process: what the examiner may start ahead."""

from collections.abc import Iterator

import pytest

place_key = pytest.StashKey[int]()
"""An item's place in the session's list, from 0."""


def coming_items(item: pytest.Item, *, at_most: int) -> Iterator[pytest.Item]:
    """This item, then at most `at_most` items that this process will run after it, in order.

    Without xdist these are the items behind it. An xdist worker looks into its own queue; where that cannot
    be seen, only the item itself.
    """
    yield item
    if at_most < 1:
        return
    if hasattr(item.config, "workerinput"):
        ahead = _queued(item)
    else:
        place = item.stash[place_key]
        ahead = item.session.items[place + 1 : place + 1 + at_most]
    yield from ahead[:at_most]


def _queued(item: pytest.Item) -> list[pytest.Item]:
    # xdist has no public view of a worker's queue (3.8: WorkerInteractor.torun and nextitem_index in
    # xdist/remote.py), so it is looked for and done without when it is not there.
    for plugin in item.config.pluginmanager.get_plugins():
        queue, following = getattr(plugin, "torun", None), getattr(plugin, "nextitem_index", None)
        if queue is not None and hasattr(queue, "lock"):
            with queue.lock() as indices:
                waiting = [following, *indices]
            return [item.session.items[index] for index in waiting if isinstance(index, int)]
    return []
