"""The HTTP front of the demo's endpoint, on loopback alone."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Self, cast

from harnesses.demo.adapter import Adapter, Reply, refusal

MAX_REQUEST_BYTES = 10_000_000


class HttpFront:
    """A context manager: serves `adapter` on a free port of 127.0.0.1 while it is open.

    `base_url` is the address up to the version, e.g. ``"http://127.0.0.1:40123/v1"``.
    """

    def __init__(self, adapter: Adapter) -> None:
        self._server = _Server(adapter)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="demo-endpoint")
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, frames: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()  # waits for the requests in the making


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that went away is no trouble of ours, and the terminal is pytest's."""


class _Handler(BaseHTTPRequestHandler):
    # HTTP/1.0 closes after each reply, so that no idle connection keeps a thread when the demo ends.
    timeout: ClassVar[float | None] = 5.0

    @property
    def adapter(self) -> Adapter:
        return cast("_Server", self.server).adapter

    def do_GET(self) -> None:
        path = self.path.rstrip("/")
        self._send(self.adapter.models() if path == "/v1/models" else refusal(404, "there is no such page"))

    def do_POST(self) -> None:
        if self.path.rstrip("/") != "/v1/chat/completions":
            self._send(refusal(404, "the demo serves POST /v1/chat/completions alone"))
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_REQUEST_BYTES:
            self._send(refusal(413, f"Content-Length must be at most {MAX_REQUEST_BYTES} bytes"))
            return
        try:
            request: Any = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            self._send(refusal(400, "the body is no JSON"))
            return
        self._send(self.adapter.chat(request))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the parent's form
        """Log nothing: the terminal is pytest's."""

    def _send(self, reply: Reply) -> None:
        status, body = reply
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
