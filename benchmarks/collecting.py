"""The collect moment: one pytest item for each unit, the same in every process."""

import gc
from pathlib import Path

import pytest

from benchmarks.catalogue import BENCHMARKS
from benchmarks.coming import place_key
from benchmarks.configuring import harness_makers_key, judge_makers_key
from benchmarks.paths import HERE
from benchmarks.plan import Unit
from benchmarks.run import Session, run_key, session_key, unit_key
from harnesses.plugin import harness_maker_key
from judges.plugin import judge_maker_key


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over the folder of a benchmark that is not asked, e.g. under --demo (every process)."""
    session = config.stash.get(session_key, None)
    if session is None or collection_path.name not in BENCHMARKS or collection_path.parent != HERE:
        return None
    return None if session.runs_of(collection_path.name) else True


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a benchmark's test function with the units of all its runs, in order (every process)."""
    session = metafunc.config.stash.get(session_key, None)
    runs = [] if session is None else session.runs_of(metafunc.definition.path.parent.name)
    if session is None or not runs or "unit" not in metafunc.fixturenames:
        return
    metafunc.parametrize("unit", [_param(unit) for run in runs for unit in run.units(session.attempts)])


def _param(unit: Unit) -> object:
    marks = [getattr(pytest.mark, name) for name in unit.task.marks]
    return pytest.param(unit, id=unit.unit_id, marks=marks)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Note on an item which unit it stands for, of which run, and with which clients (every process)."""
    session = item.config.stash.get(session_key, None)
    if session is None or not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return
    unit = item.callspec.params.get("unit")
    if isinstance(unit, Unit) and unit.run in session.runs:
        item.stash[unit_key] = unit
        # The report of a wrong answer is made by us (`benchmarks/reporting.py`): no traceback need be drawn.
        item.repr_failure = _say_nothing  # type: ignore[method-assign]  # pytest has no hook before drawing
        item.stash[run_key] = session.runs[unit.run]
        item.stash[harness_maker_key] = item.config.stash[harness_makers_key][unit.run]
        item.stash[judge_maker_key] = item.config.stash[judge_makers_key][unit.run]


def _say_nothing(excinfo: pytest.ExceptionInfo[BaseException], **_: object) -> str:
    return excinfo.typename


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the task or the attempt that `-k` named exactly, of what a parent had selected (every process).

    Raises:
        pytest.UsageError: Two items stand for one unit, which must have one outcome.
    """
    session = config.stash.get(session_key, None)
    if session is None:
        return
    _refuse_twins(items)
    if session.alone is None and not session.left_out:
        return
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        (kept if _is_wanted(item, session) else dropped).append(item)
    items[:] = kept
    if dropped:
        config.hook.pytest_deselected(items=dropped)


def _is_wanted(item: pytest.Item, session: Session) -> bool:
    unit = item.stash.get(unit_key, None)
    if unit is None:
        return session.alone is None
    is_left_out = (unit.task.task_id, unit.attempt) in session.left_out.get(unit.run, ())
    return not is_left_out and (session.alone is None or session.alone in unit.ids)


def _refuse_twins(items: list[pytest.Item]) -> None:
    found: dict[tuple[str, str], str] = {}
    for item in items:
        if unit_key not in item.stash:
            continue
        key = item.stash[run_key].key, item.stash[unit_key].unit_id
        if key in found:
            raise pytest.UsageError(
                f"{found[key]} and {item.nodeid} stand for one attempt, which has one outcome; keep one test "
                "function in a benchmark's module, and leave out --keep-duplicates"
            )
        found[key] = item.nodeid


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Number the items, so that the ones to come are found without a search (every process)."""
    for place, item in enumerate(session.items):
        item.stash[place_key] = place
    if session_key in session.config.stash:
        # Items live to the end: looking through all of them for garbage again and again is most of what a
        # hundred thousand of them cost.
        gc.freeze()
