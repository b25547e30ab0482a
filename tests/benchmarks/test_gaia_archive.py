"""The text-103 archive: real zip files over HTTP from a server on loopback."""

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from gaia_rows import compass_row, isolate

from benchmarks.benchmark import Dataset, DatasetError
from benchmarks.gaia.benchmark import Gaia
from benchmarks.gaia.params import GaiaParams
from benchmarks.gaia.sources.archive import MEMBER
from harnesses.endpoint.addresses import public_address


@dataclass
class ArchiveServer:
    """Gives `body` at every path; `n_requests` counts. `is_cut` ends the connection before its end."""

    body: bytes = b""
    status: int = 200
    is_cut: bool = False
    n_requests: int = 0
    url: str = ""
    told: list[str] = field(default_factory=list[str])

    def load(self, sha256: str | None = None) -> Dataset:
        return Gaia().load(GaiaParams(archive_url=self.url, archive_sha256=sha256), tell=self.told.append)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ArchiveServer]:
    isolate(monkeypatch, tmp_path / "cache")
    served = ArchiveServer(body=zipped([compass_row()]))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.n_requests += 1
            self.send_response(served.status)
            self.send_header("Content-Length", str(len(served.body)))
            self.end_headers()
            self.wfile.write(served.body[: len(served.body) // 2] if served.is_cut else served.body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name http.server gives it
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_address[1]}/gaia.zip"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    server.shutdown()
    thread.join()
    server.server_close()


def zipped(rows: list[dict[str, Any]], member: str = MEMBER) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(member, "".join(f"{json.dumps(row)}\n" for row in rows))
    return content.getvalue()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def text_103(n_of_level_1: int = 39) -> list[dict[str, Any]]:
    levels = ["1"] * n_of_level_1 + ["2"] * 52 + ["3"] * 12
    return [compass_row(task_id=f"mill-{n}", category=level) for n, level in enumerate(levels)]


def test_the_rows_of_the_archive_are_the_tasks(archive: ArchiveServer) -> None:
    dataset = archive.load()
    assert [(task.task_id, task.ground_truth) for task in dataset.tasks] == [("mill-1", "12 m")]
    assert (dataset.source, dataset.subset) == ("archive", "text-103")


def test_the_revision_is_the_digest_of_the_archive(archive: ArchiveServer) -> None:
    assert archive.load().revision == digest(archive.body)


def test_an_archive_is_fetched_once(archive: ArchiveServer) -> None:
    assert archive.load() == archive.load()
    assert archive.n_requests == 1


def test_a_digest_that_is_given_is_verified_and_in_any_letter_case(archive: ArchiveServer) -> None:
    dataset = archive.load(digest(archive.body).upper())
    assert not [line for line in dataset.warnings if "archive_sha256" in line]


def test_without_a_digest_the_summary_says_that_nothing_was_verified(archive: ArchiveServer) -> None:
    expected = (
        f"archive_sha256 is not set, so the archive was not verified; this one has {digest(archive.body)}"
    )
    assert expected in archive.load().warnings


def test_another_digest_is_another_archive_in_the_cache(archive: ArchiveServer) -> None:
    archive.load()
    archive.body = zipped([compass_row(), compass_row(task_id="mill-2")])
    assert len(archive.load(digest(archive.body)).tasks) == 2


def test_plain_http_is_told_once_and_reminds_of_the_terms_of_use(archive: ArchiveServer) -> None:
    archive.load()
    archive.load()
    lines = [line for line in archive.told if "plain http" in line]
    assert len(lines) == 1
    assert "GAIA's terms of use" in lines[0]


def test_plain_http_stands_in_the_summary_of_every_run(archive: ArchiveServer) -> None:
    archive.load()
    assert [line for line in archive.load().warnings if "plain http" in line]


def test_https_is_not_warned_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch, tmp_path)
    content, url = zipped([compass_row()]), "https://mirror.invalid/gaia.zip"
    name = digest(f"{url}\n{digest(content)}".encode())[:32]
    kept = tmp_path / "gaia" / "archive" / f"{name}.zip"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(content)
    assert not [line for line in ArchiveServer(url=url).load(digest(content)).warnings if "http" in line]


def test_the_published_counts_are_no_warning(archive: ArchiveServer) -> None:
    archive.body = zipped(text_103())
    assert not [line for line in archive.load(digest(archive.body)).warnings if "as published" in line]


