"""The gates of a merged run: those asked for when it is merged, else those its parts have in common."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from benchmarks.results.gates.gate import are_set
from benchmarks.results.gates.scopes import OVERALL, category_named, is_whole, said_twice
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
        """Whether anything was asked for; a policy alone asks for nothing."""
        return bool(self.min_accuracy) or self.min_coverage is not None or self.max_errors is not None


def with_gates(
    union: RunDescription, parts: Sequence[Part], asked: AskedGates
) -> tuple[RunDescription, list[str]]:
    """The merged run with its gates, and public lines on what of its parts was not taken over.

    Raises:
        MergeError: `asked` speaks of a scope that is not there, twice of one, or has a policy and nothing to
            decide on.
    """
    if asked.policy is not None and not asked.min_accuracy:
        raise MergeError(
            f"--gate-policy {asked.policy} has nothing to decide on; give --min-accuracy too, or leave it out"
        )
    runs = [part.description for part in parts]
    if asked.are_set:
        held = _asked(union, asked)
        return replace(union, gates=held), list(_left_behind(runs, held))
    gates = [{**run.gates, "scopes": None} for run in runs]
    if any(one != gates[0] for one in gates):
        line = "the merged runs had different gates: none is set; give --min-accuracy when you merge"
        return union, [line] if any(are_set(one) for one in gates) else []
    kept = {**runs[0].gates, **_scopes(runs)}
    if all(run.baseline == runs[0].baseline for run in runs):
        return replace(union, gates=kept, baseline=runs[0].baseline), []
    line = "the merged runs had different baselines: none is taken over; use `python -m benchmarks compare`"
    return replace(union, gates={**kept, "baseline": None, "max_regression": None}), [line]


def _left_behind(runs: Sequence[RunDescription], gates: Mapping[str, Any]) -> Iterator[str]:
    """A line for each kind of gate that the parts had, and that what was asked for replaces by nothing."""
    for name in ("min_accuracy", "min_coverage", "max_errors"):
        if gates[name] is None and any(run.gates.get(name) is not None for run in runs):
            option = f"--{name.replace('_', '-')}"
            yield (
                f"the merged runs had a gate {option}: not taken over, since others are asked for; give "
                f"{option} too"
            )
    if any(run.gates.get("baseline") is not None for run in runs):
        yield (
            "the merged runs were held against a baseline: not taken over, since other gates are asked for; "
            "use `python -m benchmarks compare`"
        )


def _scopes(runs: Sequence[RunDescription]) -> dict[str, Any]:
    """What scopes mean, all parts taken together: one without a task of some category may not know it."""
    told = [cast("Mapping[str, str]", run.gates["scopes"]) for run in runs if run.gates.get("scopes")]
    return {"scopes": {scope: category for one in told for scope, category in one.items()}} if told else {}


def _asked(union: RunDescription, asked: AskedGates) -> dict[str, Any]:
    categories = sorted({category for _, _, category in union.planned})
    meant = {scope: _category_of(scope, union, categories) for scope in asked.min_accuracy}
    for line in said_twice({scope: {union.benchmark: category} for scope, category in meant.items()}):
        raise MergeError(f"--min-accuracy: {line}")
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
    if is_whole(scope, (union.benchmark,)):
        return None
    category = category_named(scope, categories, breakdown=union.breakdown)
    if category is not None:
        return category
    present = one_line(", ".join(_scopes_present(union, categories)), 400)
    raise MergeError(f"the scope {scope!r} of --min-accuracy is not there; scopes present: {present}")


def _scopes_present(union: RunDescription, categories: Iterable[str]) -> list[str]:
    return [OVERALL, union.benchmark, *categories]
