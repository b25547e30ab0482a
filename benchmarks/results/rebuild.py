"""Metrics and summary made again from run.json and the details, byte for byte."""

from pathlib import Path
from typing import Any

from benchmarks.results.files import RunFiles, RunFilesError, dump_json, refuse_no_folder, write_whole
from benchmarks.results.metrics import reduce_run
from benchmarks.results.reading import read_description, read_facts
from benchmarks.results.recorder import KILLED, Recorder
from benchmarks.results.summary import render_summary


def rebuild(run_dir: Path) -> tuple[Path, Path]:
    """Write metrics.json and summary.md again; the paths of both.

    A run whose controller was killed has neither: its spools are folded first. Not for a run still going on.

    Raises:
        RunFilesError: The directory is no run directory, or a file in it is missing, broken or not writable.
    """
    files = RunFiles(root=run_dir)
    refuse_no_folder(run_dir)
    description = read_description(files)
    try:
        if description.volatile.get("finished_at") is None and not files.metrics.exists():
            _finish_killed(run_dir)
        else:
            write_numbers(files)
    except OSError as error:
        raise RunFilesError(f"{str(run_dir)!r} cannot be written: {error.strerror}") from error
    except RunFilesError:
        raise
    except Exception as error:
        line = f"{str(run_dir)!r} cannot be reduced: {_told(error)}; restore run.json"
        raise RunFilesError(line) from error
    return files.metrics, files.summary


def write_numbers(files: RunFiles) -> dict[str, Any]:
    """Write metrics.json and summary.md as run.json and the details tell them; the content of metrics.json.

    Raises:
        Exception: Whatever a run.json leads to that somebody changed by hand.
        OSError: A file cannot be written.
        RunFilesError: A file is missing or broken.
    """
    description = read_description(files)
    metrics = reduce_run(description, read_facts(files, description))
    write_whole(files.metrics, dump_json(metrics))
    write_whole(files.summary, render_summary(metrics))
    return metrics


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"


def _finish_killed(run_dir: Path) -> None:
    recorder = Recorder.reopen(run_dir)
    recorder.finish(stopped=KILLED)
    if recorder.failures:
        raise RunFilesError(recorder.failures[0])
