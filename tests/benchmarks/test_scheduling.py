"""How items are dealt to workers: deep enough to look ahead into, fair at the end, none twice, none lost."""

import random
from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from xdist.remote import Producer

from benchmarks.ahead_scheduling import AheadScheduling


class Worker:
    """A worker that runs its queue in order; it needs the next item, or to know that there is none."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.gateway = SimpleNamespace(id=f"gw{number}")
        self.queue: list[int] = []
        self.is_told_the_end = False
        self.messages = 0

    @property
    def shutting_down(self) -> bool:
        return self.is_told_the_end

    def send_runtest_some(self, indices: Sequence[int]) -> None:
        self.messages += 1
        self.queue.extend(indices)

    def shutdown(self) -> None:
        self.is_told_the_end = True

    @property
    def can_run(self) -> bool:
        return len(self.queue) > 1 or (len(self.queue) == 1 and self.is_told_the_end)


class Dealt:
    """A scheduler with workers of given shares that have all collected `n_items`."""

    def __init__(self, n_items: int, shares: Sequence[int]) -> None:
        options = {"maxschedchunk": None, "tx": ["popen"] * len(shares), "dist": "load"}

        def option(name: str, default: Any = None) -> Any:
            return options.get(name, default)

        config = cast("pytest.Config", SimpleNamespace(getoption=option, getvalue=option))
        self.shares = list(shares)
        self.ids = [f"i{n}" for n in range(n_items)]
        self.ran: Counter[int] = Counter()
        self.workers = [Worker(number) for number in range(len(shares))]
        self.scheduler = AheadScheduling(
            config,
            Producer("test", enabled=False),
            share_of=self._share_of,
        )
        for worker in self.workers:
            self.add(worker)
        self.scheduler.schedule()

    def _share_of(self, node: Any) -> int:
        number: int = node.number
        return self.shares[number]

    def add(self, worker: Worker) -> None:
        self.scheduler.add_node(cast("Any", worker))
        self.scheduler.add_node_collection(cast("Any", worker), self.ids)

    def run_one(self, worker: Worker) -> None:
        place = worker.queue.pop(0)
        self.ran[place] += 1
        self.scheduler.mark_test_complete(cast("Any", worker), place)
        if self.scheduler.tests_finished:
            for each in self.scheduler.nodes:
                each.shutdown()

    def run_all(self, pick: random.Random) -> None:
        while runnable := [worker for worker in self.workers if worker.can_run]:
            self.run_one(pick.choice(runnable))

    def lose(self, worker: Worker) -> None:
        """The worker is gone, and xdist does not know it yet."""

        def broken(indices: Sequence[int]) -> None:
            raise OSError(f"cannot send {indices}")

        worker.send_runtest_some = broken  # type: ignore[method-assign]  # a pipe that breaks

    def kill(self, worker: Worker) -> str | None:
        self.workers.remove(worker)
        crashed: str | None = self.scheduler.remove_node(cast("Any", worker))
        return crashed


@pytest.mark.parametrize("shares", [(1, 1), (8, 8), (3, 2), (32, 32, 32, 32)], ids=str)
@pytest.mark.parametrize("n_items", [1, 2, 3, 5, 40, 500])
def test_every_item_is_run_once_whatever_the_order(n_items: int, shares: tuple[int, ...]) -> None:
    for seed in range(5):
        dealt = Dealt(n_items, shares)
        dealt.run_all(random.Random(seed))
        assert dealt.ran == Counter(range(n_items))


def test_a_worker_has_its_whole_window_queued_while_there_is_plenty() -> None:
    dealt = Dealt(1000, (8, 8))
    assert [len(worker.queue) for worker in dealt.workers] == [128, 128]


def test_few_items_are_dealt_in_equal_parts() -> None:
    dealt = Dealt(40, (32, 32))
    assert [len(worker.queue) for worker in dealt.workers] == [20, 20]


def test_a_worker_with_one_attempt_in_flight_gets_two_items_at_a_time() -> None:
    dealt = Dealt(100, (1, 1))
    assert [len(worker.queue) for worker in dealt.workers] == [2, 2]


def test_one_slow_worker_does_not_keep_what_others_could_run() -> None:
    dealt = Dealt(1000, (8, 8))
    slow, quick = dealt.workers
    while quick.can_run:
        dealt.run_one(quick)
    assert len(slow.queue) == 128 and sum(dealt.ran.values()) == 1000 - 128 - len(quick.queue)


def test_no_worker_is_dealt_more_than_its_part_of_what_is_left() -> None:
    dealt = Dealt(2000, (8, 8))
    pick = random.Random(1)
    grown: list[tuple[int, float]] = []
    while runnable := [worker for worker in dealt.workers if worker.can_run]:
        worker = pick.choice(runnable)
        n_before = len(worker.queue)
        dealt.run_one(worker)
        if len(worker.queue) >= n_before:
            grown.append((len(worker.queue), (2000 - sum(dealt.ran.values())) / 2))
    assert len(grown) > 10
    assert all(n_queued <= max(2, part + 1) for n_queued, part in grown)


def test_a_queue_is_filled_up_in_portions_not_item_by_item() -> None:
    dealt = Dealt(1000, (16, 16))
    dealt.run_all(random.Random(0))
    assert sum(worker.messages for worker in dealt.workers) < 200


@pytest.mark.parametrize("n_run_before", [0, 1, 57, 90, 95, 98])
def test_a_dead_workers_items_go_to_the_others_but_the_one_it_crashed_on(n_run_before: int) -> None:
    dealt = Dealt(100, (8, 8))
    pick = random.Random(n_run_before)
    for _ in range(n_run_before):
        dealt.run_one(pick.choice([worker for worker in dealt.workers if worker.can_run]))
    dead = max(dealt.workers, key=lambda worker: len(worker.queue))
    first = dead.queue[0]
    assert dealt.kill(dead) == f"i{first}"
    replacement = Worker(len(dealt.shares))
    dealt.shares.append(8)
    dealt.workers.append(replacement)
    dealt.add(replacement)
    dealt.scheduler.schedule()
    dealt.run_all(pick)
    assert dealt.ran == Counter(n for n in range(100) if n != first)


def test_two_workers_that_die_together_lose_nothing_but_what_they_ran() -> None:
    dealt = Dealt(60, (2, 2, 2))
    one, two, _ = dealt.workers
    firsts = {one.queue[0], two.queue[0]}
    dealt.lose(two)
    dealt.kill(one)
    dealt.kill(two)
    dealt.run_all(random.Random(0))
    assert dealt.ran == Counter(n for n in range(60) if n not in firsts)


def test_a_replacement_is_dealt_nothing_before_it_has_collected() -> None:
    dealt = Dealt(60, (2, 2))
    one, two = dealt.workers
    firsts = {one.queue[0], two.queue[0]}
    replacement = Worker(2)
    dealt.shares.append(2)
    dealt.scheduler.add_node(cast("Any", replacement))
    dealt.kill(one)
    dealt.kill(two)
    assert replacement.queue == [] and not replacement.is_told_the_end
    dealt.scheduler.add_node_collection(cast("Any", replacement), dealt.ids)
    dealt.workers.append(replacement)
    dealt.scheduler.schedule()
    dealt.run_all(random.Random(0))
    assert dealt.ran == Counter(n for n in range(60) if n not in firsts)
