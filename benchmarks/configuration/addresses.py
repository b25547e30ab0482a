"""Where a value was written: the key as its author wrote it, and the file."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.categories import spelled
from benchmarks.configuration.layers import Layer
from benchmarks.configuration.problem import KeyPath, dotted, value_at
from benchmarks.configuration.spelling import JUDGE_SHORTHAND
from harnesses.endpoint.json_values import is_list, is_object


def address(path: KeyPath, layers: Sequence[Layer]) -> str:
    """Where the value at `path` comes from, as its author wrote it: `benchmark.params.limit (run.yaml)`.

    What nobody wrote (it is missing) has the address of what it is missing from, or else the key to write.
    A key of one run, ``("benchmarks", "sealqa", "by_category", "longseal", "params", "limit")``, may have
    been written for the whole benchmark, or for all of them.
    """
    for end in filter(None, (len(path), len(path) - 1)):
        for layer in reversed(layers):
            for spelling in _spellings(path[:end]):
                # What all that is said for one category lacks would rather be said for the benchmark.
                lacks_in_category = end < len(path) and _is_of_category(spelling)
                written = _as_spelled_in(layer, spelling)
                if _holds(layer.written, written) and not lacks_in_category:
                    return f"{dotted((*written, *path[end:]))} ({layer.source})"
    return dotted(next((key for key in _spellings(path) if key[0] in {"benchmark", "harness"}), path))


def _is_of_category(path: KeyPath) -> bool:
    match path:
        case ("benchmarks", _, "by_category", _, _):
            return True
        case _:
            return False


def _as_spelled_in(layer: Layer, path: KeyPath) -> KeyPath:
    """`path` with its category as the layer's author spelled it."""
    match path:
        case ("benchmarks", str(name), "by_category", category, *rest):
            for key in value_at(layer.written, path[:3]) or ():
                if spelled(BENCHMARKS[name], key) == category:
                    return (*path[:3], key, *rest)
        case _:
            pass
    return path


def _spellings(path: KeyPath) -> Iterator[KeyPath]:
    """The ways to write a key, the most particular first."""
    yield path
    match path:
        case ("benchmarks", name, "by_category", _, *rest):
            yield from _shorthands(path[:4], rest)
            yield from _spellings(("benchmarks", name, *rest))
        case ("benchmarks", _, "params", *rest):
            yield from _shorthands(path[:2], path[2:])
            yield ("benchmark", "params", *rest)
        case ("benchmarks", _, "harness", *rest):
            yield ("harness", *rest)
        case ("execution", "attempts", "k"):
            yield from (("execution", name) for name in ("k", "avgk"))
            yield from (("benchmark", "params", name) for name in ("k", "avgk"))
        case _:
            pass


def _shorthands(under: KeyPath, rest: Sequence[str | int]) -> Iterator[KeyPath]:
    """The ways to write a param of the judge under `judge`."""
    match rest:
        case ["params", param, *inner]:
            yield from (
                (*under, "judge", short, *inner) for short, of in JUDGE_SHORTHAND.items() if of == param
            )
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
