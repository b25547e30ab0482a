"""llama.cpp's server in a process of its own."""

import io
import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from demo_library import write_library

from harnesses.demo import native_server

ROOT = Path(__file__).parents[2]


class Params(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(
            model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace()
        )


def settings(states: Path, **other: Any) -> dict[str, Any]:
    return {
        "weights": "m.gguf",
        "key": "secret",
        "n_threads": 3,
        "n_context_tokens": 2048,
        "states_dir": str(states),
        **other,
    }


def serve(monkeypatch: pytest.MonkeyPatch, states: Path, server: Any) -> tuple[dict[str, Any], list[int]]:
    """The line the process answers with, and the codes it leaves with."""
    library = SimpleNamespace(CommonParams=Params, Server=server)
    monkeypatch.setitem(cast("dict[str, Any]", sys.modules), native_server.LIBRARY, library)
    replies, codes = io.StringIO(), list[int]()
    native_server.serve(io.StringIO(json.dumps(settings(states)) + "\n"), replies, codes.append)
    return json.loads(replies.getvalue()), codes


def started(_: Params) -> Any:
    return SimpleNamespace(listening_address="http://there")


def test_it_tells_its_address_and_leaves_when_its_orders_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    states = tmp_path / "states"
    states.mkdir()
    line, codes = serve(monkeypatch, states, started)
    assert (line, codes) == ({"url": "http://there"}, [0])
    assert not states.exists()


def test_it_tells_what_went_wrong_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(_: Params) -> None:
        raise RuntimeError("failed to load model")

    line, codes = serve(monkeypatch, tmp_path, broken)
    assert (line, codes) == ({"error": "RuntimeError: failed to load model"}, [1])


def test_the_server_is_quiet_private_and_serves_one_request_at_a_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[Params] = []

    def start(params: Params) -> Any:
        given.append(params)
        return started(params)

    serve(monkeypatch, tmp_path, start)
    (params,) = given
    assert (params.hostnames, params.api_keys, params.cors_origins) == (["127.0.0.1"], ["secret"], "")
    assert (params.verbosity, params.ui, params.offline) == (0, False, True)
    assert (params.model.path, params.n_ctx, params.n_parallel) == ("m.gguf", 2048, 1)
    assert (params.cpuparams.n_threads, params.cpuparams_batch.n_threads) == (3, 3)


@contextmanager
def process(folder: Path) -> Generator["subprocess.Popen[str]"]:
    """The module over its standard streams, with the stand-in library; `sys.exit` lets coverage see it."""
    write_library(folder)
    script = "import sys; from harnesses.demo import native_server; native_server.main(sys.exit)"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": f"{ROOT}:{folder}"},
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as running:
        assert running.stdin
        running.stdin.write(json.dumps(settings(folder / "states")) + "\n")
        running.stdin.flush()
        yield running


def test_what_native_code_prints_is_no_reply_and_ctrl_c_is_not_for_it(tmp_path: Path) -> None:
    with process(tmp_path) as running:
        assert running.stdin
        assert running.stdout
        line = json.loads(running.stdout.readline())
        running.send_signal(signal.SIGINT)
        running.stdin.close()
        assert running.wait() == 0
    assert list(line) == ["url"]
