"""How many attempts each process may have in flight."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchmarks.shares import (
    check_concurrency,
    pytest_xdist_auto_num_workers,
    share_of,
    share_of_node,
)

BENCHMARK = str(Path(__file__).parents[2] / "benchmarks" / "gaia")


def config(*, n_workers: int, dist: str = "load", args: tuple[str, ...] = (), **more: Any) -> pytest.Config:
    options = {"dist": dist if n_workers else "no", "tx": ["popen"] * n_workers, **more}

    def option(name: str, default: Any = None) -> Any:
        return options.get(name, default)

    return cast(
        "pytest.Config",
        SimpleNamespace(
            option=SimpleNamespace(collectonly=False),
            getoption=option,
            getvalue=option,
            stash=pytest.Stash(),
            args=list(args),
            invocation_params=SimpleNamespace(dir=Path.cwd()),
        ),
    )


@pytest.mark.parametrize(
    ("n_workers", "wanted", "shares"),
    [(2, None, [1, 1, 1]), (2, 6, [3, 3, 3]), (4, 6, [2, 2, 1, 1, 1]), (2, 3, [2, 1, 1])],
    ids=["one each", "evenly", "a remainder goes to the first", "down to one"],
)
def test_the_shares_of_the_workers_add_up_and_a_replacement_gets_no_remainder(
    n_workers: int, wanted: int | None, shares: list[int]
) -> None:
    asked = [share_of(config(n_workers=n_workers), wanted, worker=n) for n in range(n_workers + 1)]
    assert asked == shares


@pytest.mark.parametrize("dist", ["worksteal", "loadscope", "loadfile"])
def test_a_scheduler_that_may_take_an_item_back_gets_one_at_a_time(dist: str) -> None:
    assert share_of(config(n_workers=2, dist=dist), 8, worker=0) == 1


@pytest.mark.parametrize(("wanted", "share"), [(None, 16), (4, 4)])
def test_one_process_has_all(wanted: int | None, share: int) -> None:
    assert share_of(config(n_workers=0), wanted) == share


def test_fewer_attempts_than_workers_are_refused() -> None:
    with pytest.raises(pytest.UsageError, match=r"task_concurrency is 2, but -n starts 4 workers .*-n 2"):
        check_concurrency(config(n_workers=4), 2)


def _cores(n: int) -> Callable[[int], set[int]]:
    def affinity(_pid: int) -> set[int]:
        return set(range(n))

    return affinity


@pytest.mark.parametrize(("n_cores", "n_workers"), [(1, 1), (2, 2), (64, 4)])
def test_auto_starts_a_few_processes_for_a_benchmark(
    monkeypatch: pytest.MonkeyPatch, n_cores: int, n_workers: int
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    monkeypatch.setattr("os.sched_getaffinity", _cores(n_cores), raising=False)
    assert pytest_xdist_auto_num_workers(config(n_workers=0, args=(BENCHMARK,))) == n_workers


def test_auto_starts_no_more_processes_than_attempts_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    monkeypatch.setattr("os.sched_getaffinity", _cores(64), raising=False)
    asked = config(n_workers=0, args=(BENCHMARK,), task_concurrency=2)
    assert pytest_xdist_auto_num_workers(asked) == 2


def test_auto_is_xdists_own_where_no_benchmark_is_asked_or_the_user_says_a_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    assert pytest_xdist_auto_num_workers(config(n_workers=0, args=(str(Path(__file__)),))) is None
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "7")
    assert pytest_xdist_auto_num_workers(config(n_workers=0, args=(BENCHMARK,))) is None


def test_auto_leaves_as_many_attempts_in_flight_as_one_process_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    auto = config(n_workers=4, args=(BENCHMARK,))
    pytest_xdist_auto_num_workers(auto)
    assert [share_of(auto, wanted, worker=0) for wanted in (None, 40)] == [4, 10]


@pytest.mark.parametrize(("name", "share"), [("gw0", 2), ("gw1", 1), ("gw7", 1), ("over-there", 1)])
def test_the_share_of_a_node_goes_by_its_number(name: str, share: int) -> None:
    node = SimpleNamespace(gateway=SimpleNamespace(id=name), config=config(n_workers=2))
    assert share_of_node(node, 3) == share


def test_a_scheduler_that_cannot_look_ahead_refuses_more_attempts_than_workers() -> None:
    with pytest.raises(
        pytest.UsageError, match=r"task_concurrency is 8, but under --dist worksteal .*--dist load"
    ):
        check_concurrency(config(n_workers=2, dist="worksteal"), 8)
    check_concurrency(config(n_workers=2, dist="worksteal"), 2)


def test_running_items_again_is_refused() -> None:
    with pytest.raises(pytest.UsageError, match=r"--reruns .*max_retry"):
        check_concurrency(config(n_workers=0, reruns=1), None)
