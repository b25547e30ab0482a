"""A real server on loopback that does wrong what servers do wrong, task by task, and counts who asked.

It plays the model under test, the judge, Serper and Jina Reader. Which task a request is about stands in it
as ``<task id>``. A task has a script for the role that fails; every other role answers as it should.
"""

import json
import re
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Role = Literal["model", "judge", "search", "pages"]
Body = Mapping[str, Any]
Headers = tuple[tuple[str, str], ...]

RIGHT = r"Final Judgment: \boxed{A} - CORRECT"
WRONG = r"Final Judgment: \boxed{B} - INCORRECT"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What is sent back: `text` under `status`; `how` is what becomes of the connection meanwhile."""

    text: str = ""
    status: int = 200
    headers: Headers = ()
    how: Literal["whole", "reset", "hang up", "cut short", "dribble"] = "whole"


@dataclass(frozen=True, kw_only=True)
class Well:
    """The reply of a server in order."""


Step = Reply | Well
WELL = Well()


def sends(body: Any, *, status: int = 200, headers: Headers = ()) -> Reply:
    """A JSON body."""
    return Reply(text=json.dumps(body), status=status, headers=headers)


def says(content: Any, *, finish_reason: str | None = "stop", **message: Any) -> Reply:
    """A chat completion; further parts of the message by name."""
    told = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "finish_reason": finish_reason, "message": told}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return sends({"id": "c", "model": "m", "choices": [choice], "usage": usage})


def calls(name: str, arguments: Any) -> Reply:
    """A chat completion that calls one tool; arguments that are no text go out as the value they are."""
    function = {"name": name, "arguments": arguments}
    call = {"id": f"call-{name}", "type": "function", "function": function}
    return says(None, finish_reason="tool_calls", tool_calls=[call])


def refuses(status: int, message: str = "no", **more: Any) -> Reply:
    """An error of an OpenAI-compatible server; its `headers` are those of the reply."""
    headers: Headers = more.pop("headers", ())
    return sends({"error": {"message": message, **more}}, status=status, headers=headers)


def in_a_second() -> str:
    """An HTTP date that is at most two seconds ahead."""
    return format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)


@dataclass
class FaultyServer:
    """Plays the scripts; the last step of one stays. `asked` counts requests by role and task."""

    scripts: dict[tuple[Role, str], list[Step]] = field(default_factory=dict[tuple[Role, str], list[Step]])
    asked: Counter[tuple[Role, str]] = field(default_factory=Counter[tuple[Role, str]])
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    def script(self, role: Role, task_id: str, steps: Sequence[Step]) -> None:
        """What is answered in `role` to requests about a task."""
        self.scripts[role, task_id] = list(steps)

    def url(self, role: Role) -> str:
        """The base address of a role."""
        version = "/v1" if role in {"model", "judge"} else ""
        return f"http://127.0.0.1:{self.port}/{role}{version}"

    def answer(self, role: Role, said: str, body: Body) -> Reply:
        """The reply to a request that holds `said`."""
        found = re.search(r"(?:<|%3C)([\w-]+)(?:>|%3E)", said)
        task_id = "" if found is None else found[1]
        with self.lock:
            is_reading = role == "model" and "Read the page below" in said
            if not is_reading:
                self.asked[role, task_id] += 1
            steps = [WELL] if is_reading else self.scripts.get((role, task_id), [WELL])
            step = steps.pop(0) if len(steps) > 1 else steps[0]
        return step if isinstance(step, Reply) else _WELL[role](task_id, body)


def _model(task_id: str, body: Body) -> Reply:
    """Searches and visits where there are tools, then says the truth; reads pages for a goal."""
    messages: Sequence[Mapping[str, Any]] = body["messages"]
    if "Read the page below" in str(messages[-1]["content"]):
        return says('{"evidence": "words", "summary": "words"}')
    n_results = sum(message["role"] == "tool" for message in messages)
    if body.get("tools") and n_results == 0:
        return calls("search", json.dumps({"query": f"<{task_id}>"}))
    if body.get("tools") and n_results == 1:
        return calls("visit", json.dumps({"url": f"http://page.test/<{task_id}>", "goal": "g"}))
    return says(f"stone {task_id}")


def _judge(_task_id: str, body: Body) -> Reply:
    prompt = str(body["messages"][-1]["content"])
    truth = prompt.partition("TRUTH=")[2].partition("\n")[0]
    return says(RIGHT if truth in prompt.partition("ANSWER=")[2] else WRONG)


def _search(_task_id: str, _body: Body) -> Reply:
    return sends({"organic": [{"title": "A stone", "link": "http://page.test/a", "snippet": "grey"}]})


def _pages(_task_id: str, _body: Body) -> Reply:
    return Reply(text="Title: A stone\n\nMarkdown Content:\nA stone lies there.")


_WELL: Mapping[Role, Callable[[str, Body], Reply]] = {
    "model": _model,
    "judge": _judge,
    "search": _search,
    "pages": _pages,
}


@contextmanager
def serving(faulty: FaultyServer) -> Generator[FaultyServer]:
    """The scripts behind a real HTTP server until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet: two would wait for each other

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send(json.dumps(body, ensure_ascii=False), body)

        def do_GET(self) -> None:
            self.send(self.path, {})

        def send(self, said: str, body: Body) -> None:
            role: Any = self.path.split("/")[1]
            reply = faulty.answer(role, said, body)
            try:
                _send(self, reply, faulty.over)
            except OSError:
                self.close_connection = True  # the asker waits no longer

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # the asker is gone, as some tests want it

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    faulty.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield faulty
    finally:
        faulty.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _send(handler: BaseHTTPRequestHandler, reply: Reply, over: threading.Event) -> None:
    content = reply.text.encode()
    if reply.how == "reset":
        connection: socket.socket = handler.connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if reply.how in {"reset", "hang up"}:
        handler.close_connection = True
        handler.connection.close()
        return
    handler.send_response(reply.status)
    for name, value in reply.headers:
        handler.send_header(name, in_a_second() if value == "in a second" else value)
    handler.send_header("Content-Length", str(len(content) + (100 if reply.how != "whole" else 0)))
    handler.end_headers()
    handler.wfile.write(content)
    handler.wfile.flush()
    if reply.how == "dribble":
        over.wait(60)
    handler.close_connection = reply.how != "whole"
