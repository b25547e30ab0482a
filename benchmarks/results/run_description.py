"""What a run is: all that metrics and summary need beside the records. Written as run.json."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class RunDescription:
    """One run, in plain JSON values throughout; keys are masked before they come here.

    `planned` has one row for each unit after deselection: ``[["task-1", 1, "2"], …]`` (task id, attempt,
    category). `groups` are further breakdowns, with the values of each task:
    ``{"freshness": {"seal_0-001": ["fast-changing"]}}``. `has_canary` says that the dataset marks its rows.
    `dataset`: ``{"name": "GAIA", "subset": "text-103", "source": "archive", "revision": None,
    "ids_digest": "<sha256 of the sorted ids>", "n_tasks": 103, "n_dataset_tasks": 103,
    "by_category": {"1": 39, "2": 52, "3": 12}, "warnings": []}``. `partial` are the reasons why
    this is a part of the set: ``["-k foo", "limit 5"]``.
    `judge`: ``{"primary": "llm_judge", "id": "llm", "model": "…", "base_url": "…", "params": {…},
    "prompt_source": "official", "prompt_digest": "…", "scorers": ["gaia_official", "contains"]}``.
    `harness`: ``{"id": "…", "params": {…}}``. `gates`: ``{"min_accuracy": 0.6, "min_coverage": None,
    "max_errors": None}``. `n_attachments_unopened` counts selected tasks with a file the harness cannot open.
    `aggregation_mode` says how tasks add up. `stopped` is the line that ended the run early, ``None`` when it
    ran through. `issues` are public lines of the recorder, e.g. ``("t-1 attempt 1: a worker crashed …",)``.
    `volatile` holds what differs between equal runs: ``{"started_at": "2026-11-30T12:00:00Z",
    "finished_at": …, "versions": {…}, "n_workers": 0}``; the recorder fills in the two times.
    """

    benchmark: str
    breakdown: str
    run: str
    model: str
    planned: tuple[tuple[str, int, str], ...]
    dataset: Mapping[str, Any]
    judge: Mapping[str, Any]
    harness: Mapping[str, Any]
    gates: Mapping[str, Any]
    k: int = 1
    strategy: str = "avg"
    answer_format: str = "none"
    partial: tuple[str, ...] = ()
    n_attachments_unopened: int = 0
    groups: Mapping[str, Mapping[str, tuple[str, ...]]] = field(
        default_factory=dict[str, Mapping[str, tuple[str, ...]]]
    )
    has_canary: bool = False
    demo: bool = False
    aggregation_mode: str = "micro_weighted"
    stopped: str | None = None
    issues: tuple[str, ...] = ()
    configuration: Mapping[str, Any] = field(default_factory=dict[str, Any])
    volatile: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_json(self) -> dict[str, Any]:
        """Plain values in the order of the fields, `format` (the version of this layout, 1) first."""
        return {"format": 1, **asdict(self)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "RunDescription":
        """The description that `to_json` wrote.

        Raises:
            ValueError: Another layout version.
        """
        plain = dict(values)
        version = plain.pop("format", None)
        if version != 1:
            raise ValueError(f"run.json has format {version!r}; this version reads format 1")
        plain["planned"] = tuple((str(i), int(n), str(c)) for i, n, c in plain["planned"])
        plain["partial"] = tuple(plain["partial"])
        plain["issues"] = tuple(plain["issues"])
        plain["groups"] = {
            name: {task_id: tuple(values) for task_id, values in of_tasks.items()}
            for name, of_tasks in plain.get("groups", {}).items()
        }
        return cls(**plain)
