"""Which tasks a run asks."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.benchmark import Dataset
from benchmarks.params import BenchmarkParams
from benchmarks.selection import Selection, SelectionError, ids_digest, select
from benchmarks.task import Task


def dataset(*, sizes: tuple[int, ...] = (39, 52, 12), partial: tuple[str, ...] = ()) -> Dataset:
    """Tasks t000, t001, … with as many of level 1, 2, 3 as `sizes` says, the levels mixed."""
    levels = sorted((n / size, str(level)) for level, size in enumerate(sizes, start=1) for n in range(size))
    tasks = [
        Task(task_id=f"t{n:03}", question="why", ground_truth="so", category=level)
        for n, (_, level) in enumerate(levels)
    ]
    return Dataset(tasks=tuple(tasks), name="GAIA", subset="local", source="tasks.jsonl", partial=partial)


def chosen(tasks: Dataset | None = None, **params: Any) -> Selection:
    return select(tasks or dataset(), BenchmarkParams(**params))


def ids(selection: Selection) -> list[str]:
    return [task.task_id for task in selection.tasks]


def test_without_a_selection_every_task_is_asked_and_no_reason_given() -> None:
    assert chosen() == Selection(tasks=dataset().tasks, reasons=())


def test_sample_ids_take_exactly_these_in_the_datasets_order() -> None:
    selection = chosen(sample_ids=["t007", "t002", "t007"])
    assert ids(selection) == ["t002", "t007"]
    assert selection.reasons == ("sample_ids (2 of 103)",)


def test_sample_ids_that_name_every_task_are_no_reason() -> None:
    every = [task.task_id for task in dataset().tasks]
    assert chosen(sample_ids=every) == chosen()


def test_an_unknown_id_is_refused_with_near_matches() -> None:
    with pytest.raises(
        SelectionError,
        match=r"^sample_ids: 't0077' is none of the 103 tasks of GAIA local; nearest: t077, t007, t\d+$",
    ):
        chosen(sample_ids=["t001", "t0077"])


def test_each_unknown_id_has_a_line_of_its_own() -> None:
    with pytest.raises(SelectionError) as caught:
        chosen(sample_ids=["zzz", "yyyyyyyy"])
    assert str(caught.value).splitlines() == [
        "sample_ids: 'yyyyyyyy' is none of the 103 tasks of GAIA local; ids look like t000",
        "sample_ids: 'zzz' is none of the 103 tasks of GAIA local; ids look like t000",
    ]


def test_an_unknown_id_after_a_category_says_so() -> None:
    with pytest.raises(SelectionError, match=r"tasks of GAIA local \(category 1\); nearest"):
        chosen(dataset(partial=("category 1",)), sample_ids=["t0011"])


def test_no_sample_ids_at_all_list_the_values_present() -> None:
    with pytest.raises(
        SelectionError,
        match=r"sample_ids \[\] selects no task; values present: 1 \(39 tasks\), 2 \(52 tasks\), 3 \(12 ",
    ):
        chosen(sample_ids=[])


def test_the_reasons_of_the_dataset_come_first() -> None:
    selection = chosen(dataset(partial=("category 1",)), sample_ids=["t001", "t002"], limit=1)
    assert selection.reasons == ("category 1", "sample_ids (2 of 103)", "limit 1")


@pytest.mark.parametrize("limit", [103, 500])
@pytest.mark.parametrize("sampling", ["first", "random", "stratified"])
def test_a_limit_above_the_number_of_tasks_takes_all_and_is_no_reason(limit: int, sampling: str) -> None:
    assert chosen(limit=limit, sampling=sampling) == chosen()


def test_the_first_tasks_are_the_first_of_the_dataset() -> None:
    selection = chosen(limit=3)
    assert (ids(selection), selection.reasons) == (["t000", "t001", "t002"], ("limit 3",))


def test_random_tasks_keep_the_datasets_order_and_name_their_seed() -> None:
    selection = chosen(limit=10, sampling="random", sampling_seed=4)
    assert ids(selection) == sorted(ids(selection))
    assert len(set(ids(selection))) == 10
    assert selection.reasons == ("limit 10 (random, seed 4)",)


def test_another_seed_takes_other_tasks() -> None:
    assert chosen(limit=10, sampling="random") != chosen(limit=10, sampling="random", sampling_seed=1)


def test_a_larger_random_limit_takes_the_tasks_of_a_smaller_one_again() -> None:
    assert set(ids(chosen(limit=5, sampling="random"))) < set(ids(chosen(limit=9, sampling="random")))


def test_a_random_pick_does_not_hang_on_the_datasets_order() -> None:
    turned = Dataset(tasks=dataset().tasks[::-1], name="GAIA", subset="local", source="tasks.jsonl")
    forward = ids(chosen(limit=9, sampling="random"))
    assert ids(chosen(turned, limit=9, sampling="random")) == forward[::-1]


@pytest.mark.parametrize(
    ("limit", "counts"),
    [
        pytest.param(10, {"1": 4, "2": 5, "3": 1}, id="ten"),
        pytest.param(1, {"2": 1}, id="one"),
        pytest.param(2, {"1": 1, "2": 1}, id="two"),
        pytest.param(102, {"1": 39, "2": 51, "3": 12}, id="all but one"),
    ],
)
def test_a_stratified_pick_keeps_the_proportions(limit: int, counts: dict[str, int]) -> None:
    selection = chosen(limit=limit, sampling="stratified")
    assert Counter(task.category for task in selection.tasks) == counts
    assert ids(selection) == sorted(ids(selection))


@given(
    sizes=st.lists(st.integers(min_value=1, max_value=30), min_size=1, max_size=4),
    limit=st.integers(min_value=1, max_value=130),
)
def test_a_stratified_pick_is_never_a_task_off_the_exact_share(sizes: list[int], limit: int) -> None:
    tasks = dataset(sizes=tuple(sizes))
    selection = chosen(tasks, limit=limit, sampling="stratified")
    n_tasks = min(limit, sum(sizes))
    counts = Counter(task.category for task in selection.tasks)
    assert sum(counts.values()) == n_tasks
    for level, size in enumerate(sizes, start=1):
        assert abs(counts[str(level)] - n_tasks * size / sum(sizes)) < 1


@pytest.mark.parametrize("sampling", ["random", "stratified"])
def test_the_pick_is_the_same_under_every_hash_seed(sampling: str) -> None:
    code = (
        "import test_selection as t\n"
        f"print(*t.ids(t.chosen(limit=12, sampling={sampling!r}, sampling_seed=3)))\n"
    )
    picks = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()[-1]
        for seed in ("1", "2")
    }
    assert picks == {ids(chosen(limit=12, sampling=sampling, sampling_seed=3))[-1]}


def test_the_digest_of_ids_is_that_of_the_sorted_lines() -> None:
    assert ids_digest(["b", "a"]) == hashlib.sha256(b"a\nb").hexdigest()


def test_the_digest_of_ids_hangs_on_the_set_alone() -> None:
    assert ids_digest(["a", "b"]) == ids_digest(iter(["b", "a"])) != ids_digest(["a"])
