"""Layers: what was written in one place (a file, the command line, the demo), and how layers add up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from benchmarks.configuration.problem import KeyPath, dotted
from benchmarks.configuration.spelling import JUDGE_SHORTHAND
from harnesses.endpoint.json_values import is_list, is_object

Values = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Layer:
    """What one place says.

    `source` names it to the user: a file's path, "command line" or "--demo". `written` is as it was written,
    `values` the same in one spelling (`Spelling.of`). Both may hold keys.
    """

    source: str
    written: Values = field(repr=False)
    values: Values = field(repr=False)


def merged(under: Values, over: Values) -> dict[str, Any]:
    """`over` upon `under`, key by key: mappings merge deeply; lists, scalars and nulls replace."""
    result = dict(under)
    for name, value in over.items():
        below = result.get(name)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            result[name] = merged(cast("Values", below), cast("Values", value))
        else:
            result[name] = value
    return result


def merged_section(layers: Sequence[Layer], name: str) -> dict[str, Any]:
    """A section over all `layers`, the last of which wins."""
    result: dict[str, Any] = {}
    for layer in layers:
        result = merged(result, layer.values[name])
    return result


def merged_benchmark(layers: Sequence[Layer], name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The params and the harness section of one benchmark over all `layers`, the last of which wins.

    Within a layer, what is said for one benchmark wins over what is said for all.
    """
    params: dict[str, Any] = {}
    harness: dict[str, Any] = {}
    for layer in layers:
        own = layer.values["benchmarks"].get(name, {"params": {}, "harness": {}})
        params = merged(merged(params, layer.values["benchmark"]["params"]), own["params"])
        harness = _merged_harness(_merged_harness(harness, layer.values["harness"]), own["harness"])
    return params, harness


def _merged_harness(under: Values, over: Values) -> dict[str, Any]:
    """As `merged`; but one that names another harness starts anew: params belong to the harness they name."""
    is_other = {"id"} <= under.keys() & over.keys() and under["id"] != over["id"]
    return dict(over) if is_other else merged(under, over)


def address(path: KeyPath, layers: Sequence[Layer]) -> str:
    """Where the value at `path` comes from, as its author wrote it: `benchmark.params.limit (run.yaml)`.

    What nobody wrote (it is missing) has the address of what it is missing from, or else the key to write.
    """
    for end in filter(None, (len(path), len(path) - 1)):
        for layer in reversed(layers):
            for spelling in _spellings(path[:end]):
                if _holds(layer.written, spelling):
                    return f"{dotted((*spelling, *path[end:]))} ({layer.source})"
    return dotted(next((key for key in _spellings(path) if key[0] in {"benchmark", "harness"}), path))


def _spellings(path: KeyPath) -> Iterator[KeyPath]:
    """The ways to write a key, the most particular first."""
    yield path
    match path:
        case ("benchmarks", name, "params", *rest):
            yield from (
                ("benchmarks", name, "judge", short, *rest[1:])
                for short, param in JUDGE_SHORTHAND.items()
                if rest[:1] == [param]
            )
            yield ("benchmark", "params", *rest)
        case ("benchmarks", _, "harness", *rest):
            yield ("harness", *rest)
        case ("execution", "attempts", "k"):
            yield from (("execution", name) for name in ("k", "avgk"))
            yield from (("benchmark", "params", name) for name in ("k", "avgk"))
        case _:
            pass


def _holds(values: Any, path: KeyPath) -> bool:
    inner: Any = values
    for part in path:
        if is_object(inner) and part in inner:
            inner = inner[str(part)]
        elif is_list(inner) and isinstance(part, int) and part < len(inner):
            inner = inner[part]
        else:
            return False
    return True
