"""The finish moment: one bookkeeper closes the books of a session (controller)."""

import pytest

from benchmarks.run import session_key


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Employ the bookkeeper: in the controller alone, and only where something is run."""
    session = config.stash.get(session_key, None)
    is_dry = session is None or any(run.directory is None for run in session.runs.values())
    if session is not None and not is_dry and not hasattr(config, "workerinput"):
        # A worker reduces nothing: it need not load what metrics are made of.
        from benchmarks.bookkeeper import Bookkeeper

        config.pluginmanager.register(Bookkeeper(config, session), "benchmarks-bookkeeper")
        if config.option.gaia_submission is not None:
            from benchmarks.report.submitting import Submitting

            config.pluginmanager.register(Submitting(config, session), "benchmarks-submitting")
