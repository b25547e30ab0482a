"""How many attempts each process may have in flight."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchmarks.shares import check_concurrency, share_of


def config(*, n_workers: int, dist: str = "load") -> pytest.Config:
    options = {"dist": dist if n_workers else "no", "tx": ["popen"] * n_workers}

    def option(name: str, default: Any = None) -> Any:
        return options.get(name, default)

    return cast(
        "pytest.Config",
        SimpleNamespace(option=SimpleNamespace(collectonly=False), getoption=option, getvalue=option),
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
