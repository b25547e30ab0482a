"""`python -m benchmarks summary RUN`: metrics.json and summary.md again, from run.json and details/."""

import argparse
import sys
from pathlib import Path

from benchmarks.results.files import RunFilesError
from benchmarks.results.rebuild import rebuild

NAME = "summary"
HELP = "make metrics.json and summary.md of a run again, byte for byte, from run.json and details/"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "run", metavar="RUN", type=Path, help="the run directory: the folder that holds run.json"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write both files and print their paths. The exit code: 0, or 4 with one line if that cannot be done."""
    try:
        written = rebuild(arguments.run)
    except RunFilesError as error:
        sys.stderr.write(f"{error}\n")
        return 4
    sys.stdout.write("".join(f"{path}\n" for path in written))
    return 0
