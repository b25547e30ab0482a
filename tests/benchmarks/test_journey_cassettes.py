"""A run with keys is recorded; without keys, and with every server gone, it is replayed."""

import json
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from journey import Ended, Suite
from scripted_models import JUDGE_PROMPT, ScriptedModels

KEYS = {
    "MODEL_API_KEY": "key-of-the-model-1",
    "TOKEN_OF_THE_JUDGE": "key-of-the-judge-2",
    "SERPER_API_KEY": "key-of-the-search-3",
    "JINA_API_KEY": "key-of-the-pages-4",
}
CONFIG = """
model: {{id: org/model-1, base_url: "{url}/model/v1", params: {{user: "${{MODEL_API_KEY}}"}}}}
benchmark:
  params:
    dataset_path: {dataset}
    judge_model: {{id: judge-1, base_url: "{url}/judge/v1", api_key: "${{TOKEN_OF_THE_JUDGE}}"}}
    judge_prompt: {prompt}
harness:
  id: naive_search_agent
  params:
    serper_base_url: "{url}/search-service"
    jina_base_url: "{url}/reader"
    allow_private_addresses: true
    max_retry: 1
    retry_interval: 0
"""


@dataclass
class Services:
    """A model that searches, then opens what it found, then answers; a search, a page reader, a judge."""

    n_searches: Counter[str] = field(default_factory=Counter[str])
    keys: set[str] = field(default_factory=set[str])

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path.startswith("/search-service"):
            return self.search(body["q"])
        if path.startswith("/judge"):
            return 200, completion(content=_grade(body["messages"][0]["content"]))
        return self.next_move(body["messages"])

    def search(self, query: str) -> tuple[int, Any]:
        self.n_searches[query] += 1
        if query == "r-2" and self.n_searches[query] == 1:
            return 503, {"message": "busy"}
        hit = {"title": query, "link": f"http://127.0.0.1/{query}", "snippet": "a stone"}
        return 200, {"organic": [hit]}

    def next_move(self, messages: list[dict[str, Any]]) -> tuple[int, Any]:
        if "Read the page" in messages[0]["content"]:
            return 200, completion(content='{"evidence": "a stone", "summary": "it is a stone"}')
        task = messages[0]["content"].partition("<")[2].partition(">")[0]
        if task == "e-1":
            return 500, {"error": {"message": "down"}}
        n_results = sum(message["role"] == "tool" for message in messages)
        if n_results == 0:
            return 200, calls("search", query=task)
        if n_results == 1:
            return 200, calls("visit", url=f"http://127.0.0.1/{task}", goal="the stone")
        return 200, completion(content=f"stone {task}" if task.startswith("r") else "a pebble")


