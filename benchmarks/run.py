"""A run: a benchmark, or one category of it, within one session; and what workers are handed of it."""

import pickle
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmarks.benchmark import Benchmark, Dataset
from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.model import Attempts, BenchmarkChoice, Configuration
from benchmarks.plan import Unit, read_plan, units
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
    `gates`, `baseline` and `prices` are as the run's description tells them, and known to the controller
    alone.
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
    def benchmark(self) -> Benchmark:
        """The benchmark this is a run of."""
        return BENCHMARKS[self.choice.name]

    def units(self, attempts: Attempts) -> list[Unit]:
        """The units of the selected tasks, before pytest deselects any."""
        return units(self.tasks, k=attempts.k, strategy=attempts.strategy, run=self.key)


@dataclass(frozen=True, kw_only=True)
class Session:
    """All runs of this pytest session, as one process sees them.

    `runs` are by their keys, in order. `alone` is the task id that `-k` named exactly, ``None`` otherwise.
    `share` is how many attempts this process may have in flight (at least 1); `process` names it: "main"
    without xdist, else the worker's id.
    """

    configuration: Configuration
    runs: dict[str, Run]
    stop_mark: StopMark
    show_ground_truth: bool
    demo: bool
    alone: str | None = None
    share: int = 1
    process: str = "main"

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


@dataclass(frozen=True, kw_only=True)
class _HandedRun:
    """A run without its choice. `tasks` are ``None`` where the worker reads them from the task file."""

    key: str
    directory: Path
    judge_prompt: JudgePrompt | None
    tasks: tuple[Task, ...] | None


@dataclass(frozen=True, kw_only=True)
class _Handover:
    configuration: Configuration
    runs: tuple[_HandedRun, ...]
    alone: str | None
    show_ground_truth: bool
    demo: bool
    share: int
    process: str


def pack(session: Session, *, share: int, process: str, sees_disk: bool) -> bytes:
    """What a worker needs of `session`, as bytes; where it `sees_disk`, tasks stay in the task file.

    The bytes hold keys. They go through xdist's own channel and are never written.
    """
    handover = _Handover(
        configuration=session.configuration,
        runs=tuple(
            _HandedRun(
                key=key,
                directory=run.directory or Path(),
                judge_prompt=run.judge_prompt,
                tasks=None if sees_disk else run.tasks,
            )
            for key, run in session.runs.items()
        ),
        alone=session.alone,
        show_ground_truth=session.show_ground_truth,
        demo=session.demo,
        share=share,
        process=process,
    )
    return pickle.dumps(handover)


def unpack(packed: bytes, closing: ExitStack) -> Session:
    """The session that the controller packed for this worker.

    Args:
        packed: From `pack`.
        closing: Is given what must be removed when pytest ends: the scratch folder of a worker that does not
            see the controller's disk.
    """
    handover = pickle.loads(packed)  # noqa: S301 - our own controller made it, over xdist's own channel
    assert isinstance(handover, _Handover)  # noqa: S101 - narrows the type
    runs = {
        handed.key: Run(
            choice=handover.configuration.choices[handed.key],
            tasks=read_plan(RunFiles(root=handed.directory).plan) if handed.tasks is None else handed.tasks,
            directory=handed.directory,
            judge_prompt=handed.judge_prompt,
            scratch=None if handed.tasks is None else _scratch(closing),
        )
        for handed in handover.runs
    }
    return Session(
        configuration=handover.configuration,
        runs=runs,
        stop_mark=stop_mark_of(runs),
        show_ground_truth=handover.show_ground_truth,
        demo=handover.demo,
        alone=handover.alone,
        share=handover.share,
        process=handover.process,
    )


def _scratch(closing: ExitStack) -> Path:
    return Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="agent-benchmarks-")))


def stop_mark_of(runs: dict[str, Run]) -> StopMark:
    """The stop mark of a session: it lies with its first run."""
    first = next(iter(runs.values()))
    return StopMark(RunFiles(root=first.scratch or first.directory or Path()).stop)
