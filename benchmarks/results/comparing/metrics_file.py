"""A metrics.json read back: all that a comparison needs of a run, without its private details."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from benchmarks.results.files import METRICS_FORMAT, RunFiles, RunFilesError, load_json, not_ended
from benchmarks.results.record import Outcome

_TYPES: Mapping[str, type] = {
    "answer_format": str,
    "benchmark": str,
    "dataset": dict,
    "harness": dict,
    "judge": dict,
    "k": int,
    "model": str,
    "model_params": dict,
    "outcomes_by_task": dict,
    "partial": list,
    "strategy": str,
    "volatile": dict,
}
_OUTCOMES = frozenset({None, *map(str, Outcome)})


def read_metrics(path: Path) -> dict[str, Any]:
    """The content of a metrics.json; docs/results_format.md names every key.

    Args:
        path: A run directory, or a metrics.json itself, under whatever name.

    Raises:
        RunFilesError: There is none, the run has not ended, or the file is broken, foreign or of another
            layout.
    """
    file = _file_of(path)
    metrics = load_json(file)
    if not {"headline", "series"} <= metrics.keys():
        raise RunFilesError(
            f"{str(file)!r} is no metrics.json of a run: name a run directory, or the metrics.json in one"
        )
    if metrics.get("format") != METRICS_FORMAT:
        raise RunFilesError(_of_another_layout(path, file, metrics.get("format")))
    if fault := _fault_in(metrics):
        raise RunFilesError(f"{str(file)!r} is no metrics.json of this version ({fault}): restore the file")
    return metrics


def _file_of(path: Path) -> Path:
    if path.is_file():
        return path
    if not path.is_dir():
        raise RunFilesError(
            f"{str(path)!r} is no folder: name a run directory, the one that holds run.json, or its "
            "metrics.json"
        )
    files = RunFiles(root=path)
    if files.run.exists() and not files.metrics.exists():
        raise RunFilesError(not_ended(path))
    return files.metrics


def _of_another_layout(path: Path, file: Path, version: object) -> str:
    rule = f"{str(file)!r} has format {version!r}; this version reads format {METRICS_FORMAT}"
    if version != 1:
        return f"{rule}: read it with the version that wrote it"
    run_dir = path if path.is_dir() else "RUN"
    return f"{rule}: `python -m benchmarks summary {run_dir}` writes it anew from the run's details"


def _fault_in(metrics: Mapping[str, Any]) -> str | None:
    """What is not as this version writes it; ``None`` where all is that a comparison looks at."""
    for name, kind in _TYPES.items():
        if not isinstance(metrics.get(name), kind) or metrics[name] is True:
            return f"{name} is {metrics.get(name)!r:.80}"
    if "stopped" not in metrics:
        return "stopped is missing"
    k, stopped = metrics["k"], metrics["stopped"]
    if k < 1 or metrics["strategy"] not in {"avg", "pass"}:
        return f"k is {k!r}, strategy {metrics['strategy']!r:.80}"
    lines = [metrics["volatile"].get("run"), *metrics["partial"], *([] if stopped is None else [stopped])]
    if wrong := [line for line in lines if not isinstance(line, str)]:
        return f"{wrong[0]!r:.80} stands where a text should, in volatile.run, partial or stopped"
    of_tasks = cast("Mapping[str, object]", metrics["outcomes_by_task"])
    faults = (f"{task_id!r} ended {end!r:.80}" for task_id, end in of_tasks.items() if not _is_end(end, k))
    return next(faults, None)


def _is_end(ended: object, k: int) -> bool:
    """Whether it is the outcome of each of `k` attempts."""
    if not isinstance(ended, list):
        return False
    outcomes = cast("list[object]", ended)
    return len(outcomes) == k and all(
        outcome is None or (isinstance(outcome, str) and outcome in _OUTCOMES) for outcome in outcomes
    )
