"""What sets two runs apart: what forbids to compare them, and what a reader of the comparison must know."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from benchmarks.results.plain import one_line

_MAX_VALUE_CHARACTERS = 80

_UNKNOWN_AGREES = frozenset({"dataset.revision", "dataset.ids_digest", "strategy"})
"""Where ``None`` means unknown, or without a meaning: it is no difference to anything."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One setting that is not the same in both runs.

    `key` is the place in metrics.json, e.g. ``"judge.params.temperature"``. `base` and `new` are the plain
    JSON values there; ``None`` where a run has none.
    """

    key: str
    base: Any
    new: Any

    @property
    def line(self) -> str:
        """One line, e.g. "judge.model: 'judge-1' in BASE, 'judge-2' in NEW"; long values are cut."""
        return f"{self.key}: {_shown(self.base)} in BASE, {_shown(self.new)} in NEW"


def differences_of(base: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Difference, ...]:
    """What forbids to compare: other tasks, another judge, another way of asking or of counting.

    A dataset revision that one run does not know is no difference (see `warnings_of`), nor is a selection:
    the ids are held against each other only where both runs planned the whole set.

    Args:
        base: The content of a metrics.json, or of a run.json: how a run was measured has the same names in
            both. A key that is missing counts as ``None``.
        new: As `base`.
    """
    return tuple(_differences(_yardstick(base), _yardstick(new)))


def warnings_of(base: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Public lines on what may account for a difference beside the model: harness, selection, a stop.

    Args:
        base: As in `differences_of`.
        new: As `base`.
    """
    return (*_of_one("BASE", base), *_of_one("NEW", new), *_setting_warnings(base, new))


def _yardstick(run: Mapping[str, Any]) -> Mapping[str, Any]:
    dataset, judge, k = _part(run, "dataset"), _part(run, "judge"), run.get("k")
    return {
        "benchmark": run.get("benchmark"),
        "dataset": {
            "name": dataset.get("name"),
            "subset": dataset.get("subset"),
            "revision": dataset.get("revision"),
            "ids_digest": None if run.get("partial") else dataset.get("ids_digest"),
            "settings": _part(dataset, "settings"),
        },
        "judge": {name: judge.get(name) for name in ("id", "model", "params", "prompt_digest")},
        "answer_format": run.get("answer_format"),
        "k": k,
        "strategy": None if k == 1 else run.get("strategy"),
    }


def _differences(base: Mapping[str, Any], new: Mapping[str, Any], within: str = "") -> Iterator[Difference]:
    for name in dict.fromkeys((*base, *new)):
        key, one, other = f"{within}{name}", base.get(name), new.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            mappings = cast("Mapping[str, Any]", one), cast("Mapping[str, Any]", other)
            yield from _differences(*mappings, within=f"{key}.")
        elif one != other and not (key in _UNKNOWN_AGREES and None in (one, other)):
            yield Difference(key=key, base=one, new=other)


def _of_one(label: str, run: Mapping[str, Any]) -> Iterator[str]:
    if _part(run, "dataset").get("revision") is None:
        yield f"dataset.revision is unknown in {label}: its tasks may be others under the same ids"
    if partial := run.get("partial"):
        yield f"{label} is a part of the set only ({one_line(', '.join(partial))})"
    if (stopped := run.get("stopped")) is not None:
        yield f"{label} was stopped: {one_line(stopped)}"


def _setting_warnings(base: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    one, other = _part(base, "harness"), _part(new, "harness")
    if one.get("id") == other.get("id"):
        harness = list(_differences(one, other, within="harness."))
    else:  # another harness has other params anyway
        harness = [Difference(key="harness.id", base=one.get("id"), new=other.get("id"))]
    served = _differences(_served_by(base), _served_by(new))
    yield from (f"not the same, {each.line}" for each in (*harness, *served))


def _served_by(run: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "judge": {"base_url": _part(run, "judge").get("base_url")},
        "model_params": _part(run, "model_params"),
    }


def _part(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part: Mapping[str, Any] = values.get(name) or {}
    return part


def _shown(value: object) -> str:
    return one_line(repr(value), _MAX_VALUE_CHARACTERS)
