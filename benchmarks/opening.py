"""Opens a session in the controller: refuse what is wrong, load once, select, freeze the plan."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from benchmarks.benchmark import DatasetError
from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.execution import Attempts
from benchmarks.configuration.model import BenchmarkChoice, Configuration
from benchmarks.configuration.options import DEFAULT_DEMO_MODEL, Options
from benchmarks.configuration.problem import ConfigurationError
from benchmarks.describing import hierarchy_warnings
from benchmarks.directories import placed
from benchmarks.expressions import refuse_broken_expressions
from benchmarks.gating import end_if_not_comparable, gates_by_run, read_baseline
from benchmarks.inherited_settings import configuration_of, environment_of
from benchmarks.parents import Parent, by_run, parents_of
from benchmarks.paths import benchmarks_on
from benchmarks.pricing import PricingError, rates_of
from benchmarks.report.submitting import refuse_unfit_submission
from benchmarks.results.files import RunFilesError
from benchmarks.results.hierarchy import misfit, parse_hierarchy
from benchmarks.run import Run, Session, n_workers_of, stop_mark_of
from benchmarks.selection import select
from benchmarks.shares import check_concurrency, share_of
from benchmarks.taking_over import inheritances, left_out
from benchmarks.taping import asks_somebody, cassettes_of, environment_for, make_ready
from harnesses.demo.errors import DemoError
from harnesses.downloads import Tell
from judges.catalogue import MODEL_JUDGES
from judges.prompts import JudgePrompt, PromptError, load_prompt

_NOT_YET_SERVED = "http://127.0.0.1:1/v1"
"""Where the demo's model will be, until its server has been started: it starts after every refusal."""
_DRY_OPTIONS = ("collectonly", "setupplan", "showfixtures", "show_fixtures_per_test")
"""Options under which pytest looks at items and runs none: no model, no judge, nothing written."""


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
    if options.demo:
        from benchmarks.demo import DEMONSTRATED

        names = [name for name in names if name in DEMONSTRATED]
    if not names:
        _refuse_to_gate_nothing(options)
        return None
    refuse_unfit_submission(config.option.gaia_submission, names)
    try:
        return _Opening(config, options, names, closing, tell).session()
    except (ConfigurationError, DatasetError, PromptError, PricingError, DemoError, RunFilesError) as error:
        raise pytest.UsageError(str(error)) from error
    except RecursionError as error:
        raise pytest.UsageError(
            "the configuration is nested deeper than can be read, e.g. in category_hierarchy; flatten it"
        ) from error


