"""`python -m benchmarks template RUN`: the form to fill for a model that cannot be called."""

import argparse
import sys
from pathlib import Path

from benchmarks.benchmark import Benchmark, DatasetError
from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.validation import validated
from benchmarks.params import BenchmarkParams
from benchmarks.plan import read_plan
from benchmarks.results.files import RunFiles, RunFilesError
from benchmarks.results.reading import read_description
from benchmarks.results.run_description import RunDescription
from benchmarks.task import Task
from harnesses.answers import FORMS, Entry, write_answers

NAME = "template"
HELP = (
    "write the form to fill for a model that cannot be called: an entry for each planned attempt of a run, "
    "with what is to be asked and an empty answer; private, it holds questions"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "run", metavar="RUN", type=Path, help="the run directory: the folder that holds run.json"
    )
    parser.add_argument("--format", choices=FORMS, default="jsonl", help="default: jsonl")
    parser.add_argument(
        "--into", metavar="FILE", type=Path, help="a file that does not exist yet (default: standard output)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the form. The exit code: 0, or 4 with one line if that cannot be done."""
    try:
        entries = entries_of(RunFiles(root=arguments.run))
        text = write_answers(entries, arguments.format)
        if arguments.into is None:
            sys.stdout.write(text)
        else:
            _write_new(arguments.into, text)
    except (RunFilesError, DatasetError) as error:
        sys.stderr.write(f"{error}\n")
        return 4
    sys.stderr.write(f"{len(entries)} answers to fill in; private: the form holds the questions\n")
    return 0


def entries_of(files: RunFiles) -> list[Entry]:
    """The attempts that a run planned, in plan order, each with the text it is asked by.

    Raises:
        DatasetError: That text cannot be made.
        RunFilesError: run.json or the task file is missing or broken.
    """
    description = read_description(files)
    benchmark = BENCHMARKS.get(description.benchmark)
    if benchmark is None:
        raise RunFilesError(
            f"{str(files.run)!r} is of the benchmark {description.benchmark!r}, which is none of "
            f"{', '.join(BENCHMARKS)}; name a run of one of them"
        )
    params, tasks = _params(description, benchmark), _tasks(files, description)
    return [
        Entry(task_id=task_id, attempt=attempt, question=benchmark.prompt_text(tasks[task_id], params))
        for task_id, attempt in description.attempts
    ]


def _tasks(files: RunFiles, description: RunDescription) -> dict[str, Task]:
    """All planned tasks, by their ids."""
    try:
        tasks = {task.task_id: task for task in read_plan(files.plan)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFilesError(
            f"{str(files.plan)!r} cannot be read ({type(error).__name__}): name a run that has its details"
        ) from error
    lost = sorted({task_id for task_id, _ in description.attempts} - tasks.keys())
    if lost:
        raise RunFilesError(f"{str(files.plan)!r} lacks the planned task {lost[0]!r}: restore the file")
    return tasks


def _params(description: RunDescription, benchmark: Benchmark) -> BenchmarkParams:
    """What the benchmark was asked with, as far as it shapes a prompt."""
    told = description.configuration.get("benchmarks", {}).get(description.benchmark, {}).get("params", {})
    params, problems = validated(benchmark.params_type, told, at=())
    if params is None:
        raise RunFilesError(f"run.json names params that are none: {problems[0].line}; restore it")
    return params


def _write_new(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError as error:
        raise RunFilesError(f"{str(path)!r} exists, and answers may be in it; name a new file") from error
    except OSError as error:
        raise RunFilesError(
            f"{str(path)!r} cannot be written: {error.strerror}; name another file"
        ) from error
