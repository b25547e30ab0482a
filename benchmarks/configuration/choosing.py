"""What each run is: the parameters and the harness of a benchmark, or of one category of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from benchmarks.benchmark import Benchmark
from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration import refusals
from benchmarks.configuration.asked import Asked
from benchmarks.configuration.checks import Checks
from benchmarks.configuration.execution import Execution
from benchmarks.configuration.layers import merged_benchmark
from benchmarks.configuration.model import BenchmarkChoice, Gates
from benchmarks.configuration.validation import unknown_name, validated
from benchmarks.configuration.variables import JUDGE_KEY, with_key
from benchmarks.params import BenchmarkParams
from harnesses.catalogue import HARNESSES
from harnesses.endpoint.spec import EndpointSpec
from harnesses.harness import HarnessParams


class Choosing:
    """Makes the choice of each of the `runs` that are asked for, or notes what is wrong with it.

    `model`, `execution` and `gates` are ``None`` where they are missing or wrong: that is told elsewhere.
    `harness_ids` are by the keys of the runs, as far as they are known and there are such harnesses.
    """

    def __init__(
        self,
        runs: Sequence[Asked],
        checks: Checks,
        *,
        model: EndpointSpec | None,
        execution: Execution | None,
        gates: Gates | None,
    ) -> None:
        self._runs = runs
        self._checks = checks
        self._model = model
        self._execution = execution
        self._gates = gates
        self.harness_ids: dict[str, str] = {}

    def choices(self) -> list[BenchmarkChoice]:
        """What those runs are with which nothing is wrong; their effective values are not told yet."""
        return [choice for choice in map(self._choice, self._runs) if choice is not None]

    def _choice(self, asked: Asked) -> BenchmarkChoice | None:
        benchmark = BENCHMARKS[asked.name]
        values, harness = merged_benchmark(self._checks.layers, asked.name, category=asked.category)
        if asked.category is not None:
            values = {**values, "category": asked.wanted}
        params = self._params(asked, benchmark, values)
        sound = _sound_part(asked, benchmark, values) if params is None else params
        if self._checks.needs_model and (sound is None or benchmark.is_scored(sound)):
            self._checks.problems += refusals.of_missing_judge(asked.at, benchmark, values)
        default_id = None if sound is None else benchmark.default_harness(sound)
        harness_id = harness.get("id", default_id)
        if harness_id is None:
            return None
        if not isinstance(harness_id, str) or harness_id not in HARNESSES:
            line = unknown_name("harness", harness_id, HARNESSES)
            self._checks.refuse((*asked.at, "harness", "id"), line)
            return None
        self.harness_ids[asked.key] = harness_id
        if params is not None and self._checks.needs_model:
            searches = HARNESSES[harness_id].searches
            self._checks.problems += refusals.of_unfit_harness(asked.at, benchmark, params, searches=searches)
        harness_params = self._harness_params(asked, harness_id, harness.get("params", {}))
        if params is None or harness_params is None:
            return None
        return BenchmarkChoice(
            name=asked.name,
            category=asked.category,
            run_suffix=asked.run_suffix,
            params=params,
            harness_id=harness_id,
            harness_params=harness_params,
        )

    def _params(
        self, asked: Asked, benchmark: Benchmark, values: Mapping[str, Any]
    ) -> BenchmarkParams | None:
        checks, given = self._checks, dict(values)
        judge_model = given.get("judge_model")
        if isinstance(judge_model, Mapping):
            judge = cast("Mapping[str, Any]", judge_model)
            given["judge_model"] = with_key(judge, "api_key", JUDGE_KEY, checks.environ)
        params = checks.made(benchmark.params_type, given, (*asked.at, "params"))
        if params is not None:
            checks.problems += refusals.of_self_judge(asked.at, params, self._model)
            checks.problems += refusals.of_hierarchy(asked.at, params)
            checks.problems += refusals.of_unscored(
                asked.key, benchmark, params, execution=self._execution, gates=self._gates
            )
        return params

    def _harness_params(self, asked: Asked, harness_id: str, values: dict[str, Any]) -> HarnessParams | None:
        kind: Any = HARNESSES[harness_id].Params
        for key in (key for key in kind.__dataclass_fields__ if key.endswith("_api_key")):
            values = with_key(values, key, key.upper(), self._checks.environ)
        at = (*asked.at, "harness", "params")
        made = self._checks.made(kind, values, at)
        if made is not None and self._checks.needs_model:
            self._checks.problems += refusals.of_harness(at, made, values=asdict(made))
        return cast("HarnessParams | None", made)


def _sound_part(asked: Asked, benchmark: Benchmark, values: Mapping[str, Any]) -> BenchmarkParams | None:
    """The params without those that are refused, so that all that hangs on the others is told beside them.

    ``None`` if they cannot stand in: a param without a default is refused or missing, or the run's category.
    """
    _, problems = validated(benchmark.params_type, values, at=())
    refused = {problem.path[0] for problem in problems if problem.path}
    if asked.category is not None and "category" in refused:
        return None
    kept = {name: value for name, value in values.items() if name not in refused}
    return validated(benchmark.params_type, kept, at=())[0]
