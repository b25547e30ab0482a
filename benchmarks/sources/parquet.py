"""Parquet becomes JSONL. For the child process only: this imports `datasets` and `pyarrow`."""

# Both libraries describe their types in part only; what comes from them is narrowed in this file.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from benchmarks.sources.apart import Length, file_of, keep_apart
from benchmarks.sources.refused import RefusedError, first_line
from benchmarks.sources.rows import ROWS
from harnesses.downloads import place

READ_BYTES = 64 * 1024
"""Read ahead in a column: without a limit pyarrow holds a whole row group, which may be the whole file."""


def write_rows(parquet: Path, folder: Path, apart: Iterable[str] = ()) -> None:
    """Write the rows of a Parquet file as JSONL, in their order; they appear whole or not at all.

    Args:
        parquet: The file.
        folder: Gets the rows as ``rows.jsonl``, and a folder for each column kept apart.
        apart: Columns to keep apart, see `apart.py`. Of those one row at a time is held in memory.

    Raises:
        RefusedError: The file is no Parquet file, or a broken one.
        OSError: The folder cannot be written.
    """
    try:
        columns = _columns(parquet)
        lengths = {name: _kept_apart(parquet, name, folder) for name in apart if name in columns}
        rows = list(_rows(parquet, [name for name in columns if name not in lengths]))
    except ImportError:
        raise
    except Exception as error:  # the reader's errors have no common class of their own
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the cache cannot be written; pyarrow's own OSError, for a broken file, names none
        reason = first_line(error.__cause__ or error)
        raise RefusedError(
            f"{parquet.name!r} cannot be read as Parquet ({reason}); fetch it again"
        ) from error
    for name, values in lengths.items():
        for row, length in zip(rows, values, strict=True):
            row[name] = length
    text = "".join(f"{json.dumps(row, default=str)}\n" for row in rows)

    def produce(partial: Path) -> None:
        partial.write_text(text, encoding="utf-8")

    place(folder / ROWS, produce)


def _columns(parquet: Path) -> list[str]:
    from pyarrow.parquet import read_schema  # comes with datasets

    names: list[str] = read_schema(parquet).names
    return names


def _rows(parquet: Path, columns: list[str]) -> Iterator[dict[str, Any]]:
    from datasets import Dataset  # heavy: only this process may load it, and only here
    from pyarrow.parquet import read_metadata

    if read_metadata(parquet).num_rows == 0:  # `datasets` 5.2 fails on a file without rows
        return
    with tempfile.TemporaryDirectory() as scratch:
        for row in Dataset.from_parquet(str(parquet), cache_dir=scratch, columns=columns):
            yield cast("dict[str, Any]", row)


def _kept_apart(parquet: Path, column: str, folder: Path) -> list[Length]:
    """Keep one column apart, a row at a time.

    This is pyarrow's own reader, since `datasets` 5.2 holds the row group: 949 MB instead of 182 MB for a
    file of 295 MB with 254 rows in one row group. What it holds at least is a page: pyarrow writes 1024 texts
    into one, whatever their length.
    """
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    # pyarrow's own pool gives pages back late: 32 MB instead of 12 for 48 MB of documents.
    pa.set_memory_pool(pa.system_memory_pool())
    with ParquetFile(parquet, buffer_size=READ_BYTES, pre_buffer=False) as file:
        batches = file.iter_batches(batch_size=1, columns=[column], use_threads=False)
        values: Iterator[Any] = (batch.to_pylist()[0][column] for batch in cast("Iterator[Any]", batches))
        return [keep_apart(value, file_of(folder, column, row)) for row, value in enumerate(values, start=1)]
