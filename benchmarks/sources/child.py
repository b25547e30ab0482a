"""The child process: the one place where `datasets` and `huggingface_hub` are imported.

Started by `child_call.py` as ``python -m benchmarks.sources.child``. It turns Parquet into JSONL in the
cache and says what came of it in one JSON line on stdout: ``{"revision": "<commit>"}``, ``{}`` or
``{"error": "<one line>"}``.
"""

# The library describes its types in part only; what comes from it is narrowed in this file.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import argparse
import contextlib
import fnmatch
import json
import shutil
import sys
from collections.abc import Generator, Iterable
from pathlib import Path

from benchmarks.sources.layout import conversion
from benchmarks.sources.parquet import write_rows
from benchmarks.sources.refused import RefusedError, first_line
from benchmarks.sources.rows import ROWS

REACH_TIMEOUT_S = 5.0
"""How long the first request may take: a Hub that does not answer by then counts as out of reach."""


def fetch(
    repo: str,
    revision: str,
    parquet: str,
    pattern: str,
    folder: Path,
    *,
    apart: Iterable[str],
    is_gated: bool,
) -> str:
    """Download the files of `pattern` into the commit's place in `folder`, once for all sessions.

    Args:
        repo: A dataset on the Hub, e.g. ``"gaia-benchmark/GAIA"``.
        revision: Commit, branch or tag.
        parquet: The file with the rows, by its path in the repository.
        pattern: The files to fetch, e.g. ``"2023/validation/*"``; `parquet` is among them.
        folder: Holds a folder for each commit (see `layout.py`), laid out as the repository, with the rows as
            ``rows.jsonl``.
        apart: Columns to keep apart, see `apart.py`.
        is_gated: Whether the Hub asks for accepted terms; decides what a refusal most likely means.

    Returns:
        The commit that `revision` stands for.

    Raises:
        RefusedError: The Hub is out of reach or refuses, or the revision holds no such file.
    """
    from filelock import FileLock  # comes with datasets
    from huggingface_hub import HfApi, snapshot_download  # heavy, as above

    with _hub_errors(repo, revision, is_gated=is_gated, reached=False):
        found = HfApi().dataset_info(repo, revision=revision, timeout=REACH_TIMEOUT_S)
    commit = str(found.sha)
    wanted = sorted(s.rfilename for s in found.siblings or () if fnmatch.fnmatchcase(s.rfilename, pattern))
    if parquet not in wanted:
        raise RefusedError(
            f"dataset_revision {revision!r} of {repo} holds no {parquet!r}; use a revision with Parquet "
            "files, such as the default one"
        )
    kept = conversion(folder, commit)
    kept.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(kept.with_name(f"{kept.name}.lock")):
        if not (kept / ROWS).exists():
            # One name for all tries: what an interrupted download left is taken up again.
            partial = kept.with_name(f"{kept.name}.partial")
            with _hub_errors(repo, revision, is_gated=is_gated, reached=True):
                snapshot_download(
                    repo, repo_type="dataset", revision=commit, allow_patterns=wanted, local_dir=partial
                )
            _require(wanted, partial, repo)
            shutil.rmtree(partial / ".cache", ignore_errors=True)
            write_rows(partial / parquet, partial, apart)
            partial.replace(kept)
    return commit


def _require(wanted: list[str], folder: Path, repo: str) -> None:
    missing = [name for name in wanted if not (folder / name).is_file()]
    if missing:
        raise RefusedError(
            f"{repo}: {len(missing)} of {len(wanted)} files did not arrive; run again to go on"
        )


@contextlib.contextmanager
def _hub_errors(repo: str, revision: str, *, is_gated: bool, reached: bool) -> Generator[None]:
    """Turn what the Hub's client raises into one line."""
    try:
        yield
    except Exception as error:  # the client's network errors are of a library that changed twice
        raise RefusedError(_hub_line(error, repo, revision, is_gated=is_gated, reached=reached)) from error


def _hub_line(error: Exception, repo: str, revision: str, *, is_gated: bool, reached: bool) -> str:
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
        gated = (
            f"{repo} is gated and the Hub refused {who}: accept the terms on the dataset's page on the Hub, "
            f"then set HF_TOKEN to a token of that account, {otherwise}"
        )
        hidden = (
            f"the Hub refused {who} for {repo}: the dataset is not there, or it is private; check "
            f"HF_ENDPOINT, set HF_TOKEN to a token that may read it, {otherwise}"
        )
        return gated if is_gated else hidden
    if status is not None:
        return f"the Hub answered HTTP {status} for {repo} {revision!r}; try again later, {otherwise}"
    if reached:
        return f"the download of {repo} {revision!r} broke off ({first_line(error)}); run again to go on"
    return (
        f"the Hub cannot be reached ({type(error).__name__}) and {repo} {revision!r} is not in the cache; "
        f"connect once, check HF_ENDPOINT, {otherwise}"
    )


def main(arguments: list[str]) -> dict[str, str]:
    """Do what the command line asks; the result is what the parent process reads."""
    parser = argparse.ArgumentParser(prog="benchmarks.sources.child")
    commands = parser.add_subparsers(dest="command", required=True)
    hub = commands.add_parser("hub")
    for name in ("repo", "revision", "parquet", "pattern"):
        hub.add_argument(name)
    hub.add_argument("folder", type=Path)
    hub.add_argument("--gated", action="store_true")
    local = commands.add_parser("parquet")
    local.add_argument("parquet", type=Path)
    local.add_argument("folder", type=Path)
    for command in (hub, local):
        command.add_argument("--apart", action="append", default=[])
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "hub":
            where = asked.repo, asked.revision, asked.parquet, asked.pattern, asked.folder
            return {"revision": fetch(*where, apart=asked.apart, is_gated=asked.gated)}
        write_rows(asked.parquet, asked.folder, asked.apart)
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
