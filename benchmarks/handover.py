"""The handover: what a worker is given of the session that the controller opened."""

import pickle
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.plan import read_plan
from benchmarks.results.files import RunFiles, write_whole
from benchmarks.run import Run, Session, stop_mark_of
from benchmarks.task import Task
from judges.prompts import JudgePrompt


@dataclass(frozen=True, kw_only=True)
class _HandedRun:
    """A run without its choice. `tasks` are ``None`` where the worker reads them from the task file.

    `made_before` is what the two files of records made before hold, for a worker that cannot read them.
    """

    key: str
    directory: Path
    judge_prompt: JudgePrompt | None
    tasks: tuple[Task, ...] | None
    prices: Mapping[str, Any]
    made_before: tuple[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class _Handover:
    """The session as the worker is to see it, but for its runs, which are told apart."""

    session: Session
    runs: tuple[_HandedRun, ...]


def pack(session: Session, *, share: int, process: str, sees_disk: bool) -> bytes:
    """What a worker needs of `session`, as bytes; where it `sees_disk`, tasks stay in the task file.

    The bytes hold keys. They go through xdist's own channel and are never written.
    """
    handed = tuple(
        _HandedRun(
            key=key,
            directory=run.directory or Path(),
            judge_prompt=run.judge_prompt,
            tasks=None if sees_disk else run.tasks,
            prices=run.prices,
            made_before=None if sees_disk else _texts_of(run),
        )
        for key, run in session.runs.items()
    )
    handover = _Handover(session=replace(session, runs={}, share=share, process=process), runs=handed)
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
            choice=handover.session.configuration.choices[handed.key],
            tasks=read_plan(RunFiles(root=handed.directory).plan) if handed.tasks is None else handed.tasks,
            directory=handed.directory,
            judge_prompt=handed.judge_prompt,
            scratch=None if handed.tasks is None else _scratch(closing),
            prices=handed.prices,
        )
        for handed in handover.runs
    }
    for handed in handover.runs:
        _unpack_made_before(runs[handed.key], handed.made_before)
    return replace(handover.session, runs=runs, stop_mark=stop_mark_of(runs))


def _files_made_before(run: Run) -> tuple[Path, Path]:
    return run.files.made_before, run.files.to_judge


def _texts_of(run: Run) -> tuple[str, str]:
    made_before, to_judge = (
        path.read_text(encoding="utf-8") if path.exists() else "" for path in _files_made_before(run)
    )
    return made_before, to_judge


def _unpack_made_before(run: Run, texts: tuple[str, str] | None) -> None:
    for path, text in zip(_files_made_before(run), texts or ("", ""), strict=True):
        if text:
            write_whole(path, text)


def _scratch(closing: ExitStack) -> Path:
    return Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="agent-benchmarks-")))
