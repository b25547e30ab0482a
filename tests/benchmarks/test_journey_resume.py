"""A run that was stopped, killed or that erred goes on where it was; finished work is not asked for again."""

import json
import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from journey import Ended, Suite
from scripted_models import in_turn

ALWAYS = 60.0
"""Seconds after which a wait gives up; reached only when something is broken."""
WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])
RIGHT = r"Final Judgment: \boxed{A} - CORRECT"


def asked_for(suite: Suite, *, after: int = 0) -> Counter[str]:
    """How often the model was asked for each task, but for the first requests."""
    texts = [str(body["messages"][-1]["content"]) for body in suite.models.asked[after:]]
    return Counter(text.partition("<")[2].partition(">")[0] for text in texts)


def judged_of(suite: Suite, *, after: int = 0) -> Counter[str]:
    texts = [str(body["messages"][-1]["content"]) for body in suite.models.judged[after:]]
    return Counter(text.partition("TRUTH=stone ")[2].partition("\n")[0] for text in texts)


def at(suite: Suite, name: str) -> Path:
    return suite.folder / name


def stable(run: Path) -> Any:
    metrics = json.loads((run / "metrics.json").read_text())
    return {name: value for name, value in metrics.items() if name != "volatile"}


def reused(run: Path) -> set[str]:
    """The tasks whose first attempt was taken over."""
    details = {path.stem: json.loads(path.read_text()) for path in (run / "details").glob("*.json")}
    return {name for name, detail in details.items() if detail["attempts"]["1"]["reused"]}


@WORKERS
def test_what_was_evaluated_is_not_asked_again_and_what_erred_is(
    suite: Suite, workers: tuple[str, ...]
) -> None:
    suite.add_right("a", "b")
    suite.add_wrong("w", level=2)
    suite.add("e", answer=in_turn(500, "stone e"))
    suite.add("j", answer="stone j")
    suite.models.judge_replies["TRUTH=stone j\n"] = in_turn("hm", "hm", "hm", RIGHT)
    first = suite.run("--run-dir", str(at(suite, "first")))
    n_asked, n_judged = len(suite.models.asked), len(suite.models.judged)
    again = suite.run(
        "--run-dir", str(at(suite, "again")), "--resume", str(at(suite, "first")), "-v", *workers
    )
    assert (first.code, again.code) == (1, 1), again.out
    assert asked_for(suite, after=n_asked) == {"e": 1}
    assert judged_of(suite, after=n_judged) == {"e": 1, "j": 1}
    assert reused(at(suite, "again")) == {"a", "b", "w", "j"}
    assert again.out.count("PASSED (reused)") == 3 and "FAILED (reused)" in again.out, again.out
    suite.run("--run-dir", str(at(suite, "undisturbed")))
    assert stable(at(suite, "again")) == stable(at(suite, "undisturbed"))
    parent = json.loads((at(suite, "again") / "run.json").read_text())["volatile"]["parent"]
    assert (parent["how"], parent["run"], parent["path"]) == ("resume", "first", "../first")
    assert (parent["n_attempts"], parent["n_to_judge"], parent["differences"]) == (4, 1, [])


@dataclass
class Killing:
    """Calls `kill` at the n-th request that reaches the server, and counts them all."""

    at_request: int
    kill: Callable[[], None]
    n_requests: int = 0

    def heard(self) -> None:
        self.n_requests += 1
        if self.n_requests == self.at_request:
            self.kill()


