"""The demo's endpoint over real HTTP, with a scripted model behind it."""

import http.client
import importlib.util
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from demo_library import write_library
from demo_scene import KEY, asks, native_stand_in, with_tools

from harnesses.demo.adapter import Adapter
from harnesses.demo.errors import DemoError
from harnesses.demo.http_front import MAX_REQUEST_BYTES, HttpFront
from harnesses.demo.model_client import ModelClient
from harnesses.demo.server import DemoServer


@pytest.fixture
def base_url() -> Iterator[str]:
    with (
        native_stand_in() as native,
        HttpFront(Adapter(ModelClient(native.url, KEY), model_id="Tiny-1M")) as front,
    ):
        yield front.base_url


def test_a_question_with_tools_is_answered(base_url: str) -> None:
    reply = httpx.post(f"{base_url}/chat/completions", json=with_tools(), trust_env=False)
    assert reply.status_code == 200
    assert reply.json()["choices"][0]["message"]["content"] == "42"


def test_the_model_is_listed(base_url: str) -> None:
    reply = httpx.get(f"{base_url}/models", trust_env=False)
    assert (reply.status_code, reply.json()["data"][0]["id"]) == (200, "Tiny-1M")


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        pytest.param("GET", "/nothing", b"", 404, id="no-such-page"),
        pytest.param("POST", "/completions", b"{}", 404, id="no-such-method"),
        pytest.param("POST", "/chat/completions", b"{", 400, id="no-json"),
        pytest.param("POST", "/chat/completions", b"[" * 100_000, 400, id="nested-without-end"),
        pytest.param("POST", "/chat/completions", b"{}", 400, id="no-messages"),
    ],
)
def test_what_cannot_be_served_is_refused_in_openai_s_form(
    method: str, path: str, content: bytes, status: int, base_url: str
) -> None:
    reply = httpx.request(method, f"{base_url}{path}", content=content, trust_env=False)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, status)


@pytest.mark.parametrize("length", ["", "many", str(MAX_REQUEST_BYTES + 1)])
def test_a_request_of_unknown_or_absurd_length_is_refused_unread(length: str, base_url: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc)
    connection.putrequest("POST", "/v1/chat/completions")
    connection.putheader("Content-Length", length)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_a_client_that_goes_away_disturbs_nobody(base_url: str, capfd: pytest.CaptureFixture[str]) -> None:
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc)
    connection.putrequest("POST", "/v1/chat/completions")
    connection.putheader("Content-Length", "100")
    connection.endheaders(b'{"messages"')
    connection.close()
    assert httpx.get(f"{base_url}/models", trust_env=False).status_code == 200
    assert capfd.readouterr() == ("", "")


def test_trouble_in_a_handler_is_not_printed(
    base_url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def trouble(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(Adapter, "models", trouble)
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{base_url}/models", trust_env=False)
    assert capfd.readouterr() == ("", "")


def found(_: str) -> object:
    return object()


@pytest.fixture
def own_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of the user's that the stand-in library serves."""
    write_library(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", found)
    path = tmp_path / "own-1M.gguf"
    path.write_bytes(b"")
    return path


def nothing(_: str) -> None:
    """Tells nobody, finds nothing."""


def test_the_demo_serves_the_chosen_model_while_it_is_open(own_model: Path) -> None:
    before = threading.active_count()
    with DemoServer(str(own_model), tell=nothing, n_threads=1) as demo:
        reply = httpx.post(f"{demo.base_url}/chat/completions", json=asks(), trust_env=False)
        assert (reply.json()["model"], demo.model_id) == ("own-1M", "own-1M")
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{demo.base_url}/models", trust_env=False)
    assert threading.active_count() == before


def test_the_demo_stops_after_an_exception(own_model: Path) -> None:
    demo = DemoServer(str(own_model), tell=nothing)
    with pytest.raises(KeyError), demo:
        raise KeyError
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{demo.base_url}/models", trust_env=False)


def test_a_demo_that_cannot_start_leaves_nothing(own_model: Path) -> None:
    before = threading.active_count()
    broken = own_model.with_name("broken.gguf")
    broken.write_bytes(b"")
    with pytest.raises(DemoError, match="cannot serve"), DemoServer(str(broken), tell=nothing):
        pass
    assert threading.active_count() == before


def test_the_library_is_looked_for_before_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", nothing)
    with pytest.raises(DemoError, match=r"llama\.cpp|xllamacpp"), DemoServer("/no/such.gguf", tell=nothing):
        pass


def test_the_reply_is_json(base_url: str) -> None:
    reply = httpx.get(f"{base_url}/models", trust_env=False)
    assert reply.headers["content-type"] == "application/json"
    assert json.loads(reply.content)
