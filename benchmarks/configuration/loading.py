"""The options and YAML files become one configuration; every refusal comes here, before a token is spent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar, cast

from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration import refusals
from benchmarks.configuration.gathering import Gathered, gather
from benchmarks.configuration.layers import address, merged_benchmark, merged_section
from benchmarks.configuration.masking import SECRET_MIN_CHARACTERS, masked, masked_text, secret_values
from benchmarks.configuration.model import BenchmarkChoice, Configuration, Execution, Gates, Placement
from benchmarks.configuration.options import Options
from benchmarks.configuration.problem import ConfigurationError, KeyPath, Problem, dotted, value_at
from benchmarks.configuration.validation import unknown_key, unknown_name, validated
from benchmarks.configuration.variables import JUDGE_KEY, KEY_VARIABLES, MODEL_KEY, with_key
from benchmarks.params import BenchmarkParams
from harnesses.catalogue import HARNESSES
from harnesses.endpoint.json_values import is_list
from harnesses.endpoint.spec import EndpointSpec
from harnesses.endpoint.valid_text import with_valid_text
from harnesses.harness import HarnessParams

__all__ = ["DEFAULT_HARNESS", "ConfigurationError", "load_configuration"]

DEFAULT_HARNESS = "naive_search_agent"
T = TypeVar("T")
_REMEDIES: Mapping[KeyPath, str] = {
    ("id",): "name the model by --model ID",
    ("base_url",): "give the model's address by --model-base-url URL",
    ("judge_model", "id"): "name the judge's model",
    (
        "judge_model",
        "base_url",
    ): "give the judge's own address; nothing is borrowed from the model under test",
}
_PLACEHOLDERS = {"id": "any", "base_url": "http://any"}
"""What stands in for what is missing of a model where none is needed: the rest is checked all the same."""


def load_configuration(
    options: Options,
    *,
    benchmarks: Sequence[str],
    needs_model: bool,
    environ: Mapping[str, str],
    lowest: Mapping[str, Any] | None = None,
) -> Configuration:
    """Everything a session was asked for, checked.

    The layers, the last of which wins: `lowest`, the YAML files in their order, the JSON options, the single
    options. Keys that none of them gives come from the environment.

    Args:
        options: What was typed.
        benchmarks: Names of the benchmarks of this session, e.g. ``["gaia"]``.
        needs_model: False where nothing is asked (`--collect-only`): model, judge and keys may be missing.
        environ: The environment variables.
        lowest: What the demo presets, shaped like a YAML file. Its model address gets no key from a variable.

    Raises:
        ConfigurationError: What is wrong, one line for each problem, all of them.
    """
    gathered = gather(options, environ=environ, lowest=lowest)
    loading = _Loading(gathered, environ, needs_model=needs_model and gathered.is_complete)
    own_address = (lowest or {}).get("model", {}).get("base_url")
    return loading.configuration(benchmarks, own_address=own_address)


class _Loading:
    """One configuration in the making: what is wrong and which keys were seen gather on the way."""

    def __init__(self, gathered: Gathered, environ: Mapping[str, str], *, needs_model: bool) -> None:
        self._gathered = gathered
        self._layers = gathered.layers
        self._environ = environ
        self._needs_model = needs_model
        self._problems: list[Problem] = []
        variables = (environ.get(name, "") for name in KEY_VARIABLES)
        self._secrets = {key for key in variables if len(key) >= SECRET_MIN_CHARACTERS} | gathered.secrets

    def configuration(self, names: Sequence[str], *, own_address: str | None) -> Configuration:
        """All of it, or every problem."""
        model = self._model(own_address)
        execution = self._made(Execution, self._section("execution"), ("execution",))
        placement = self._made(Placement, self._section("run"), ("run",))
        gates = self._made(Gates, self._section("gates"), ("gates",))
        if execution is not None:
            self._problems += refusals.of_execution(execution)
        if placement is not None and self._needs_model:
            self._problems += refusals.of_placement(placement, names, model)
        choices = [self._choice(name, model, gates) for name in names if name in BENCHMARKS]
        lines = [*self._gathered.lines, *self._unknown_benchmarks(names), *self._told()]
        if lines or execution is None or placement is None or gates is None:
            raise ConfigurationError(masked_text(line, self._secrets) for line in lines)
        chosen = {choice.name: choice for choice in choices if choice is not None}
        return Configuration(
            model=model,
            benchmarks=chosen,
            execution=execution,
            placement=placement,
            gates=gates,
            effective=self._effective(model, chosen, execution, placement, gates),
            secrets=frozenset(self._secrets),
        )

    def _section(self, name: str) -> dict[str, Any]:
        return merged_section(self._layers, name)

    def _made(self, kind: type[T], values: Mapping[str, Any], at: KeyPath) -> T | None:
        """`kind` made of `values`; what only fails because a variable is not set is told once, elsewhere."""
        made, problems = validated(kind, values, at=at, remedies=_REMEDIES)
        self._secrets |= set(secret_values(values))
        if made is not None:
            self._secrets |= set(secret_values(asdict(cast("Any", made))))
        self._problems += [
            problem
            for problem in problems
            if not _mentions(value_at(values, problem.path[len(at) :]), self._gathered.unresolved)
        ]
        return made

    def _model(self, own_address: str | None) -> EndpointSpec | None:
        values = self._section("model")
        if not self._needs_model and not _PLACEHOLDERS.keys() <= values.keys():
            self._made(EndpointSpec, {**_PLACEHOLDERS, **values}, ("model",))
            return None
        if not values.keys() & _PLACEHOLDERS.keys():
            line = "no model is given; name one by --model ID --model-base-url URL, or try --demo"
            self._problems.append(Problem(("model",), line))
            return None
        if values.get("base_url") != own_address:
            values = with_key(values, "api_key", MODEL_KEY, self._environ)
        return self._made(EndpointSpec, values, ("model",))

    def _choice(self, name: str, model: EndpointSpec | None, gates: Gates | None) -> BenchmarkChoice | None:
        param_values, harness = merged_benchmark(self._layers, name)
        params = self._params(name, param_values)
        if self._needs_model:
            self._problems += refusals.of_missing_judge(name, param_values)
        if params is not None:
            self._problems += refusals.of_self_judge(name, params, model)
        if params is not None and gates is not None:
            self._problems += refusals.of_gates(name, params, gates)
        harness_id = harness.get("id", DEFAULT_HARNESS)
        if not isinstance(harness_id, str) or harness_id not in HARNESSES:
            line = unknown_name("harness", harness_id, HARNESSES)
            self._problems.append(Problem(("benchmarks", name, "harness", "id"), line))
            return None
        harness_params = self._harness_params(name, harness_id, harness.get("params", {}))
        if params is None or harness_params is None:
            return None
        return BenchmarkChoice(name=name, params=params, harness_id=harness_id, harness_params=harness_params)

    def _params(self, name: str, values: dict[str, Any]) -> BenchmarkParams | None:
        judge_model = values.get("judge_model")
        if isinstance(judge_model, Mapping):
            given = cast("Mapping[str, Any]", judge_model)
            values = {**values, "judge_model": with_key(given, "api_key", JUDGE_KEY, self._environ)}
        return self._made(BENCHMARKS[name].params_type, values, ("benchmarks", name, "params"))

    def _harness_params(self, name: str, harness_id: str, values: dict[str, Any]) -> HarnessParams | None:
        kind: Any = HARNESSES[harness_id].Params
        for key in (key for key in kind.__dataclass_fields__ if key.endswith("_api_key")):
            values = with_key(values, key, key.upper(), self._environ)
        made = self._made(kind, values, ("benchmarks", name, "harness", "params"))
        if made is not None and self._needs_model:
            self._problems += refusals.of_harness(name, made, values=asdict(made))
        return cast("HarnessParams | None", made)

    def _unknown_benchmarks(self, names: Iterable[str]) -> list[str]:
        written = [(layer.source, name) for layer in self._layers for name in layer.values["benchmarks"]]
        return [
            *(unknown_name("benchmark", name, BENCHMARKS) for name in names if name not in BENCHMARKS),
            *(
                f"{dotted(('benchmarks', name))} ({source}): {unknown_key(name, BENCHMARKS)}"
                for source, name in written
                if name not in BENCHMARKS
            ),
        ]

    def _told(self) -> list[str]:
        return [f"{address(problem.path, self._layers)}: {problem.line}" for problem in self._problems]

    def _effective(
        self,
        model: EndpointSpec | None,
        choices: Mapping[str, BenchmarkChoice],
        execution: Execution,
        placement: Placement,
        gates: Gates,
    ) -> Mapping[str, Any]:
        plain = {
            "model": None if model is None else asdict(model),
            "benchmarks": {
                name: {
                    "params": asdict(choice.params),
                    "harness": {
                        "id": choice.harness_id,
                        "params": asdict(cast("Any", choice.harness_params)),
                    },
                }
                for name, choice in choices.items()
            },
            "execution": asdict(execution),
            "run": asdict(placement),
            "gates": asdict(gates),
        }
        return cast("Mapping[str, Any]", with_valid_text(masked(plain, self._secrets)))


def _mentions(value: Any, texts: frozenset[str]) -> bool:
    if isinstance(value, Mapping):
        return any(_mentions(item, texts) for item in cast("Mapping[str, Any]", value).values())
    if is_list(value):
        return any(_mentions(item, texts) for item in value)
    return isinstance(value, str) and value in texts
