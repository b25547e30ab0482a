"""The protocol of the ground floor: one async method drives a model from a prompt to an attempt."""

from typing import ClassVar, Protocol

from harnesses.attempt import Attempt, Prompt


class HarnessParams(Protocol):
    """The parameters of a harness: a frozen dataclass that validates itself."""

    def missing(self) -> list[str]:
        """What must be there before the first request and is not, one line each with its remedy.

        Example: ``["serper_api_key is empty: set SERPER_API_KEY, or search_backend: local"]``.
        """
        ...


class Harness(Protocol):
    """Drives one model.

    `name` is its id in the configuration; `readable_suffixes` are the attachments it can open, e.g.
    ``frozenset({".txt"})``. `searches` says that it brings a search of its own, `asks_model` that the
    model's address must be known.
    """

    name: ClassVar[str]
    readable_suffixes: ClassVar[frozenset[str]]
    searches: ClassVar[bool]
    asks_model: ClassVar[bool]

    async def run(self, prompt: Prompt) -> Attempt:
        """One attempt, from prompt to final message.

        Raises:
            AttemptUnavailableError: There is none, and that is nobody's fault.
            AttemptFailedError: Trouble with an endpoint or a tool; the attempt is no wrong answer.
        """
        ...

    async def aclose(self) -> None:
        """Give back connections and files."""
        ...
