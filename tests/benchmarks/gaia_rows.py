"""Invented rows in both column forms, and Parquet files made of them."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

HUB_ROWS: list[dict[str, Any]] = [
    {
        "task_id": "pond-1",
        "Question": "How many ducks are on the pond of Nowhere-on-Sea?",
        "Level": "1",
        "Final answer": "7",
        "file_name": "",
        "file_path": "",
        "Annotator Metadata": {"Steps": "count the ducks"},
    },
    {
        "task_id": "pond-2",
        "Question": "Which colour is named in the attached list?",
        "Level": "2",
        "Final answer": "teal",
        "file_name": "colours.txt",
        "file_path": "2023/validation/colours.txt",
        "Annotator Metadata": {"Steps": "open the list"},
    },
]
"""Two tasks of the Hub's form; the second has an attachment."""

_WRITE_PARQUET = """
import json, sys
import pyarrow, pyarrow.parquet
pyarrow.parquet.write_table(pyarrow.Table.from_pylist(json.load(sys.stdin)), sys.argv[1])
"""


def hub_row(**columns: Any) -> dict[str, Any]:
    """A row of the Hub's form, with these columns changed."""
    return {**HUB_ROWS[0], **{name.replace("_answer", " answer"): value for name, value in columns.items()}}


def compass_row(**columns: Any) -> dict[str, Any]:
    """A row of AgentCompass's form, with these columns changed."""
    row = {"task_id": "mill-1", "question": "How tall is the mill?", "category": "1", "ground_truth": "12 m"}
    return {**row, **columns}


def write_jsonl(path: Path, rows: Iterable[Any]) -> Path:
    """Write the rows, one a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write a Parquet file in a child process: pyarrow is too heavy for the session."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arguments = [sys.executable, "-c", _WRITE_PARQUET, str(path)]
    subprocess.run(arguments, input=json.dumps(rows).encode(), check=True)
    return path


def isolate(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """An empty cache of this test's own, and nothing of the user's account on the Hub."""
    monkeypatch.setenv("AGENT_BENCHMARKS_CACHE", str(cache))
    monkeypatch.setenv("HF_HOME", str(cache / "hf"))
    for name in (
        "HF_TOKEN",
        "HUGGING_FACE_HUB_TOKEN",
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
        "HF_TOKEN_PATH",
    ):
        monkeypatch.delenv(name, raising=False)
