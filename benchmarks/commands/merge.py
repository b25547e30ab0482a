"""`python -m benchmarks merge RUN RUN ... --into DIR`: one run out of the runs of several CI jobs."""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report.terminal import terminal_lines
from benchmarks.results.files import RunFilesError
from benchmarks.results.gates.scopes import OVERALL
from benchmarks.results.merging.gates import AskedGates
from benchmarks.results.merging.merge import Merged, merge
from benchmarks.results.merging.parts import MergeError

NAME = "merge"
HELP = (
    "join runs of one plan, e.g. of the shards of a CI matrix, into one run directory: exit code 0 no gate "
    "or passed, 1 missed, 10 not measured, 11 inconclusive, 12 not comparable, 4 the runs do not belong "
    "together"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "runs", metavar="RUN", type=Path, nargs="+", help="a run directory: the folder that holds run.json"
    )
    parser.add_argument(
        "--into", metavar="DIR", type=Path, required=True, help="the run directory to make; it must not exist"
    )
    parser.add_argument(
        "--whole",
        action="store_true",
        help="refuse with exit code 4 where a selected task is in none of the runs: a shard is missing",
    )
    parser.add_argument(
        "--min-accuracy",
        metavar="[SCOPE=]SHARE",
        type=parse_accuracy,
        action="append",
        default=[],
        help="least value over what was evaluated, 0 to 1, of the whole or of a level, a topic; repeatable "
        "(default: with no gate given, the gates of the runs, if all have the same)",
    )
    parser.add_argument(
        "--min-coverage", metavar="SHARE", type=parse_share, help="least share of evaluated among planned"
    )
    parser.add_argument("--max-errors", metavar="N", type=parse_count, help="most run and judge errors")
    parser.add_argument(
        "--gate-policy",
        choices=("point", "confident"),
        help="whether the value or its 95 %% interval decides (default: point)",
    )


def parse_accuracy(text: str) -> tuple[str, float]:
    """The scope and the share in `text`: ``("level1", 0.8)``; without a scope it is the whole run.

    Raises:
        argparse.ArgumentTypeError: The share is none, or the scope is blank.
    """
    scope, has_scope, share = text.rpartition("=")
    if has_scope and not scope.strip():
        raise argparse.ArgumentTypeError(f"{text!r} names no scope; write e.g. level1=0.8, or 0.8 alone")
    if scope.strip().endswith("="):
        raise argparse.ArgumentTypeError(f"{text!r} has an = too many; write e.g. level1=0.8")
    return scope.strip() or OVERALL, parse_share(share)


def parse_share(text: str) -> float:
    """The share in `text`.

    Raises:
        argparse.ArgumentTypeError: It is no number from 0 to 1.
    """
    try:
        share = math.nan if "_" in text else float(text)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1 or text.strip().startswith("-"):
        raise argparse.ArgumentTypeError(f"{text!r} is no share: give a number from 0 to 1, e.g. 0.6")
    return share


def parse_count(text: str) -> int:
    """The count in `text`.

    Raises:
        argparse.ArgumentTypeError: It is no whole number of 0 or more.
    """
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no count: give a whole number of 0 or more, e.g. 3")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Merge and tell; the exit code is the gate's, 0 without one, or 4 with a line for each refusal."""
    try:
        merged = merge(arguments.runs, arguments.into, gates=_gates(arguments), whole=arguments.whole)
    except (MergeError, RunFilesError) as error:
        sys.stderr.write(f"{error}\n")
        return 4
    sys.stdout.write("".join(f"{line}\n" for line in _lines(merged)))
    code: int | None = merged.metrics["gate"]["exit_code"]
    return code or 0


def _lines(merged: Merged) -> list[str]:
    paths = [str(merged.files.metrics), str(merged.files.summary)]
    return [*(f"note: {line}" for line in merged.lines), *terminal_lines(merged.metrics), *paths]


def _gates(arguments: argparse.Namespace) -> AskedGates:
    """What was asked for.

    Raises:
        MergeError: A scope has two thresholds.
    """
    asked: Sequence[tuple[str, float]] = arguments.min_accuracy
    least = dict(asked)
    twice = next((scope for place, (scope, _) in enumerate(asked) if scope in dict(asked[:place])), None)
    if twice is not None:
        raise MergeError(f"--min-accuracy is given twice for {twice!r}; keep one of them")
    return AskedGates(
        min_accuracy=least,
        min_coverage=arguments.min_coverage,
        max_errors=arguments.max_errors,
        policy=arguments.gate_policy,
    )