def _refuse_to_gate_nothing(options: Options) -> None:
    if options.demo:
        raise pytest.UsageError(
            "--demo finds no benchmark here that it has tasks for; give the folder: pytest benchmarks --demo"
        )
    for name in ("min_accuracy", "min_coverage", "max_errors", "baseline"):
        if getattr(options, name) not in {None, ()}:
            raise pytest.UsageError(
                f"--{name.replace('_', '-')} has nothing to hold against: no benchmark's folder is among the "
                "paths; give one, e.g. pytest benchmarks/gaia"
            )


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
        self.opened_at = datetime.now(UTC)
        self.demo_model = options.demo_model or DEFAULT_DEMO_MODEL
        self.cassettes = cassettes_of(options)
        self.is_dry = any(config.getoption(name, default=False) for name in _DRY_OPTIONS)
        self.categories: dict[str, frozenset[str]] = {}
        self.parents: tuple[Parent, ...] = ()

    def session(self) -> Session:
        if _asks_for_set_up_alone(self.config):
            raise pytest.UsageError(
                "--setup-only would ask the model and judge nothing; use --collect-only or --setup-plan to "
                "look without asking, or leave it out"
            )
        self.parents = parents_of(self.options, self.names, lowest=self.lowest())
        configuration = self.configuration()
        wanted = configuration.execution.task_concurrency
        check_concurrency(self.config, wanted)
        choices = configuration.choices.values()
        runs = {choice.key: self.run(choice, is_alone=len(choices) == 1) for choice in choices}
        refuse_shared_ids(runs.values())
        runs = self.settled(runs, configuration)
        session = Session(
            configuration=configuration,
            runs=runs,
            stop_mark=stop_mark_of(runs),
            show_ground_truth=self.options.show_ground_truth,
            demo=self.options.demo,
            alone=self.take_exact_id(runs, configuration.execution.attempts),
            share=share_of(self.config, wanted),
            session_id=uuid4().hex,
            cassettes=None if self.is_dry else self.cassettes,
            judges_again=any(parent.judges_again for parent in self.parents),
        )
        refuse_broken_expressions(self.config)
        is_part = bool(session.alone or self.config.option.keyword or self.config.option.markexpr)
        parents = by_run(self.parents, runs, is_part=is_part)
        session = replace(session, left_out=left_out(session, parents))
        if self.is_dry:
            return session
        end_if_not_comparable(self.config, session)
        inherited = inheritances(self.config, session, parents, anyway=self.options.resume_anyway)
        if self.options.demo and asks_somebody(self.cassettes):
            configuration = self.with_model_server()
        make_ready(self.cassettes)
        runs = placed(runs, configuration, inherited, now=self.opened_at)
        return replace(session, configuration=configuration, runs=runs, stop_mark=stop_mark_of(runs))

    def configuration(self, demo_url: str = _NOT_YET_SERVED) -> Configuration:
        from benchmarks.configuration.loading import load_configuration

        return load_configuration(
            self.options,
            benchmarks=self.names,
            needs_model=not self.is_dry,
            environ=environment_of(self.parents, environment_for(self.cassettes)),
            lowest=self.lowest(demo_url),
            parent=configuration_of(self.parents, n_workers=n_workers_of(self.config)),
        )

    def lowest(self, demo_url: str = _NOT_YET_SERVED) -> Mapping[str, Any] | None:
        """What the demo presets; ``None`` without it."""
        if not self.options.demo:
            return None
        from benchmarks.demo import demo_layer
        from harnesses.demo.weights import model_id_of

        return demo_layer(demo_url, model_id_of(self.demo_model))

    def with_model_server(self) -> Configuration:
        from harnesses.demo.server import DemoServer

        server = self.closing.enter_context(DemoServer(self.demo_model, tell=self.tell))
        return self.configuration(server.base_url)

    def run(self, choice: BenchmarkChoice, *, is_alone: bool) -> Run:
        """The run of a choice, not yet placed; beside others, what is wrong with it is told with its key."""
        try:
            return self.loaded(choice)
        except (DatasetError, PromptError) as error:
            lines = str(error).split("\n")
            told = lines if is_alone else [f"{choice.key}: {line}" for line in lines]
            raise pytest.UsageError("\n".join(told)) from error

    def loaded(self, choice: BenchmarkChoice) -> Run:
        """The run of a choice: its dataset loaded once, its tasks selected, its judge's prompt at hand."""
        benchmark, params = BENCHMARKS[choice.name], choice.params
        dataset = benchmark.load(params, tell=self.tell)
        selection = select(dataset, params)
        categories = self.categories[choice.key] = frozenset(task.category for task in dataset.tasks)
        warnings = (*dataset.warnings, *hierarchy_warnings(params, categories))
        if params.category_hierarchy is not None:
            root = parse_hierarchy(params.category_hierarchy)
            line = misfit(root, known=categories, selected=[task.category for task in selection.tasks])
            if line is not None:
                raise DatasetError(line)
        prompt: JudgePrompt | None = None
        judge = MODEL_JUDGES.get(params.judge)
        if judge is not None and not self.is_dry and any(task.scored for task in selection.tasks):
            prompt = load_prompt(params.judge_prompt, judge.protocol, tell=self.tell)
        return Run(
            choice=choice,
            tasks=selection.tasks,
            directory=None,
            judge_prompt=prompt,
            dataset=replace(dataset, tasks=(), warnings=warnings),
            n_dataset_tasks=len(dataset.tasks),
            partial=selection.reasons,
        )

    def settled(self, runs: Mapping[str, Run], configuration: Configuration) -> dict[str, Run]:
        """The runs with what is held against them, and what a token costs in each."""
        asked = configuration.gates
        gates = gates_by_run(asked, runs, self.categories)
        reads = asked.baseline is not None and not self.is_dry
        baseline = read_baseline(asked.baseline or "") if reads else None
        return {
            key: replace(run, gates=gates[key], baseline=baseline, prices=rates_of(configuration, run.choice))
            for key, run in runs.items()
        }

    def take_exact_id(self, runs: Mapping[str, Run], attempts: Attempts) -> str | None:
        """The id of a task or a unit that `-k` names exactly: pytest's own `-k` matches substrings."""
        wanted = str(self.config.option.keyword or "").strip()
        if not wanted or not any(wanted in unit.ids for run in runs.values() for unit in run.units(attempts)):
            return None
        self.config.option.keyword = ""
        return wanted


def refuse_shared_ids(runs: Iterable[Run]) -> None:
    """Refuse a task id that is in two runs of one benchmark: its one module tells items apart by their ids.

    Raises:
        pytest.UsageError: There is one.
    """
    found: dict[tuple[str, str], str] = {}
    for run in runs:
        for task in run.tasks:
            first = found.setdefault((run.choice.name, task.task_id), run.key)
            if first != run.key:
                raise pytest.UsageError(
                    f"the task id {task.task_id!r} is in {first!r} and in {run.key!r}, and one session needs "
                    "different ids; run one category at a time"
                )


def _asks_for_set_up_alone(config: pytest.Config) -> bool:
    """Whether fixtures, and so the model, would be asked without a test ever running."""
    return bool(config.getoption("setuponly", default=False)) and not config.getoption(
        "setupplan", default=False
    )
