"""What servers do wrong, all the way: what record, exit code and terminal show, fault by fault."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fault import Fault, Harness
from fault_table import FAULTS, rows
from faulty_server import FaultyServer, serving
from journey import ROOT
from judge_faults import JUDGE
from many_sessions import run_sessions
from model_faults import MODEL
from scripted_models import JUDGE_PROMPT
from stopping_faults import STOPS
from tool_faults import TOOLS

PAGE = ROOT / "docs" / "faults.md"
AFTER = "after"
"""A task in order that comes after one whose fault stops the session."""
KEYS = {"model": "sk-model-7", "judge": "sk-judge-7", "search": "key-search-7", "pages": "key-pages-7"}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A session: its faults, each with a task of its own, and what else its command line has."""

    name: str
    faults: tuple[Fault, ...]
    harness: Harness
    options: tuple[str, ...] = ()
    request_timeout: float = 60.0


def plans() -> Iterator[Plan]:
    """As few sessions as tell the exit code of each kind of end, and one for each fault that stops it."""
    chat = [fault for fault in (*MODEL, *JUDGE) if fault.in_time]
    errors = {"run_error", "judge_error"}
    yield plan("well", [one for one in chat if one.outcome == "correct"])
    yield plan("silent", [one for one in chat if one.outcome == "not_attempted"])
    yield plan("failed", [one for one in chat if one.outcome in errors], "--min-accuracy=0")
    yield plan("slow", [one for one in MODEL if not one.in_time], request_timeout=0.3)
    yield plan("tools-well", [one for one in TOOLS if one.outcome == "correct"])
    yield plan("tools-failed", [one for one in TOOLS if one.outcome in errors])
    for fault in STOPS:
        yield plan(fault.task_id, [fault])


def plan(name: str, faults: Sequence[Fault], *options: str, request_timeout: float = 60.0) -> Plan:
    return Plan(
        name=name,
        faults=tuple(faults),
        harness=faults[0].harness,
        options=options,
        request_timeout=request_timeout,
    )


EXIT_CODES = {"well": 0, "silent": 1, "failed": 10, "slow": 1, "tools-well": 0, "tools-failed": 1}
"""Of a session with a fault that stops it: 2."""


