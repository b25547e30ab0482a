"""Sessions that are about to begin, with tasks invented for each run."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from configuration_scene import KEYS, loaded, params

from benchmarks.benchmark import Dataset
from benchmarks.configuration.model import Configuration
from benchmarks.describing import describe
from benchmarks.results.run_description import RunDescription
from benchmarks.run import Run, Session, stop_mark_of
from benchmarks.task import Task


def a_run(configuration: Configuration, key: str, categories: Sequence[str], **more: Any) -> Run:
    """A run with a task of each category."""
    tasks = tuple(
        Task(task_id=f"{key.replace(' ', '-')}-{n}", question="Why?", ground_truth="so", category=category)
        for n, category in enumerate(categories)
    )
    dataset = Dataset(tasks=(), name="Stones", subset="all", source="stones.jsonl")
    values: dict[str, Any] = {
        "choice": configuration.choices[key],
        "tasks": tasks,
        "directory": None,
        "judge_prompt": None,
        "dataset": dataset,
        "n_dataset_tasks": len(tasks),
    }
    return Run(**{**values, **more})


def configured(**given: Any) -> Configuration:
    """A sound configuration of GAIA and SealQA, with `given` over it."""
    values: dict[str, Any] = {
        "model": "m",
        "model_base_url": "https://models.example/v1",
        "environ": KEYS,
        "benchmark_params": params(),
        "names": ("gaia", "sealqa"),
    }
    return loaded(**{**values, **given})


def session_of(**given: Any) -> Session:
    """A session about to begin, with two GAIA tasks."""
    configuration = configured(names=("gaia",), harness="openai_chat", **given)
    runs = {"gaia": a_run(configuration, "gaia", ("1", "2"))}
    return Session(
        configuration=configuration,
        runs=runs,
        stop_mark=stop_mark_of(runs),
        show_ground_truth=False,
        demo=False,
    )


def typed(*arguments: str, **options: Any) -> pytest.Config:
    """A stand-in for pytest's configuration, with these arguments and options alone."""
    values = {"keyword": "", "markexpr": "", **options}

    def getoption(name: str, default: Any = None) -> Any:
        return values.get(name, default)

    told = SimpleNamespace(args=list(arguments), option=SimpleNamespace(**values), getoption=getoption)
    return cast("pytest.Config", told)


def described(session: Session, **more: Any) -> RunDescription:
    """The run of that session as it is before anything was asked, but for `more`."""
    run = session.runs["gaia"]
    return replace(describe(typed(), session, run, run.units(session.attempts), n_workers=0), **more)
