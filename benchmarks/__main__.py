"""`python -m benchmarks COMMAND`: small commands around a session. None of them calls a model."""

import argparse
import sys
from collections.abc import Sequence

from benchmarks.commands import compare, merge, openmetrics, submission, summary, template, view

_COMMANDS = (summary, compare, merge, view, template, submission, openmetrics)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code.

    Args:
        argv: The words after `python -m benchmarks`; ``None`` takes those of this process.

    Raises:
        SystemExit: 0 after `--help`, 2 with the usage for a missing or unknown command.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in _COMMANDS:
        subparser = subparsers.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        command.add_arguments(subparser)
        subparser.set_defaults(run_command=command.run)
    arguments = parser.parse_args(argv)
    code: int = arguments.run_command(arguments)
    return code


if __name__ == "__main__":
    sys.exit(main())
