"""What a run is, told in plain values: the content of run.json."""

import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from benchmarks.params import BenchmarkParams
from benchmarks.plan import Unit
from benchmarks.results.hierarchy import parse_hierarchy
from benchmarks.results.run_description import RunDescription
from benchmarks.run import Run, Session
from benchmarks.selection import ids_digest
from harnesses.catalogue import HARNESSES
from judges.catalogue import MODEL_JUDGES, SCORERS

_VERSIONS_OF = {
    "agent-benchmarks": "benchmarks",
    "pytest": "pytest",
    "pytest-xdist": "xdist",
    "pytest-asyncio": "pytest_asyncio",
    "httpx": "httpx",
}
"""Packages whose versions a run notes, and the module each brings."""


def describe(
    config: pytest.Config, session: Session, run: Run, planned: Sequence[Unit], *, n_workers: int
) -> RunDescription:
    """The description of a run whose planned units are known; keys are masked in it.

    `run` is "" as long as the run has no directory.
    """
    configuration, choice, directory = session.configuration, run.choice, run.directory
    if configuration.model is None:
        raise ValueError("a run without a model is never described")
    deselected = _deselection(config, session, run, planned)
    return RunDescription(
        benchmark=choice.name,
        breakdown=run.benchmark.breakdown,
        run="" if directory is None else directory.name,
        model=configuration.model.id,
        model_params=configuration.effective["model"]["params"],
        planned=tuple((unit.task.task_id, unit.attempt, unit.task.category) for unit in planned),
        dataset=_dataset(run, planned),
        judge=_judge(run),
        harness=choice.effective["harness"],
        gates=run.gates,
        baseline=run.baseline,
        prices=run.prices,
        k=session.attempts.k,
        strategy=session.attempts.strategy,
        answer_format=run.benchmark.answer_format(choice.params),
        aggregation_mode=choice.params.aggregation_mode,
        category_hierarchy=choice.params.category_hierarchy,
        partial=(*run.partial, *deselected),
        selected={
            "n_tasks": len(run.tasks),
            "ids_digest": ids_digest(task.task_id for task in run.tasks),
        },
        deselected=deselected,
        n_attachments_unopened=_n_unopened(run, planned),
        groups=_groups(planned),
        has_canary=any(unit.task.canary is not None for unit in planned),
        demo=session.demo,
        configuration=configuration.effective_of(choice),
        volatile={
            "versions": {name: _version(name, module) for name, module in _VERSIONS_OF.items()},
            "n_workers": n_workers,
        },
    )


def hierarchy_warnings(params: BenchmarkParams, categories: Collection[str]) -> tuple[str, ...]:
    """Public lines on where a tree of categories and those of a dataset do not meet; none without a tree."""
    if params.category_hierarchy is None:
        return ()
    leaves = parse_hierarchy(params.category_hierarchy).leaves
    unknown = (
        f"category_hierarchy names {name!r}, which no task has" for name in leaves if name not in categories
    )
    unnamed = (
        f"category_hierarchy does not name {name!r}: its tasks do not count in the value"
        for name in sorted(categories)
        if name not in leaves
    )
    return (*unknown, *unnamed)


def _dataset(run: Run, planned: Sequence[Unit]) -> Mapping[str, Any]:
    dataset = run.dataset
    if dataset is None:
        raise ValueError("only the controller, which loaded the dataset, describes a run")
    tasks = {unit.task.task_id: unit.task for unit in planned}
    return {
        "name": dataset.name,
        "subset": dataset.subset,
        "source": dataset.source,
        "revision": dataset.revision,
        "settings": dict(dataset.settings),
        "ids_digest": ids_digest(tasks),
        "n_tasks": len(tasks),
        "n_dataset_tasks": run.n_dataset_tasks,
        "by_category": dict(sorted(Counter(task.category for task in tasks.values()).items())),
        "warnings": list(dataset.warnings),
    }


def _groups(planned: Sequence[Unit]) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The breakdowns beside the category's, as the planned tasks bring them."""
    tasks = {unit.task.task_id: unit.task for unit in planned}
    names = sorted({name for task in tasks.values() for name in task.groups})
    return {
        name: {task_id: task.groups[name] for task_id, task in tasks.items() if name in task.groups}
        for name in names
    }


def _judge(run: Run) -> Mapping[str, Any]:
    params, prompt = run.choice.params, run.judge_prompt
    masked = run.choice.effective["params"]["judge_model"]
    if params.judge in SCORERS:
        primary = SCORERS[params.judge]().evaluation_type
        described: dict[str, Any] = {"id": params.judge, "primary": primary}
    else:
        described = {
            "id": params.judge,
            "primary": MODEL_JUDGES[params.judge].evaluation_type,
            **{
                name: None if masked is None else masked[key]
                for name, key in (("model", "id"), ("base_url", "base_url"), ("params", "params"))
            },
            "prompt_source": None if prompt is None else prompt.source,
            "prompt_digest": None if prompt is None else prompt.digest,
        }
    scorers = [SCORERS[name]().evaluation_type for name in run.benchmark.scorers]
    return {**described, "scorers": [name for name in scorers if name != described["primary"]]}


def _deselection(
    config: pytest.Config, session: Session, run: Run, planned: Sequence[Unit]
) -> tuple[str, ...]:
    """What took planned units away, in the user's own words; nothing where all are planned."""
    if len(planned) == len(run.units(session.attempts)):
        return ()
    words: list[str] = []
    if session.alone or config.option.keyword:
        words.append(f"-k {session.alone or config.option.keyword}")
    if config.option.markexpr:
        words.append(f"-m {config.option.markexpr}")
    if config.getoption("lf", False):
        words.append("--lf")
    return tuple(words) or ("a node id, or another plugin's deselection",)


def _n_unopened(run: Run, planned: Sequence[Unit]) -> int:
    """How many planned tasks have an attachment that the harness cannot open."""
    kind = HARNESSES.get(run.choice.harness_id)
    readable = frozenset[str]() if kind is None else kind.readable_suffixes
    tasks = {unit.task.task_id: unit.task for unit in planned}
    return sum(
        any(Path(name).suffix.lower() not in readable for name in task.attachments) for task in tasks.values()
    )


def _version(name: str, module: str) -> str:
    # Asking the module takes no time, reading the package's metadata 10 ms.
    known = getattr(sys.modules.get(module), "__version__", None)
    if isinstance(known, str):
        return known
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
