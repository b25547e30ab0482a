"""Where pages come from: `local://` addresses out of the corpus, all others through the page service."""

from typing import Protocol

LOCAL_SCHEME = "local://"
PAGE_CHARACTERS = 150_000
"""No more of a page is read (AgentCompass 1.0.1, `web_visitor.py`): about 40,000 tokens."""


class PageUnreadableError(Exception):
    """This page cannot be had; str() is one short line for the model, which goes on."""


class PageReader(Protocol):
    """Fetches the text of pages."""

    async def read(self, address: str) -> str:
        """The text of the page, never blank.

        Raises:
            PageUnreadableError: It cannot be had, or holds nothing to read.
            BadArgumentsError: The address must not be opened.
            ToolTroubleError: The service refuses the key.
        """
        ...


class Pages:
    """Opens an address wherever it lies.

    Args:
        web: Reads http and https addresses; ``None`` where only the corpus may be read.
        corpus: Reads `local://` addresses; ``None`` where there is no corpus.
    """

    def __init__(self, *, web: PageReader | None, corpus: PageReader | None) -> None:
        self._web = web
        self._corpus = corpus

    async def read(self, address: str) -> str:
        """The text of the page, at most `PAGE_CHARACTERS` of it; raises like `PageReader.read`."""
        is_local = address.strip().lower().startswith(LOCAL_SCHEME)
        reader = self._corpus if is_local or self._web is None else self._web
        if reader is None:
            raise PageUnreadableError(f"{address[:200]!r} cannot be opened here")
        return (await reader.read(address))[:PAGE_CHARACTERS]