@dataclass
class Disturbed:
    """A suite of twelve tasks whose every request is told to whoever kills."""

    suite: Suite
    killing: Killing | None = None
    ids: list[str] = field(default_factory=lambda: [f"t-{n}" for n in range(12)])

    def __post_init__(self) -> None:
        for number, task_id in enumerate(self.ids):
            answer = f"stone {task_id}" if number % 3 else f"pebble {task_id[::-1]}"
            self.suite.add(task_id, answer=self._told(answer), level=1 + number % 3)
            verdict = RIGHT if number % 3 else r"Final Judgment: \boxed{B} - INCORRECT"
            self.suite.models.judge_replies[f"TRUTH=stone {task_id}\n"] = self._told(verdict)

    def _told(self, reply: str) -> Callable[[], str]:
        def told() -> str:
            with self.suite.models.lock:
                if self.killing is not None:
                    self.killing.heard()
            return reply

        return told

    def kill_controller(self, *arguments: str, at_request: int) -> None:
        """Run until the request that kills it; nothing is left of the process."""
        process = subprocess.Popen(
            self.suite.command(*self.suite.arguments(), *arguments),
            cwd=self.suite.folder,
            env=self.suite.process_environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.killing = Killing(at_request, process.kill)
        assert process.wait(ALWAYS) == -signal.SIGKILL
        self.killing = None

    def finished(self, run: Path) -> set[str]:
        """The tasks with a whole record in a spool."""
        lines = [line for spool in (run / "details" / "_spool").glob("*") for line in _whole_lines(spool)]
        return {json.loads(line)["task_id"] for line in lines}


def _whole_lines(path: Path) -> list[str]:
    text = path.read_text()
    return text[: text.rfind("\n") + 1].splitlines()


@pytest.mark.parametrize(
    ("workers", "seed"),
    [((), 1), (("-n", "2"), 2), (("-n", "2"), 3)],
    ids=["one process", "-n 2", "-n 2, at other moments"],
)
def test_a_controller_killed_twice_at_any_moment_ends_as_if_undisturbed(
    suite: Suite, workers: tuple[str, ...], seed: int
) -> None:
    moments = random.Random(seed)
    scene = Disturbed(suite)
    first, second, third = (at(suite, name) for name in ("first", "second", "third"))
    scene.kill_controller("--run-dir", str(first), *workers, at_request=moments.randint(2, 14))
    had = scene.finished(first)
    scene.kill_controller(
        "--run-dir", str(second), "--resume", str(first), *workers, at_request=moments.randint(1, 6)
    )
    had |= scene.finished(second)
    # A session killed before it has planned leaves nothing to go on from but its parent.
    parent = second if (second / "run.json").exists() else first
    n_asked = len(suite.models.asked)
    ended = suite.run("--run-dir", str(third), "--resume", str(parent), *workers)
    assert ended.code == 1, ended.out
    assert reused(third) >= had
    assert not had & asked_for(suite, after=n_asked).keys()
    suite.run("--run-dir", str(at(suite, "undisturbed")))
    assert stable(third) == stable(at(suite, "undisturbed"))


TELLS_ITS_PID = """
import os
from pathlib import Path

def pytest_sessionstart(session):
    worker = getattr(session.config, "workerinput", None)
    if worker is not None:
        Path(os.environ["PIDS"], worker["workerid"]).write_text(str(os.getpid()))
"""


def test_a_worker_killed_at_any_moment_leaves_what_a_resume_makes_whole(suite: Suite, tmp_path: Path) -> None:
    moments = random.Random(1)
    scene = Disturbed(suite)
    (tmp_path / "teller.py").write_text(TELLS_ITS_PID)
    pids = tmp_path / "pids"
    pids.mkdir()
    suite.environment |= {"PYTHONPATH": str(tmp_path), "PIDS": str(pids)}

    def kill() -> None:
        victim = moments.choice(sorted(pids.iterdir()))
        with suppress(ProcessLookupError):
            os.kill(int(victim.read_text()), signal.SIGKILL)

    scene.killing = Killing(moments.randint(2, 20), kill)
    first, again = at(suite, "first"), at(suite, "again")
    suite.run("-p", "teller", "-n2", "--run-dir", str(first), "--task-concurrency=8")
    scene.killing = None
    had = scene.finished(first)
    n_asked = len(suite.models.asked)
    suite.run("-n2", "--run-dir", str(again), "--resume", str(first))
    assert not had & asked_for(suite, after=n_asked).keys()
    suite.run("--run-dir", str(at(suite, "undisturbed")))
    assert stable(again) == stable(at(suite, "undisturbed"))


def test_the_run_s_own_settings_are_taken_and_others_are_refused(suite: Suite) -> None:
    suite.add_right("a")
    suite.run("--run-name", "first")
    n_asked = len(suite.models.asked)
    folder = str(suite.root / "benchmarks" / "gaia")
    bare = suite.run(folder, "--resume", "latest", "--run-name", "second", bare=True)
    assert bare.code == 0, bare.out
    assert "resumes" in bare.out and "1 attempt" in bare.out
    other = suite.run("--resume", "latest", "--model-params", '{"temperature": 1}', "--run-name", "third")
    assert other.code == pytest.ExitCode.USAGE_ERROR
    assert 'model params: {} there, {"temperature": 1} now' in other.out
    assert "--resume-anyway" in other.out
    assert len(suite.models.asked) == n_asked
    anyway = suite.run(
        "--resume", "latest", "--resume-anyway", "--model-params", '{"temperature": 1}', "--run-name", "third"
    )
    assert anyway.code == 0, anyway.out
    run = suite.folder / "results" / "gaia" / "org_model-1" / "third"
    assert "model params" in (run / "summary.md").read_text()
    again = suite.run(folder, "--resume", str(run), "--run-name", "fourth", bare=True)
    assert again.code == 0, again.out
    told = (run.with_name("fourth") / "summary.md").read_text()
    assert 'from a run that was made otherwise, second: model params: {} there, {"temperature' in told
    assert len(suite.models.asked) == n_asked


def test_what_k_had_left_out_stays_out(suite: Suite) -> None:
    suite.add_right("a-1", "b-1")
    suite.add("a-2", answer=in_turn(500, "stone a-2"))
    suite.run("--run-name", "first", "-k", "a-")
    folder = str(suite.root / "benchmarks" / "gaia")
    ended = suite.run(folder, "--resume", "latest", "--run-name", "second", bare=True)
    assert ended.code == 0, ended.out
    assert asked_for(suite) == {"a-1": 1, "a-2": 2}
    run = suite.folder / "results" / "gaia" / "org_model-1" / "second"
    assert stable(run)["outcomes_by_task"] == {"a-1": ["correct"], "a-2": ["correct"]}
    assert stable(run)["deselected"] == ["-k a-"]


def test_a_task_that_is_asked_otherwise_now_is_named(suite: Suite) -> None:
    suite.add_right("a", "b")
    suite.run("--run-name", "first")
    suite.tasks[1]["question"] += " Look twice."
    ended = suite.run("--resume", "latest", "--run-name", "second")
    assert ended.code == pytest.ExitCode.USAGE_ERROR
    assert "what is asked of 1 task ('b') was another text or file there" in ended.out
    assert "Look twice" not in ended.out


@WORKERS
def test_answers_are_judged_again_and_no_model_is_asked(suite: Suite, workers: Sequence[str]) -> None:
    suite.add_right("a")
    suite.add("e", answer=500)
    suite.add("lucky", answer="it must be stone b", truth="stone b")
    suite.add_right("late")
    suite.models.judge_replies["TRUTH=stone b\n"] = r"Final Judgment: \boxed{B} - INCORRECT"
    first: Ended = suite.run("--run-dir", str(at(suite, "first")), "--maxfail=2", "--task-concurrency=1")
    assert "stopping after 2 failures" in first.out
    n_asked, n_judged = len(suite.models.asked), len(suite.models.judged)
    suite.models.judge_replies.clear()
    folder = str(suite.root / "benchmarks" / "gaia")
    again = suite.run(
        folder,
        "--rejudge",
        str(at(suite, "first")),
        "--run-dir",
        str(at(suite, "again")),
        *workers,
        bare=True,
    )
    assert again.code == 1, again.out
    assert (len(suite.models.asked) - n_asked, len(suite.models.judged) - n_judged) == (0, 2)
    before, after = (
        {
            path.stem: json.loads(path.read_text())["attempts"]["1"]
            for path in (at(suite, name) / "details").glob("*.json")
        }
        for name in ("first", "again")
    )
    assert {name: entry["outcome"] for name, entry in after.items()} == {
        "a": "correct",
        "e": "run_error",
        "lucky": "correct",
        "late": "unavailable",
    }
    untouched = ("final_answer", "trajectory", "stop_reason", "prompt_digest")
    assert [[before[name][key] for key in untouched] for name in before] == [
        [after[name][key] for key in untouched] for name in before
    ]
    parent = json.loads((at(suite, "again") / "run.json").read_text())["volatile"]["parent"]
    assert (parent["how"], parent["run"]) == ("rejudge", "first")


def test_a_scorer_judges_the_answers_again_without_any_key(suite: Suite) -> None:
    suite.add("a", answer="stone a")
    suite.add_wrong("w")
    suite.environment |= {"SERPER_API_KEY": "serper-key", "JINA_API_KEY": "jina-key"}
    suite.run("--run-dir", str(at(suite, "first")), "--harness=naive_search_agent")
    suite.environment.clear()
    n_judged = len(suite.models.judged)
    ended = suite.run(
        str(suite.root / "benchmarks" / "gaia"),
        f"--rejudge={at(suite, 'first')}",
        '--benchmark-params={"judge": "gaia_official"}',
        f"--run-dir={at(suite, 'again')}",
        bare=True,
    )
    assert ended.code == 1, ended.out
    assert len(suite.models.judged) == n_judged
    assert stable(at(suite, "again"))["judge"]["primary"] == "gaia_official"
    assert stable(at(suite, "again"))["outcomes"]["correct"] == 1
