"""Rows from this machine: a Parquet or a JSONL file, given as such or lying in a directory."""

from collections.abc import Iterable
from pathlib import Path

from benchmarks.benchmark import DatasetError
from benchmarks.sources.apart import split_jsonl
from benchmarks.sources.child_call import ask_child
from benchmarks.sources.layout import conversion
from benchmarks.sources.rows import ROWS, Rows, parse_jsonl
from harnesses.downloads import Tell, sha256_of

SUFFIXES = (".jsonl", ".parquet")


def given(dataset_path: str) -> Path:
    """The file or the directory that `dataset_path` names.

    Raises:
        DatasetError: There is none, or the file is no Parquet or JSONL file.
    """
    path = Path(dataset_path).expanduser()
    if path.is_file() and path.suffix not in SUFFIXES:
        raise DatasetError(f"dataset_path {dataset_path!r} must be a directory or end in .jsonl or .parquet")
    if not path.is_file() and not path.is_dir():
        raise DatasetError(
            f"dataset_path {dataset_path!r} does not exist; name a directory, Parquet or JSONL file"
        )
    return path


def first_of(folder: Path, names: Iterable[str]) -> Path | None:
    """The first of these files that is in `folder`; ``None`` if none is."""
    return next((folder / name for name in names if (folder / name).is_file()), None)


def read(file: Path, cache: Path, *, dataset_path: str, tell: Tell, apart: tuple[str, ...] = ()) -> Rows:
    """The rows of a local file; the revision is the file's SHA-256.

    Args:
        file: A Parquet or JSONL file.
        cache: Holds a folder for each file that had to be converted, see `layout.py`.
        dataset_path: How the user named it; errors show that.
        tell: Gets a line before a conversion.
        apart: Columns to keep apart, see `apart.py`.

    Raises:
        DatasetError: It cannot be read.
    """
    try:
        digest = sha256_of(file)
        kept = conversion(cache, digest)
        converted = _converted(file, kept, apart, tell)
        rows, problems = parse_jsonl(converted.read_bytes())
    except OSError as error:
        raise DatasetError(f"dataset_path {dataset_path!r} cannot be read: {error.strerror}") from error
    return Rows(
        rows=rows,
        problems=problems,
        place=file.name,
        folder=file.absolute().parent,
        source=file.name,
        revision=digest,
        apart=kept if apart else None,
    )


def _converted(file: Path, kept: Path, apart: tuple[str, ...], tell: Tell) -> Path:
    """The JSONL file that holds the rows: the file itself, or one in the cache."""
    is_parquet = file.suffix == ".parquet"
    if not is_parquet and not apart:
        return file
    if (kept / ROWS).exists():
        return kept / ROWS
    if is_parquet:
        tell(f"{file.name}: reading Parquet, once")
        ask_child("parquet", *(f"--apart={column}" for column in apart), str(file.absolute()), str(kept))
    else:
        try:
            split_jsonl(file, kept, apart)
        except OSError as error:
            raise DatasetError(
                f"cannot write {error.filename!r}: {error.strerror}; make room there"
            ) from error
    return kept / ROWS
