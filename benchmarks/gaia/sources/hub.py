"""GAIA from the Hub. It is gated: that takes `HF_TOKEN`."""

from benchmarks.gaia.params import HUB_REVISION, Subset
from benchmarks.sources import hub
from benchmarks.sources.rows import Rows
from harnesses.downloads import Tell, cache_dir

REPO = "gaia-benchmark/GAIA"


def read(revision: str, subset: Subset, *, tell: Tell) -> Rows:
    """The rows of configuration `2023_all`, from the cache or else the Hub; `text` fetches no attachments.

    Raises:
        DatasetError: The Hub is out of reach or refuses, or there is no such revision.
    """
    split = "test" if subset == "test" else "validation"
    parquet = f"2023/{split}/metadata.parquet"
    folder = cache_dir() / "gaia" / "hub" / split
    if subset == "text" and not hub.is_cached(folder, revision):
        folder = folder.with_name(f"{split}-rows")
    file = hub.HubFile(
        repo=REPO,
        parquet=parquet,
        pattern=parquet if subset == "text" else f"2023/{split}/*",
        called=split,
        is_gated=True,
    )
    return hub.read(file, revision, folder, pinned=HUB_REVISION, tell=tell)
