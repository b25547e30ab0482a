"""A real server on loopback that plays the model under test and the judge from a script."""

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JUDGE_PROMPT = "Q={question}\nTRUTH={gold_answer}\nANSWER={llm_response}\n"
"""A judge prompt that a script can read back."""

Reply = str | int | Callable[[], "str | int"]


def in_turn(*replies: str | int) -> Callable[[], str | int]:
    """A reply that differs from request to request: the n-th is the n-th of `replies`, the last one stays."""
    left = list(replies)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


@dataclass
class ScriptedModels:
    """Answers by the first marker that stands in the last message.

    A reply is the text to answer, an HTTP status to fail with, or a function that gives one of them.
    """

    answers: dict[str, Reply] = field(default_factory=dict[str, Reply])
    judge_replies: dict[str, Reply] = field(default_factory=dict[str, Reply])
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    judged: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: list[str] = field(default_factory=list[str])
    trouble: str = "scripted trouble"
    in_flight: int = 0
    most_in_flight: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    port: int = 0

    @property
    def model_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/model/v1"

    @property
    def judge_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/judge/v1"

    def reply(self, path: str, body: dict[str, Any]) -> str | int:
        text = str(body["messages"][-1]["content"])
        is_judge = path.startswith("/judge")
        with self.lock:
            (self.judged if is_judge else self.asked).append(body)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            script = self.judge_replies if is_judge else self.answers
            for marker, reply in script.items():
                if marker in text:
                    return reply() if callable(reply) else reply
            return _grade(text) if is_judge else "I do not know"
        finally:
            with self.lock:
                self.in_flight -= 1


def _grade(prompt: str) -> str:
    truth = prompt.partition("TRUTH=")[2].partition("\n")[0]
    answer = prompt.partition("ANSWER=")[2].strip()
    return (
        r"Final Judgment: \boxed{A} - CORRECT"
        if truth in answer
        else r"Final Judgment: \boxed{B} - INCORRECT"
    )


@contextmanager
def serve(models: ScriptedModels) -> Generator[ScriptedModels]:
    """The script behind a real HTTP server until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            models.keys.append(self.headers.get("Authorization", ""))
            reply = models.reply(self.path, body)
            if isinstance(reply, int):
                self.send(reply, {"error": {"message": models.trouble, "code": reply}})
            else:
                message = {"role": "assistant", "content": reply}
                usage = {"prompt_tokens": 10, "completion_tokens": 5}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                self.send(200, {"model": body["model"], "choices": [choice], "usage": usage})

        def send(self, status: int, body: dict[str, Any]) -> None:
            payload = json.dumps(body).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)
            except OSError:
                self.close_connection = True  # the asker was killed meanwhile, as some tests do

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # the asker was killed meanwhile, as some tests do

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    models.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield models
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
