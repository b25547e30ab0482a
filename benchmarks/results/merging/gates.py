"""The gates of a merged run: those asked for when it is merged, else those its parts have in common."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from benchmarks.results.gates.scopes import category_named, plain
from benchmarks.results.gates.thresholds import OVERALL
from benchmarks.results.merging.parts import MergeError, Part
from benchmarks.results.plain import one_line
from benchmarks.results.run_description import RunDescription

NO_GATES: Mapping[str, Any] = {
    "min_accuracy": None,
    "scopes": {},
    "min_coverage": None,
    "max_errors": None,
    "max_regression": None,
    "baseline": None,
    "baseline_anyway": False,
    "policy": "point",
    "primary": None,
}
"""Gates as a run's description has them, none of them set."""


@dataclass(frozen=True, kw_only=True)
class AskedGates:
    """Thresholds as a user asked for them; ``None`` asks for nothing.

    `min_accuracy` is by scope, as it was written: ``{"overall": 0.6, "level1": 0.8}``; empty for none.
    """

    min_accuracy: Mapping[str, float] = field(default_factory=dict[str, float])
    min_coverage: float | None = None
    max_errors: int | None = None
    policy: Literal["point", "confident"] | None = None

    @property
    def are_set(self) -> bool:
        """Whether anything was asked for."""
        return self != AskedGates()


def with_gates(
    union: RunDescription, parts: Sequence[Part], asked: AskedGates
) -> tuple[RunDescription, list[str]]:
    """The merged run with its gates, and public lines on what of its parts it could not take over.

    Raises:
        MergeError: `asked` speaks of a scope that is not there.
    """
    if asked.are_set:
        return replace(union, gates=_asked(union, asked)), []
    runs = [part.description for part in parts]
    gates = [{**run.gates, "scopes": None} for run in runs]
    if any(one != gates[0] for one in gates):
        line = "the merged runs had different gates: none is set; give --min-accuracy when you merge"
        return union, [line] if any(_are_set(one) for one in gates) else []
    kept = {**runs[0].gates, **_scopes(runs)}
    if all(run.baseline == runs[0].baseline for run in runs):
        return replace(union, gates=kept, baseline=runs[0].baseline), []
    line = "the merged runs had different baselines: none is taken over; use `python -m benchmarks compare`"
    return replace(union, gates={**kept, "baseline": None, "max_regression": None}), [line]


def _scopes(runs: Sequence[RunDescription]) -> dict[str, Any]:
    """What scopes mean, all parts taken together: one without a task of some category may not know it."""
    told = [cast("Mapping[str, str]", run.gates["scopes"]) for run in runs if run.gates.get("scopes")]
    return {"scopes": {scope: category for one in told for scope, category in one.items()}} if told else {}


def _are_set(gates: Mapping[str, Any]) -> bool:
    return any(
        gates.get(name) is not None for name in ("min_accuracy", "min_coverage", "max_errors", "baseline")
    )


def _asked(union: RunDescription, asked: AskedGates) -> dict[str, Any]:
    categories = sorted({category for _, _, category in union.planned})
    meant = {scope: _category_of(scope, union, categories) for scope in asked.min_accuracy}
    return {
        **NO_GATES,
        "min_accuracy": dict(asked.min_accuracy) or None,
        "scopes": {scope: category for scope, category in meant.items() if category is not None},
        "min_coverage": asked.min_coverage,
        "max_errors": asked.max_errors,
        "policy": asked.policy or "point",
    }


def _category_of(scope: str, union: RunDescription, categories: Sequence[str]) -> str | None:
    """The category a scope means, ``None`` where it is the whole run.

    Raises:
        MergeError: It means nothing here.
    """
    if plain(scope) in {OVERALL, plain(union.benchmark)}:
        return None
    category = category_named(scope, categories, breakdown=union.breakdown)
    if category is not None:
        return category
    present = one_line(", ".join(_scopes_present(union, categories)), 400)
    raise MergeError(f"the scope {scope!r} of --min-accuracy is not there; scopes present: {present}")


def _scopes_present(union: RunDescription, categories: Iterable[str]) -> list[str]:
    return [OVERALL, union.benchmark, *categories]
