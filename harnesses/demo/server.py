"""The demo's endpoint: a real model on this machine that speaks `openai-chat`, tools included."""

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from harnesses.demo.adapter import Adapter
from harnesses.demo.http_front import HttpFront
from harnesses.demo.model_client import ModelClient
from harnesses.demo.model_process import ModelProcess, check_library, default_threads
from harnesses.demo.weights import find_weights, model_id_of
from harnesses.downloads import Tell


class DemoServer:
    """A context manager that the controller holds open while its session runs.

    `model_id` is what a client sends as the model; `base_url`, e.g. ``"http://127.0.0.1:40123/v1"``, is there
    once it is entered. Nothing is left when it closes, no process, no thread, no file but the weights.

    Args:
        choice: ``"smollm2"``, ``"qwen2.5-coder-0.5b"`` or the path of a `.gguf` file.
        tell: Gets lines of progress while the weights are fetched.
        n_threads: Threads of the model; ``None``: all cores but one.
    """

    def __init__(self, choice: str = "smollm2", *, tell: Tell, n_threads: int | None = None) -> None:
        self.model_id = model_id_of(choice)
        self.base_url = ""
        self._choice = choice
        self._tell = tell
        self._n_threads = n_threads or default_threads()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Fetch the weights if need be, and serve them.

        Raises:
            DemoError: llama.cpp or the weights cannot be had, or do not go together.
        """
        check_library()
        weights = find_weights(self._choice, tell=self._tell)
        with ExitStack() as opening:
            # The front closes last: what it still answers ends as soon as the model is gone.
            process = ModelProcess(weights, n_threads=self._n_threads)
            opening.callback(process.stop)
            process.__enter__()
            adapter = Adapter(ModelClient(process.url, process.key), model_id=self.model_id)
            front = opening.enter_context(HttpFront(adapter))
            opening.callback(process.stop)
            self.base_url = front.base_url
            self._open = opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, frames: TracebackType | None
    ) -> None:
        self._open.close()
