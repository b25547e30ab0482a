"""A run in which every tenth task meets a fault that passes gives the numbers of one without faults."""

import json
from pathlib import Path
from typing import Any

import pytest
from fault import CUT, DOWN, RESET, UPSTREAM
from faulty_server import WELL, FaultyServer, Reply, Role, Step, refuses, says, sends, serving
from journey import ROOT
from many_sessions import run_sessions
from scripted_models import JUDGE_PROMPT

N_TASKS = 200
SOON = (("Retry-After", "0.01"),)
BUSY = refuses(429, headers=SOON)
FAULTS: tuple[Reply, ...] = (
    BUSY,
    DOWN,
    RESET,
    CUT,
    UPSTREAM,
    Reply(how="hang up"),
    Reply(text='{"choices"', how="cut short"),
    sends({"id": "c", "choices": []}),
    Reply(text="<html>back soon</html>"),
)
SESSIONS: dict[str, tuple[str, ...]] = {
    "without": (),
    "with": (),
    "with-n2": ("-n2", "--task-concurrency=16"),
}
"""In this order: the first meets no fault, each other one meets every fault once."""


def spoil(server: FaultyServer) -> list[tuple[Role, str]]:
    """Have each third task answered wrongly, and each tenth meet a fault; who fails, and with which task.

    A judge waits five seconds before it asks again, unless it is told how long.
    """
    failing: list[tuple[Role, str]] = []
    for number in range(N_TASKS):
        task_id = f"t-{number}"
        answers: Step = says("pebble") if number % 3 == 0 else WELL
        server.script("model", task_id, [answers])
        if number % 10 == 0:
            role: Role = "judge" if number % 50 == 10 else "model"
            good, fault = (WELL, BUSY) if role == "judge" else (answers, FAULTS[number // 10 % len(FAULTS)])
            server.script(role, task_id, [good, fault, good, fault, good])
            failing.append((role, task_id))
    return failing


def arguments(folder: Path, server: FaultyServer, name: str) -> list[str]:
    tasks = [
        {
            "task_id": f"t-{number}",
            "question": f"What lies under <t-{number}>?",
            "category": str(number % 3 + 1),
            "ground_truth": f"stone t-{number}",
        }
        for number in range(N_TASKS)
    ]
    dataset = folder / "tasks.jsonl"
    dataset.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    prompt = folder / "judge.txt"
    prompt.write_text(JUDGE_PROMPT)
    judge = {"id": "judge-1", "base_url": server.url("judge")}
    params = {"dataset_path": str(dataset), "judge_model": judge, "judge_prompt": str(prompt)}
    return [
        str(ROOT / "benchmarks" / "gaia"),
        "--model=org/model-1",
        f"--model-base-url={server.url('model')}",
        "--harness=openai_chat",
        '--harness-params={"max_retry": 2, "retry_interval": 0}',
        "--benchmark-params",
        json.dumps(params),
        f"--run-dir={folder / name}",
        "--min-accuracy=0.5",
        *SESSIONS[name],
    ]


def metrics(run: Path) -> Any:
    return json.loads((run / "metrics.json").read_text())


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the three runs in it."""
    folder = tmp_path_factory.mktemp("runs")
    with serving(FaultyServer()) as server:
        failing = spoil(server)
        codes = run_sessions({name: arguments(folder, server, name) for name in SESSIONS}, folder)
    assert codes == dict.fromkeys(SESSIONS, 0), (folder / "with-n2.out").read_text()
    assert len(failing) == N_TASKS / 10
    assert {server.asked[one] for one in failing} == {5}, "once in order; twice with the fault, and once more"
    return folder


@pytest.mark.parametrize("name", ["with", "with-n2"])
def test_faults_that_pass_change_no_number(name: str, runs: Path) -> None:
    without, faulty = metrics(runs / "without"), metrics(runs / name)
    del without["volatile"], faulty["volatile"]
    assert faulty == without
    assert without["outcomes"]["incorrect"] == len(range(0, N_TASKS, 3))
    assert without["outcomes"]["correct"] == N_TASKS - without["outcomes"]["incorrect"]
