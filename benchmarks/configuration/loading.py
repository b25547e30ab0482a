"""The options and YAML files become one configuration; every refusal comes here, before a token is spent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration import refusals
from benchmarks.configuration.asked import Asked, asked_runs
from benchmarks.configuration.checks import Checks
from benchmarks.configuration.choosing import Choosing
from benchmarks.configuration.execution import Execution
from benchmarks.configuration.gathering import gather
from benchmarks.configuration.layers import merged_benchmark, merged_section
from benchmarks.configuration.masking import masked, masked_text
from benchmarks.configuration.model import BenchmarkChoice, Configuration, Gates, Placement, Prices
from benchmarks.configuration.options import Options
from benchmarks.configuration.problem import ConfigurationError, dotted
from benchmarks.configuration.telling import Telling
from benchmarks.configuration.validation import unknown_key, unknown_name
from benchmarks.configuration.variables import MODEL_KEY, with_key
from harnesses.catalogue import HARNESSES
from harnesses.endpoint.json_values import is_object
from harnesses.endpoint.spec import EndpointSpec
from harnesses.endpoint.valid_text import with_valid_text

__all__ = ["ConfigurationError", "load_configuration"]

_PLACEHOLDERS = {"id": "any", "base_url": "http://any"}
"""What stands in for what is missing of a model where none is needed: the rest is checked all the same."""


_NOWHERE = "http://nobody.invalid"
"""The address of a model that is not asked; no such host exists (RFC 2606)."""


def load_configuration(
    options: Options,
    *,
    benchmarks: Sequence[str],
    needs_model: bool,
    environ: Mapping[str, str],
    lowest: Mapping[str, Any] | None = None,
    parent: Mapping[str, Any] | None = None,
) -> Configuration:
    """Everything a session was asked for, checked.

    The layers, the last of which wins: `parent`, `lowest`, the YAML files in their order, the JSON options,
    the single options. Keys that none of them gives come from the environment.

    Args:
        options: What was typed.
        benchmarks: Names of the benchmarks of this session, e.g. ``["gaia"]``.
        needs_model: False where nothing is asked (`--collect-only`): model, judge and keys may be missing.
        environ: The environment variables.
        lowest: What the demo presets, shaped like a YAML file. Its model address gets no key from a variable.
        parent: What the run that is resumed or judged again was asked for, shaped the same.

    Raises:
        ConfigurationError: What is wrong, one line for each problem, all of them.
    """
    gathered = gather(options, environ=environ, lowest=lowest, parent=parent)
    checks = Checks(gathered, environ, needs_model=needs_model and gathered.is_complete)
    own_address = (lowest or {}).get("model", {}).get("base_url")
    runs = asked_runs(benchmarks, checks)
    model = _model(checks, own_address, is_asked=_asks_model(runs, checks))
    execution = checks.made(Execution, merged_section(checks.layers, "execution"), ("execution",))
    placement = checks.made(Placement, merged_section(checks.layers, "run"), ("run",))
    gates = checks.made(Gates, _gates(merged_section(checks.layers, "gates")), ("gates",))
    prices = checks.made(Prices, merged_section(checks.layers, "prices"), ("prices",))
    if gates is not None:
        checks.problems += refusals.of_gates(gates, runs)
    if placement is not None and checks.needs_model:
        checks.problems += refusals.of_placement(placement, runs, model)
    checks.problems += refusals.of_shared_ids(runs, checks.layers)
    choosing = Choosing(runs, checks, model=model, execution=execution, gates=gates)
    choices = choosing.choices()
    told = Telling(checks.problems, layers=checks.layers, runs=runs, harnesses=choosing.harness_ids).lines()
    lines = [*gathered.lines, *_unknown_benchmarks(checks, benchmarks), *told]
    if lines or execution is None or placement is None or gates is None or prices is None:
        raise ConfigurationError(masked_text(line, checks.secrets) for line in lines)
    return _whole(
        Configuration(
            model=model,
            choices={choice.key: choice for choice in choices},
            execution=execution,
            placement=placement,
            gates=gates,
            prices=prices,
            secrets=frozenset(checks.secrets),
        )
    )


def _model(checks: Checks, own_address: str | None, *, is_asked: bool) -> EndpointSpec | None:
    values = merged_section(checks.layers, "model")
    if not is_asked:
        values = {"base_url": _NOWHERE, **values}
    if not checks.needs_model and not _PLACEHOLDERS.keys() <= values.keys():
        checks.made(EndpointSpec, {**_PLACEHOLDERS, **values}, ("model",))
        return None
    if not values.keys() & (_PLACEHOLDERS.keys() if is_asked else {"id"}):
        line = "no model is given; name one by --model ID --model-base-url URL, or try --demo"
        checks.refuse(("model",), line)
        return None
    if values.get("base_url") != own_address:
        values = with_key(values, "api_key", MODEL_KEY, checks.environ)
    return checks.made(EndpointSpec, values, ("model",))


def _asks_model(runs: Iterable[Asked], checks: Checks) -> bool:
    """Whether a harness of this session asks the model; one that is not known is taken to."""
    chosen = [merged_benchmark(checks.layers, run.name, category=run.category)[1].get("id") for run in runs]
    kinds = [HARNESSES.get(name) if isinstance(name, str) else None for name in chosen]
    return not kinds or any(kind is None or kind.asks_model for kind in kinds)


def _unknown_benchmarks(checks: Checks, names: Iterable[str]) -> list[str]:
    written = [(layer.source, name) for layer in checks.layers for name in layer.values["benchmarks"]]
    return [
        *(unknown_name("benchmark", name, BENCHMARKS) for name in names if name not in BENCHMARKS),
        *(
            f"{dotted(('benchmarks', name))} ({source}): {unknown_key(name, BENCHMARKS)}"
            for source, name in written
            if name not in BENCHMARKS
        ),
    ]


def _gates(written: dict[str, Any]) -> dict[str, Any]:
    """What is asked: a scope that a later layer set to null asks nothing any more."""
    least = written.get("min_accuracy")
    if not is_object(least):
        return written
    return {**written, "min_accuracy": {scope: x for scope, x in least.items() if x is not None} or None}


def _whole(configuration: Configuration) -> Configuration:
    """With what may be shown of it beside it."""
    secrets, model = configuration.secrets, configuration.model
    choices = {
        key: replace(choice, effective=_shown(_as_written(choice), secrets))
        for key, choice in configuration.choices.items()
    }
    sections = {
        "model": None if model is None else asdict(model),
        "benchmarks": _by_benchmark(choices.values()),
        "execution": asdict(configuration.execution),
        "run": asdict(configuration.placement),
        "gates": asdict(configuration.gates),
        "prices": asdict(configuration.prices),
    }
    return replace(configuration, choices=choices, effective=_shown(sections, secrets))


def _as_written(choice: BenchmarkChoice) -> dict[str, Any]:
    """A choice as a configuration file would say it."""
    harness = {"id": choice.harness_id, "params": asdict(cast("Any", choice.harness_params))}
    return {"params": asdict(choice.params), "harness": harness}


def _by_benchmark(choices: Iterable[BenchmarkChoice]) -> dict[str, Any]:
    """All choices as a configuration file would say them: several runs of one benchmark by their category."""
    sections: dict[str, Any] = {}
    for choice in choices:
        if not choice.run_suffix:
            sections[choice.name] = choice.effective
            continue
        own = sections.setdefault(choice.name, {"params": {"category": []}, "by_category": {}})
        own["params"]["category"].append(choice.category)
        params = {name: value for name, value in choice.effective["params"].items() if name != "category"}
        own["by_category"][choice.category] = {**choice.effective, "params": params}
    return sections


def _shown(values: Mapping[str, Any], secrets: frozenset[str]) -> Mapping[str, Any]:
    """`values` as they may be shown: keys masked, and nothing that cannot be printed."""
    return cast("Mapping[str, Any]", with_valid_text(masked(values, secrets)))
