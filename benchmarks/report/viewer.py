"""The viewer's server: pages over runs, on this machine alone, to be read and nothing else."""

import signal
import threading
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from benchmarks.report.rendering import asset, render
from benchmarks.report.viewer_pages import NotThereError, ViewerPages
from benchmarks.results.files import RunFilesError

ADDRESS = "127.0.0.1"
_ASSETS = {
    "/page.css": ("text/css", ("palette.css", "page.css")),
    "/viewer.js": ("text/javascript", ("viewer.js",)),
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class ViewerServer(ThreadingHTTPServer):
    """Serves the pages of some runs on loopback.

    Args:
        paths: Run directories, and folders with runs below them.
        port: 0 takes a free one.

    Raises:
        OSError: The port is taken.
    """

    daemon_threads = True

    def __init__(self, paths: Sequence[Path], *, port: int = 0) -> None:
        super().__init__((ADDRESS, port), _Handler)
        self._pages = ViewerPages(paths)
        self._one_at_a_time = threading.Lock()
        # A page of another site can lead its own name to this address; its name is in the header then.
        self.hosts = frozenset(f"{host}:{self.server_port}" for host in (ADDRESS, "localhost"))

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{ADDRESS}:{self.server_port}/"

    def page(self, target: str) -> tuple[HTTPStatus, str, str]:
        """Status, content type and text for the target of a GET, e.g. "/run/0f3a…?outcome=correct"."""
        parts = urlsplit(target)
        if parts.path in _ASSETS:
            kind, names = _ASSETS[parts.path]
            return HTTPStatus.OK, kind, "\n".join(map(asset, names))
        try:
            with self._one_at_a_time:
                text: str = self._pages.page(unquote(parts.path), dict(parse_qsl(parts.query)))
        except NotThereError:
            return HTTPStatus.NOT_FOUND, "text/html", _trouble("No page lies at this address.")
        except RunFilesError as error:
            return HTTPStatus.INTERNAL_SERVER_ERROR, "text/html", _trouble(str(error))
        return HTTPStatus.OK, "text/html", text

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing where a reader went away in the middle of a page."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "agent-benchmarks"
    sys_version = ""
    timeout = 30
    """Seconds a silent connection is kept."""

    def do_GET(self) -> None:
        """Answer with the page, or why there is none."""
        self._answer(*self._page())

    do_HEAD = do_GET  # noqa: N815 - the base class looks for this name

    def _page(self) -> tuple[HTTPStatus, str, str]:
        server = self.server
        assert isinstance(server, ViewerServer)  # noqa: S101 - narrows the type
        if self.headers.get("Host", "") not in server.hosts:
            told = f"This viewer answers to {ADDRESS} and localhost alone."
            return HTTPStatus.MISDIRECTED_REQUEST, "text/plain", told
        try:
            return server.page(self.path)
        except Exception as error:  # noqa: BLE001 - one page that fails must not leave its reader without a word
            told = f"{type(error).__name__} while this page was made: {error}"
            return HTTPStatus.INTERNAL_SERVER_ERROR, "text/html", _trouble(told)

    def do_POST(self) -> None:
        """Refuse, whatever the method: nothing is changed from here."""
        self.close_connection = True
        self._answer(HTTPStatus.METHOD_NOT_ALLOWED, "text/plain", "This viewer only shows: GET alone.")

    do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST  # noqa: N815 - as above

    def _answer(self, status: HTTPStatus, kind: str, text: str) -> None:
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Print nothing: the terminal has the address, and that is all it needs."""


def serve(server: ViewerServer, *, tell: Callable[[str], object]) -> None:
    """Serve until Ctrl-C or SIGTERM, quietly.

    Args:
        server: What is served; closed at the end.
        tell: Gets the address, once it can be opened.
    """

    def stop(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    # A script starts what it runs in the background deaf to Ctrl-C.
    before = [signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        tell(server.url)
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)


def _trouble(line: str) -> str:
    return render("trouble.html.jinja", line=line, is_static=False)
