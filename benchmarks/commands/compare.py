"""`python -m benchmarks compare BASE NEW [NEW ...]`: did the model get worse, task by task?"""

import argparse
import math
import sys
from pathlib import Path

from benchmarks.results.comparing.as_json import comparisons_as_json
from benchmarks.results.comparing.comparison import ComparisonError, compare
from benchmarks.results.comparing.metrics_file import read_metrics
from benchmarks.results.comparing.page import render_comparisons
from benchmarks.results.comparing.sentences import overall_sentence
from benchmarks.results.files import RunFilesError, dump_json, run_around, write_whole

NAME = "compare"
HELP = (
    "compare runs with BASE, paired by task: exit code 0 no regression, 1 regression, 11 too few flips to "
    "tell, 12 not comparable, 4 a run cannot be read"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "base", metavar="BASE", type=Path, help="what is compared with: a run directory, or its metrics.json"
    )
    parser.add_argument("news", metavar="NEW", type=Path, nargs="+", help="a run to hold against it")
    parser.add_argument(
        "--alpha",
        metavar="LEVEL",
        type=parse_alpha,
        default=0.05,
        help="how often chance may tell equally good runs apart: above 0, below 1 (default: 0.05)",
    )
    parser.add_argument(
        "--anyway",
        action="store_true",
        help="compare runs of another dataset, judge, prompt, answer format or k all the same, and say so",
    )
    parser.add_argument(
        "--format", choices=("markdown", "json"), default="markdown", help="(default: markdown)"
    )
    parser.add_argument("--output", metavar="FILE", type=Path, help="write there instead of to the terminal")


def parse_alpha(text: str) -> float:
    """The level in `text`.

    Raises:
        argparse.ArgumentTypeError: It is no number above 0 and below 1.
    """
    try:
        alpha = math.nan if "_" in text else float(text)
    except ValueError:
        alpha = math.nan
    if not 0 < alpha < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no level: give a number above 0, below 1, e.g. 0.05")
    return alpha


def run(arguments: argparse.Namespace) -> int:
    """Compare and tell; the exit code is that of the strictest finding, or 4 with one line."""
    try:
        comparisons = compare(
            read_metrics(arguments.base),
            [read_metrics(new) for new in arguments.news],
            alpha=arguments.alpha,
            override=arguments.anyway,
        )
    except (RunFilesError, ComparisonError) as error:
        sys.stderr.write(f"{error}\n")
        return 4
    as_json = arguments.format == "json"
    text = dump_json(comparisons_as_json(comparisons)) if as_json else render_comparisons(comparisons)
    if arguments.output is not None and _would_lose_a_file(arguments.output):
        sys.stderr.write(f"{str(arguments.output)!r} is a file of a run; name another --output\n")
        return 4
    if arguments.output is None:
        sys.stdout.write(text)
        return comparisons.finding.exit_code
    try:
        write_whole(arguments.output, text)
    except OSError as error:
        sys.stderr.write(f"{str(arguments.output)!r} cannot be written: {error.strerror}\n")
        return 4
    sys.stdout.write(f"{overall_sentence(comparisons)}\n{arguments.output}\n")
    return comparisons.finding.exit_code


def _would_lose_a_file(output: Path) -> bool:
    """Whether a file of some run lies there."""
    return output.is_file() and run_around(output) is not None
