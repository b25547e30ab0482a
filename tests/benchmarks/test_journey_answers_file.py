"""A model that cannot be called: the form is written, filled in, judged and handed in."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from journey import Suite

GAIA = "benchmarks/gaia"


def command(suite: Suite, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *words],
        cwd=suite.root,
        capture_output=True,
        text=True,
        check=False,
        env=suite.process_environment,
    )


def arguments(suite: Suite, answers: Path | None) -> list[str]:
    params = json.dumps({} if answers is None else {"answers_path": answers.name})
    return [
        str(suite.root / GAIA),
        "--model=my/model",
        "--harness=answers_file",
        f"--harness-params={params}",
        f"--benchmark-params={json.dumps(suite.benchmark_params())}",
    ]


def at(suite: Suite, name: str) -> Path:
    return suite.folder / name


def stable(run: Path) -> dict[str, Any]:
    metrics = json.loads((run / "metrics.json").read_text())
    return {name: value for name, value in metrics.items() if name != "volatile"}


def test_from_an_empty_form_to_a_verdict_and_the_leaderboard(suite: Suite) -> None:
    suite.add_right("a", "b", "c")
    empty = suite.run(*arguments(suite, None), f"--run-dir={at(suite, 'empty')}", bare=True)
    assert empty.code == 0, empty.out
    form = command(suite, "template", str(at(suite, "empty")), "--format=jsonl")
    rows = [json.loads(line) for line in form.stdout.splitlines()]
    assert [(row["task_id"], row["attempt"], row["answer"]) for row in rows] == [
        ("a", 1, ""),
        ("b", 1, ""),
        ("c", 1, ""),
    ]
    assert "Which stone lies under <a>?" in rows[0]["question"]
    assert "private: the form holds the questions" in form.stderr
    rows[0]["answer"], rows[1]["answer"] = "stone a", "a pebble"
    answers = at(suite, "answers.jsonl")
    answers.write_text("".join(f"{json.dumps(row)}\n" for row in [*rows, {"task_id": "aa", "answer": "x"}]))
    handed_in = at(suite, "submission.jsonl")
    one = suite.run(
        *arguments(suite, answers),
        f"--run-dir={at(suite, 'one')}",
        f"--gaia-submission={handed_in}",
        "--min-accuracy=0.1",
        bare=True,
    )
    suite.run(
        *arguments(suite, answers), f"--run-dir={at(suite, 'two')}", "--min-accuracy=0.1", "-n2", bare=True
    )
    assert one.code == 10, one.out
    assert stable(at(suite, "one")) == stable(at(suite, "two"))
    assert stable(at(suite, "one"))["outcomes_by_task"] == {
        "a": ["correct"],
        "b": ["incorrect"],
        "c": ["unavailable"],
    }
    assert stable(at(suite, "one"))["unavailable"] == {"no answer in answers.jsonl": 1}
    assert (len(suite.models.asked), len(suite.models.judged)) == (0, 4)
    assert "answers.jsonl answers tasks that are not asked (1): 'aa' (did you mean 'a'?)" in (
        at(suite, "one") / "summary.md"
    ).read_text().replace("\\", "")
    lines = [json.loads(line) for line in handed_in.read_text().splitlines()]
    assert lines == [
        {"task_id": "a", "model_answer": "stone a", "reasoning_trace": "stone a"},
        {"task_id": "b", "model_answer": "a pebble", "reasoning_trace": "a pebble"},
    ]
    again = command(suite, "submission", str(at(suite, "one")))
    assert again.stdout == handed_in.read_text()
    assert "2 of 3 tasks have an answer; left out: 1" in again.stderr
    assert "stone b" not in handed_in.read_text()
    rows[2]["answer"] = "stone c"
    answers.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    n_judged = len(suite.models.judged)
    suite.run(
        str(suite.root / GAIA), f"--resume={at(suite, 'one')}", f"--run-dir={at(suite, 'more')}", bare=True
    )
    assert stable(at(suite, "more"))["outcomes_by_task"]["c"] == ["correct"]
    assert (len(suite.models.asked), len(suite.models.judged)) == (0, n_judged + 1)


def test_a_submission_that_could_not_be_written_is_refused_before_anything_is_judged(suite: Suite) -> None:
    suite.add_right("a")
    ended = suite.run(*arguments(suite, None), "--gaia-submission=nowhere/x.jsonl", bare=True)
    assert ended.code == pytest.ExitCode.USAGE_ERROR
    assert "'nowhere/x.jsonl' is no file that can be written; name one in a folder that exists" in ended.out
    assert not ended.results.exists()
