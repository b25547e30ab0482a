"""The files of a run directory: where each lies, and how it is written whole or not at all."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

METRICS_FORMAT = 2
"""The version of metrics.json's layout."""


class RunFilesError(Exception):
    """A run directory cannot be read or written: one line with the path, the rule and the remedy."""


@dataclass(frozen=True, kw_only=True)
class RunFiles:
    """The paths of one run directory. All under `details` is private: ground truths, questions, answers."""

    root: Path

    @property
    def run(self) -> Path:
        """What the run is: `run.json`."""
        return self.root / "run.json"

    @property
    def metrics(self) -> Path:
        """The numbers: `metrics.json`."""
        return self.root / "metrics.json"

    @property
    def summary(self) -> Path:
        """The numbers for people: `summary.md`."""
        return self.root / "summary.md"

    @property
    def details(self) -> Path:
        """The folder of what is private."""
        return self.root / "details"

    @property
    def spools(self) -> Path:
        """The folder with one spool for each process that ran attempts."""
        return self.details / "_spool"

    @property
    def plan(self) -> Path:
        """The task file: what was selected, one task a line."""
        return self.details / "_plan" / "tasks.jsonl"

    @property
    def stop(self) -> Path:
        """The stop mark of the session, as long as it lies with this run."""
        return self.details / "_plan" / "stop"

    @property
    def limits(self) -> Path:
        """What the processes of the session have sent and spent, as long as it lies with this run."""
        return self.details / "_plan" / "limits"

    @property
    def dead(self) -> Path:
        """Names of the worker processes that died, one a line; absent while all live."""
        return self.details / "_plan" / "dead"

    @property
    def made_before(self) -> Path:
        """Records that were taken over from the run that this one resumes; absent where it resumes none."""
        return self.details / "_plan" / "made_before.jsonl"

    @property
    def to_judge(self) -> Path:
        """Records of attempts that were made before and are to be judged anew; absent without any."""
        return self.details / "_plan" / "to_judge.jsonl"

    @property
    def tear_down(self) -> Path:
        """Tracebacks of tear-downs that failed."""
        return self.details / "_tear_down.txt"

    @property
    def aside(self) -> Path:
        """Records of units that were never planned: kept, never counted."""
        return self.details / "_aside" / "records.jsonl"

    def detail(self, task_id: str) -> Path:
        """What is kept of one task."""
        return self.details / f"{task_id}.json"

    def spool(self, process: str) -> Path:
        """The spool of one process, e.g. "gw0" or "main"."""
        return self.spools / f"{process}.jsonl"


def dump_json(value: Mapping[str, Any]) -> str:
    """`value` as text with sorted keys and a final newline: equal values give equal bytes.

    Raises:
        ValueError: A NaN or an infinity, which JSON does not know.
    """
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def load_json(path: Path) -> dict[str, Any]:
    """The mapping in a JSON file.

    Raises:
        RunFilesError: The file is missing, cannot be read, or holds no JSON object.
    """
    try:
        value: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RunFilesError(f"{str(path)!r} is missing: name a run directory that holds it") from error
    except OSError as error:
        raise RunFilesError(f"{str(path)!r} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise RunFilesError(f"{str(path)!r} is no JSON ({error}): restore the file") from error
    if not isinstance(value, dict):
        raise RunFilesError(f"{str(path)!r} holds no JSON object: restore the file")
    return cast("dict[str, Any]", value)


def refuse_no_folder(run_dir: Path) -> None:
    """Hold that there is such a folder.

    Raises:
        RunFilesError: There is none.
    """
    if not run_dir.is_dir():
        raise RunFilesError(
            f"{str(run_dir)!r} is no folder: name a run directory, the one that holds run.json"
        )


def not_ended(run_dir: Path) -> str:
    """The line on a run that is still going on, or was killed."""
    return (
        f"{str(run_dir)!r} has not ended: wait for it or, if its session was killed, run "
        f"`python -m benchmarks summary {run_dir}` first"
    )


def run_around(path: Path) -> Path | None:
    """The run directory that `path` lies in, however deep; ``None`` if it lies in none."""
    return next((folder for folder in path.resolve().parents if (folder / "run.json").is_file()), None)


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` so that a reader meets the old file or the new one, never a part.

    Holds when the process is killed at any moment. A power cut is another matter: nothing is forced to disk.

    Raises:
        OSError: The folder cannot be written; the old file, if any, stands.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # One name for every file of a folder: a long task id with a suffix could pass the limit for names.
    draft = path.with_name(f".writing-{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
