"""What `--demo` asks for: shipped tasks and documents, and thresholds that a 135M model can meet."""

from pathlib import Path
from typing import Any

FIRST_LINE = (
    "demo: a small model on this machine answers the shipped tasks; "
    "a 135M model's accuracy is not the point, the whole journey is"
)
"""Shown before anything else."""

_GAIA = Path(__file__).parent / "gaia" / "demo"


def demo_layer(base_url: str, model_id: str) -> dict[str, Any]:
    """The lowest layer of a demo session's configuration, as plain values; every other layer wins over it.

    Args:
        base_url: Where the demo's model is served, e.g. ``"http://127.0.0.1:40123/v1"``.
        model_id: Its name, e.g. ``"SmolLM2-135M-Instruct"``.

    Returns:
        ``{"model": {…}, "benchmarks": {"gaia": {"params": {…}, "harness": {…}}}, "gates": {…},
        "execution": {…}}``.
    """
    return {
        "model": {"id": model_id, "base_url": base_url},
        "benchmarks": {"gaia": _gaia()},
        "gates": {"min_accuracy": 0, "min_coverage": 1},
        # The model answers one request at a time; a second attempt only fills the gaps.
        "execution": {"task_concurrency": 2},
    }


def _gaia() -> dict[str, Any]:
    agent = {
        "search_backend": "local",
        "visit_backend": "local",
        "corpus_dir": str(_GAIA / "documents"),
        "max_iterations": 3,
        # About two results of a search: a model on one core reads 60 to 250 tokens a second.
        "max_tool_response_length": 75,
        "request_timeout": 300,
        "max_retry": 2,
        "retry_interval": 1,
    }
    return {
        "params": {
            "dataset_path": str(_GAIA / "tasks.jsonl"),
            "judge": "gaia_official",
            "answer_format": "none",
        },
        "harness": {"id": "naive_search_agent", "params": agent},
    }
