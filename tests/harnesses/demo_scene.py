"""A stand-in for llama.cpp's server: real HTTP on loopback, scripted replies, everything asked on record."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "stand-in-key"
SEARCH: dict[str, Any] = {
    "name": "search",
    "description": "Search for pages.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}
OVERFLOW: dict[str, Any] = {
    "error": {
        "code": 400,
        "message": "request (8031 tokens) exceeds the available context size (4096 tokens)",
        "type": "exceed_context_size_error",
    }
}


@dataclass
class NativeStandIn:
    """`says` are the texts of the coming replies, in order; the last one is said for ever.

    `asked` are the bodies of the chat requests, the ones that warm an opening up included; `slots` are
    ``("save"|"restore", file name)``. `keeps_states` False refuses both. `fails` is a status and a body that
    every chat request gets instead; a body of bytes is sent as it is.
    """

    says: list[str] = field(default_factory=lambda: ['{"answer":"42"}'])
    finish_reason: str = "stop"
    keeps_states: bool = True
    fails: tuple[int, Any] | None = None
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    slots: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    keys: set[str | None] = field(default_factory=set[str | None])

    @property
    def conversations(self) -> list[dict[str, Any]]:
        """The chat requests that came from a client, without those that warm an opening up."""
        return [body for body in self.asked if body["max_tokens"] != 1]

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """What the server says."""
        if path.startswith("/slots/0?action="):
            self.slots.append((path.rpartition("=")[2], body["filename"]))
            return (200, {}) if self.keeps_states else (501, {"error": {"message": "not supported"}})
        self.asked.append(body)
        if self.fails:
            return self.fails
        message = {"role": "assistant", "content": "" if body["max_tokens"] == 1 else self._says_next()}
        choice = {"index": 0, "finish_reason": self.finish_reason, "message": message}
        usage = {"prompt_tokens": 50, "completion_tokens": 7, "total_tokens": 57}
        return 200, {"id": "chatcmpl-1", "choices": [choice], "model": "/weights.gguf", "usage": usage}

    def _says_next(self) -> str:
        return self.says.pop(0) if len(self.says) > 1 else self.says[0]


@contextmanager
def native_stand_in(**script: Any) -> Generator[NativeStandIn]:
    """The stand-in, serving."""
    native = NativeStandIn(**script)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            native.keys.add(self.headers.get("Authorization"))
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = native.reply(self.path, body)
            content = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the parent's form
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    native.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield native
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def asks(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A chat request; without messages it asks one question."""
    return {"model": "demo", "messages": list(messages) or [{"role": "user", "content": "How deep?"}], **more}


def with_tools(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A chat request that offers `search`."""
    return asks(*messages, tools=[{"type": "function", "function": SEARCH}], **more)
