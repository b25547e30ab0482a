"""A task: one problem with its ground truth."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

TASK_ID = re.compile(r"[A-Za-z0-9_.-]+")
"""Task ids name files and pytest items, so they keep to these characters."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Task:
    """One problem. The repr shows the id alone: pytest prints it with `--setup-show`.

    `category` is what the breakdown groups by: "1" to "3" for GAIA. `marks` are pytest marks, e.g.
    ``("level1",)``. `groups` are further breakdowns, with the values the task has in each:
    ``{"freshness": ("fast-changing",), "question type": ("reasoning", "filtering")}``. `attachments` are
    absolute paths of the files that belong to the question. `scored` is False where the dataset keeps the
    ground truth to itself (`subset: test`); `ground_truth` is "" then. `canary` is the string a dataset marks
    its rows with, exactly as it stands there, so that leaks of it can be found; ``None`` where it has none.
    `locator` tells the benchmark where to find what would swell the task file, e.g. ``{"golds":
    "/…/golds/001.json", "negatives": "/…/12_docs/001.json"}``; it is never recorded, `metadata` is.
    """

    task_id: str
    question: str
    ground_truth: str
    category: str
    marks: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    scored: bool = True
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    canary: str | None = None
    locator: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __repr__(self) -> str:
        return f"Task({self.task_id!r})"

    def to_json(self) -> dict[str, Any]:
        """All fields as plain JSON values, the ground truth included: for private files only."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Task":
        """The task that `to_json` wrote."""
        plain = dict(values)
        plain["marks"] = tuple(plain["marks"])
        plain["attachments"] = tuple(plain["attachments"])
        plain["groups"] = {name: tuple(values) for name, values in plain["groups"].items()}
        return cls(**plain)
