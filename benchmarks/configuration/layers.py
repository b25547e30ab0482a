"""Layers: what was written in one place (a file, the command line, the demo), and how layers add up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

Values = Mapping[str, Any]
_NOTHING: Values = {"params": {}, "harness": {}, "by_category": {}}


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


def merged_benchmark(
    layers: Sequence[Layer], name: str, *, category: str | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The params and the harness section of one run over all `layers`, the last of which wins.

    Within a layer, what is said for one benchmark wins over what is said for all, and what is said for the
    run's category, in its canonical spelling, over both. ``None`` leaves the categories' settings out.
    """
    params: dict[str, Any] = {}
    harness: dict[str, Any] = {}
    for layer in layers:
        own = layer.values["benchmarks"].get(name, _NOTHING)
        of_category = own["by_category"].get(category, _NOTHING)
        for said in (layer.values["benchmark"]["params"], own["params"], of_category["params"]):
            params = merged(params, said)
        for said in (layer.values["harness"], own["harness"], of_category["harness"]):
            harness = _merged_harness(harness, said)
    return params, harness


def _merged_harness(under: Values, over: Values) -> dict[str, Any]:
    """As `merged`; but one that names another harness starts anew: params belong to the harness they name."""
    is_other = {"id"} <= under.keys() & over.keys() and under["id"] != over["id"]
    return dict(over) if is_other else merged(under, over)
