"""Where SealQA's rows lie: one Parquet file a category on the Hub, open to all, or a file on this machine."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.benchmark import DatasetError
from benchmarks.sealqa.dataset import readable
from benchmarks.sealqa.longseal import HELPFUL
from benchmarks.sealqa.params import HUB_REVISION, Category, SealQAParams
from benchmarks.sources import hub, local
from benchmarks.sources.rows import Rows
from harnesses.downloads import Tell, cache_dir

REPO = "vtllms/sealqa"
STEMS: Mapping[Category, str] = {"seal_0": "seal-0", "seal_hard": "seal-hard", "longseal": "longseal"}
"""What the category's file is called, without its ending."""
DOCUMENT_COLUMNS = (HELPFUL, "12_docs", "20_docs", "30_docs")
"""All of them are kept apart at once: a file is then converted once, whatever count is asked for."""


def read(params: SealQAParams, *, tell: Tell) -> Rows:
    """The rows of the category, from `dataset_path` or else from the Hub (or the cache of it).

    What cannot be read of the cells that only inform is left out, with a warning.

    Raises:
        DatasetError: They cannot be had.
    """
    return readable(_rows(params, tell))


def _rows(params: SealQAParams, tell: Tell) -> Rows:
    category = params.category
    apart = DOCUMENT_COLUMNS if category == "longseal" else ()
    cache = cache_dir() / "sealqa"
    if params.dataset_path is not None:
        file = find(params.dataset_path, category)
        return local.read(
            file, cache / "local" / category, dataset_path=params.dataset_path, tell=tell, apart=apart
        )
    parquet = f"{STEMS[category]}.parquet"
    file_on_hub = hub.HubFile(
        repo=REPO, parquet=parquet, pattern=parquet, called=category, is_gated=False, apart=apart
    )
    return hub.read(
        file_on_hub, params.dataset_revision, cache / "hub" / category, pinned=HUB_REVISION, tell=tell
    )


def find(dataset_path: str, category: Category) -> Path:
    """The one file that `dataset_path` stands for.

    Raises:
        DatasetError: There is none, or its name is that of another category.
    """
    path = local.given(dataset_path)
    if path.is_file():
        _require_other_name(path, dataset_path, category)
        return path
    names = [f"{stem}{suffix}" for suffix in (".parquet", ".jsonl") for stem in (STEMS[category], category)]
    file = local.first_of(path, names)
    if file is None:
        wanted = " or ".join(dict.fromkeys(names))
        raise DatasetError(
            f"dataset_path {dataset_path!r} holds no {wanted} for category {category!r}; name the file itself"
        )
    return file


def _require_other_name(file: Path, dataset_path: str, category: Category) -> None:
    """A whole LongSeal run asked without its documents would look like any other: refuse the mix-up."""
    named = next((other for other, stem in STEMS.items() if file.stem.lower() in {stem, other}), category)
    if named != category:
        raise DatasetError(
            f"dataset_path {dataset_path!r} is by its name category {named!r}, and category is {category!r}; "
            "set category to what the file holds, or rename the file"
        )
