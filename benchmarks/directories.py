"""The run directories of a session: made all together, or none of them."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from shutil import rmtree

import pytest

from benchmarks.configuration.model import Configuration
from benchmarks.configuration.placing import run_directory
from benchmarks.plan import write_plan
from benchmarks.run import Run
from benchmarks.taking_over import Inheritance, take_over


def placed(
    runs: Mapping[str, Run],
    configuration: Configuration,
    inherited: Mapping[str, Inheritance],
    *,
    now: datetime,
) -> dict[str, Run]:
    """The runs with their directories made, their task files and what they take over in them, by their keys.

    Two sessions never share a directory. Where one cannot be had, the others are removed again.

    Args:
        runs: By their keys, with no directory yet.
        configuration: Has the choice of each run, and says where they lie.
        inherited: What runs take over of their parents, by their keys.
        now: A time with a time zone: runs without a name are called by it.

    Raises:
        pytest.UsageError: A directory cannot be made.
    """
    with ExitStack() as undoing:
        made = {
            key: _placed(run, configuration, inherited.get(key), now, undoing) for key, run in runs.items()
        }
        undoing.pop_all()
    return made


def _placed(
    run: Run,
    configuration: Configuration,
    inherited: Inheritance | None,
    now: datetime,
    undoing: ExitStack,
) -> Run:
    """One of them; `undoing` removes what was made."""
    choice, placement = configuration.choices[run.key], configuration.placement
    model_id = "" if configuration.model is None else configuration.model.id
    while True:
        directory = run_directory(
            placement, choice.name, model_id, now=now, suffix=choice.run_suffix
        ).absolute()
        try:
            undoing.callback(_remove_empty, [one for one in directory.parents if not one.exists()])
            directory.mkdir(parents=True)
            undoing.callback(rmtree, directory, ignore_errors=True)
            made = replace(run, choice=choice, directory=directory)
            write_plan(made.files.plan, run.tasks)
            if inherited is not None:
                made = take_over(made, inherited)
        except FileExistsError:
            # Another session took it this very moment: in the next round a name of the user's is refused,
            # and a name of ours counts on.
            if not directory.is_dir():
                raise _cannot_write(directory, "a file of that name is in the way") from None
        except OSError as error:
            raise _cannot_write(directory, error.strerror or type(error).__name__) from None
        else:
            return made


def _remove_empty(folders: Iterable[Path]) -> None:
    """Remove the folders, the innermost first, up to one that holds something by now."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _cannot_write(directory: Path, reason: str) -> pytest.UsageError:
    return pytest.UsageError(
        f"the run directory {str(directory)!r} cannot be made: {reason}; choose another --results-dir "
        "or --run-dir"
    )
