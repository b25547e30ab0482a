"""What a run is: all that metrics and summary need beside the records. Written as run.json."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class RunDescription:
    """One run, in plain JSON values throughout; keys are masked before they come here.

    `planned` has one row for each unit after deselection: ``[["task-1", 1, "2"], …]`` (task id, number of its
    first attempt, category); `attempts` tells which attempts that allows. `selected` is what was planned
    before `-k`, `-m` and the like took tasks away: ``{"n_tasks": 103, "ids_digest": "<sha256>"}``, empty
    where unknown. `partial` are the reasons why this is a part of the set, ``["-k foo", "limit 5"]``, and
    `deselected` those among them that came after the selection, ``["-k foo"]``.

    `groups` are further breakdowns, with the values of each task: ``{"freshness": {"seal_0-001":
    ["fast-changing"]}}``. `has_canary` says that the dataset marks its rows. `dataset`: ``{"name": "GAIA",
    "subset": "text-103", "source": "archive", "revision": None, "ids_digest": "<sha256 of the sorted ids>",
    "n_tasks": 103, "n_dataset_tasks": 103, "by_category": {"1": 39, "2": 52, "3": 12}, "warnings": []}``.
    `n_attachments_unopened` counts selected tasks with a file the harness cannot open.

    `judge`: ``{"primary": "llm_judge", "id": "llm", "model": "…", "base_url": "…", "params": {…},
    "prompt_source": "official", "prompt_digest": "…", "scorers": ["gaia_official", "contains"]}``.
    `harness`: ``{"id": "…", "params": {…}}``; `model_params`: what the model was asked with,
    ``{"temperature": 0}``. `aggregation_mode` and `category_hierarchy` (``None``: there is none) say how
    tasks add up.

    `gates`: ``{"min_accuracy": {"overall": 0.6, "level1": 0.8}, "scopes": {"level1": "1"}, "min_coverage":
    None, "max_errors": None, "max_regression": None, "baseline": None, "baseline_anyway": False, "policy":
    "point", "primary": None}``; `scopes` tells the category a scope means, one that is not in it means the
    whole run; ``None`` asks for nothing. `baseline` is what the run is held against: of a metrics.json what
    `kept_of` (`results/comparing/comparison.py`) keeps; ``None`` without one.

    `prices` are the rates of each role, ``{"model": {"id": "org/model-1", "input_usd_per_million_tokens":
    0.5, "output_usd_per_million_tokens": 1.5, "source": "configuration"}, "judge": None}``; ``None`` where
    they are unknown. `stopped` is the line that ended the run early, ``None`` when it ran through. `issues`
    are public lines of the recorder, e.g. ``("t-1 attempt 1: a worker crashed …",)``. `volatile` holds what
    differs between equal runs: ``{"started_at": "2026-11-30T12:00:00Z", "finished_at": …, "versions": {…},
    "n_workers": 0}``; the recorder fills in the two times.
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
    model_params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    partial: tuple[str, ...] = ()
    n_attachments_unopened: int = 0
    groups: Mapping[str, Mapping[str, tuple[str, ...]]] = field(
        default_factory=dict[str, Mapping[str, tuple[str, ...]]]
    )
    has_canary: bool = False
    demo: bool = False
    aggregation_mode: str = "micro_weighted"
    category_hierarchy: Mapping[str, Any] | None = None
    selected: Mapping[str, Any] = field(default_factory=dict[str, Any])
    deselected: tuple[str, ...] = ()
    prices: Mapping[str, Any] = field(default_factory=dict[str, Any])
    baseline: Mapping[str, Any] | None = None
    stopped: str | None = None
    issues: tuple[str, ...] = ()
    configuration: Mapping[str, Any] = field(default_factory=dict[str, Any])
    volatile: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def attempts(self) -> dict[tuple[str, int], str]:
        """Each attempt that may have a record, with its category: ``{("task-1", 1): "2"}``, in plan order.

        Under `pass` these are `k` for each task; those after a success are never made.
        """
        n_tries = self.k if self.strategy == "pass" else 1
        return {
            (task_id, attempt): category
            for task_id, first, category in self.planned
            for attempt in range(first, first + n_tries)
        }

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
        plain["deselected"] = tuple(plain.get("deselected", ()))
        plain["groups"] = {
            name: {task_id: tuple(values) for task_id, values in of_tasks.items()}
            for name, of_tasks in plain.get("groups", {}).items()
        }
        return cls(**plain)
