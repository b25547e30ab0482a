"""A LongSeal prompt: documents of which at most one helps, then the question.

Workers call this: it reads the documents of one task, and imports nothing heavy. The construction is that of
the SealQA paper (arXiv 2506.01062) with a seed for each task, so that every process builds the same prompt.
"""

import hashlib
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.benchmark import DatasetError
from benchmarks.task import Task

HELPFUL = "golds"
"""The column of documents that hold the answer, as the dataset calls it, and the key of its file in
`Task.locator`."""
OTHERS = "negatives"
"""The key in `Task.locator` of the file with the documents that do not help."""

Document = Mapping[str, Any]
"""Example: ``{"title": "Tides", "date": "2024-05-01", "url": "https://…", "text": "…"}``; any may lack."""

_INSTRUCTIONS = """\
Below are documents, numbered from 1 to {n_documents}, and then a question. Answer the question from what \
the documents say. Some of them may be out of date, contradict each other or have nothing to do with the \
question: weigh what each of them says before you rely on it."""


@dataclass(frozen=True, kw_only=True)
class Draw:
    """Which helpful document a prompt holds, and where: `index` counts from 0, `position` from 1."""

    index: int
    position: int


def draw(task_id: str, n_helpful: int, n_others: int, *, seed: int) -> Draw | None:
    """What is drawn for one task; ``None`` where no document helps, and nothing is drawn.

    Args:
        task_id: E.g. "longseal-001".
        n_helpful: How many documents there are to choose from.
        n_others: How many documents it is placed among.
        seed: `longseal_seed`.
    """
    if n_helpful == 0:
        return None
    digest = hashlib.sha256(f"{seed}:{task_id}".encode()).digest()
    chance = random.Random(int.from_bytes(digest[:8], "big"))
    index = chance.choice(range(n_helpful))
    return Draw(index=index, position=chance.randrange(n_others + 1) + 1)


def prompt_text(task: Task, *, seed: int) -> str:
    """The whole text that is asked. Holds the documents of this task alone in memory.

    Raises:
        DatasetError: The documents are no longer in the cache.
    """
    helpful, documents = (_documents(task, key) for key in (HELPFUL, OTHERS))
    drawn = draw(task.task_id, len(helpful), len(documents), seed=seed)
    if drawn is not None:
        documents.insert(drawn.position - 1, helpful[drawn.index])
    if not documents:
        return task.question
    shown = [_shown(number, document) for number, document in enumerate(documents, start=1)]
    preface = _INSTRUCTIONS.format(n_documents=len(documents))
    return "\n\n".join([preface, *shown, f"Question: {task.question}"])


def _shown(number: int, document: Document) -> str:
    return (
        f"Document {number}\n"
        f"Title: {_text(document, 'title') or 'Untitled'}\n"
        f"Date: {_text(document, 'date') or 'Unknown'}\n"
        f"URL: {_text(document, 'url') or 'Unknown'}\n"
        f"Text:\n{_text(document, 'text')}"
    )


def _text(document: Document, field: str) -> str:
    value = document.get(field)
    return "" if value is None else str(value).strip()


def _documents(task: Task, key: str) -> list[Document]:
    path = task.locator.get(key)
    if path is None:
        return []
    try:
        documents: list[Document] = json.loads(Path(path).read_bytes())
    except (OSError, ValueError) as error:
        raise DatasetError(missing_documents(path)) from error
    return documents


def missing_documents(path: str) -> str:
    """What to do when the documents at `path` are not in the cache any more; names no folder above the cache.

    Every task of a conversion gets the same line, so that a run in which all are lost tells it once. It is
    shorter than what the public part of a record shows of a line.
    """
    folder = "/".join(Path(path).parents[1].parts[-4:])
    return (
        f"delete {folder!r} in AGENT_BENCHMARKS_CACHE (else ~/.cache/agent-benchmarks) and run again; "
        "documents in it are missing"
    )
