"""What a run is, told in plain values: the content of run.json."""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from benchmarks.plan import Unit
from benchmarks.results.run_description import RunDescription
from benchmarks.run import Run, Session
from benchmarks.selection import ids_digest
from harnesses.catalogue import HARNESSES
from judges.catalogue import SCORERS

_VERSIONS_OF = ("agent-benchmarks", "pytest", "pytest-xdist", "pytest-asyncio", "httpx")


def describe(
    config: pytest.Config, session: Session, run: Run, planned: Sequence[Unit], *, n_workers: int
) -> RunDescription:
    """The description of a run whose planned units are known; keys are masked in it."""
    configuration, choice, directory = session.configuration, run.choice, run.directory
    if configuration.model is None or directory is None:
        raise ValueError("a run without a model or a directory is never described")
    effective = configuration.effective["benchmarks"][choice.name]
    return RunDescription(
        benchmark=choice.name,
        breakdown=run.benchmark.breakdown,
        run=directory.name,
        model=configuration.model.id,
        planned=tuple((unit.task.task_id, unit.attempt, unit.task.category) for unit in planned),
        dataset=_dataset(run, planned),
        judge=_judge(run, effective),
        harness=effective["harness"],
        gates=configuration.effective["gates"],
        k=session.k,
        strategy=configuration.execution.attempts.strategy,
        answer_format="none" if run.benchmark.judges_whole_text(choice.params) else "gaia",
        partial=(*run.partial, *_deselection(config, session, run, planned)),
        n_attachments_unopened=_n_unopened(run, planned),
        demo=session.demo,
        configuration=configuration.effective,
        volatile={
            "versions": {name: _version(name) for name in _VERSIONS_OF},
            "n_workers": n_workers,
        },
    )


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
        "ids_digest": ids_digest(tasks),
        "n_tasks": len(tasks),
        "n_dataset_tasks": run.n_dataset_tasks,
        "by_category": dict(sorted(Counter(task.category for task in tasks.values()).items())),
        "warnings": list(dataset.warnings),
    }


def _judge(run: Run, effective: Mapping[str, Any]) -> Mapping[str, Any]:
    params, prompt = run.choice.params, run.judge_prompt
    spec = params.judge_model
    if params.judge in SCORERS:
        primary = SCORERS[params.judge]().evaluation_type
        described: dict[str, Any] = {"id": params.judge, "primary": primary}
    else:
        from judges.llm_judge import LLMJudge

        described = {
            "id": params.judge,
            "primary": LLMJudge.evaluation_type,
            "model": None if spec is None else spec.id,
            "base_url": None if spec is None else effective["params"]["judge_model"]["base_url"],
            "params": None if spec is None else effective["params"]["judge_model"]["params"],
            "prompt_source": None if prompt is None else prompt.source,
            "prompt_digest": None if prompt is None else prompt.digest,
        }
    scorers = [SCORERS[name]().evaluation_type for name in run.benchmark.scorers]
    return {**described, "scorers": [name for name in scorers if name != described["primary"]]}


def _deselection(
    config: pytest.Config, session: Session, run: Run, planned: Sequence[Unit]
) -> tuple[str, ...]:
    """What took planned units away, in the user's own words; nothing where all are planned."""
    if len(planned) == len(run.tasks) * session.k:
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


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
