"""Run directories for the tests of what people read: written by the real recorder, with tasks of ours."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from results_scene import noon, record, run

from benchmarks.plan import write_plan
from benchmarks.results.files import RunFiles
from benchmarks.results.record import Record
from benchmarks.results.recorder import Recorder
from benchmarks.results.run_description import RunDescription
from benchmarks.task import Task

HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "</pre></details>{{ 7 * 7 }} \x1b[31mred\x1b[0m \u202egnp.exe\u202c " + "w" * 10_000
)
"""What a model may write: tags, handlers, template marks, terminal codes, turned text, an endless word."""


def model_step(content: str | None = None, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": content, **more.pop("message", {})}
    return {
        "kind": "model",
        "message": message,
        "finish_reason": "stop",
        "usage": {"input_tokens": 1200, "output_tokens": 40, "reasoning_tokens": None, "n_requests": 1},
        "duration_s": 1.5,
        "forced": False,
        **more,
    }


def call_of(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "c-1", "type": "function", "function": {"name": name, "arguments": arguments}}


def tool_step(result: str, **more: Any) -> dict[str, Any]:
    return {
        "kind": "tool",
        "tool": "search",
        "call_id": "c-1",
        "arguments": '{"query": "red ferry"}',
        "result": result,
        "failed": False,
        "duration_s": 0.2,
        **more,
    }


def task_of(task_id: str, category: str = "1") -> Task:
    return Task(
        task_id=task_id,
        question=f"Where does {task_id} lie?",
        ground_truth="SECRET-TRUTH-77",
        category=category,
    )


def start(folder: Path, description: RunDescription) -> Recorder:
    """A run that goes on: run.json and the task file lie there, nothing else."""
    recorder = Recorder(folder, description, now=noon)
    tasks = [task_of(task_id, category) for task_id, _, category in description.planned]
    write_plan(RunFiles(root=folder).plan, {task.task_id: task for task in tasks}.values())
    return recorder


def finished(
    folder: Path,
    outcomes: Mapping[str, str] | Sequence[Record],
    *,
    planned: Sequence[str] | None = None,
    **changes: Any,
) -> Path:
    """A run that has ended: ``finished(tmp_path / "run", {"t-1": "correct", "t-2": "run_error"})``."""
    records = (
        [record(task_id, outcome) for task_id, outcome in outcomes.items()]
        if isinstance(outcomes, Mapping)
        else list(outcomes)
    )
    recorder = start(folder, run(planned or [one.task_id for one in records], **changes))
    for one in records:
        recorder.add(one)
    recorder.finish()
    return folder
