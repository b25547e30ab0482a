"""A Hub on loopback that answers as the real one does what `huggingface_hub` 2.4 asks to fetch a dataset.

Requests seen from it are ``/api/datasets/<repo>/revision/<revision>``, ``/api/datasets/<repo>/tree/<commit>``
and ``/datasets/<repo>/resolve/<commit>/<path>``. As on the real Hub the first two answer for a gated dataset
without a token, and the third refuses: 401 without a token, 403 for one that may not.
"""

import hashlib
import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

REPO = "gaia-benchmark/GAIA"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass(kw_only=True)
class StandInHub:
    """One dataset at one commit, which the branch `main` points at.

    `repo` is its name; every other name is refused. `files` are by path in the repository. `tokens` may read
    it; ``None`` means that it is open to all. `requests` are what was asked, e.g.
    ``["GET /api/datasets/…"]``. `status` is what every request gets instead of an answer, e.g. 503; with
    `hangs_up` the connection ends without one. `lost` are files that the listing names and the download does
    not find.
    """

    files: Mapping[str, bytes]
    tokens: frozenset[str] | None = None
    requests: list[str] = field(default_factory=list[str])
    status: int | None = None
    hangs_up: bool = False
    lost: frozenset[str] = frozenset()
    url: str = ""
    repo: str = REPO

    @contextmanager
    def serving(self) -> Generator["StandInHub"]:
        """Answer at `url` until the block ends."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """What goes back; `code` and `message` are the Hub's own headers for an error."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of_json(cls, value: Any) -> "_Answer":
        return cls(body=json.dumps(value).encode(), headers={"Content-Type": "application/json"})

    @classmethod
    def refusal(cls, status: int, code: str, message: str) -> "_Answer":
        headers = {"X-Error-Message": message} | ({"X-Error-Code": code} if code else {})
        return cls(status=status, body=json.dumps({"error": message}).encode(), headers=headers)


def _answer(hub: StandInHub, path: str, token: str | None) -> _Answer:
    if hub.status is not None:
        return _Answer(status=hub.status, body=b"Service Unavailable")
    if token is not None and not token.startswith("hf_"):
        return _Answer.refusal(401, "", "Invalid credentials in Authorization header")
    parts = unquote(path).strip("/").split("/")
    is_api = parts[0] == "api"
    kind, owner, name, action, revision, *rest = parts[1:] if is_api else parts
    if kind != "datasets" or f"{owner}/{name}" != hub.repo:
        # The real Hub does not tell a stranger whether a dataset is missing or private.
        return _Answer.refusal(401, "RepoNotFound", "Repository not found")
    if revision not in {COMMIT, "main"}:
        return _Answer.refusal(404, "RevisionNotFound", f"Invalid rev id: {revision}")
    if is_api:
        return _Answer.of_json(_listing(hub) if action == "revision" else _tree(hub))
    return _file(hub, "/".join(rest), token)


def _listing(hub: StandInHub) -> dict[str, Any]:
    return {
        "id": hub.repo,
        "sha": COMMIT,
        "private": False,
        "gated": "auto" if hub.tokens is not None else False,
        "tags": [],
        "siblings": [{"rfilename": path} for path in sorted(hub.files)],
    }


def _tree(hub: StandInHub) -> list[dict[str, Any]]:
    folders = {path.rpartition("/")[0] for path in hub.files} - {""}
    return [{"type": "directory", "oid": _oid(f.encode()), "size": 0, "path": f} for f in sorted(folders)] + [
        {"type": "file", "oid": _oid(content), "size": len(content), "path": path}
        for path, content in sorted(hub.files.items())
    ]


def _file(hub: StandInHub, path: str, token: str | None) -> _Answer:
    if hub.tokens is not None and token not in hub.tokens:
        status = 401 if token is None else 403
        return _Answer.refusal(status, "GatedRepo", f"Access to dataset {hub.repo} is restricted.")
    if path not in hub.files or path in hub.lost:
        return _Answer.refusal(404, "EntryNotFound", "Entry not found")
    content = hub.files[path]
    return _Answer(body=content, headers={"ETag": f'"{_oid(content)}"', "X-Repo-Commit": COMMIT})


def _oid(content: bytes) -> str:
    """The name git gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324  # git's own digest


def _handler(hub: StandInHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            hub.requests.append(f"{self.command} {self.path}")
            if hub.hangs_up:
                self.close_connection = True
                return
            bearer = self.headers.get("Authorization")
            answer = _answer(
                hub, urlsplit(self.path).path, bearer.removeprefix("Bearer ") if bearer else None
            )
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name http.server gives it
            """Say nothing: the test reads `requests`."""

    return Handler
