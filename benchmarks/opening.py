"""Opens a session in the controller: refuse what is wrong, load once, select, freeze the plan."""

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from benchmarks.benchmark import DatasetError
from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.model import BenchmarkChoice, Configuration
from benchmarks.configuration.options import DEFAULT_DEMO_MODEL, Options
from benchmarks.paths import benchmarks_on
from benchmarks.plan import write_plan
from benchmarks.run import PLAN_FILE, Run, Session, n_workers_of, stop_mark_of
from benchmarks.selection import select
from judges.catalogue import SCORERS
from judges.prompts import JudgePrompt, PromptError, load_prompt

Tell = Callable[[str], None]

_NOT_YET_SERVED = "http://127.0.0.1:1/v1"
"""Where the demo's model will be, until its server has been started: it starts after every refusal."""
_DEFAULT_CONCURRENCY = 16


def open_session(config: pytest.Config, closing: ExitStack, *, tell: Tell) -> Session | None:
    """The session this command line asks for, ``None`` if it names no benchmark.

    Args:
        config: The controller's.
        closing: Is given what must be closed when pytest ends, e.g. the demo's model server.
        tell: Shows one line of progress.

    Raises:
        pytest.UsageError: Anything the user should change; nothing was written and no model asked.
    """
    options = Options.from_pytest(config)
    names = benchmarks_on(config.args, names=BENCHMARKS, invoked_in=config.invocation_params.dir)
    if not names:
        if options.demo:
            raise pytest.UsageError(
                "--demo asks no benchmark here; name the folder: pytest benchmarks --demo"
            )
        return None
    try:
        return _Opening(config, options, names, closing, tell).session()
    except (DatasetError, PromptError) as error:
        raise pytest.UsageError(str(error)) from error


class _Opening:
    """What is known while a session is being opened."""

    def __init__(
        self, config: pytest.Config, options: Options, names: list[str], closing: ExitStack, tell: Tell
    ) -> None:
        self.config = config
        self.options = options
        self.names = names
        self.closing = closing
        self.tell = tell
        self.demo_model = options.demo_model or DEFAULT_DEMO_MODEL
        self.is_dry = bool(config.option.collectonly or config.getoption("showfixtures", default=False))

    def session(self) -> Session:
        configuration = self.configuration()
        share = self.share(configuration)
        runs = {name: self.run(configuration, choice) for name, choice in configuration.benchmarks.items()}
        if not self.is_dry:
            if self.options.demo:
                configuration = self.with_model_server()
                runs = {
                    name: replace(run, choice=configuration.benchmarks[name]) for name, run in runs.items()
                }
            for run in runs.values():
                write_plan((run.directory or Path()) / PLAN_FILE, run.tasks)
        return Session(
            configuration=configuration,
            runs=runs,
            stop_mark=stop_mark_of(runs),
            show_ground_truth=self.options.show_ground_truth,
            demo=self.options.demo,
            alone=self.take_exact_id(runs),
            share=share,
        )

    def configuration(self, demo_url: str = _NOT_YET_SERVED) -> Configuration:
        from benchmarks.configuration.loading import load_configuration
        from benchmarks.configuration.problem import ConfigurationError

        lowest: Mapping[str, Any] | None = None
        if self.options.demo:
            from benchmarks.demo import demo_layer
            from harnesses.demo.weights import model_id_of

            lowest = demo_layer(demo_url, model_id_of(self.demo_model))
        try:
            return load_configuration(
                self.options,
                benchmarks=self.names,
                needs_model=not self.is_dry,
                environ=os.environ,
                lowest=lowest,
            )
        except ConfigurationError as error:
            raise pytest.UsageError(str(error)) from error

    def with_model_server(self) -> Configuration:
        from harnesses.demo.errors import DemoError
        from harnesses.demo.server import DemoServer

        try:
            server = self.closing.enter_context(DemoServer(self.demo_model, tell=self.tell))
        except DemoError as error:
            raise pytest.UsageError(str(error)) from error
        return self.configuration(server.base_url)

    def run(self, configuration: Configuration, choice: BenchmarkChoice) -> Run:
        benchmark = BENCHMARKS[choice.name]
        dataset = benchmark.load(choice.params, tell=self.tell)
        selection = select(dataset, choice.params)
        prompt: JudgePrompt | None = None
        directory: Path | None = None
        if not self.is_dry:
            if choice.params.judge not in SCORERS:
                prompt = load_prompt(choice.params.judge_prompt, benchmark.judge_protocol, tell=self.tell)
            directory = _directory(configuration, choice)
        return Run(
            choice=choice,
            tasks=selection.tasks,
            directory=directory,
            judge_prompt=prompt,
            dataset=replace(dataset, tasks=()),
            n_dataset_tasks=len(dataset.tasks),
            partial=selection.reasons,
        )

    def take_exact_id(self, runs: Mapping[str, Run]) -> str | None:
        """The task id that `-k` names exactly: taken out of pytest's hands, whose `-k` matches substrings."""
        wanted = str(self.config.option.keyword or "").strip()
        if not any(task.task_id == wanted for run in runs.values() for task in run.tasks):
            return None
        self.config.option.keyword = ""
        return wanted

    def share(self, configuration: Configuration) -> int:
        """Attempts in flight in this process, or in each worker (a remainder is dealt out later)."""
        n_workers, wanted = n_workers_of(self.config), configuration.execution.task_concurrency
        if wanted is not None and wanted < n_workers:
            raise pytest.UsageError(
                f"task_concurrency is {wanted}, but -n starts {n_workers} workers with at least one attempt "
                f"each; start at most -n {wanted}, or raise --task-concurrency"
            )
        if not n_workers:
            return wanted or _DEFAULT_CONCURRENCY
        # Only `load` never takes an item back from a worker: under the others an attempt that was started
        # ahead could be started again elsewhere, and paid for twice.
        is_kept = self.config.getoption("dist") == "load"
        return (wanted or n_workers) // n_workers if is_kept else 1


def _directory(configuration: Configuration, choice: BenchmarkChoice) -> Path:
    from benchmarks.configuration.placing import run_directory

    model_id = "" if configuration.model is None else configuration.model.id
    return run_directory(configuration.placement, choice.name, model_id, now=datetime.now(UTC)).absolute()
