"""The suite as a user runs it: `python -m pytest benchmarks/gaia` in a scratch folder, on invented tasks."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from load import Load
from measuring import Spent, watch
from serving import MeasurementError

ROOT = Path(__file__).parents[2]
_PATIENCE_S = 900.0
_SHOWN_CHARACTERS = 1500

NOT_OURS = ("hypothesispytest", "pytest_cov", "timeout")
"""Plug-ins of the extra `dev`: a user's environment does not hold them, so they are left out here too."""

_JUDGE_PROMPT = """\
Compare an answer with what is known to be right, and say whether both mean the same. Do not work the question
out yourself, do not argue for an answer of your own, and let differences in spelling, order or length pass.
{padding}
QUESTION={{question}}
TRUTH={{gold_answer}}
ANSWER={{llm_response}}
Reply with one line, \\boxed{{{{A}}}} for correct or \\boxed{{{{B}}}} for incorrect.
"""
_PADDING = "Mind the unit, mind the number of digits, mind the names of persons and places.\n" * 12
_WORDS = (
    "keeper",
    "lighthouse",
    "ferry",
    "sound",
    "year",
    "great",
    "storm",
    "boatyard",
    "island",
    "stones",
    "cairns",
)


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """What is measured: a checkout of the suite and the interpreter that runs it."""

    root: Path
    python: str

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the user's but what finds programs; no key, no proxy, no option of pytest."""
        return {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "PYTHONPATH": str(self.root)}


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A scratch folder with tasks, documents to search and a judge's prompt."""

    folder: Path
    checkout: Checkout
    n_tasks: int

    def lay_out(self) -> None:
        """Write all files."""
        corpus = self.folder / "corpus"
        corpus.mkdir()
        for number in range(20):
            words = " ".join(_WORDS[(number + step * 5) % len(_WORDS)] for step in range(60))
            (corpus / f"page-{number:02d}.md").write_text(f"# Page {number}\n\n{words}.\n")
        (self.folder / "judge.txt").write_text(_JUDGE_PROMPT.format(padding=_PADDING))
        (self.folder / "tmp").mkdir()
        with (self.folder / "tasks.jsonl").open("w") as file:
            for number in range(self.n_tasks):
                file.write(json.dumps(_row(number)) + "\n")

    @property
    def environment(self) -> dict[str, str]:
        """Everything that is written lies in the scratch folder."""
        return {
            **self.checkout.environment,
            "HOME": str(self.folder),
            "TMPDIR": str(self.folder / "tmp"),
            "AGENT_BENCHMARKS_CACHE": str(self.folder / "cache"),
        }

    def pytest(self, *arguments: str) -> list[str]:
        """The command line of pytest on GAIA, with these arguments after it."""
        left_out = [word for name in NOT_OURS for word in ("-p", f"no:{name}")]
        cache = ["-o", f"cache_dir={self.folder / 'pytest_cache'}"]
        where = str(self.checkout.root / "benchmarks" / "gaia")
        return [self.checkout.python, "-m", "pytest", where, *left_out, *cache, *arguments]

    def watch(self, *arguments: str) -> Spent:
        """Run pytest with these arguments to its end.

        Raises:
            MeasurementError: It did not end with exit code 0.
        """
        output = self.folder / "output.txt"
        spent = watch(
            self.pytest(*arguments),
            folder=self.folder,
            environment=self.environment,
            output=output,
            patience_s=_PATIENCE_S,
        )
        if spent.exit_code != 0:
            raise MeasurementError(f"exit code {spent.exit_code}: {self.last_output()}")
        return spent

    def last_output(self) -> str:
        """The end of what pytest wrote."""
        return (self.folder / "output.txt").read_text(errors="replace")[-_SHOWN_CHARACTERS:]

    def benchmark_params(self, port: int) -> dict[str, Any]:
        """Tasks, and a judge behind the scripted endpoint."""
        return {
            "dataset_path": str(self.folder / "tasks.jsonl"),
            "judge": "llm",
            "judge_model": {"id": "judge-1", "base_url": f"http://127.0.0.1:{port}/judge/v1"},
            "judge_prompt": str(self.folder / "judge.txt"),
        }

    def run(self, load: Load, *, port: int, n_workers: int) -> Spent:
        """One whole session of the suite, every outcome checked.

        Raises:
            MeasurementError: An exit code, a count or an accuracy is not as scripted.
        """
        harness = {
            "search_backend": "local",
            "visit_backend": "local",
            "corpus_dir": str(self.folder / "corpus"),
            "max_retry": 0,
        }
        spent = self.watch(
            "--model=model-1",
            f"--model-base-url=http://127.0.0.1:{port}/model/v1",
            "--harness=naive_search_agent",
            f"--harness-params={json.dumps(harness)}",
            f"--benchmark-params={json.dumps(self.benchmark_params(port))}",
            f"--task-concurrency={load.in_flight}",
            "--min-accuracy=0",
            *(("-n", str(n_workers)) if n_workers else ()),
        )
        check_metrics(self.metrics(), load)
        return spent

    def metrics(self) -> Mapping[str, Any]:
        """The metrics.json that the session left.

        Raises:
            MeasurementError: It left none, or several.
        """
        found = list((self.folder / "results").glob("*/*/*/metrics.json"))
        if len(found) != 1:
            raise MeasurementError(f"{len(found)} metrics.json were written, not one: {self.last_output()}")
        read: Mapping[str, Any] = json.loads(found[0].read_text())
        return read


def check_metrics(metrics: Mapping[str, Any], load: Load) -> None:
    """Hold that each task was evaluated and graded as scripted, and each call accounted for.

    Raises:
        MeasurementError: It was otherwise.
    """
    wanted = {"correct": load.n_correct, "incorrect": load.n_tasks - load.n_correct}
    counted = {name: n for name, n in metrics["outcomes"].items() if n}
    if counted != {name: n for name, n in wanted.items() if n}:
        raise MeasurementError(f"outcomes {counted!r}, but scripted were {wanted!r}")
    if metrics["volatile"]["issues"]:
        raise MeasurementError(f"the run has issues: {metrics['volatile']['issues'][:3]!r}")


def _row(number: int) -> dict[str, str]:
    question = (
        f"Which stone lies under cairn {number:06d}, the one that the keeper of the northern lighthouse "
        "passed on the way to the ferry in the year of the great storm?"
    )
    return {
        "task_id": f"cairn-{number:06d}",
        "question": question,
        "category": str(number % 3 + 1),
        "ground_truth": f"stone {number:06d}",
    }
