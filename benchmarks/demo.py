"""What `--demo` asks for: shipped tasks and documents, and thresholds that a 135M model can meet."""

from pathlib import Path
from typing import Any

FIRST_LINE = (
    "demo: a small model on this machine answers the shipped tasks; "
    "a 135M model's accuracy is not the point, the whole journey is"
)
"""Shown before anything else."""

DEMONSTRATED = ("gaia", "sealqa")
"""The benchmarks the demo has tasks for; it asks no other."""

_FOLDER = Path(__file__).parent
_GAIA = _FOLDER / "gaia" / "demo"
_SEALQA = _FOLDER / "sealqa" / "demo"
_REQUESTS = {"request_timeout": 300, "max_retry": 2, "retry_interval": 1}


def demo_layer(base_url: str, model_id: str) -> dict[str, Any]:
    """The lowest layer of a demo session's configuration, as plain values; every other layer wins over it.

    Args:
        base_url: Where the demo's model is served, e.g. ``"http://127.0.0.1:40123/v1"``.
        model_id: Its name, e.g. ``"SmolLM2-135M-Instruct"``.

    Returns:
        ``{"model": {…}, "benchmarks": {"gaia": {"params": {…}, "harness": {…}}, "sealqa": {"params": {…},
        "harness": {…}, "by_category": {…}}}, "gates": {…}, "execution": {…}}``.
    """
    return {
        "model": {"id": model_id, "base_url": base_url},
        "benchmarks": {"gaia": _gaia(), "sealqa": _sealqa()},
        "gates": {"min_accuracy": 0, "min_coverage": 1},
        # The model answers one request at a time; a second attempt only fills the gaps.
        "execution": {"task_concurrency": 2},
    }


def _gaia() -> dict[str, Any]:
    return {
        "params": {
            "dataset_path": str(_GAIA / "tasks.jsonl"),
            "judge": "gaia_official",
            "answer_format": "none",
        },
        # About two results of a search: a model on one core reads 60 to 250 tokens a second.
        "harness": _search_agent(_GAIA / "documents", result_units=75),
    }


def _sealqa() -> dict[str, Any]:
    """Two runs: questions to be searched for, and questions asked with their documents."""
    return {
        "params": {
            "category": ["seal_0", "longseal"],
            "dataset_path": str(_SEALQA),
            "judge": "contains",
        },
        # All results of a search, because they conflict; the pages are shorter than GAIA's.
        "harness": _search_agent(_SEALQA / "documents", result_units=110),
        "by_category": {"longseal": {"harness": _one_completion()}},
    }


def _search_agent(documents: Path, *, result_units: int) -> dict[str, Any]:
    params = {
        "search_backend": "local",
        "visit_backend": "local",
        "corpus_dir": str(documents),
        "max_iterations": 3,
        "max_tool_response_length": result_units,
        **_REQUESTS,
    }
    return {"id": "naive_search_agent", "params": params}


def _one_completion() -> dict[str, Any]:
    # Without the last line the model goes on writing documents until its reply is cut.
    prompt = "{problem_statement}\n\nAnswer in a few words."
    return {"id": "openai_chat", "params": {"agent_prompt": prompt, **_REQUESTS}}
