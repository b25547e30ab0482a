"""The viewer's server: whom it answers, what it never gives, and how it ends."""

import http.client
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from journey import ROOT
from report_scene import finished

from benchmarks.__main__ import main
from benchmarks.commands.view import parse_port
from benchmarks.report.viewer import ViewerServer
from benchmarks.report.viewer_pages import ViewerPages
from benchmarks.report.viewer_runs import WatchedRun
from benchmarks.results.files import RunFiles


def key_of(run_dir: Path) -> str:
    return WatchedRun(path=run_dir).key


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/run",
        "/run/0123456789ab",
        "/run/KEY/t-9",
        "/run/KEY/t-1/more",
        "/run/KEY/../../secret.json",
        "/run/KEY/details%2ft-1",
        "/run/KEY/_plan",
        "/run/../run.json",
        "/../../etc/passwd",
        "//etc/passwd",
        "/run/KEY/..%2f..%2fsecret",
        "/compare?base=KEY",
        "/compare?base=../..&new=KEY",
        "/page.css/../run.json",
    ],
)
def test_no_address_leads_out_of_the_runs(path: str, tmp_path: Path) -> None:
    run_dir = finished(tmp_path / "run", {"t-1": "correct"})
    (tmp_path / "secret.json").write_text('{"attempts": {}}')
    with served(run_dir) as ask:
        status, _, text = ask("GET", path.replace("KEY", key_of(run_dir)))
    assert status == 404 and "No page lies at this address." in text


Asked = tuple[int, dict[str, str], str]


@contextmanager
def served(*paths: Path) -> Generator[Callable[..., Asked]]:
    """A viewer in a thread; what is yielded asks it: ``ask("GET", "/", host="localhost:PORT")``."""
    server = ViewerServer(paths)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()

    def ask(method: str, target: str, host: str = "127.0.0.1:PORT") -> Asked:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
        try:
            connection.putrequest(method, target, skip_host=True)
            connection.putheader("Host", host.replace("PORT", str(server.server_port)))
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    try:
        yield ask
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:PORT", "127.0.0.1.evil.example:PORT", "127.0.0.1:1", ""]
)
def test_a_page_of_another_site_cannot_lead_its_name_here(host: str, tmp_path: Path) -> None:
    with served(finished(tmp_path / "run", {"t-1": "correct"})) as ask:
        status, _, text = ask("GET", "/", host)
    assert status == 421 and "127.0.0.1 and localhost alone" in text and "t-1" not in text


def test_it_answers_to_localhost_too(tmp_path: Path) -> None:
    with served(tmp_path) as ask:
        assert ask("GET", "/", "localhost:PORT")[0] == 200


def test_it_listens_on_loopback_alone(tmp_path: Path) -> None:
    server = ViewerServer([tmp_path])
    server.server_close()
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_it_only_shows(method: str, tmp_path: Path) -> None:
    with served(finished(tmp_path / "run", {"t-1": "correct"})) as ask:
        status, headers, _ = ask(method, "/")
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


def test_head_says_what_get_would_and_sends_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as ask:
        status, headers, text = ask("HEAD", "/")
        whole = ask("GET", "/")[2]
    assert (status, text, int(headers["Content-Length"])) == (200, "", len(whole.encode()))


def test_every_answer_forbids_what_a_page_could_do(tmp_path: Path) -> None:
    with served(tmp_path) as ask:
        headers = ask("GET", "/")[1]
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"


def test_its_style_and_script_are_its_own(tmp_path: Path) -> None:
    with served(tmp_path) as ask:
        style, script = ask("GET", "/page.css"), ask("GET", "/viewer.js")
    assert (style[0], style[1]["Content-Type"]) == (200, "text/css; charset=utf-8")
    assert "addEventListener" in script[2]
    assert "://" not in style[2] + script[2], "nothing comes from elsewhere"


def test_a_page_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_dir = finished(tmp_path / "run", {"t-1": "correct"})
    RunFiles(root=run_dir).run.write_text("{")
    with served(run_dir) as ask:
        status, _, text = ask("GET", f"/run/{key_of(run_dir)}")
        assert status == 500 and "is no JSON" in text

        def fail(*_: object) -> str:
            raise RuntimeError("<no> page")

        monkeypatch.setattr(ViewerPages, "page", fail)
        status, _, text = ask("GET", "/")
        assert status == 500 and "RuntimeError while this page was made: &lt;no&gt; page" in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_the_command_prints_its_address_and_ends_quietly(number: signal.Signals, tmp_path: Path) -> None:
    finished(tmp_path / "run", {"t-1": "correct"})
    viewer = subprocess.Popen(
        [sys.executable, "-m", "benchmarks", "view", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert viewer.stdout is not None
    try:
        url, note = viewer.stdout.readline().strip(), viewer.stdout.readline().strip()
        port = int(url.removeprefix("http://127.0.0.1:").removesuffix("/"))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/")
        assert "Accuracy 1.000" in connection.getresponse().read().decode()
        connection.close()
    finally:
        viewer.send_signal(number)
        out, err = viewer.communicate(timeout=20)
    assert note == "Private: it shows questions and ground truths. Ctrl-C ends it."
    assert (viewer.returncode, out, err) == (0, "", "")


def test_a_folder_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(tmp_path / "gone")]) == 4
    assert "is no folder: name a run directory, or a folder with runs below it" in capsys.readouterr().err


def test_a_port_that_is_taken_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taken = ViewerServer([tmp_path])
    try:
        assert main(["view", str(tmp_path), "--port", str(taken.server_port)]) == 4
    finally:
        taken.server_close()
    assert "cannot be had: Address already in use; leave out --port" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["-1", "65536", "x", "\uff18"])
def test_a_port_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Exception, match="is no port: give a whole number from 0 to 65535"):
        parse_port(text)
    assert parse_port("8080") == 8080