def arguments(plan: Plan, folder: Path, server: FaultyServer) -> list[str]:
    """The command line of a session, its dataset written."""
    ids = [fault.task_id for fault in plan.faults]
    ids += [AFTER] if plan.faults[0].stops else []
    tasks = [
        {
            "task_id": task_id,
            "question": f"What lies under <{task_id}>?",
            "category": "1",
            "ground_truth": f"stone {task_id}",
        }
        for task_id in ids
    ]
    dataset = folder / f"{plan.name}.jsonl"
    dataset.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    prompt = folder / "judge.txt"
    prompt.write_text(JUDGE_PROMPT)
    judge = {"id": "judge-1", "base_url": server.url("judge"), "api_key": KEYS["judge"]}
    params = {"dataset_path": str(dataset), "judge_model": judge, "judge_prompt": str(prompt)}
    harness: dict[str, Any] = {
        "max_retry": 1,
        "retry_interval": 0,
        "request_timeout": plan.request_timeout,
    }
    if plan.harness == "naive_search_agent":
        harness |= {"serper_base_url": server.url("search"), "serper_api_key": KEYS["search"]}
        harness |= {"jina_base_url": server.url("pages"), "jina_api_key": KEYS["pages"]}
    return [
        str(ROOT / "benchmarks" / "gaia"),
        "--model=org/model-1",
        f"--model-base-url={server.url('model')}",
        f"--model-api-key={KEYS['model']}",
        "--model-params",
        '{"seed": 7}',
        f"--harness={plan.harness}",
        "--harness-params",
        json.dumps(harness),
        "--benchmark-params",
        json.dumps(params),
        f"--run-dir={folder / plan.name}",
        *(("--task-concurrency=1",) if plan.faults[0].stops else ()),
        *plan.options,
    ]


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What all sessions left."""

    folder: Path
    codes: dict[str, int]
    server: FaultyServer

    def session_of(self, fault: Fault) -> str:
        (name,) = (plan.name for plan in plans() if fault in plan.faults)
        return name

    def out(self, name: str) -> str:
        return (self.folder / f"{name}.out").read_text()

    def entry(self, session: str, task_id: str) -> Any:
        detail = json.loads((self.folder / session / "details" / f"{task_id}.json").read_text())
        return detail["attempts"]["1"]

    def line(self, fault: Fault) -> str | None:
        """The whole line of a fault, with what errors call each service."""
        if fault.line is None:
            return None
        url = self.server.url
        names = {
            "model": f"endpoint 'org/model-1' at {url('model')}",
            "judge": f"endpoint 'judge-1' at {url('judge')}",
            "search": url("search"),
        }
        return fault.line.format(**names)


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """All sessions, run once."""
    folder = tmp_path_factory.mktemp("faults")
    with serving(FaultyServer()) as server:
        for fault in FAULTS:
            server.script(fault.role, fault.task_id, fault.steps)
        commands = {plan.name: arguments(plan, folder, server) for plan in plans()}
        codes = run_sessions(commands, folder)
    return Ended(folder=folder, codes=codes, server=server)


def shown(line: str | None) -> str | None:
    """As much of a line as is shown; the private part of the record has all of it."""
    return line if line is None or len(line) <= 200 else f"{line[:200]}…"


EACH = pytest.mark.parametrize("fault", [pytest.param(fault, id=fault.task_id) for fault in FAULTS])


@EACH
def test_the_record_tells_what_the_fault_came_to(fault: Fault, ended: Ended) -> None:
    entry = ended.entry(ended.session_of(fault), fault.task_id)
    told = (entry["outcome"], entry["stop_reason"], entry["answer_flag"], entry["n_tool_failures"])
    assert told == (fault.outcome, fault.stop_reason, fault.flag, fault.n_tool_failures)
    line = ended.line(fault)
    assert (entry["cause"], entry["private"].get("cause")) == (shown(line), line)
    assert ended.server.asked[fault.role, fault.task_id] == fault.n_requests
    if fault.role in {"model", "judge"}:
        # The model reads a page too, where it comes so far: that counts as a tool's.
        assert entry["usage"][fault.role]["n_requests"] == fault.n_requests


@EACH
def test_the_terminal_shows_the_line_and_no_traceback(fault: Fault, ended: Ended) -> None:
    out = ended.out(ended.session_of(fault))
    assert "Traceback" not in out
    line = shown(ended.line(fault))
    if line is None:
        assert f"gaia[{fault.task_id}]" not in out or fault.outcome != "correct"
    else:
        assert line in " ".join(out.split())
    assert not [key for key in KEYS.values() if key in out]


@pytest.mark.parametrize(("session", "code"), EXIT_CODES.items())
def test_the_exit_code_is_that_of_the_kind_of_end(session: str, code: int, ended: Ended) -> None:
    assert ended.codes[session] == code, ended.out(session)


@pytest.mark.parametrize("fault", [pytest.param(fault, id=fault.task_id) for fault in STOPS])
def test_what_no_retry_cures_stops_the_session_before_the_next_task(fault: Fault, ended: Ended) -> None:
    assert ended.codes[fault.task_id] == 2, ended.out(fault.task_id)
    after = ended.entry(fault.task_id, AFTER)
    assert after["outcome"] == "unavailable"
    assert str(ended.line(fault)).startswith(after["cause"].removesuffix("…"))
    assert not [one for one in ended.server.asked if one == ("model", AFTER)]
    metrics = json.loads((ended.folder / fault.task_id / "metrics.json").read_text())
    assert metrics["stopped"] == after["cause"]


def test_no_fault_that_passes_or_belongs_to_one_task_stops_a_session(ended: Ended) -> None:
    for session in EXIT_CODES:
        metrics = json.loads((ended.folder / session / "metrics.json").read_text())
        assert (metrics["stopped"], metrics["outcomes"]["unavailable"]) == (None, 0)


def test_no_key_is_in_a_file(ended: Ended) -> None:
    for path in ended.folder.rglob("*"):
        if path.is_file() and path.suffix in {".json", ".jsonl", ".md", ".out"}:
            text = path.read_text()
            assert not [key for key in KEYS.values() if key in text], path


def test_the_matrix_of_the_page_is_the_table() -> None:
    assert _matrix(PAGE.read_text().splitlines()) == list(rows())


def _matrix(lines: Iterable[str]) -> list[str]:
    left = iter(lines)
    for line in left:
        if line.startswith("| # |"):
            next(left)
            break
    return list(_until_blank(left))


def _until_blank(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("|"):
            return
        yield line
