"""`--html`: pytest-html's report with the result at its top and a row for every planned attempt."""

import pytest

from benchmarks.run import session_key


def links_are_wanted(config: pytest.Config, environment_ci: str | None) -> bool:
    """Whether rows of the report link to the trajectory pages, which are private.

    Args:
        config: With `--html-links`.
        environment_ci: The variable CI: where it is set, reports are uploaded, so that they have no links
            unless the option asks for them.
    """
    chosen: str | None = config.getoption("html_links")
    return chosen == "local" if chosen is not None else not environment_ci


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Write our part of the report: in the controller alone, and only where `--html` asks for one."""
    session = config.stash.get(session_key, None)
    if session is None or hasattr(config, "workerinput") or not config.getoption("htmlpath", None):
        return
    if any(run.directory is None for run in session.runs.values()):
        return
    # Neither a worker nor a session without a report need load what makes pages.
    from benchmarks.report.html_report import HtmlReport

    config.pluginmanager.register(HtmlReport(config, session), "benchmarks-html")
