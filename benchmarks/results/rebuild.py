"""Metrics and summary made again from run.json and the details, byte for byte."""

from pathlib import Path

from benchmarks.results.files import RunFiles, RunFilesError, dump_json, write_whole
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
    if not run_dir.is_dir():
        raise RunFilesError(
            f"{str(run_dir)!r} is no folder: name a run directory, the one that holds run.json"
        )
    description = read_description(files)
    try:
        if description.volatile.get("finished_at") is None and not files.metrics.exists():
            _finish_killed(run_dir)
        else:
            metrics = reduce_run(description, read_facts(files, description))
            write_whole(files.metrics, dump_json(metrics))
            write_whole(files.summary, render_summary(metrics))
    except OSError as error:
        raise RunFilesError(f"{str(run_dir)!r} cannot be written: {error.strerror}") from error
    except ValueError as error:
        raise RunFilesError(f"{str(run_dir)!r} cannot be reduced: {error}") from error
    return files.metrics, files.summary


def _finish_killed(run_dir: Path) -> None:
    recorder = Recorder.reopen(run_dir)
    recorder.finish(stopped=KILLED)
    if recorder.failures:
        raise RunFilesError(recorder.failures[0])
