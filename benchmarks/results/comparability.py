"""What sets two runs apart: what forbids to compare them, and what a reader of the comparison must know."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from benchmarks.results.plain import one_line
from benchmarks.results.run_description import RunDescription

_MAX_VALUE_CHARACTERS = 80

_UNKNOWN_AGREES = frozenset({"dataset.revision", "dataset.ids_digest"})
"""Where ``None`` means unknown: it is no difference to anything."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One setting that is not the same in both runs.

    `key` is the place in run.json, e.g. ``"judge.params.temperature"``. `base` and `new` are the plain JSON
    values there; ``None`` where a run has none.
    """

    key: str
    base: Any
    new: Any

    @property
    def line(self) -> str:
        """One line, e.g. "judge.model: 'judge-1' in BASE, 'judge-2' in NEW"; long values are cut."""
        return f"{self.key}: {_shown(self.base)} in BASE, {_shown(self.new)} in NEW"


def differences_of(base: RunDescription, new: RunDescription) -> tuple[Difference, ...]:
    """What forbids to compare: other tasks, another judge, another way of asking or of counting.

    A dataset revision that one run does not know is no difference (see `warnings_of`), nor is a selection:
    the ids are held against each other only where both runs planned the whole set.
    """
    return tuple(_differences(_yardstick(base), _yardstick(new)))


def warnings_of(base: RunDescription, new: RunDescription) -> tuple[str, ...]:
    """Public lines on what may account for a difference beside the model: harness, selection, a stop."""
    return (*_of_one("BASE", base), *_of_one("NEW", new), *_setting_warnings(base, new))


def _yardstick(run: RunDescription) -> Mapping[str, Any]:
    return {
        "benchmark": run.benchmark,
        "dataset": {
            "name": run.dataset.get("name"),
            "subset": run.dataset.get("subset"),
            "revision": run.dataset.get("revision"),
            "ids_digest": None if run.partial else run.dataset.get("ids_digest"),
            "settings": run.dataset.get("settings") or {},
        },
        "judge": {name: run.judge.get(name) for name in ("id", "model", "params", "prompt_digest")},
        "answer_format": run.answer_format,
        "k": run.k,
    }


def _differences(base: Mapping[str, Any], new: Mapping[str, Any], within: str = "") -> Iterator[Difference]:
    for name in dict.fromkeys((*base, *new)):
        key, one, other = f"{within}{name}", base.get(name), new.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            mappings = cast("Mapping[str, Any]", one), cast("Mapping[str, Any]", other)
            yield from _differences(*mappings, within=f"{key}.")
        elif one != other and not (key in _UNKNOWN_AGREES and None in (one, other)):
            yield Difference(key=key, base=one, new=other)


def _of_one(label: str, run: RunDescription) -> Iterator[str]:
    if run.dataset.get("revision") is None:
        yield f"dataset.revision is unknown in {label}: its tasks may be others under the same ids"
    if run.partial:
        yield f"{label} is a part of the set only ({one_line(', '.join(run.partial))})"
    if run.stopped is not None:
        yield f"{label} was stopped: {one_line(run.stopped)}"


def _setting_warnings(base: RunDescription, new: RunDescription) -> Iterator[str]:
    if base.harness.get("id") == new.harness.get("id"):
        harness = list(_differences(base.harness, new.harness, within="harness."))
    else:  # another harness has other params anyway
        harness = [Difference(key="harness.id", base=base.harness.get("id"), new=new.harness.get("id"))]
    others = _differences(_served_by(base), _served_by(new))
    yield from (f"not the same, {each.line}" for each in (*harness, *others))


def _served_by(run: RunDescription) -> Mapping[str, Any]:
    return {
        "judge": {"base_url": run.judge.get("base_url")},
        "model": {"params": run.configuration.get("model", {}).get("params", {})},
    }


def _shown(value: object) -> str:
    return one_line(repr(value), _MAX_VALUE_CHARACTERS)
