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

    k: Annotated[
        int, Ge(1), Doc("Attempts per task; costs grow with it. More than 1 is not built yet and is refused.")
    ] = 1
    strategy: Annotated[
        Literal["avg", "pass"],
        Doc("`avg`: one item per attempt, all are made; `pass`: one item per task, tried until it succeeds."),
    ] = "avg"


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How much runs at once, and for how long."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    attempts: Annotated[Attempts, Doc("How often each task is tried.")] = field(default_factory=Attempts)
    task_concurrency: Annotated[
        Annotated[int, Ge(1)] | None,
        Doc(
            "Attempts in flight in all processes together; more are faster until the server answers 429. "
            "Null: 16 without `-n`, the number of workers with it."
        ),
    ] = None
    run_timeout_seconds: Annotated[
        Annotated[float, Gt(0)] | None,
        Doc(
            "Seconds an attempt may take before it is asked for its answer; 300 s later it is cut off, and "
            "that is a run error. Null: no limit."
        ),
    ] = 9000.0
    evaluation_timeout_seconds: Annotated[
        Annotated[float, Gt(0)] | None,
        Doc("Seconds a judgment may take; past that it is a judge error. Null: no limit."),
    ] = None
    timeout_multiplier: Annotated[
        float, Gt(0), Doc("Factor on both time limits, e.g. 2 for a slow machine.")
    ] = 1.0


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where the run directory lies."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    results_dir: Annotated[str, Doc("Directory that holds `<benchmark>/<model>/<run>/`.")] = "results"
    run_dir: Annotated[
        str | None,
        Doc(
            "The run directory itself; it must not exist, and only one benchmark may run. "
            "Null: made under results_dir."
        ),
    ] = None
    run_name: Annotated[
        str | None,
        Doc("Last part of the path; a name that exists is refused. Null: date and time in UTC."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Gates:
    """Thresholds that set the exit code. With none set, pytest's own code stands."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    min_accuracy: Annotated[
        Share | None,
        Doc("Share of correct among evaluated attempts; a lower one exits with 1. Null: no gate."),
    ] = None
    min_coverage: Annotated[
        Share | None,
        Doc(
            "Share of evaluated among planned attempts; a lower one exits with 10. Null: 1.0 as soon as "
            "another gate is set."
        ),
    ] = None
    max_errors: Annotated[
        Annotated[int, Ge(0)] | None,
        Doc("Run and judge errors together; more of them exit with 10. Null: no gate."),
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
    """Everything a session was asked for, checked. It can be pickled: it goes to workers.

    `model` is ``None`` only where none is needed (`--collect-only`). `benchmarks` maps a benchmark's name to
    its choice. `effective` is the merged configuration as plain values, defaults included and every key
    masked, for the header and run.json; it has the shape of a YAML file. `secrets` are the key values
    themselves, for the masking of reports.
    """

    model: EndpointSpec | None
    benchmarks: Mapping[str, BenchmarkChoice]
    execution: Execution
    placement: Placement
    gates: Gates
    effective: Mapping[str, Any] = field(default_factory=dict[str, Any])
    secrets: frozenset[str] = field(default=frozenset[str](), repr=False)
