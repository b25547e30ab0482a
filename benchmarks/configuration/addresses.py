"""Where a value was written: the key as its author wrote it, and the file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.categories import spelled
from benchmarks.configuration.layers import Layer
from benchmarks.configuration.problem import KeyPath, dotted, value_at
from benchmarks.configuration.spelling import JUDGE_SHORTHAND
from benchmarks.results.gates.scopes import OVERALL
from harnesses.endpoint.json_values import is_list, is_object


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where a value was written. Its text is `benchmark.params.limit (run.yaml)`.

    `path` is the key as its author wrote it, `source` the layer. `is_written` is False where only that was
    written which the value is missing from; `source` is ``None`` where nobody wrote that either.
    """

    path: KeyPath
    source: str | None = None
    is_written: bool = False

    def __str__(self) -> str:
        return dotted(self.path) if self.source is None else f"{dotted(self.path)} ({self.source})"


def address(path: KeyPath, layers: Sequence[Layer]) -> Address:
    """Where the value at `path` comes from, as its author wrote it.

    What nobody wrote (it is missing) has the address of what it is missing from, or else the key to write.
    A key of one run, ``("benchmarks", "sealqa", "by_category", "longseal", "params", "limit")``, may have
    been written for the whole benchmark, or for all of them.
    """
    for end in filter(None, (len(path), len(path) - 1)):
        is_written = end == len(path)
        for layer in reversed(layers):
            for spelling in _spellings(path[:end]):
                # What all that is said for one category lacks would rather be said for the benchmark.
                lacks_in_category = not is_written and _is_of_category(spelling)
                written = _as_spelled_in(layer, spelling)
                if _holds(layer.written, written) and not lacks_in_category:
                    return Address(path=(*written, *path[end:]), source=layer.source, is_written=is_written)
    key_to_write = (key for key in _spellings(path) if key[0] in {"benchmark", "harness"})
    return Address(path=next(key_to_write, path))


def _is_of_category(path: KeyPath) -> bool:
    match path:
        case ("benchmarks", _, "by_category", _, _):
            return True
        case _:
            return False


def _as_spelled_in(layer: Layer, path: KeyPath) -> KeyPath:
    """`path` with its category, or a least accuracy without its scope, as the layer's author spelled it."""
    match path:
        case ("benchmarks", str(name), "by_category", category, *rest):
            written = value_at(layer.written, path[:3])
            for key in written if is_object(written) else ():
                if spelled(BENCHMARKS[name], key) == category:
                    return (*path[:3], key, *rest)
        case ("gates", "min_accuracy", str(scope)) if scope == OVERALL:
            bare = value_at(layer.written, path[:2])
            return path if bare is None or is_object(bare) else path[:2]
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
