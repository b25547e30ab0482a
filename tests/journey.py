"""Whole journeys: a dataset of ours, and pytest run as a user runs it against a scripted server."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripted_models import JUDGE_PROMPT, ScriptedModels

ROOT = Path(__file__).parents[1]


@dataclass
class Ended:
    """A pytest process that ended, and the run directory it left."""

    code: int
    out: str
    results: Path

    @property
    def run(self) -> Path:
        (found,) = self.results.glob("*/*/*/run.json")
        return found.parent

    @property
    def metrics(self) -> Any:
        return json.loads((self.run / "metrics.json").read_text())

    @property
    def stable_metrics(self) -> Any:
        return {key: value for key, value in self.metrics.items() if key != "volatile"}

    def detail(self, task_id: str) -> Any:
        return json.loads((self.run / "details" / f"{task_id}.json").read_text())

    def outcomes(self) -> dict[str, str]:
        files = sorted((self.run / "details").glob("*.json"))
        return {file.stem: json.loads(file.read_text())["attempts"]["1"]["outcome"] for file in files}


@dataclass
class Suite:
    """Runs `pytest benchmarks/gaia` in a folder of its own, with tasks the test invents."""

    folder: Path
    models: ScriptedModels
    tasks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    environment: dict[str, str] = field(default_factory=dict[str, str])
    root: Path = ROOT

    def add(self, task_id: str, *, answer: Any, truth: str = "", level: int = 1, question: str = "") -> None:
        """A task, its ground truth, and what the model answers to it."""
        text = question or f"Which stone lies under <{task_id}>?"
        row = {
            "task_id": task_id,
            "question": text,
            "category": str(level),
            "ground_truth": truth or f"stone {task_id}",
        }
        self.tasks.append(row)
        self.models.answers[f"<{task_id}>"] = answer

    def add_right(self, *task_ids: str, level: int = 1) -> None:
        for task_id in task_ids:
            self.add(task_id, answer=f"stone {task_id}", level=level)

    def add_wrong(self, *task_ids: str, level: int = 1) -> None:
        for task_id in task_ids:
            self.add(task_id, answer=f"pebble of {task_id[::-1]}", level=level)

    @property
    def dataset(self) -> Path:
        path = self.folder / "tasks.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in self.tasks))
        return path

    def benchmark_params(self, **more: Any) -> dict[str, Any]:
        prompt = self.folder / "judge.txt"
        prompt.write_text(JUDGE_PROMPT)
        judge = {"id": "judge-1", "base_url": self.models.judge_url}
        return {"dataset_path": str(self.dataset), "judge_model": judge, "judge_prompt": str(prompt), **more}

    def arguments(self, *, params: Mapping[str, Any] | None = None, model: str = "org/model-1") -> list[str]:
        return [
            str(self.root / "benchmarks" / "gaia"),
            f"--model={model}",
            f"--model-base-url={self.models.model_url}",
            "--harness=openai_chat",
            "--harness-params",
            json.dumps({"max_retry": 0}),
            "--benchmark-params",
            json.dumps(self.benchmark_params(**(params or {}))),
        ]

    def command(self, *more: str) -> list[str]:
        cache = f"cache_dir={self.folder / 'pytest_cache'}"
        # hypothesis takes a second to load in each process, and no journey uses it.
        return [sys.executable, "-m", "pytest", "-p", "no:hypothesispytest", "-o", cache, *more]

    @property
    def process_environment(self) -> dict[str, str]:
        # A run of a test must not write into the summary of the CI job it runs in.
        theirs = ("PYTEST_", "GITHUB_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(theirs)}
        return {**kept, "AGENT_BENCHMARKS_CACHE": str(self.folder / "cache"), **self.environment}

    def run(self, *more: str, params: Mapping[str, Any] | None = None, bare: bool = False) -> Ended:
        """Run it to its end; `bare` leaves out every argument but `more`."""
        arguments = [] if bare else self.arguments(params=params)
        done = subprocess.run(
            self.command(*arguments, *more),
            cwd=self.folder,
            env=self.process_environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=120,
        )
        return Ended(code=done.returncode, out=done.stdout, results=self.folder / "results")
