"""`--gaia-submission FILE`: the leaderboard's file at the end of a session (controller)."""

from collections.abc import Collection
from pathlib import Path

import pytest

from benchmarks.results.files import RunFilesError
from benchmarks.results.submission import BENCHMARK, refuse_other_file, submission_of
from benchmarks.run import Session, redactor_key


def refuse_unfit_submission(file: str | None, names: Collection[str]) -> None:
    """Refuse a file that could not be written at the end of the session.

    Args:
        file: What `--gaia-submission` was given; ``None`` without it.
        names: The benchmarks of this session.

    Raises:
        pytest.UsageError: It names no file, or one of another kind, or nothing is asked that the leaderboard
            takes.
    """
    if file is None:
        return
    if BENCHMARK not in names:
        raise pytest.UsageError(
            f"--gaia-submission {file!r} needs a run of GAIA; give its folder: pytest benchmarks/gaia"
        )
    path = Path(file).expanduser()
    if not file.strip() or path.is_dir() or not path.absolute().parent.is_dir():
        raise pytest.UsageError(
            f"--gaia-submission {file!r} is no file that can be written; name one in a folder that exists"
        )
    try:
        refuse_other_file(path)
    except RunFilesError as error:
        raise pytest.UsageError(f"--gaia-submission {error}") from error


class Submitting:
    """Writes the file once the books are closed."""

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._path = Path(config.option.gaia_submission).expanduser().absolute()
        self._session = session
        self._mask = config.stash[redactor_key].mask_keys
        self._line: str | None = None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write it; a session whose file could not be written does not end green."""
        directory = self._session.runs[BENCHMARK].directory
        if directory is None or not (directory / "run.json").exists():
            return
        try:
            submission = submission_of(directory, mask=self._mask)
            submission.write(self._path)
        except RunFilesError as error:
            self._line = f"NOT WRITTEN: {error}"
            if session.exitstatus in {0, 1}:
                session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        else:
            self._line = f"{submission.line}: {self._path}"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where it is."""
        if self._line is not None:
            terminalreporter.line(self._line)
