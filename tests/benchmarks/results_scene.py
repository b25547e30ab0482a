"""Invented records and a run for the tests of what is kept and what is counted."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

from benchmarks.results.record import Outcome, Record
from benchmarks.results.run_description import RunDescription

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)

unhurried = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
"""Property tests that a busy machine cannot fail."""

TRUTH = "SECRET-TRUTH-77"
ANSWER = "SECRET-ANSWER-77"
QUESTION = "SECRET-QUESTION-77"
KEY = "sk-SECRET-KEY-77"


def noon() -> datetime:
    """A clock that stands still."""
    return NOON


def record(task_id: str = "t-1", outcome: str = "correct", **changes: Any) -> Record:
    """A record as the examiner makes it: judged by a model, two scorers beside it."""
    ended = Outcome(outcome)
    values: dict[str, Any] = {
        "task_id": task_id,
        "attempt": 1,
        "category": "1",
        "ground_truth": TRUTH,
        "outcome": ended,
        "cause": "the endpoint stayed away after 3 requests" if ended.is_error else None,
        "final_answer": ANSWER if ended.is_evaluated else None,
        "stop_reason": "error" if ended is Outcome.RUN_ERROR else "completed",
        "trajectory": ({"kind": "model", "message": {"role": "assistant", "content": QUESTION}},),
        "usage": {
            "model": {"input_tokens": 10, "output_tokens": 2, "reasoning_tokens": None, "n_requests": 1}
        },
        "timing": {"started_at": 1764518400.0, "run_s": 1.5, "judge_s": 0.25},
        "n_tool_calls": 2,
        "n_tool_failures": 1,
        "primary": "llm_judge",
        "scoring": _scoring(ended) if ended.is_evaluated else {},
        "benchmark_meta": {"dataset_revision": "abc"},
        "harness_meta": {"n_iterations": 1},
        "private": {"raw": KEY},
    }
    return Record(**{**values, **changes})


def _scoring(outcome: Outcome) -> dict[str, Any]:
    correct = outcome is Outcome.CORRECT
    grade = {"correct": "A", "incorrect": "B"}.get(outcome.value, "C")
    return {
        "llm_judge": {"correct": correct, "grade": grade, "label": "X", "judge_model": "judge-1"},
        "gaia_official": {"correct": correct, "grade": "A" if correct else "B"},
        "contains": {"correct": True, "grade": "A"},
    }


def run(task_ids: Sequence[str] = ("t-1", "t-2", "t-3"), **changes: Any) -> RunDescription:
    """A run over `task_ids`, levels 1, 2, 3 in turn."""
    planned = tuple((task_id, 1, str(n % 3 + 1)) for n, task_id in enumerate(task_ids))
    values: dict[str, Any] = {
        "benchmark": "gaia",
        "breakdown": "level",
        "run": "2026-11-30T12-00-00Z",
        "model": "org/model_v1",
        "planned": planned,
        "dataset": {
            "name": "GAIA",
            "subset": "text-103",
            "source": "archive",
            "revision": None,
            "ids_digest": "5f" * 32,
            "n_tasks": len(planned),
            "n_dataset_tasks": len(planned),
            "by_category": {"1": 1, "2": 1, "3": 1},
            "warnings": ["the archive came over plain http"],
            "settings": {},
        },
        "judge": {
            "primary": "llm_judge",
            "id": "llm",
            "model": "judge-1",
            "base_url": "https://judge.example/v1",
            "params": {"temperature": 0},
            "prompt_source": "official",
            "prompt_digest": "0a" * 32,
            "scorers": ["gaia_official", "contains"],
        },
        "harness": {"id": "naive_search_agent", "params": {"max_iterations": 50, "tool_model_name": ""}},
        "gates": {
            "min_accuracy": None,
            "scopes": {},
            "min_coverage": None,
            "max_errors": None,
            "baseline": None,
            "max_regression": None,
            "baseline_anyway": False,
            "policy": "point",
            "primary": None,
        },
        "configuration": {"model": {"id": "org/model_v1", "api_key": "***"}},
        "volatile": {"versions": {"agent-benchmarks": "0.1.0"}, "n_workers": 0},
    }
    return RunDescription(**{**values, **changes})


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file under `folder` with its content: ``{"metrics.json": b"…"}``."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sealqa_run() -> tuple[RunDescription, list[Record]]:
    """Four tasks with groups, judged by SealQA's protocol; the canary came up in one attempt."""
    outcomes = {"seal_0-001": "correct", "seal_0-002": "incorrect", "seal_0-003": "not_attempted"}
    records = [
        record(
            task_id,
            outcome,
            primary="sealqa_official_llm_judge",
            scoring={
                "sealqa_official_llm_judge": {"correct": outcome == "correct"},
                "contains": {"correct": outcome == "correct"},
            },
            carries_canary=outcome == "incorrect",
        )
        for task_id, outcome in outcomes.items()
    ]
    topics = ("sports", "politics", "sports", "other")
    planned = tuple((f"seal_0-{n:03}", 1, topic) for n, topic in enumerate(topics, start=1))
    bare = run()
    description = run(
        benchmark="sealqa",
        breakdown="topic",
        planned=planned,
        dataset={
            **bare.dataset,
            "name": "SealQA",
            "subset": "seal_0",
            "source": "hub",
            "revision": "ab" * 20,
            "n_tasks": 4,
            "n_dataset_tasks": 4,
            "by_category": {"other": 1, "politics": 1, "sports": 2},
            "warnings": ["seal_0 has 4 tasks here; 111 were published"],
            "settings": {"longseal_seed": 7},
        },
        judge={
            **bare.judge,
            "id": "sealqa",
            "primary": "sealqa_official_llm_judge",
            "scorers": ["contains"],
        },
        groups={
            "freshness": {
                "seal_0-001": ("never-changing",),
                "seal_0-002": ("fast-changing",),
                "seal_0-003": ("never-changing",),
                "seal_0-004": ("slow-changing",),
            },
            "question type": {
                "seal_0-001": ("advanced reasoning", "temporal tracking"),
                "seal_0-002": ("advanced reasoning",),
                "seal_0-003": ("temporal tracking",),
                "seal_0-004": ("false premise",),
            },
            "effective year": {
                "seal_0-001": ("2024",),
                "seal_0-002": ("before 2024",),
                "seal_0-003": ("2025",),
                "seal_0-004": ("2024",),
            },
        },
        has_canary=True,
    )
    return description, records
