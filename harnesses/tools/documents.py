"""The documents of a local corpus: `.md`, `.txt`, `.html` and `.json` files of one folder."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from harnesses.endpoint.json_values import as_object
from harnesses.endpoint.valid_text import with_valid_text
from harnesses.tools.pages import LOCAL_SCHEME

DOCUMENT_SUFFIXES = frozenset({".md", ".txt", ".html", ".json"})


@dataclass(frozen=True, kw_only=True)
class Document:
    """One file as a page. `address` is like ``"local://towns/lintholm.md"``; `text` is never blank."""

    address: str
    title: str
    text: str


def read_documents(folder: Path) -> Iterator[Document]:
    """The documents below `folder`, sorted by path, so that every process numbers them alike.

    Files that lie elsewhere (behind a symbolic link), hidden ones, other kinds and blank ones are left out.
    Bytes that are no UTF-8 become U+FFFD.
    """
    root = folder.resolve()
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.suffix.lower() not in DOCUMENT_SUFFIXES or any(part.startswith(".") for part in inside.parts):
            continue
        if path.is_file() and path.resolve().is_relative_to(root):
            title, text = _title_and_text(path)
            if text.strip():
                yield Document(
                    address=f"{LOCAL_SCHEME}{inside.as_posix()}", title=title or path.stem, text=text
                )


def _title_and_text(path: Path) -> tuple[str, str]:
    written = path.read_text(encoding="utf-8-sig", errors="replace")
    match path.suffix.lower():
        case ".html":
            return text_of_html(written)
        case ".json":
            return _text_of_json(written)
        case _:
            heading = re.match(r"\s*#+ +(.+)", written)
            return (heading[1].strip() if heading else ""), written


def _text_of_json(written: str) -> tuple[str, str]:
    """`title` and `text` (or `content`) of an object; any other JSON, or none at all, stands as it is."""
    try:
        value: Any = with_valid_text(json.loads(written))
    except (ValueError, RecursionError):
        return "", written
    parts = as_object(value)
    text = parts.get("text") or parts.get("content")
    title = parts.get("title")
    return (title if isinstance(title, str) else ""), (text if isinstance(text, str) else written)


def text_of_html(written: str) -> tuple[str, str]:
    """Title and visible text of an HTML page, a line for each block; scripts and styles are left out."""
    reader = _HtmlReader()
    reader.feed(written)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).splitlines())
    return " ".join("".join(reader.title).split()), "\n".join(line for line in lines if line)


class _HtmlReader(HTMLParser):
    """Collects text; `pieces` hold a line break wherever a browser would begin a new line."""

    _UNSEEN = frozenset({"script", "style", "template", "noscript"})
    _INLINE = frozenset(
        {
            "a",
            "abbr",
            "b",
            "cite",
            "code",
            "em",
            "i",
            "mark",
            "q",
            "s",
            "small",
            "span",
            "strong",
            "sub",
            "sup",
            "u",
        }
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.title: list[str] = []
        self._within: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's form
        if self._within is None and (tag in self._UNSEEN or tag == "title"):
            self._within = tag
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._within:
            self._within = None
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if self._within is None:
            self.pieces.append(data)
        elif self._within == "title":
            self.title.append(data)

    def _break(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self.pieces.append(" ")
        elif tag not in self._INLINE:
            self.pieces.append("\n")
