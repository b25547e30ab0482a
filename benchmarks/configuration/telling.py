"""Problems become lines: where a value was written, which runs refuse it, how to say it for the others."""

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.addresses import Address, address
from benchmarks.configuration.asked import Asked
from benchmarks.configuration.categories import spelled
from benchmarks.configuration.gathering import COMMAND_LINE, DEMO, JSON_OPTIONS, SINGLE_OPTIONS
from benchmarks.configuration.layers import Layer
from benchmarks.configuration.masking import masked
from benchmarks.configuration.problem import KeyPath, Problem, dotted, value_at

_CATEGORY: KeyPath = ("params", "category")


class Telling:
    """Tells `problems` to the user: what is said for several runs at once may suit only some of them.

    `runs` are all that are asked for, `harnesses` the ids of their harnesses by the keys of the runs.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        *,
        layers: Sequence[Layer],
        runs: Sequence[Asked],
        harnesses: Mapping[str, str],
    ) -> None:
        self._problems = problems
        self._layers = layers
        self._runs = runs
        self._harnesses = harnesses

    def lines(self) -> list[str]:
        """A line for each problem; what several runs refuse alike is told once.

        Example: ``harness.params.max_iterations (command line) for harness 'openai_chat' of sealqa longseal:
        there is no such key; known: …; say it for gaia alone, in a file under …``.
        """
        alike: dict[tuple[Address, str], list[Problem]] = {}
        for problem in self._problems:
            alike.setdefault((address(problem.path, self._layers), problem.line), []).append(problem)
        return [self._told(where, line, found) for (where, line), found in alike.items()]

    def _told(self, where: Address, line: str, found: Sequence[Problem]) -> str:
        tail = _tail(found[0].path)
        if tail is None:
            return f"{where}: {line}"
        refusing = [run for run in self._runs if any(_concerns(problem.path, run) for problem in found)]
        others = [run for run in self._runs if run not in refusing and _is_for(where.path, run)]
        # Of a benchmark that is asked for no category at all there is no run: the path names it.
        runs = ", ".join(self._labels(refusing) or [str(found[0].path[1])]) if others else ""
        harness = self._harness(refusing, is_alone=not others) if tail[:2] == ("harness", "params") else ""
        who = " of ".join(filter(None, (harness, runs)))
        remedy = self._remedy(where, tail, others) if refusing else ""
        return f"{where}{f' for {who}' if who else ''}: {line}{remedy}"

    def _harness(self, refusing: Sequence[Asked], *, is_alone: bool) -> str:
        """The one harness of these runs; "" where they have several, or where the user named it."""
        ids = {self._harnesses[run.key] for run in refusing}
        named = [address((*run.at, "harness", "id"), self._layers) for run in refusing]
        is_obvious = is_alone and all(one.is_written and one.source != DEMO for one in named)
        return f"harness {ids.pop()!r}" if len(ids) == 1 and not is_obvious else ""

    def _remedy(self, where: Address, tail: KeyPath, others: Iterable[Asked]) -> str:
        """How to say the value for those runs alone that take it as it is."""
        taking = self._labels([run for run in others if where.is_written and self._takes(run, where, tail)])
        if not taking:
            return ""
        section = tail[: tail.index("params") + 1] if "params" in tail else tail[:-1]
        keys = ", ".join(dotted((*at, *section)) for at in taking.values())
        remedy = f"; say it for {', '.join(taking)} alone, in a file under {keys}"
        if where.source != COMMAND_LINE:
            return remedy
        return f"{remedy}, or by: {self._command(next(iter(taking.values())), where.path)}"

    def _takes(self, run: Asked, where: Address, tail: KeyPath) -> bool:
        path: KeyPath = (*run.at, *tail)
        is_refused = any(problem.path[: len(path)] == path for problem in self._problems)
        return not is_refused and address(path, self._layers) == where

    def _command(self, at: KeyPath, path: KeyPath) -> str:
        """The command that asks the runs at `at` alone, with what was typed at `path`."""
        _, name, *of_category = at
        options = dict(self._typed(path))
        if of_category:
            typed = dict(self._typed(JSON_OPTIONS["benchmark_params"]))
            params: Mapping[str, Any] = typed.get("--benchmark-params", {})
            options["--benchmark-params"] = {**params, "category": of_category[-1]}
        rest = "--demo" if any(layer.source == DEMO for layer in self._layers) else "…"
        written = [f"{flag} {shlex.quote(_as_typed(value))}" for flag, value in options.items()]
        return " ".join(["pytest", f"benchmarks/{name}", rest, *written])

    def _typed(self, path: KeyPath) -> Iterator[tuple[str, Any]]:
        """The option that said the key `path`, whole, with keys masked; nothing if none was typed."""
        (layer,) = (layer for layer in self._layers if layer.source == COMMAND_LINE)
        for name, root in {**SINGLE_OPTIONS, **JSON_OPTIONS}.items():
            value = value_at(layer.written, root)
            if path[: len(root)] == root and value is not None:
                yield f"--{name.replace('_', '-')}", masked(value)

    def _labels(self, runs: Sequence[Asked]) -> dict[str, KeyPath]:
        """What these runs are called, and where they are configured: one benchmark, or its categories."""
        labels: dict[str, KeyPath] = {}
        for run in runs:
            is_whole = all(one in runs for one in self._runs if one.name == run.name)
            labels |= {run.name: run.at[:2]} if is_whole else {run.key: run.at}
        return labels


def _as_typed(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _tail(path: KeyPath) -> KeyPath | None:
    """The key within a run's settings; ``None`` if the path leads to what all runs share."""
    match path:
        case ("benchmarks", _, "by_category", _, *tail) | ("benchmarks", _, *tail):
            return tuple(tail)
        case _:
            return None


def _concerns(path: KeyPath, run: Asked) -> bool:
    """Whether what is wrong at `path` is wrong for the run; the categories are one value of its benchmark."""
    return path[: len(run.at)] == run.at or (_tail(path) == _CATEGORY and path[1] == run.name)


def _is_for(written: KeyPath, run: Asked) -> bool:
    """Whether what is `written` there is said for the run, maybe among others."""
    match written:
        case ("benchmarks", name, "by_category", category, *_):
            return name == run.name and spelled(BENCHMARKS[run.name], category) == run.category
        case ("benchmarks", name, *_):
            return name == run.name
        case _:
            return True