def test_other_counts_than_the_published_ones_are_a_warning(archive: ArchiveServer) -> None:
    archive.body = zipped(text_103(38))
    expected = "102 tasks (38/52/12 by level), not 103 tasks (39/52/12 by level) as published for text-103"
    assert expected in archive.load().warnings


def test_attachments_that_the_archive_names_and_does_not_ship_are_a_warning(archive: ArchiveServer) -> None:
    archive.body = zipped([compass_row(metadata={"file_name": "map.png"})])
    dataset = archive.load()
    assert dataset.tasks[0].attachments == ()
    assert "1 tasks name an attachment that the archive does not ship" in dataset.warnings


def test_a_faulty_row_is_named_by_the_member_and_its_number(archive: ArchiveServer) -> None:
    archive.body = zipped([compass_row(), compass_row(task_id="mill-2", question=" ")])
    with pytest.raises(DatasetError, match=r"^text_only_metadata\.jsonl, row 2: the question is blank"):
        archive.load()


BAD_CRC = zipped([compass_row()]).replace(b"PK\x03\x04", b"PK\x03\x05", 1)
DAMAGED = bytearray(zipped([compass_row(question="why? " * 500)]))
DAMAGED[len(MEMBER) + 35 : len(MEMBER) + 55] = bytes(20)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        pytest.param(b"<!DOCTYPE html><p>log in", 200, "gave a web page, not a zip archive", id="html"),
        pytest.param(b"not a zip", 200, "gave no whole zip archive", id="no zip"),
        pytest.param(b"", 200, "gave no whole zip archive", id="empty"),
        pytest.param(zipped([compass_row()])[:-30], 200, "gave no whole zip archive", id="end missing"),
        pytest.param(BAD_CRC, 200, "gave no whole zip archive", id="damaged header"),
        pytest.param(bytes(DAMAGED), 200, "gave no whole zip archive", id="damaged content"),
        pytest.param(zipped([], "other.jsonl"), 200, f"holds no '{MEMBER}'", id="member missing"),
        pytest.param(b"gone", 404, "answered HTTP 404", id="not found"),
    ],
)
def test_what_is_no_archive_of_gaia_is_one_line_and_not_kept(
    archive: ArchiveServer, tmp_path: Path, body: bytes, status: int, message: str
) -> None:
    archive.body, archive.status = body, status
    with pytest.raises(
        DatasetError, match=f"^archive_url 'http.*' {message}.*; try again, set archive_url to"
    ) as caught:
        archive.load()
    assert "\n" not in str(caught.value)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_download_that_breaks_off_is_one_line_and_not_kept(archive: ArchiveServer, tmp_path: Path) -> None:
    archive.is_cut = True
    with pytest.raises(
        DatasetError, match=r"cannot be fetched \(RemoteProtocolError: .*\); try again, set archive_url"
    ):
        archive.load()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_server_out_of_reach_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch, tmp_path)
    with pytest.raises(
        DatasetError, match=r"cannot be fetched \(ConnectError: .*\); try again, set archive_url"
    ):
        ArchiveServer(url="http://127.0.0.1:1/gaia.zip").load()


def test_a_wrong_digest_names_both_and_keeps_nothing(archive: ArchiveServer, tmp_path: Path) -> None:
    with pytest.raises(
        DatasetError,
        match=f"has SHA-256 '{digest(archive.body)}', not archive_sha256 '{'0' * 64}'; take the archive",
    ):
        archive.load("0" * 64)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_digest_that_is_none_is_refused_before_any_request(archive: ArchiveServer) -> None:
    with pytest.raises(DatasetError, match="archive_sha256 'abc' is no SHA-256; write its 64 hex digits"):
        archive.load("abc")
    assert archive.n_requests == 0


@pytest.mark.parametrize("url", ["gaia.zip", "ftp://host/gaia.zip", "http://", "http://[oops/gaia.zip"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(
        DatasetError, match=r"is no http or https address; write it like https://host/gaia\.zip"
    ):
        ArchiveServer(url=url).load()


def test_a_secret_in_the_address_is_not_shown() -> None:
    address = "https://user:word@host:8443/gaia.zip?signature=abc"
    assert public_address(address) == "https://host:8443/gaia.zip"


def test_a_cache_that_cannot_be_written_is_one_line(
    archive: ArchiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("AGENT_BENCHMARKS_CACHE", str(tmp_path / "file"))
    with pytest.raises(
        DatasetError, match=r"the cache '.*' cannot be written \(Not a directory\); make room"
    ):
        archive.load()
