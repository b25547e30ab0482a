"""What runs must have in common to be merged, and what a reader of the merged one must know.

Stricter than the yardstick of a comparison (`comparability`): there a difference of two models is what is
asked for, here every difference would make a number of two kinds of runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from benchmarks.results.merging.parts import Part
from benchmarks.results.plain import one_line
from benchmarks.results.run_description import RunDescription
from benchmarks.task import Task

_MAX_VALUE_CHARACTERS = 80
_MAX_LINES = 20
_OF_PLACE_ALONE = frozenset({"attachments", "locator", "metadata", "marks"})
"""What of a task may differ between machines, or follows from the rest."""


def refusals(parts: Sequence[Part]) -> list[str]:
    """Why the parts do not belong together, one public line each, at most twenty; empty if they do."""
    lines = [line for other in parts[1:] for line in _between(parts[0], other)]
    lines += _other_tasks(parts)
    more = len(lines) - _MAX_LINES
    return [*lines[:_MAX_LINES], f"and {more} more differences"] if more > 0 else lines


def warnings(parts: Sequence[Part]) -> list[str]:
    """What is not the same everywhere and decides no result, one public line each, sorted."""
    told = [_flat(_beside(part.description)) for part in parts]
    lines: list[str] = []
    for key in sorted({key for one in told for key in one}):
        values = sorted({_shown(one.get(key)) for one in told})
        if len(values) > 1:
            lines.append(f"not the same in all merged runs: {key} ({', '.join(values)})")
    return lines


def _between(one: Part, other: Part) -> Iterator[str]:
    both = f"{str(one.path)!r} and {str(other.path)!r}"
    left, right = (_flat(_decisive(part.description)) for part in (one, other))
    for key in dict.fromkeys((*left, *right)):
        if left.get(key) != right.get(key):
            yield (
                f"{both}: {key} is {_shown(left.get(key))} in the first and {_shown(right.get(key))} in the "
                "second; merge only runs that were asked and judged alike"
            )


def _other_tasks(parts: Sequence[Part]) -> Iterator[str]:
    """A line for each two runs that have a task which is not the same in both, for the first such task.

    Each run is held against the first one that has the task, whichever that is.
    """
    first: dict[str, Part] = {}
    told: set[tuple[Path, Path]] = set()
    for part in parts:
        for task_id in sorted(part.tasks):
            other = first.setdefault(task_id, part)
            differing = _differing_fields(other.tasks[task_id], part.tasks[task_id])
            if differing and (other.path, part.path) not in told:
                told.add((other.path, part.path))
                yield (
                    f"{str(other.path)!r} and {str(part.path)!r}: the task {task_id!r} is not the same in "
                    f"both ({', '.join(differing)}); merge only runs of one revision of the dataset"
                )


def _decisive(run: RunDescription) -> dict[str, Any]:
    """All that decides a result, by its place in run.json."""
    return {
        "benchmark": run.benchmark,
        "breakdown": run.breakdown,
        "dataset": {name: run.dataset.get(name) for name in ("name", "subset", "revision", "settings")},
        "judge": {
            name: run.judge.get(name)
            for name in ("id", "primary", "model", "params", "prompt_digest", "scorers")
        },
        "answer_format": run.answer_format,
        "k": run.k,
        "strategy": run.strategy,
        "aggregation_mode": run.aggregation_mode,
        "category_hierarchy": run.category_hierarchy,
        "harness": {"id": run.harness.get("id"), "params": run.harness.get("params")},
        "model": run.model,
        "model_params": run.model_params,
        "has_canary": run.has_canary,
        "demo": run.demo,
    }


def _beside(run: RunDescription) -> dict[str, Any]:
    """What may account for a difference all the same."""
    execution = _mapping(run.configuration.get("execution"))
    limits = ("run_timeout_seconds", "evaluation_timeout_seconds", "timeout_multiplier")
    return {
        "judge": {"base_url": run.judge.get("base_url")},
        "model": {"base_url": _mapping(run.configuration.get("model")).get("base_url")},
        "execution": {name: execution.get(name) for name in limits},
        "dataset": {"source": run.dataset.get("source")},
        "prices": run.prices,
        "versions": run.volatile.get("versions"),
    }


def _differing_fields(one: Task, other: Task) -> list[str]:
    names = (each.name for each in fields(Task) if each.name not in _OF_PLACE_ALONE)
    return [name for name in names if getattr(one, name) != getattr(other, name)]


def _flat(values: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """The leaves by their places: ``{"judge.params.temperature": 0}``; an empty mapping has none."""
    leaves: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            leaves |= _flat(cast("Mapping[str, Any]", value), f"{within}{name}.")
        else:
            leaves[f"{within}{name}"] = value
    return leaves


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _shown(value: object) -> str:
    return one_line(repr(value), _MAX_VALUE_CHARACTERS)
