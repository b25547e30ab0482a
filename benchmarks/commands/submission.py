"""`python -m benchmarks submission RUN`: the file that GAIA's leaderboard takes, from a run that ended."""

import argparse
import os
import sys
from pathlib import Path

from benchmarks.configuration.masking import secret_values
from benchmarks.redaction import Redactor
from benchmarks.results.files import RunFilesError
from benchmarks.results.submission import submission_of

NAME = "submission"
HELP = (
    "write the file of GAIA's leaderboard, a line for each answered task: task_id, model_answer, "
    "reasoning_trace; no ground truth is in it"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "run", metavar="RUN", type=Path, help="the run directory: the folder that holds run.json"
    )
    parser.add_argument(
        "--attempt",
        metavar="N",
        type=int,
        default=1,
        help="which attempt at each task, where there are several (default: 1)",
    )
    parser.add_argument(
        "--into", metavar="FILE", type=Path, help="the file to write (default: standard output)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write it, without keys of the environment. The exit code: 0, or 4 with one line."""
    mask = Redactor(secret_values(os.environ), show_ground_truth=True).mask_keys
    try:
        submission = submission_of(arguments.run, attempt=arguments.attempt, mask=mask)
        if arguments.into is None:
            sys.stdout.write(submission.text)
        else:
            submission.write(arguments.into)
    except RunFilesError as error:
        sys.stderr.write(f"{error}\n")
        return 4
    sys.stderr.write(f"{submission.line}\n")
    return 0
