"""Rows from the Hub: a revision is downloaded once into the cache."""

import re
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sources.child_call import ask_child
from benchmarks.sources.layout import conversion
from benchmarks.sources.rows import ROWS, Rows, parse_jsonl
from harnesses.downloads import Tell

_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, kw_only=True)
class HubFile:
    """A Parquet file of a dataset on the Hub, and the files that are fetched with it.

    `parquet` is its path in `repo`; `pattern` matches the files to fetch, it among them, e.g.
    "2023/validation/*". `called` is the word the user knows the tasks by, e.g. "validation". `is_gated` says
    that the Hub gives it only to who accepted its terms. `apart` are columns too large for the rows.
    """

    repo: str
    parquet: str
    pattern: str
    called: str
    is_gated: bool
    apart: tuple[str, ...] = ()


def read(file: HubFile, revision: str, folder: Path, *, pinned: str, tell: Tell) -> Rows:
    """The rows of `file`, from the cache or else from the Hub.

    A commit in the cache needs neither network nor any import; a branch or tag is asked for each time, since
    it may have moved.

    Args:
        file: What to read.
        revision: Commit, branch or tag.
        folder: Holds a folder for each commit, see `layout.py`; of this file's own.
        pinned: The commit whose number of tasks is known beforehand.
        tell: Gets a line before a download.

    Raises:
        DatasetError: The Hub is out of reach or refuses, or there is no such revision.
    """
    commit = revision
    if not is_cached(folder, revision):
        tell(f"{file.repo} {revision}: fetching {file.called} from the Hub, once")
        options = [*(["--gated"] if file.is_gated else []), *(f"--apart={column}" for column in file.apart)]
        where = (file.repo, revision, file.parquet, file.pattern, str(folder))
        commit = str(ask_child("hub", *options, "--", *where)["revision"])
    kept = conversion(folder, commit)
    rows, problems = parse_jsonl((kept / ROWS).read_bytes())
    return Rows(
        rows=rows,
        problems=problems,
        place=f"{file.repo} {file.parquet}",
        folder=(kept / file.parquet).parent,
        source="hub",
        revision=commit,
        warnings=_warnings(revision, commit),
        is_pinned=commit == pinned,
        apart=kept if file.apart else None,
    )


def is_cached(folder: Path, revision: str) -> bool:
    """Whether `revision` is a commit whose rows lie in `folder`."""
    return bool(_COMMIT.fullmatch(revision)) and (conversion(folder, revision) / ROWS).exists()


def _warnings(revision: str, commit: str) -> tuple[str, ...]:
    if revision == commit:
        return ()
    return (
        f"dataset_revision {revision!r} can move: it is commit {commit} now; set that to repeat this run",
    )
