"""Everything that was written, gathered into layers: the demo, YAML files, the command line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.configuration.layers import Layer, merged
from benchmarks.configuration.options import Options
from benchmarks.configuration.problem import Problem, dotted
from benchmarks.configuration.reading import UnreadableError, read_json, read_yaml
from benchmarks.configuration.spelling import Spelling
from benchmarks.configuration.variables import Expansion
from benchmarks.results.gates.scopes import OVERALL

COMMAND_LINE = "command line"
DEMO = "--demo"
PARENT = "the run it goes on from"
JSON_OPTIONS = {
    "model_params": ("model", "params"),
    "benchmark_params": ("benchmark", "params"),
    "harness_params": ("harness", "params"),
    "execution_params": ("execution",),
}
"""Fields of `Options` that hold a JSON object, and the key in YAML that says the same."""
SINGLE_OPTIONS = {
    "model": ("model", "id"),
    "model_base_url": ("model", "base_url"),
    "model_api_key": ("model", "api_key"),
    "model_api_protocol": ("model", "api_protocol"),
    "harness": ("harness", "id"),
    "k": ("execution", "attempts", "k"),
    "attempt_strategy": ("execution", "attempts", "strategy"),
    "task_concurrency": ("execution", "task_concurrency"),
    "run_timeout": ("execution", "session_timeout_seconds"),
    "results_dir": ("run", "results_dir"),
    "run_dir": ("run", "run_dir"),
    "run_name": ("run", "run_name"),
    "min_accuracy": ("gates", "min_accuracy"),
    "min_coverage": ("gates", "min_coverage"),
    "max_errors": ("gates", "max_errors"),
    "baseline": ("gates", "baseline"),
    "max_regression": ("gates", "max_regression"),
    "baseline_anyway": ("gates", "baseline_anyway"),
    "gate_policy": ("gates", "policy"),
}
"""Fields of `Options` with one value, and the key in YAML that says the same."""


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """The layers, the last of which wins, and the lines on what is wrong with them.

    `is_complete` is False where a file or an option could not be read: then nobody can tell what is missing.
    `unresolved` are texts with a variable that is not set; `secrets` came from variables named like keys.
    """

    layers: tuple[Layer, ...]
    lines: tuple[str, ...]
    is_complete: bool
    unresolved: frozenset[str] = field(repr=False)
    secrets: frozenset[str] = field(repr=False)


def gather(
    options: Options,
    *,
    environ: Mapping[str, str],
    lowest: Mapping[str, Any] | None,
    parent: Mapping[str, Any] | None = None,
) -> Gathered:
    """What `parent` (the run gone on from), `lowest` (the demo), files and the command line say, in order."""
    lines: list[str] = []
    unread: list[str] = []
    expansion = Expansion(environ)
    below = ((PARENT, parent), (DEMO, lowest))
    layers = [_layer(source, values, lines) for source, values in below if values]
    for file in options.config_files:
        layers += _file(file, expansion, lines, unread)
    layers.append(_command_line(options, lines, unread))
    return Gathered(
        layers=tuple(layers),
        lines=(*unread, *lines),
        is_complete=not unread,
        unresolved=frozenset(expansion.unresolved),
        secrets=frozenset(expansion.secrets),
    )


def _layer(source: str, written: Mapping[str, Any], lines: list[str]) -> Layer:
    spelling = Spelling()
    values = spelling.of(written)
    lines += _told(source, spelling.problems)
    return Layer(source=source, written=written, values=values)


def _told(source: str, problems: Iterable[Problem]) -> list[str]:
    return [f"{dotted(problem.path)} ({source}): {problem.line}" for problem in problems]


def _file(file: str, expansion: Expansion, lines: list[str], unread: list[str]) -> list[Layer]:
    """The layer of a YAML file with its variables expanded, or none if it cannot be read."""
    try:
        written = read_yaml(Path(file).expanduser())
    except UnreadableError as error:
        unread.append(f"--config {file!r} {error}")
        return []
    n_known = len(expansion.problems)
    expanded: dict[str, Any] = expansion.of(written)
    lines += _told(file, expansion.problems[n_known:])
    return [_layer(file, expanded, lines)]


def _command_line(options: Options, lines: list[str], unread: list[str]) -> Layer:
    """One layer, in which a single option wins over the JSON groups."""
    if options.env not in {None, "host_process"}:
        lines.append(f"--env {options.env!r} is refused; only host_process exists: leave the option out")
    groups = _layer(COMMAND_LINE, _groups(options, unread), lines)
    given = {**vars(options), "min_accuracy": _thresholds(options.min_accuracy, lines)}
    single = _layer(COMMAND_LINE, _at_their_keys(SINGLE_OPTIONS, given), lines)
    return Layer(
        source=COMMAND_LINE,
        written=merged(groups.written, single.written),
        values=merged(groups.values, single.values),
    )


def _thresholds(texts: Iterable[str], lines: list[str]) -> Any:
    """What `--min-accuracy` was given, as YAML would say it; ``None`` for nothing."""
    by_scope: dict[str, str] = {}
    for text in texts:
        name, equals, least = text.rpartition("=")
        scope = name.strip() if equals else OVERALL
        if not scope:
            lines.append(
                f"--min-accuracy {text!r} names no scope; write {least!r} for the whole, or SCOPE={least}"
            )
        elif scope.endswith("="):
            meant = scope.rstrip("= ") or OVERALL
            lines.append(f"--min-accuracy {text!r} has an = too many; write {meant}={least}")
        elif not _is_same_number(by_scope.setdefault(scope, least), least):
            both = f"{by_scope[scope]!r} and {least!r}"
            lines.append(f"--min-accuracy is given twice for {scope!r}, with {both}; keep one")
    return by_scope.get(OVERALL) if by_scope.keys() <= {OVERALL} else by_scope


def _is_same_number(one: str, other: str) -> bool:
    try:
        return one == other or float(one) == float(other)
    except ValueError:
        return False


def _groups(options: Options, unread: list[str]) -> dict[str, Any]:
    """The JSON options at their keys."""
    read: dict[str, Any] = {}
    for name in JSON_OPTIONS:
        text = getattr(options, name)
        try:
            read[name] = None if text is None else read_json(text)
        except UnreadableError as error:
            unread.append(f"--{name.replace('_', '-')} {error}")
    return _at_their_keys(JSON_OPTIONS, read)


def _at_their_keys(keys: Mapping[str, tuple[str, ...]], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values that were given, nested as in YAML; what is ``None`` was not given."""
    values: dict[str, Any] = {}
    for name, path in keys.items():
        value = given.get(name)
        if value is not None:
            for part in reversed(path):
                value = {part: value}
            values = merged(values, value)
    return values
