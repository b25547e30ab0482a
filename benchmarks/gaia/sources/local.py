"""GAIA from this machine: a directory, a Parquet file or a JSONL file.

In a directory, and in its `2023/<split>` if it is a clone of the Hub's repository, these are looked for in
this order: `text_only_metadata.jsonl` (subset `text-103` only), `metadata.parquet`, `metadata.jsonl`; then
the one Parquet or JSONL file of the directory itself. Attachments lie beside the file.
"""

from pathlib import Path

from benchmarks.benchmark import DatasetError
from benchmarks.gaia.params import Subset
from benchmarks.sources import local
from benchmarks.sources.rows import Rows
from harnesses.downloads import Tell, cache_dir


def read(dataset_path: str, subset: Subset, *, tell: Tell) -> Rows:
    """The rows of a local file; the revision is the file's SHA-256.

    Raises:
        DatasetError: There is no such file, it is none of these, or it cannot be read.
    """
    cache = cache_dir() / "gaia" / "parquet"
    return local.read(find(dataset_path, subset), cache, dataset_path=dataset_path, tell=tell)


def find(dataset_path: str, subset: Subset) -> Path:
    """The one file that `dataset_path` stands for.

    Raises:
        DatasetError: None, or several that could be meant.
    """
    path = local.given(dataset_path)
    if path.is_file():
        return path
    split = "test" if subset == "test" else "validation"
    text_only = ["text_only_metadata.jsonl"] if subset == "text-103" else []
    names = [*text_only, "metadata.parquet", "metadata.jsonl"]
    nested = [f"2023/{split}/{name}" for name in names]
    return local.first_of(path, [*names, *nested]) or _only_file(path, dataset_path)


def _only_file(folder: Path, dataset_path: str) -> Path:
    files = sorted(file for file in folder.iterdir() if file.suffix in local.SUFFIXES and file.is_file())
    if len(files) == 1:
        return files[0]
    if not files:
        raise DatasetError(
            f"dataset_path {dataset_path!r} holds no metadata.parquet, metadata.jsonl or other file of "
            "tasks; name the file itself"
        )
    # Taken together they may hold each task twice, as the Hub's metadata.level*.parquet do.
    names = ", ".join(file.name for file in files[:6])
    raise DatasetError(f"dataset_path {dataset_path!r} holds several files ({names}); name the one to read")
