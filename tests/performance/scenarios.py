"""What is measured, and the targets it is held against."""

from dataclasses import dataclass

from load import Load

FLOOR = "floor"
SUITE = "suite"


def who_of(n_workers: int) -> str:
    """What a row calls the suite with so many xdist workers; 0 is one process."""
    return f"{SUITE} -n {n_workers}" if n_workers else SUITE


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One load, for the floor and for the suite with each of `workers` (0: one process).

    It is measured at most `n_rounds_at_most` times: long ones vary little. `is_quick` ones make up `--quick`.
    """

    name: str
    load: Load
    workers: tuple[int, ...] = (0,)
    n_rounds_at_most: int = 3
    is_quick: bool = False


SCENARIOS = (
    Scenario(name="wait-16", load=Load(n_tasks=192, in_flight=16, latency_s=0.2), workers=(0, 2)),
    Scenario(
        name="wait-64", load=Load(n_tasks=192, in_flight=64, latency_s=0.2), workers=(0, 2), is_quick=True
    ),
    Scenario(
        name="wait-256",
        load=Load(n_tasks=1000, in_flight=256, latency_s=1.0),
        workers=(0, 2),
        n_rounds_at_most=1,
    ),
    Scenario(name="brisk-256", load=Load(n_tasks=1000, in_flight=256, latency_s=0.2)),
    Scenario(name="wait-1000", load=Load(n_tasks=2000, in_flight=1000, latency_s=0.2), n_rounds_at_most=1),
    Scenario(
        name="uneven-64",
        load=Load(n_tasks=1000, in_flight=64, latency_s=0.2, spread=1.0),
        workers=(0, 2),
        n_rounds_at_most=1,
    ),
    Scenario(name="zero-16", load=Load(n_tasks=192, in_flight=16, latency_s=0.0), workers=(0, 2)),
    Scenario(
        name="zero-64", load=Load(n_tasks=192, in_flight=64, latency_s=0.0), workers=(0, 2), is_quick=True
    ),
    Scenario(name="zero-100-tasks", load=Load(n_tasks=100, in_flight=64, latency_s=0.0), n_rounds_at_most=1),
    Scenario(
        name="zero-10000-tasks", load=Load(n_tasks=10_000, in_flight=64, latency_s=0.0), n_rounds_at_most=1
    ),
)
"""`wait-*` have equal latencies, `uneven-*` log-normal ones, `zero-*` none. `brisk-256` asks for more calls a
second than one core answers in the time: it shows where CPU begins to count."""

COLLECTED: tuple[int, ...] = (1, 100, 10_000, 100_000)
"""So many tasks are collected and not run."""
COLLECTED_QUICKLY: tuple[int, ...] = (1, 100, 10_000)
REDUCED: tuple[int, ...] = (10_000, 100_000)
"""So many records are written and reduced."""
REDUCED_QUICKLY: tuple[int, ...] = (10_000,)


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a figure of one row shall be at most, in the figure's own unit."""

    scenario: str
    who: str
    figure: str
    at_most: float


_GIGABYTE_IN_MB = 1000.0

TARGETS = (
    Target(scenario="wait-16", who=SUITE, figure="wall / limit", at_most=1.10),
    Target(scenario="wait-64", who=SUITE, figure="wall / limit", at_most=1.20),
    Target(scenario="wait-256", who=SUITE, figure="wall / limit", at_most=1.06),
    Target(scenario="wait-64", who=SUITE, figure="CPU ms/task", at_most=10.0),
    Target(scenario="wait-64", who=SUITE, figure="tree MB", at_most=80.0),
    Target(scenario="wait-1000", who=SUITE, figure="tree MB", at_most=150.0),
    Target(scenario="wait-64", who=who_of(2), figure="tree MB", at_most=170.0),
    Target(scenario="wait-64", who=SUITE, figure="first s", at_most=0.6),
    Target(scenario="collect-10000", who=SUITE, figure="MB", at_most=_GIGABYTE_IN_MB),
    Target(scenario="collect-100000", who=SUITE, figure="MB", at_most=_GIGABYTE_IN_MB),
    Target(scenario="reduce-10000", who=SUITE, figure="MB", at_most=_GIGABYTE_IN_MB),
    Target(scenario="reduce-100000", who=SUITE, figure="MB", at_most=_GIGABYTE_IN_MB),
)
