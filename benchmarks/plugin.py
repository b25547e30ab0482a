"""Where the top floor meets pytest, split by moment: configure, collect, run, report, finish."""

import pytest

from benchmarks.configuration.options import add_options

pytest_plugins = (
    "benchmarks.shares",
    "benchmarks.configuring",
    "benchmarks.scheduling",
    "benchmarks.collecting",
    "benchmarks.running",
    "benchmarks.reporting",
    "benchmarks.finishing",
    "benchmarks.report.html",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that say what is asked, how it counts and where it is written (every process)."""
    add_options(parser)