def completion(**message: Any) -> dict[str, Any]:
    finish_reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}
    return {"choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}


def calls(name: str, **arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return completion(content=None, tool_calls=[{"id": "c-1", "type": "function", "function": function}])


def _grade(prompt: str) -> str:
    truth = prompt.partition("TRUTH=")[2].partition("\n")[0]
    letter, label = ("A", "CORRECT") if truth in prompt.partition("ANSWER=")[2] else ("B", "INCORRECT")
    return rf"Final Judgment: \boxed{{{letter}}} - {label}"


@contextmanager
def serving(services: Services) -> Generator[str]:
    """Its address, as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.note_keys()
            self.send(*services.reply(self.path, body))

        def do_GET(self) -> None:
            self.note_keys()
            self.send(200, "A stone lies there.")

        def note_keys(self) -> None:
            given = (self.headers.get(name, "") for name in ("Authorization", "X-API-KEY"))
            services.keys.update(key.removeprefix("Bearer ") for key in given if key)

        def send(self, status: int, body: Any) -> None:
            payload = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            self.send_header("Set-Cookie", "session=c00kie")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A recorded run, whose servers are gone; `suite` runs the same again, without a key."""

    suite: Suite
    ended: Ended
    keys: set[str]

    @property
    def tapes(self) -> Path:
        return self.suite.folder / "tapes"

    def replay(self, name: str, *more: str) -> Ended:
        ended = _run(self.suite, "replay", f"--results-dir={name}", *more)
        return replace(ended, results=self.suite.folder / name)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder, services = tmp_path_factory.mktemp("cassettes"), Services()
    suite = Suite(folder=folder, models=ScriptedModels(), environment=dict(KEYS))
    suite.add_right("r-1", "r-2", "r-3")
    suite.add_wrong("w-1", level=2)
    suite.add("e-1", answer="", level=3)
    (folder / "judge.txt").write_text(JUDGE_PROMPT)
    with serving(services) as url:
        written = CONFIG.format(url=url, dataset=suite.dataset, prompt=folder / "judge.txt")
        (folder / "config.yaml").write_text(written)
        ended = _run(suite, "record", "-n0")
    return Recorded(suite=replace(suite, environment={}), ended=ended, keys=services.keys)


def _run(suite: Suite, mode: str, *more: str) -> Ended:
    gaia = str(suite.root / "benchmarks" / "gaia")
    cassette = ("--cassette=tapes", f"--cassette-mode={mode}")
    return suite.run(gaia, "--config=config.yaml", *cassette, *more, bare=True)


def test_a_recording_asks_everybody_and_says_that_it_is_private(recorded: Recorded) -> None:
    ended = recorded.ended
    assert ended.outcomes() == {
        **dict.fromkeys(("r-1", "r-2", "r-3"), "correct"),
        "w-1": "incorrect",
        "e-1": "run_error",
    }, ended.out
    assert recorded.keys == set(KEYS.values())
    assert "cassette: recording into" in ended.out and "private" in ended.out
    assert ended.metrics["volatile"]["cassette"] == "record"
    assert ended.metrics["volatile"]["tool_calls"]["n"] == 8


def test_each_attempt_has_its_tape_and_no_key_is_on_any(recorded: Recorded) -> None:
    files = sorted(path.relative_to(recorded.tapes).as_posix() for path in recorded.tapes.rglob("*.*"))
    tasks = ("e-1", "r-1", "r-2", "r-3", "w-1")
    assert files == [f"gaia/{task}-attempt1.jsonl" for task in tasks]
    written = "".join(path.read_text() for path in recorded.tapes.rglob("*.jsonl"))
    assert not [key for key in (*KEYS.values(), "c00kie", "127.0.0.1:") if key in written]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_replay_without_keys_and_servers_gives_the_same_metrics(recorded: Recorded, workers: str) -> None:
    ended = recorded.replay(f"replayed{workers}", workers)
    assert ended.stable_metrics == recorded.ended.stable_metrics, ended.out
    assert ended.code == recorded.ended.code == pytest.ExitCode.TESTS_FAILED
    assert "; no model, tool or judge is asked" in ended.out
    assert ended.metrics["volatile"]["cassette"] == "replay"
    assert "no model, tool or judge was asked" in (ended.run / "summary.md").read_text()


def test_a_changed_question_is_a_run_error_that_names_the_request(recorded: Recorded, tmp_path: Path) -> None:
    tasks = recorded.suite.dataset.read_text().replace("Which stone lies under <r-2>", "What is under <r-2>")
    (tmp_path / "changed.jsonl").write_text(tasks)
    changed = json.dumps({"dataset_path": str(tmp_path / "changed.jsonl")})
    ended = recorded.replay("changed", f"--benchmark-params={changed}", "--min-accuracy=0.1", "-n0")
    cause = ended.detail("r-2")["attempts"]["1"]["cause"]
    assert cause == (
        "cassette 'tapes/gaia/r-2-attempt1.jsonl' holds no reply to POST /chat/completions (model "
        "'org/model-1', 1 message); record it again with --cassette-mode record"
    )
    assert ended.outcomes() == {**recorded.ended.outcomes(), "r-2": "run_error"}
    assert cause in ended.out
    assert ended.code == 10, "with an error, what the gate asks for is not measured"
