"""Which items come next: each is handed out once, in pytest's order, of one run and of this process."""

from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import pytest

from benchmarks.coming import Coming, place_key
from benchmarks.run import Run, run_key

ONE, OTHER = cast("Run", object()), cast("Run", object())


class Item:
    def __init__(self, session: "Session", place: int, run: Run | None) -> None:
        self.session = session
        self.place = place
        self.stash = pytest.Stash()
        self.stash[place_key] = place
        if run is not None:
            self.stash[run_key] = run
        self.marks: dict[str, pytest.Mark] = {}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)


class Session:
    def __init__(self, runs: Sequence[Run | None]) -> None:
        self.items = [Item(self, place, run) for place, run in enumerate(runs)]


class Queue:
    """A worker's, as xdist has it: one item is known beforehand, the others wait."""

    def __init__(self, following: object, *waiting: object) -> None:
        self.nextitem_index = following
        self.torun = self
        self.waiting = deque(waiting)

    @contextmanager
    def lock(self) -> Generator[deque[object]]:
        yield self.waiting


class Config:
    def __init__(self, *plugins: object, is_worker: bool = False) -> None:
        self.pluginmanager = self
        self._plugins = plugins
        if is_worker:
            self.workerinput: dict[str, Any] = {}

    def get_plugins(self) -> Sequence[object]:
        return self._plugins


def coming(*plugins: object, is_worker: bool = False) -> Coming:
    return Coming(cast("pytest.Config", Config(*plugins, is_worker=is_worker)))


def after(ahead: Coming, session: Session, place: int, *, at_most: int) -> list[int]:
    items = ahead.after(cast("pytest.Item", session.items[place]), at_most=at_most)
    return [cast("Item", item).place for item in items]


def test_without_workers_the_items_behind_come_each_once() -> None:
    session, ahead = Session([ONE] * 8), coming()
    assert after(ahead, session, 0, at_most=3) == [1, 2, 3]
    assert after(ahead, session, 1, at_most=2) == [4, 5]
    assert after(ahead, session, 2, at_most=9) == [6, 7]
    assert after(ahead, session, 3, at_most=9) == []


def test_items_of_another_run_are_left_to_it() -> None:
    session, ahead = Session([ONE, ONE, OTHER, OTHER, None, OTHER]), coming()
    assert after(ahead, session, 0, at_most=9) == [1]
    assert after(ahead, session, 1, at_most=9) == []
    assert after(ahead, session, 2, at_most=9) == [3]
    assert after(ahead, session, 5, at_most=9) == []


def test_an_item_that_a_mark_keeps_from_running_is_not_made_ahead() -> None:
    session, ahead = Session([ONE] * 6), coming()
    session.items[1].marks["skip"] = pytest.mark.skip.mark
    session.items[2].marks["xfail"] = pytest.mark.xfail(run=False).mark
    session.items[3].marks["xfail"] = pytest.mark.xfail.mark
    assert after(ahead, session, 0, at_most=9) == [3, 4, 5]
    assert after(ahead, session, 0, at_most=9) == []


def test_a_worker_sees_its_own_queue_alone() -> None:
    session, queue = Session([ONE] * 20), Queue(4, 6, 8)
    ahead = coming(object(), queue, is_worker=True)
    assert after(ahead, session, 2, at_most=9) == [4, 6, 8]
    queue.nextitem_index = queue.waiting.popleft()
    queue.waiting.extend([10, 12])
    assert after(ahead, session, 4, at_most=1) == [10]
    assert after(ahead, session, 4, at_most=9) == [12]


def test_the_end_of_a_queue_is_no_item() -> None:
    session, end = Session([ONE] * 5), object()
    assert after(coming(Queue(1, 2, end), is_worker=True), session, 0, at_most=9) == [1, 2]
    assert after(coming(Queue(end), is_worker=True), session, 0, at_most=9) == []


def test_a_worker_whose_queue_cannot_be_seen_looks_ahead_nowhere() -> None:
    assert after(coming(object(), is_worker=True), Session([ONE] * 5), 0, at_most=9) == []


def test_no_room_hands_out_nothing() -> None:
    session, ahead = Session([ONE] * 5), coming()
    assert after(ahead, session, 0, at_most=0) == []
    assert after(ahead, session, 0, at_most=1) == [1]
