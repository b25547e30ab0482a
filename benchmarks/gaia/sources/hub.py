"""GAIA from the Hub: a revision is downloaded once into the cache. It is gated: that takes `HF_TOKEN`."""

import re
from pathlib import Path

from benchmarks.gaia.params import HUB_REVISION, Subset
from benchmarks.gaia.sources.child_call import ask_child
from benchmarks.gaia.sources.rows import Rows, parse_jsonl
from harnesses.downloads import Tell, cache_dir

REPO = "gaia-benchmark/GAIA"
_COMMIT = re.compile(r"[0-9a-f]{40}")


def read(revision: str, subset: Subset, *, tell: Tell) -> Rows:
    """The rows of configuration `2023_all`, from the cache or else from the Hub.

    A commit in the cache needs neither network nor any import; a branch or tag is asked for each time, since
    it may have moved. `text` fetches no attachments.

    Raises:
        DatasetError: The Hub is out of reach or refuses, or there is no such revision.
    """
    split = "test" if subset == "test" else "validation"
    parquet = f"2023/{split}/metadata.parquet"
    folder, commit = cache_dir() / "gaia" / "hub" / split, revision
    if subset == "text" and not _is_cached(folder, revision):
        folder = folder.with_name(f"{split}-rows")
    if not _is_cached(folder, revision):
        tell(f"{REPO} {revision}: fetching {split} from the Hub, once")
        pattern = parquet if subset == "text" else f"2023/{split}/*"
        commit = str(ask_child("hub", REPO, revision, parquet, pattern, str(folder))["revision"])
    rows, problems = parse_jsonl((folder / commit / "rows.jsonl").read_bytes())
    return Rows(
        rows=rows,
        problems=problems,
        place=f"{REPO} {parquet}",
        folder=folder / commit / Path(parquet).parent,
        source="hub",
        revision=commit,
        warnings=_warnings(revision, commit),
        is_pinned=commit == HUB_REVISION,
    )


def _is_cached(folder: Path, revision: str) -> bool:
    return bool(_COMMIT.fullmatch(revision)) and (folder / revision / "rows.jsonl").exists()


def _warnings(revision: str, commit: str) -> tuple[str, ...]:
    if revision == commit:
        return ()
    return (
        f"dataset_revision {revision!r} can move: it is commit {commit} now; set that to repeat this run",
    )
