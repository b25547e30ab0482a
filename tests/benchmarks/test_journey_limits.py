"""A budget ends a session: what had finished is told, what is left is unavailable, and nothing is green."""

import json
import threading
from collections import Counter
from typing import Any

import pytest
from journey import Ended, Suite

ALWAYS = 60.0
"""Seconds after which a waiting reply gives up; reached only when something is broken."""
TASKS = [f"t-{n:02}" for n in range(20)]
BUDGET = 400
"""Tokens; an attempt and its judgment take 30."""


def spent(suite: Suite) -> int:
    return 15 * (len(suite.models.asked) + len(suite.models.judged))


def told(ended: Ended) -> dict[str, Any]:
    """The one attempt of each task."""
    return {task_id: ended.detail(task_id)["attempts"]["1"] for task_id in TASKS}


@pytest.mark.parametrize(
    ("more", "code"),
    [
        pytest.param(("--min-accuracy=0", "--min-coverage=0.1"), 10, id="one process, gated"),
        pytest.param(("-n", "2"), 2, id="-n 2"),
    ],
)
def test_at_its_budget_a_session_tells_what_had_finished_and_skips_the_rest(
    more: tuple[str, ...], code: int, suite: Suite
) -> None:
    others = threading.Event()

    def slowly() -> str:
        # The attempt that pytest waits for first comes to its end when others have long been judged.
        others.wait(ALWAYS)
        return "stone t-01"

    def judged() -> str:
        if len(suite.models.judged) >= 4:
            others.set()
        return r"\boxed{A}"

    suite.models.judge_replies["ANSWER"] = judged
    suite.add_right(*TASKS)
    suite.models.answers["<t-01>"] = slowly
    rates = {"model_rpm": 6000, "model_tpm": 10**9, "judge_rpm": 6000}
    execution = {"budget_tokens": BUDGET, "task_concurrency": 8, **rates}
    ended = suite.run(f"--execution-params={json.dumps(execution)}", *more)
    entries = told(ended)
    outcomes = Counter(entry["outcome"] for entry in entries.values())
    assert set(outcomes) == {"correct", "unavailable"}, ended.out
    assert outcomes["correct"] == len(suite.models.judged), "each verdict that was paid for counts"
    assert (ended.code, entries["t-01"]["outcome"]) == (code, "correct"), ended.out
    causes = {entry["cause"] for entry in entries.values() if entry["outcome"] == "unavailable"}
    line = next(iter(causes)).removeprefix("not started: ")
    assert causes <= {line, f"not started: {line}"}
    assert line.startswith("budget: ") and line.endswith(
        f" of {BUDGET} tokens are spent; raise budget_tokens and go on with --resume"
    )
    assert f"stopped: {line}" in ended.out
    # One request may pass the budget; its judgment, and those of what was in flight, still follow.
    assert BUDGET <= spent(suite) <= BUDGET + 15 + 15 * 8
    assert 15 * len(suite.models.asked) <= BUDGET
