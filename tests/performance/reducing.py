"""Writes invented records through the recorder and reduces them, in a process of its own.

    python reducing.py 10000 RUN_DIRECTORY

It prints what it took, as JSON.
"""

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.results.record import Outcome, Record
from benchmarks.results.recorder import Recorder
from benchmarks.results.run_description import RunDescription

_STEP = {"kind": "model", "message": {"role": "assistant", "content": "a step of some length " * 12}}
_USAGE = {"input_tokens": 1200, "output_tokens": 40, "reasoning_tokens": None, "n_requests": 1}
_N_STEPS = 11
"""As many as an attempt of the other scenarios has: five searches with their results, and the answer."""


def description(n: int) -> RunDescription:
    """A run of `n` tasks, levels 1, 2, 3 in turn."""
    return RunDescription(
        benchmark="gaia",
        breakdown="level",
        run="measured",
        model="model-1",
        planned=tuple((_task_id(number), 1, str(number % 3 + 1)) for number in range(n)),
        dataset={"name": "invented", "n_tasks": n, "n_dataset_tasks": n, "warnings": []},
        judge={"primary": "llm_judge", "id": "llm", "model": "judge-1", "scorers": ["gaia_official"]},
        harness={"id": "naive_search_agent", "params": {}},
        gates={"min_accuracy": None, "min_coverage": None, "max_errors": None},
    )


def record(number: int) -> Record:
    """The record of one attempt, about as long as those of the other scenarios."""
    is_correct = number % 4 != 3
    graded: dict[str, Any] = {"correct": is_correct, "grade": "A" if is_correct else "B"}
    return Record(
        task_id=_task_id(number),
        attempt=1,
        category=str(number % 3 + 1),
        ground_truth=f"stone {number}",
        outcome=Outcome.CORRECT if is_correct else Outcome.INCORRECT,
        final_answer=f"stone {number}",
        stop_reason="completed",
        trajectory=(_STEP,) * _N_STEPS,
        usage={"model": _USAGE, "judge": _USAGE},
        timing={"started_at": 1764518400.0, "run_s": 1.2, "judge_s": 0.2},
        n_tool_calls=5,
        primary="llm_judge",
        scoring={"llm_judge": graded, "gaia_official": graded},
    )


def _task_id(number: int) -> str:
    return f"cairn-{number:06d}"


def _peak_rss_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(n: int, directory: Path) -> None:
    """Write, reduce, tell."""
    before = _peak_rss_bytes()
    started = time.perf_counter()
    recorder = Recorder(directory, description(n))
    for number in range(n):
        recorder.add(record(number))
    written = time.perf_counter()
    metrics = recorder.finish()
    reduced = time.perf_counter()
    told = {
        "write_s": written - started,
        "reduce_s": reduced - written,
        "rss_before_bytes": before,
        "rss_after_bytes": _peak_rss_bytes(),
        "disk_bytes": sum(file.stat().st_size for file in directory.rglob("*") if file.is_file()),
        "n_counted": metrics["outcomes"]["correct"] + metrics["outcomes"]["incorrect"],
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
