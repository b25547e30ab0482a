"""The configuration as values. The comments a user reads are the `Doc` of each field."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Gt, Le
from typing_extensions import Doc

from benchmarks.params import BenchmarkParams
from harnesses.endpoint.spec import EndpointSpec
from harnesses.harness import HarnessParams

_FORBID: dict[str, Any] = {"extra": "forbid"}
Share = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """How often each task is tried."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    k: Annotated[int, Ge(1), Doc("Attempts per task.")] = 1
    strategy: Annotated[Literal["avg", "pass"], Doc("`avg`: one item per attempt.")] = "avg"


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How much runs at once, and for how long."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    attempts: Annotated[Attempts, Doc("How often each task is tried.")] = field(default_factory=Attempts)
    task_concurrency: Annotated[
        Annotated[int, Ge(1)] | None,
        Doc("Attempts in flight in all. Null: 16 without `-n`, the number of workers with it."),
    ] = None
    run_timeout_seconds: Annotated[
        Annotated[float, Gt(0)] | None,
        Doc("Seconds an attempt may take before it is asked for its answer. Null: no limit."),
    ] = 9000.0
    evaluation_timeout_seconds: Annotated[
        Annotated[float, Gt(0)] | None, Doc("Seconds a judgment may take; past that a judge error. Null: no limit.")
    ] = None
    timeout_multiplier: Annotated[float, Gt(0), Doc("Stretches both time limits.")] = 1.0


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where the run directory lies."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    results_dir: Annotated[str, Doc("Holds `<benchmark>/<model>/<run>/`.")] = "results"
    run_dir: Annotated[str | None, Doc("The run directory itself; must not exist. Null: made under results_dir.")] = None
    run_name: Annotated[str | None, Doc("The last part of the path. Null: date and time (UTC).")] = None


@dataclass(frozen=True, kw_only=True)
class Gates:
    """Thresholds that set the exit code. With none set, pytest's own code stands."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    min_accuracy: Annotated[Share | None, Doc("Accuracy over evaluated attempts must reach it (0 to 1).")] = None
    min_coverage: Annotated[
        Share | None,
        Doc("Evaluated over planned must reach it (0 to 1). Null: 1.0 as soon as another gate is set."),
    ] = None
    max_errors: Annotated[
        Annotated[int, Ge(0)] | None, Doc("More run and judge errors than this: not measured.")
    ] = None

    @property
    def are_set(self) -> bool:
        """Whether any gate was asked for."""
        return not (self.min_accuracy is None and self.min_coverage is None and self.max_errors is None)


@dataclass(frozen=True, kw_only=True)
class BenchmarkChoice:
    """One benchmark of the session with the harness that answers it."""

    name: str
    params: BenchmarkParams
    harness_id: str
    harness_params: HarnessParams


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """Everything a session was asked for. `model` is ``None`` only where none is needed
    (`--collect-only`). `benchmarks` maps a benchmark's name to its choice. `effective` is the merged
    configuration as plain values with every key masked: for the header and run.json. `secrets` are the
    key values themselves, for the masking of reports.
    """

    model: EndpointSpec | None
    benchmarks: Mapping[str, BenchmarkChoice]
    execution: Execution
    placement: Placement
    gates: Gates
    effective: Mapping[str, Any] = field(default_factory=dict[str, Any])
    secrets: frozenset[str] = field(default=frozenset[str](), repr=False)
