"""Search and pages out of a folder on this machine: no key, no network, the same results each time."""

import asyncio
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from harnesses.tools.documents import Document, read_documents
from harnesses.tools.pages import LOCAL_SCHEME, PageUnreadableError
from harnesses.tools.search import Hit
from harnesses.tools.tool import ToolRefusedError

N_HITS = 5
"""Results of a search; few, because small models read them."""

_STOP_WORDS = frozenset(
    "a an and are as at be been but by did do does "  # noqa: SIM905 - a column of 60 quoted words reads worse
    "for from had has have how if in into is it its of on or s than that the their them then there these "
    "they this to was were what when where which who whom whose why will with would".split()
)


class LocalCorpus:
    """A folder as search service and page service.

    It is read at the first use, once, off the event loop's thread. Pages are opened out of what was read
    then, so no address can lead out of the folder.

    Args:
        folder: Holds the documents (see `read_documents`).
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reading: asyncio.Task[CorpusIndex] | None = None

    async def search(self, query: str) -> Sequence[Hit]:
        """At most `N_HITS` documents that hold a word of `query`, best first.

        Raises:
            ToolRefusedError: The folder cannot be read or holds no document.
        """
        return (await self._index()).search(query)

    async def read(self, address: str) -> str:
        """The text of the document at `address`, e.g. ``"local://towns/lintholm.md"``.

        Raises:
            PageUnreadableError: There is no such document.
            ToolRefusedError: The folder cannot be read or holds no document.
        """
        document = (await self._index()).find(address)
        if document is None:
            raise PageUnreadableError(f"there is no document {address[:200]!r}; search for one first")
        return document.text

    async def aclose(self) -> None:
        """Give the index back."""
        if self._reading is not None:
            (index,) = await asyncio.gather(self._reading, return_exceptions=True)
            if isinstance(index, CorpusIndex):
                index.close()
            self._reading = None

    async def _index(self) -> "CorpusIndex":
        if self._reading is None:
            self._reading = asyncio.create_task(asyncio.to_thread(CorpusIndex.of_folder, self._folder))
        # One attempt may be cancelled while others wait for the same index.
        return await asyncio.shield(self._reading)


class CorpusIndex:
    """Documents in an SQLite FTS5 table, held in memory.

    English words are stemmed; a run of Chinese characters counts as one word, which only the same run finds.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._by_address = {document.address: document for document in documents}
        # Built in one thread and used in another, never in both at once.
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(
            "CREATE VIRTUAL TABLE pages "
            "USING fts5(address UNINDEXED, title, text, tokenize='porter unicode61')"
        )
        rows = ((document.address, document.title, document.text) for document in documents)
        self._database.executemany("INSERT INTO pages VALUES (?, ?, ?)", rows)

    @classmethod
    def of_folder(cls, folder: Path) -> "CorpusIndex":
        """The index of the documents in `folder`.

        Raises:
            ToolRefusedError: The folder cannot be read or holds no document.
        """
        try:
            documents = list(read_documents(folder))
        except OSError as error:
            raise ToolRefusedError(
                f"corpus_dir {str(folder)!r} cannot be read ({error.strerror}): name a folder of documents"
            ) from error
        if not documents:
            raise ToolRefusedError(
                f"corpus_dir {str(folder)!r} holds no .md, .txt, .html or .json document: "
                "name a folder that does"
            )
        return cls(documents)

    def search(self, query: str) -> list[Hit]:
        """At most `N_HITS` documents, best first; of equals, the first by address."""
        expression = match_expression(query)
        if not expression:
            return []
        found = self._database.execute(
            "SELECT address, title, snippet(pages, 2, '', '', ' … ', 32) FROM pages WHERE pages MATCH ? "
            "ORDER BY bm25(pages, 0.0, 2.0, 1.0), address LIMIT ?",
            (expression, N_HITS),
        )
        return [
            Hit(address=address, title=title, snippet=" ".join(snippet.split()))
            for address, title, snippet in found
        ]

    def find(self, address: str) -> Document | None:
        """The document at `address`; the scheme may be missing, and blanks may be percent-encoded."""
        path = address.strip()
        path = path[len(LOCAL_SCHEME) :] if path.lower().startswith(LOCAL_SCHEME) else path
        for spelt in (path, unquote(path)):
            found = self._by_address.get(f"{LOCAL_SCHEME}{spelt.lstrip('/')}")
            if found is not None:
                return found
        return None

    def close(self) -> None:
        """Give the memory back."""
        self._database.close()


def match_expression(query: str) -> str:
    """`query` in the language of FTS5: each term quoted, joined by OR; "" when there is no term.

    Stop words are dropped unless there is nothing else.

    Example: ``match_expression('the "C++" (AND bridges')`` is ``'"C" OR "bridges"'``.
    """
    terms = list(dict.fromkeys(re.findall(r"\w+", query)))
    telling = [term for term in terms if term.lower() not in _STOP_WORDS] or terms
    return " OR ".join(f'"{term}"' for term in telling)
