"""What a run is, told in plain values: the content of run.json."""

import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest

from benchmarks.attachments import n_unopened
from benchmarks.params import BenchmarkParams
from benchmarks.plan import Unit
from benchmarks.results.hierarchy import parse_hierarchy
from benchmarks.results.run_description import RunDescription
from benchmarks.run import Run, Session
from benchmarks.selection import ids_digest
from benchmarks.unasked_answers import unasked_answers
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
        harness=_without_keys(choice.effective["harness"]),
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
        n_attachments_unopened=n_unopened(choice.harness_id, [unit.task for unit in planned]),
        groups=_groups(planned),
        has_canary=any(unit.task.canary is not None for unit in planned),
        demo=session.demo,
        issues=(*_issues_of_parent(run), *unasked_answers(session, run)),
        configuration=configuration.effective_of(choice),
        volatile={
            "key": run.key,
            "session": session.session_id,
            "parent": run.parent,
            "versions": {name: _version(name, module) for name, module in _VERSIONS_OF.items()},
            "n_workers": n_workers,
            "cassette": None if session.cassettes is None else session.cassettes.mode,
        },
    )


def _issues_of_parent(run: Run) -> tuple[str, ...]:
    """What is worth reading beside the numbers: where the parent of a run was made otherwise."""
    parent = run.parent or {}
    own = (f"{parent['run']}, which was made otherwise: {line}" for line in parent.get("differences", ()))
    earlier = (f"a run that was made otherwise, {line}" for line in parent.get("earlier_differences", ()))
    return tuple(f"attempts were taken over from {line}" for line in (*own, *earlier))


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


def _without_keys(harness: Mapping[str, Any]) -> Mapping[str, Any]:
    """The harness of a run: whether keys were set says nothing of it, and one that is replayed has none."""
    params = {name: value for name, value in harness["params"].items() if not name.endswith("_api_key")}
    return {**harness, "params": params}


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
    words: list[str] = list((run.parent or {}).get("deselected", ()))
    if session.alone or config.option.keyword:
        words.append(f"-k {session.alone or config.option.keyword}")
    if config.option.markexpr:
        words.append(f"-m {config.option.markexpr}")
    if config.getoption("lf", False):
        words.append("--lf")
    return tuple(dict.fromkeys(words)) or ("a node id, or another plugin's deselection",)


def _version(name: str, module: str) -> str:
    # Asking the module takes no time, reading the package's metadata 10 ms.
    known = getattr(sys.modules.get(module), "__version__", None)
    if isinstance(known, str):
        return known
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
