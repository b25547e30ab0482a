"""The configuration as values. The comments a user reads are the `Doc` of each field."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Le
from typing_extensions import Doc

from benchmarks.configuration.execution import Execution
from benchmarks.params import BenchmarkParams
from harnesses.endpoint.spec import EndpointSpec
from harnesses.harness import HarnessParams

_FORBID: dict[str, Any] = {"extra": "forbid"}
Share = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where the run directory lies."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    results_dir: Annotated[str, Doc("Directory that holds `<benchmark>/<model>/<run>/`.")] = "results"
    run_dir: Annotated[
        str | None,
        Doc(
            "The run directory itself; it must not exist, and only one run may be asked for. "
            "Null: made under results_dir."
        ),
    ] = None
    run_name: Annotated[
        str | None,
        Doc(
            "Last part of the path; a name that exists is refused. Several runs of one benchmark get "
            "`-<category>` at its end. Null: date and time in UTC."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Rates:
    """What a model's tokens cost."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    input_usd_per_million_tokens: Annotated[float, Ge(0), Doc("USD for a million tokens sent.")]
    output_usd_per_million_tokens: Annotated[
        float, Ge(0), Doc("USD for a million tokens received, reasoning included.")
    ]


@dataclass(frozen=True, kw_only=True)
class Prices:
    """What tokens cost. A price that is not known is unknown, never 0."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    models: Annotated[
        dict[str, Rates], Doc("Rates by model id: of the model, of the page summaries' model, of the judge.")
    ] = field(default_factory=dict[str, Rates])
    look_up: Annotated[
        bool,
        Doc(
            "Look up what `models` does not list in the package `genai-prices`, if it knows the model id; "
            "needs the extra `prices`."
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class Gates:
    """Thresholds that set the exit code. With none set, pytest's own code stands."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    min_accuracy: Annotated[
        dict[str, Share] | None,
        Doc(
            "Least value of the headline series over what was evaluated; a lower one exits with 1. One for "
            "each scope, `{overall: 0.6, level1: 0.8}`, or a bare number for `overall`; other scopes are a "
            "level, a topic, a benchmark, a run. Null: no gate."
        ),
    ] = None
    min_coverage: Annotated[
        Share | None,
        Doc(
            "Least share of evaluated among planned tasks; a lower one exits with 10. Null: 1.0 as soon as "
            "another gate is set."
        ),
    ] = None
    max_errors: Annotated[
        Annotated[int, Ge(0)] | None,
        Doc("Run and judge errors together; more of them exit with 10. Null: no gate."),
    ] = None
    baseline: Annotated[
        str | None,
        Doc(
            "Run directory or metrics.json that this run is held against, task by task: 1 regression, 11 too "
            "few flips to tell, 12 not comparable. Null: none."
        ),
    ] = None
    max_regression: Annotated[
        Share | None,
        Doc(
            "How far below the baseline the mean over the paired tasks may fall, each weighing the same; "
            "needs a baseline. Null: any significant regression (5 %) exits with 1, however small."
        ),
    ] = None
    baseline_anyway: Annotated[
        bool,
        Doc("Hold it against a baseline of another dataset, judge, prompt or k all the same, and say so."),
    ] = False
    policy: Annotated[
        Literal["point", "confident"],
        Doc(
            "`point`: the value decides; `confident`: its 95 % interval does, and a threshold that lies in "
            "it exits with 11."
        ),
    ] = "point"
    primary: Annotated[
        str | None,
        Doc(
            "The one scope of min_accuracy that decides; the others are told. Null: all decide, under "
            "`confident` with Holm's correction."
        ),
    ] = None

    @property
    def are_set(self) -> bool:
        """Whether any gate was asked for."""
        return bool(self.asked)

    @property
    def asked(self) -> tuple[str, ...]:
        """The keys of the gates that were asked for, e.g. ``("min_accuracy", "max_errors")``."""
        names = ("min_accuracy", "min_coverage", "max_errors", "baseline")
        return tuple(name for name in names if getattr(self, name) is not None)


def key_of(name: str, category: str | None) -> str:
    """What names a run within its session: "gaia", or "sealqa longseal" where each category is a run."""
    return name if category is None else f"{name} {category}"


@dataclass(frozen=True, kw_only=True)
class BenchmarkChoice:
    """One run of the session: a benchmark, or one category of it, with the harness that answers it.

    `category` is ``None`` where the benchmark pools its categories. `run_suffix` is what the name of the
    run's directory ends with: "-longseal" where its benchmark has several runs in this session, else "".
    `effective` is this choice as plain values, defaults included and every key masked: ``{"params": {…},
    "harness": {"id": …, "params": {…}}}``.
    """

    name: str
    category: str | None = None
    run_suffix: str = ""
    params: BenchmarkParams
    harness_id: str
    harness_params: HarnessParams
    effective: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def key(self) -> str:
        """What names this run within the session, e.g. "sealqa longseal"."""
        return key_of(self.name, self.category)


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """Everything a session was asked for, checked. It can be pickled: it goes to workers.

    `model` is ``None`` only where none is needed (`--collect-only`). `choices` are the runs of the session by
    their keys, in their order. `effective` is the merged configuration as plain values, defaults included and
    every key masked; it has the shape of a YAML file. `secrets` are the key values themselves, for the
    masking of reports.
    """

    model: EndpointSpec | None
    choices: Mapping[str, BenchmarkChoice]
    execution: Execution
    placement: Placement
    gates: Gates
    prices: Prices = field(default_factory=Prices)
    effective: Mapping[str, Any] = field(default_factory=dict[str, Any])
    secrets: frozenset[str] = field(default=frozenset[str](), repr=False)

    def effective_of(self, choice: BenchmarkChoice) -> Mapping[str, Any]:
        """The effective configuration of one run: a file that asks for this run alone."""
        return {**self.effective, "benchmarks": {choice.name: choice.effective}}
