"""What a session is held against: the scopes of its gates in each run, and the baseline.

All of it is checked before anything is asked; what the numbers come to is decided at the end
(`benchmarks/results/gates/gate.py`).
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest

from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.categories import known_categories
from benchmarks.configuration.model import Gates, key_of
from benchmarks.describing import describe
from benchmarks.results.comparing.comparability import Difference, differences_of
from benchmarks.results.comparing.comparison import ComparisonError, kept_of, measures_any, part_of
from benchmarks.results.comparing.metrics_file import read_metrics
from benchmarks.results.files import RunFilesError
from benchmarks.results.gates.scopes import OVERALL, as_compared, category_named, is_whole, said_twice
from benchmarks.results.run_description import RunDescription
from benchmarks.results.statuses import EXIT_CODES
from benchmarks.run import Run, Session

_MAX_SCOPES = 20
"""How many valid scopes a refusal lists."""


def gates_by_run(
    gates: Gates, runs: Mapping[str, Run], categories: Mapping[str, Collection[str]]
) -> dict[str, dict[str, Any]]:
    """What is held against each run, by its key, as `RunDescription.gates` tells it.

    Args:
        gates: Those of the session.
        runs: By their keys, with their selected tasks.
        categories: Of each run's dataset, before `sample_ids` and `limit`.

    Raises:
        pytest.UsageError: A scope that means nothing here; one line for each.
    """
    scopes = _Scopes(runs, categories)
    least = gates.min_accuracy or {}
    meanings = {scope: scopes.meaning(scope) for scope in least}
    lines = [scopes.refusal(scope) for scope, meaning in meanings.items() if not meaning]
    lines += said_twice(meanings)
    if lines:
        raise pytest.UsageError("\n".join(f"gates.min_accuracy: {line}" for line in lines))
    return {key: _gates_of(key, gates, meanings) for key in runs}


def read_baseline(path: str) -> dict[str, Any]:
    """What a comparison needs of the run that `path` names: a run directory, or its metrics.json.

    Raises:
        pytest.UsageError: It cannot be read, is of an older layout, or nothing can be held against it.
    """
    try:
        return kept_of(read_metrics(Path(path).expanduser()))
    except (RunFilesError, ComparisonError) as error:
        raise pytest.UsageError(f"gates.baseline: {error}") from error


def end_if_not_comparable(config: pytest.Config, session: Session) -> None:
    """End pytest at once where a run could never be held against its baseline.

    It ends with exit code 12 and a line for each difference; nothing was asked or written (controller).

    Raises:
        pytest.UsageError: The baseline measured none of the tasks that are selected.
    """
    gates = session.configuration.gates
    for run in session.runs.values():
        if run.baseline is None:
            continue
        planned = describe(config, session, run, run.units(session.attempts), n_workers=0)
        takes_away = session.alone is not None or takes_items_away(config)
        if planned.partial or takes_away:
            _refuse_unmeasured_part(str(gates.baseline), run)
        if gates.baseline_anyway:
            continue
        found = differences_forbidding(run.baseline, planned, takes_away=takes_away)
        if found:
            lines = [f"  {difference.line}" for difference in found]
            head = f"not comparable with the baseline {gates.baseline!r}, so nothing was asked:"
            remedy = "measure the baseline anew, or compare all the same with --baseline-anyway"
            pytest.exit("\n".join([head, *lines, remedy]), returncode=EXIT_CODES["not_comparable"])


def _refuse_unmeasured_part(name: str, run: Run) -> None:
    """A part of the set is held against the same part of its baseline, if there is anything in it."""
    if not measures_any(part_of(run.baseline or {}, {task.task_id for task in run.tasks})):
        raise pytest.UsageError(
            f"gates.baseline: {name!r} has a verdict on every attempt at none of the {len(run.tasks)} "
            "selected tasks, so that nothing can be held against it; measure them there, or leave it out"
        )


def differences_forbidding(
    baseline: Mapping[str, Any], planned: RunDescription, *, takes_away: bool
) -> tuple[Difference, ...]:
    """What forbids to hold a run that has not begun against its baseline.

    Args:
        baseline: As `read_baseline` gives it.
        planned: The run as if all its selected tasks were asked.
        takes_away: Whether pytest will take some of them away: which ids are left is not known yet.
    """
    # Read back, because what was written and read has lists where values of ours have tuples.
    found = differences_of(baseline, json.loads(json.dumps(planned.to_json())))
    return tuple(one for one in found if not (takes_away and one.key == "dataset.ids_digest"))


def takes_items_away(config: pytest.Config) -> bool:
    """Whether the command line may take selected items away: `-k`, `-m`, `--lf`, node ids, a shard."""
    options = ("keyword", "markexpr", "lf", "deselect", "stepwise", "splits")
    is_node = any("::" in argument for argument in config.args)
    return is_node or any(config.getoption(name, default=None) for name in options)


class _Scopes:
    """What scopes mean in the runs of a session."""

    def __init__(self, runs: Mapping[str, Run], categories: Mapping[str, Collection[str]]) -> None:
        self._runs = runs
        self._in_dataset = categories
        self._selected = {
            key: sorted({task.category for task in run.tasks}) for key, run in self._runs.items()
        }

    def meaning(self, scope: str) -> dict[str, str | None]:
        """The runs a scope concerns, each with the category meant or, for the whole run, ``None``."""
        whole = {key: None for key, run in self._runs.items() if is_whole(scope, (run.choice.name, key))}
        return dict(whole) if whole else self._categories(scope, self._selected)

    def refusal(self, scope: str) -> str:
        """Why a scope means nothing here, with the rule and the remedy."""
        for key, category in self._categories(scope, self._in_dataset).items():
            run = self._runs[key]
            word = f"{run.benchmark.breakdown} {category!r}"
            return (
                f"{scope!r} has no task to measure: {key} selects none of {word} "
                f"({', '.join(run.partial)}); select some, or leave the scope out"
            )
        if as_compared(scope) in _known_runs():
            return (
                f"{scope!r} is not asked for in this session ({', '.join(self._runs)}); leave the scope out"
            )
        by_nearness = sorted(self._valid(), key=lambda name: -_likeness(scope, name))
        more = f" and {len(by_nearness) - _MAX_SCOPES} more" if len(by_nearness) > _MAX_SCOPES else ""
        listed = ", ".join(repr(name) for name in by_nearness[:_MAX_SCOPES])
        return f"there is no scope {scope!r}; nearest first, there are {listed}{more}"

    def _categories(self, scope: str, of_runs: Mapping[str, Collection[str]]) -> dict[str, str | None]:
        named = {
            key: category_named(scope, of_runs[key], breakdown=run.benchmark.breakdown)
            for key, run in self._runs.items()
        }
        return {key: category for key, category in named.items() if category is not None}

    def _valid(self) -> list[str]:
        """Every scope there is, each in one spelling: numbers with their word, e.g. "level1"."""
        names = [OVERALL, *(run.choice.name for run in self._runs.values()), *self._runs]
        for key, categories in self._selected.items():
            word = self._runs[key].benchmark.breakdown
            names += [f"{word}{name}" if name.isdigit() else name for name in categories]
        return list(dict.fromkeys(names))


def _gates_of(key: str, gates: Gates, meanings: Mapping[str, Mapping[str, str | None]]) -> dict[str, Any]:
    own = {scope: runs[key] for scope, runs in meanings.items() if key in runs}
    least = gates.min_accuracy or {}
    return {
        "min_accuracy": {scope: least[scope] for scope in own} or None,
        "scopes": {scope: category for scope, category in own.items() if category is not None},
        **{name: value for name, value in asdict(gates).items() if name != "min_accuracy"},
    }


def _known_runs() -> set[str]:
    """Every benchmark and every run there could be, as scopes are compared."""
    names = {
        key_of(name, category)
        for name, benchmark in BENCHMARKS.items()
        if not benchmark.pools_categories
        for category in known_categories(benchmark)
    }
    return {as_compared(name) for name in (*BENCHMARKS, *names)}


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, as_compared(one), as_compared(other)).ratio()
