"""`python -m benchmarks openmetrics RUN [RUN ...]`: the numbers of runs as OpenMetrics text."""

import argparse
import sys
from pathlib import Path

from benchmarks.report.openmetrics import SameSetTwiceError, openmetrics
from benchmarks.results.comparing.metrics_file import read_metrics
from benchmarks.results.files import RunFilesError, write_whole

NAME = "openmetrics"
HELP = (
    "write accuracy, outcomes and gate of runs as OpenMetrics text, e.g. for GitLab's metrics report: exit "
    "code 0, or 4 if a run cannot be read or the file not written"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "runs", metavar="RUN", type=Path, nargs="+", help="a run directory, or its metrics.json"
    )
    parser.add_argument("--output", metavar="FILE", type=Path, help="write there instead of to the terminal")


def run(arguments: argparse.Namespace) -> int:
    """Write the text. The exit code: 0, or 4 with one line if that cannot be done."""
    output: Path | None = arguments.output
    try:
        text = openmetrics(read_metrics(path) for path in arguments.runs)
        if output is not None:
            write_whole(output, text)
    except (RunFilesError, SameSetTwiceError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 4
    if output is None:
        sys.stdout.write(text)
    return 0
