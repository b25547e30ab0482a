"""A run: a benchmark, or one category of it, within one session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from benchmarks.benchmark import Benchmark, Dataset
from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.execution import Attempts
from benchmarks.configuration.model import BenchmarkChoice, Configuration
from benchmarks.plan import Unit, units
from benchmarks.redaction import Redactor
from benchmarks.results.files import RunFiles
from benchmarks.stop_mark import StopMark
from benchmarks.task import Task
from judges.prompts import JudgePrompt


@dataclass(frozen=True, kw_only=True)
class Run:
    """One benchmark, or one category of a benchmark that does not pool them, within one session.

    `directory` is ``None`` where nothing is written (`--collect-only`). `judge_prompt` is ``None`` for a
    scorer. `dataset` is known to the controller alone, without its tasks; workers have ``None``, and 0 for
    `n_dataset_tasks`: how many tasks it holds before `sample_ids` and `limit`, after `category`. `scratch` is
    where a worker that does not see the controller's disk keeps its own files; ``None`` for all others.
    `gates`, `baseline`, `prices` and `parent` are as the run's description tells them; workers know only the
    prices.
    """

    choice: BenchmarkChoice
    tasks: tuple[Task, ...]
    directory: Path | None
    judge_prompt: JudgePrompt | None
    dataset: Dataset | None = None
    n_dataset_tasks: int = 0
    partial: tuple[str, ...] = ()
    """Why the selection is a part of the set, one public reason each."""
    scratch: Path | None = None
    gates: Mapping[str, Any] = field(default_factory=dict[str, Any])
    baseline: Mapping[str, Any] | None = None
    prices: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parent: Mapping[str, Any] | None = None

    @property
    def files(self) -> RunFiles:
        """The files of this run, where this process may write them.

        Raises:
            ValueError: Nothing is written (`--collect-only`).
        """
        if self.directory is None:
            raise ValueError(f"the run {self.key!r} has no directory: nothing is written")
        return RunFiles(root=self.scratch or self.directory)

    def detail_path(self, task_id: str) -> Path:
        """Where the user finds what is kept of a task: in the run directory, whichever process asks."""
        return RunFiles(root=self.directory or Path()).detail(task_id)

    @property
    def key(self) -> str:
        """What names this run within the session: "gaia", "sealqa longseal"."""
        return self.choice.key

    @property
    def folder_name(self) -> str:
        """The key as a folder may be called, which begins the scope of each attempt: "sealqa-longseal"."""
        return self.key.replace(" ", "-")

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark this is a run of."""
        return BENCHMARKS[self.choice.name]

    def units(self, attempts: Attempts) -> list[Unit]:
        """The units of the selected tasks, before pytest deselects any."""
        return units(self.tasks, k=attempts.k, strategy=attempts.strategy, run=self.key)


@dataclass(frozen=True, kw_only=True)
class Cassettes:
    """Recorded exchanges: this session adds to those in `folder` (absolute), or is answered by them."""

    folder: Path
    mode: Literal["record", "replay"]


@dataclass(frozen=True, kw_only=True)
class Session:
    """All runs of this pytest session, as one process sees them.

    `runs` are by their keys, in order. `alone` is the task id that `-k` named exactly, ``None`` otherwise.
    `share` is how many attempts this process may have in flight (at least 1); `process` names it: "main"
    without xdist, else the worker's id. `cassettes` are ``None`` where nothing is recorded or replayed.
    `session_id` is common to the runs of one session and to no other. `judges_again`: the answers of an
    earlier run are judged, and no model is asked. `left_out` are attempts, by run, that a parent had
    deselected (`-k`, `-m`): this session goes on from the rest, ``{"gaia": frozenset({("t-1", 1)})}``.
    """

    configuration: Configuration
    runs: dict[str, Run]
    stop_mark: StopMark
    show_ground_truth: bool
    demo: bool
    alone: str | None = None
    share: int = 1
    process: str = "main"
    cassettes: Cassettes | None = None
    session_id: str = ""
    judges_again: bool = False
    left_out: Mapping[str, frozenset[tuple[str, int]]] = field(
        default_factory=dict[str, frozenset[tuple[str, int]]]
    )

    @property
    def attempts(self) -> Attempts:
        """How often each task is tried."""
        return self.configuration.execution.attempts

    def runs_of(self, benchmark: str) -> list[Run]:
        """The runs of one benchmark, in their order; empty if it is not asked."""
        return [run for run in self.runs.values() if run.choice.name == benchmark]


session_key = pytest.StashKey[Session]()
"""The session's runs; absent when no benchmark was asked for."""
run_key = pytest.StashKey[Run]()
"""The run an item belongs to; only items of a benchmark have one."""
unit_key = pytest.StashKey[Unit]()
"""The unit an item stands for."""
redactor_key = pytest.StashKey[Redactor]()
"""Decides what reports of this session may say."""


def n_workers_of(config: pytest.Config) -> int:
    """How many xdist workers this controller starts; 0 without xdist."""
    if config.option.collectonly or config.getoption("dist", "no") == "no":
        return 0
    from xdist.workermanage import parse_tx_spec_config

    return len(parse_tx_spec_config(config))


def stop_mark_of(runs: dict[str, Run]) -> StopMark:
    """The stop mark of a session: it lies with its first run."""
    first = next(iter(runs.values()))
    return StopMark(RunFiles(root=first.scratch or first.directory or Path()).stop)
