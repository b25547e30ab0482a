"""A stand-in for the package `xllamacpp`: a Python module that serves scripted replies."""

from pathlib import Path

_SOURCE = """
import json, os, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

class CommonParams(SimpleNamespace):
    def __init__(self):
        super().__init__(
            model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace()
        )

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != f"Bearer {self.server.params.api_keys[0]}":
            content, status = {"error": {"message": "Invalid API Key"}}, 401
        else:
            message = {"role": "assistant", "content": '{"answer":"42"}'}
            content, status = {"choices": [{"finish_reason": "stop", "message": message}], "usage": {}}, 200
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())
    def log_message(self, *_):
        pass

class Server:
    def __init__(self, params):
        print("native noise", flush=True)
        if "broken" in params.model.path:
            raise RuntimeError("failed to load model")
        if "crash" in params.model.path:
            os._exit(3)
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.params = params
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.params = params
        self.listening_address = f"http://127.0.0.1:{server.server_port}"
"""


def write_library(folder: Path) -> None:
    """Put the stand-in into `folder`, to be found there before the real package."""
    (folder / "xllamacpp.py").write_text(_SOURCE)
