"""GAIA from this machine: a directory, a Parquet file or a JSONL file.

In a directory, and in its `2023/<split>` if it is a clone of the Hub's repository, these are looked for in
this order: `text_only_metadata.jsonl` (subset `text-103` only), `metadata.parquet`, `metadata.jsonl`; then
the one Parquet or JSONL file of the directory itself. Attachments lie beside the file.
"""

from pathlib import Path

from benchmarks.benchmark import DatasetError
from benchmarks.gaia.params import Subset
from benchmarks.gaia.sources.child_call import ask_child
from benchmarks.gaia.sources.rows import Rows, parse_jsonl
from harnesses.downloads import Tell, cache_dir, sha256_of

_SUFFIXES = (".jsonl", ".parquet")


def read(dataset_path: str, subset: Subset, *, tell: Tell) -> Rows:
    """The rows of a local file; the revision is the file's SHA-256.

    Raises:
        DatasetError: There is no such file, it is none of these, or it cannot be read.
    """
    file = find(dataset_path, subset)
    try:
        digest = sha256_of(file)
        rows, problems = parse_jsonl(
            (_as_jsonl(file, digest, tell) if _is_parquet(file) else file).read_bytes()
        )
    except OSError as error:
        raise DatasetError(f"dataset_path {dataset_path!r} cannot be read: {error.strerror}") from error
    return Rows(
        rows=rows,
        problems=problems,
        place=file.name,
        folder=file.absolute().parent,
        source=file.name,
        revision=digest,
    )


def find(dataset_path: str, subset: Subset) -> Path:
    """The one file that `dataset_path` stands for.

    Raises:
        DatasetError: None, or several that could be meant.
    """
    given = Path(dataset_path).expanduser()
    if given.is_file():
        if given.suffix not in _SUFFIXES:
            raise DatasetError(
                f"dataset_path {dataset_path!r} must be a directory or end in .jsonl or .parquet"
            )
        return given
    if not given.is_dir():
        raise DatasetError(
            f"dataset_path {dataset_path!r} does not exist; name a directory, Parquet or JSONL file"
        )
    split = "test" if subset == "test" else "validation"
    text_only: tuple[str, ...] = ("text_only_metadata.jsonl",) if subset == "text-103" else ()
    for folder in (given, given / "2023" / split):
        for file in (folder / name for name in (*text_only, "metadata.parquet", "metadata.jsonl")):
            if file.is_file():
                return file
    return _only_file(given, dataset_path)


def _only_file(folder: Path, dataset_path: str) -> Path:
    files = sorted(file for file in folder.iterdir() if file.suffix in _SUFFIXES and file.is_file())
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


def _is_parquet(file: Path) -> bool:
    return file.suffix == ".parquet"


def _as_jsonl(parquet: Path, digest: str, tell: Tell) -> Path:
    jsonl = cache_dir() / "gaia" / "parquet" / f"{digest}.jsonl"
    if not jsonl.exists():
        tell(f"{parquet.name}: reading Parquet, once")
        ask_child("parquet", str(parquet.absolute()), str(jsonl))
    return jsonl
