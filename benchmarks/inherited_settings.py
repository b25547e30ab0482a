"""What a session takes of its parents' settings, and which keys it needs no more (controller)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.configuration.masking import HIDDEN
from benchmarks.parents import Parent
from harnesses.endpoint.json_values import is_object
from harnesses.tools.jina import JINA_VARIABLE
from harnesses.tools.serper import SERPER_VARIABLE


def configuration_of(parents: Iterable[Parent], *, n_workers: int = 0) -> Mapping[str, Any]:
    """What the parents were asked for, as the lowest layer of a configuration, without keys that were masked.

    Nothing of where they lie, nor of how many attempts were in flight where this session has workers
    (`n_workers`, 0 without xdist). Several runs of one benchmark are told by their categories.
    """
    layer: dict[str, Any] = {}
    by_benchmark: dict[str, list[Mapping[str, Any]]] = {}
    for parent in parents:
        told = {**parent.description.configuration}
        for name, own in _answered_alike(parent, told.pop("benchmarks", {})).items():
            by_benchmark.setdefault(name, []).append(own)
        layer |= told
    if not by_benchmark:
        return {}
    placement: Mapping[str, Any] = layer.pop("run", None) or {}
    results_dir = placement.get("results_dir")
    if results_dir is not None:
        layer["run"] = {"results_dir": results_dir}
    if n_workers and "execution" in layer:
        layer["execution"] = {
            name: value for name, value in layer["execution"].items() if name != "task_concurrency"
        }
    return _unmasked({**layer, "benchmarks": {name: _together(own) for name, own in by_benchmark.items()}})


def _together(runs: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The settings of the runs of one benchmark, as a configuration file would say them.

    Two runs of one that pools its categories are no session; that is told where runs find their parents.
    """
    if len(runs) == 1 or not all(isinstance(own["params"].get("category"), str) for own in runs):
        return runs[0]
    by_category = {
        own["params"]["category"]: {
            **own,
            "params": {name: value for name, value in own["params"].items() if name != "category"},
        }
        for own in runs
    }
    return {"params": {"category": list(by_category)}, "by_category": by_category}


def environment_of(parents: Iterable[Parent], environ: Mapping[str, str]) -> Mapping[str, str]:
    """`environ`, in which no key of a tool is missing where answers are judged again: no tool is run."""
    if not any(parent.judges_again for parent in parents):
        return environ
    return {**dict.fromkeys((SERPER_VARIABLE, JINA_VARIABLE), HIDDEN), **environ}


def _answered_alike(parent: Parent, benchmarks: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings of a parent's benchmark; `auto`, where another judge decides now, stays what it was."""
    if not parent.judges_again:
        return benchmarks
    return {
        name: {**own, "params": {**own["params"], "answer_format": parent.description.answer_format}}
        if "answer_format" in own["params"]
        else own
        for name, own in benchmarks.items()
    }


def _unmasked(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _unmasked(value) if is_object(value) else value
        for name, value in values.items()
        if not _is_masked(value)
    }


def _is_masked(value: object) -> bool:
    """Whether a key stood here, or in this text: what is left of it would be sent as if it were meant."""
    return isinstance(value, str) and HIDDEN in value
