"""The child process: the one place where `datasets` and `huggingface_hub` are imported.

Started by `child_call.py` as ``python -m benchmarks.gaia.sources.child``. It turns Parquet into JSONL in the
cache and says what came of it in one JSON line on stdout: ``{"revision": "<commit>"}``, ``{}`` or
``{"error": "<one line>"}``.
"""

# The three libraries describe their types in part only; what comes from them is narrowed in this file.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import argparse
import contextlib
import fnmatch
import json
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from harnesses.downloads import place

REACH_TIMEOUT_S = 5.0
"""How long the first request may take: a Hub that does not answer by then counts as out of reach."""


class RefusedError(Exception):
    """What the parent process shall tell the user, in one line."""


def write_rows(parquet: Path, jsonl: Path) -> None:
    """Write the rows of a Parquet file as JSONL, in their order; `jsonl` appears whole or not at all.

    Raises:
        RefusedError: The file is no Parquet file, or a broken one.
    """
    try:
        rows = list(_parquet_rows(parquet))
    except ImportError:
        raise
    except Exception as error:  # the reader's errors have no common class of their own
        reason = _first_line(error.__cause__ or error)
        raise RefusedError(
            f"{parquet.name!r} cannot be read as Parquet ({reason}); fetch it again"
        ) from error
    text = "".join(f"{json.dumps(row, default=str)}\n" for row in rows)

    def produce(partial: Path) -> None:
        partial.write_text(text, encoding="utf-8")

    place(jsonl, produce)


def _parquet_rows(parquet: Path) -> Iterator[Any]:
    from datasets import Dataset  # heavy: only this process may load it, and only here
    from pyarrow.parquet import read_metadata  # comes with datasets

    if read_metadata(parquet).num_rows == 0:  # `datasets` 5.2 fails on a file without rows
        return
    with tempfile.TemporaryDirectory() as scratch:
        yield from Dataset.from_parquet(str(parquet), cache_dir=scratch)


def fetch_split(repo: str, revision: str, parquet: str, pattern: str, folder: Path) -> str:
    """Download the files of one split into ``folder/<commit>``, once for all sessions.

    Args:
        repo: A dataset on the Hub, e.g. ``"gaia-benchmark/GAIA"``.
        revision: Commit, branch or tag.
        parquet: The file with the rows, by its path in the repository.
        pattern: The files to fetch, e.g. ``"2023/validation/*"``; `parquet` is among them.
        folder: Holds a folder for each commit, laid out as the repository, with the rows as ``rows.jsonl``.

    Returns:
        The commit that `revision` stands for.

    Raises:
        RefusedError: The Hub is out of reach or refuses, or the revision holds no such file.
    """
    from filelock import FileLock  # comes with datasets
    from huggingface_hub import HfApi, snapshot_download  # heavy, as above

    with _hub_errors(repo, revision, reached=False):
        found = HfApi().dataset_info(repo, revision=revision, timeout=REACH_TIMEOUT_S)
    commit = str(found.sha)
    wanted = sorted(s.rfilename for s in found.siblings or () if fnmatch.fnmatchcase(s.rfilename, pattern))
    if parquet not in wanted:
        raise RefusedError(
            f"dataset_revision {revision!r} of {repo} holds no {parquet!r}; use a revision with Parquet "
            "files, such as the default one"
        )
    kept = folder / commit
    kept.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{commit}.lock"):
        if not (kept / "rows.jsonl").exists():
            # One name for all tries: what an interrupted download left is taken up again.
            partial = folder / f"{commit}.partial"
            with _hub_errors(repo, revision, reached=True):
                snapshot_download(
                    repo, repo_type="dataset", revision=commit, allow_patterns=wanted, local_dir=partial
                )
            _require(wanted, partial, repo)
            shutil.rmtree(partial / ".cache", ignore_errors=True)
            write_rows(partial / parquet, partial / "rows.jsonl")
            partial.replace(kept)
    return commit


def _require(wanted: list[str], folder: Path, repo: str) -> None:
    missing = [name for name in wanted if not (folder / name).is_file()]
    if missing:
        raise RefusedError(
            f"{repo}: {len(missing)} of {len(wanted)} files did not arrive; run again to go on"
        )


@contextlib.contextmanager
def _hub_errors(repo: str, revision: str, *, reached: bool) -> Generator[None]:
    """Turn what the Hub's client raises into one line."""
    try:
        yield
    except Exception as error:  # the client's network errors are of a library that changed twice
        raise RefusedError(_hub_line(error, repo, revision, reached=reached)) from error


def _hub_line(error: Exception, repo: str, revision: str, *, reached: bool) -> str:
    from huggingface_hub import constants, errors, get_token  # heavy, as above

    otherwise = "or set dataset_path to a copy on this machine"
    if constants.is_offline_mode():
        return (
            f"HF_HUB_OFFLINE is set and {repo} {revision!r} is not in the cache; unset it once, {otherwise}"
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return (
            f"dataset_revision {revision!r} is no revision of {repo}; use a commit, a branch or a tag of it"
        )
    status = error.response.status_code if isinstance(error, errors.HfHubHTTPError) else None
    # The Hub answers 401 for a gated, a private and a missing dataset alike.
    if isinstance(error, errors.RepositoryNotFoundError) or status in {401, 403}:
        who = "the token it was given" if get_token() else "a request without a token"
        return (
            f"{repo} is gated and the Hub refused {who}: accept the terms on the dataset's page on the Hub, "
            f"then set HF_TOKEN to a token of that account, {otherwise}"
        )
    if status is not None:
        return f"the Hub answered HTTP {status} for {repo} {revision!r}; try again later, {otherwise}"
    if reached:
        return f"the download of {repo} {revision!r} broke off ({_first_line(error)}); run again to go on"
    return (
        f"the Hub cannot be reached ({type(error).__name__}) and {repo} {revision!r} is not in the cache; "
        f"connect once, check HF_ENDPOINT, {otherwise}"
    )


def _first_line(error: BaseException) -> str:
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0][:200]}" if said else type(error).__name__


def main(arguments: list[str]) -> dict[str, str]:
    """Do what the command line asks; the result is what the parent process reads."""
    parser = argparse.ArgumentParser(prog="benchmarks.gaia.sources.child")
    commands = parser.add_subparsers(dest="command", required=True)
    hub = commands.add_parser("hub")
    for name in ("repo", "revision", "parquet", "pattern"):
        hub.add_argument(name)
    hub.add_argument("folder", type=Path)
    local = commands.add_parser("parquet")
    local.add_argument("parquet", type=Path)
    local.add_argument("jsonl", type=Path)
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "hub":
            commit = fetch_split(asked.repo, asked.revision, asked.parquet, asked.pattern, asked.folder)
            return {"revision": commit}
        write_rows(asked.parquet, asked.jsonl)
    except RefusedError as error:
        return {"error": str(error)}
    except ImportError as error:
        return {
            "error": f"the package {error.name!r} cannot be imported; install it with `pip install datasets`"
        }
    except OSError as error:
        return {"error": f"cannot write {error.filename!r}: {error.strerror}; make room there"}
    return {}


if __name__ == "__main__":
    # What a library prints must not be taken for the result.
    with contextlib.redirect_stdout(sys.stderr):
        result = main(sys.argv[1:])
    print(json.dumps(result))  # noqa: T201  # the result goes to the parent process
