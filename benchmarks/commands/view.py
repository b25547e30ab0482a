"""`python -m benchmarks view RUN [RUN ...]`: runs to read in a browser, on this machine alone."""

import argparse
import sys
from pathlib import Path

NAME = "view"
HELP = "show runs in a browser, also while they go on: results, trajectories, two runs side by side"

_HIGHEST_PORT = 65535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "runs",
        metavar="RUN",
        type=Path,
        nargs="+",
        help="a run directory, or a folder with runs below it, such as results",
    )
    parser.add_argument(
        "--port", metavar="N", type=parse_port, default=0, help="0 takes a free one (default: 0)"
    )


def parse_port(text: str) -> int:
    """The port in `text`.

    Raises:
        argparse.ArgumentTypeError: It is no whole number from 0 to 65535.
    """
    if not (text.isascii() and text.isdigit() and int(text) <= _HIGHEST_PORT):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no port: give a whole number from 0 to {_HIGHEST_PORT}, 0 for a free one"
        )
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C. The exit code: 0, or 4 with one line where there is nothing to show or to bind."""
    # The other commands need not load a server and templates.
    from benchmarks.report.viewer import ViewerServer, serve

    for path in arguments.runs:
        if not path.is_dir():
            sys.stderr.write(
                f"{str(path)!r} is no folder: name a run directory, or a folder with runs below it\n"
            )
            return 4
    try:
        server = ViewerServer(arguments.runs, port=arguments.port)
    except OSError as error:
        sys.stderr.write(
            f"port {arguments.port} cannot be had: {error.strerror}; leave out --port for a free one\n"
        )
        return 4
    serve(server, tell=_tell)
    return 0


def _tell(url: str) -> None:
    sys.stdout.write(f"{url}\nPrivate: it shows questions and ground truths. Ctrl-C ends it.\n")
    sys.stdout.flush()
