"""llama.cpp's server in a process of its own: `python -m harnesses.demo.native_server`.

It gets its settings as one JSON line on standard input, answers with one JSON line, ``{"url": "http://…"}``
or ``{"error": "…"}``, and lives until standard input closes, so that it never outlives the session that
started it. It has a process of its own, because inside the session's process it can neither be stopped while
it answers (its destructor waits for ever) nor crash alone.
"""

import importlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from typing import IO, Any

LIBRARY = "xllamacpp"


def serve(orders: IO[str], replies: IO[str], leave: Callable[[int], object]) -> None:
    """Serve until `orders` end; `leave` then ends the process at once, replies in the making included."""
    settings = json.loads(orders.readline())
    try:
        server = start(settings)
        address = str(server.listening_address)
    except Exception as error:  # noqa: BLE001  # whatever it is, the session has to hear of it
        replies.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")
        replies.flush()
        leave(1)
        return
    replies.write(json.dumps({"url": address}) + "\n")
    replies.flush()
    orders.read()
    shutil.rmtree(settings["states_dir"], ignore_errors=True)
    leave(0)


def start(settings: Mapping[str, Any]) -> Any:
    """The running server.

    Args:
        settings: ``{"weights": "m.gguf", "key": "…", "n_threads": 1, "n_context_tokens": 4096,
            "states_dir": "/tmp/x"}``.
    """
    library: Any = importlib.import_module(LIBRARY)
    params: Any = library.CommonParams()
    params.model.path = settings["weights"]
    params.n_ctx = settings["n_context_tokens"]
    params.cpuparams.n_threads = settings["n_threads"]
    params.cpuparams_batch.n_threads = settings["n_threads"]
    # One slot: with more, replies in the making share a batch and a reply depends on its neighbours.
    params.n_parallel = 1
    params.n_ubatch = 128  # 10 % faster than the default 512 on two cores
    params.slot_save_path = f"{settings['states_dir']}{os.sep}"
    params.cache_ram_mib = 0
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    # Any page in a browser may send requests to loopback: the key keeps them out.
    params.api_keys = [settings["key"]]
    params.cors_origins = ""
    params.ui = False
    params.offline = True
    params.verbosity = 0
    return library.Server(params)


def main(leave: Callable[[int], object] = os._exit) -> None:
    """Speak over the standard streams; `leave` ends the process."""
    # Ctrl-C in a terminal reaches this process too; when to end is the session's affair.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as replies:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what native code prints is no reply
        serve(sys.stdin, replies, leave)


if __name__ == "__main__":
    main()
