from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from harnesses.tools.documents import read_documents, text_of_html
from harnesses.tools.local_corpus import N_HITS, LocalCorpus, match_expression
from harnesses.tools.pages import PageUnreadableError
from harnesses.tools.tool import ToolRefusedError

Write = Callable[[str, str], Path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "corpus"
    made.mkdir()
    return made


@pytest.fixture
def write(folder: Path) -> Write:
    def write_one(name: str, text: str) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write_one


@pytest_asyncio.fixture(loop_scope="session")
async def corpus(folder: Path) -> AsyncIterator[LocalCorpus]:
    made = LocalCorpus(folder)
    yield made
    await made.aclose()


def addresses(folder: Path) -> list[str]:
    return [document.address for document in read_documents(folder)]


def test_documents_come_sorted_by_path(folder: Path, write: Write) -> None:
    for name in ("b.txt", "a/z.md", "a/b.html", "c.json", "D.MD"):
        write(name, "<p>words</p>")
    assert addresses(folder) == [
        "local://D.MD",
        "local://a/b.html",
        "local://a/z.md",
        "local://b.txt",
        "local://c.json",
    ]


@pytest.mark.parametrize("name", ["a.pdf", ".hidden.md", ".git/a.md", "a"])
def test_other_files_are_no_documents(folder: Path, write: Write, name: str) -> None:
    write(name, "words")
    assert addresses(folder) == []


def test_a_blank_file_is_no_document(folder: Path, write: Write) -> None:
    write("a.md", " \n")
    assert addresses(folder) == []


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path: Path, write: Write) -> None:
    write("a.md", "inside")
    (tmp_path / "secret.md").write_text("outside")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    assert addresses(folder) == ["local://a.md"]


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("a.md", "# The bridge\nIt is long.", ("The bridge", "# The bridge\nIt is long.")),
        ("a.md", "It is long.", ("a", "It is long.")),
        ("a.txt", "\ufeffIt is long.", ("a", "It is long.")),
        ("a.json", '{"title": "T", "text": "It is long."}', ("T", "It is long.")),
        ("a.json", '{"content": "It is long."}', ("a", "It is long.")),
        ("a.json", '{"text": "\\ud800"}', ("a", "�")),
        ("a.json", '[{"year": 1901}]', ("a", '[{"year": 1901}]')),
        ("a.json", "{broken", ("a", "{broken")),
        ("a.html", "<title> The\nbridge </title><p>It is <b>long</b>.</p>", ("The bridge", "It is long.")),
    ],
)
def test_title_and_text_of_a_document(
    folder: Path, write: Write, name: str, written: str, expected: tuple[str, str]
) -> None:
    write(name, written)
    (document,) = read_documents(folder)
    assert (document.title, document.text) == expected


def test_bytes_that_are_no_utf8_do_not_stop_the_reading(folder: Path) -> None:
    (folder / "a.txt").write_bytes(b"caf\xe9")
    (document,) = read_documents(folder)
    assert document.text == "caf\ufffd"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>A</h1><p>b<br>c</p>", "A\nb\nc"),
        ("<script>x()</script><style>p{}</style><p>b</p>", "b"),
        ("<p>1 &lt; 2 &amp; 3</p>", "1 < 2 & 3"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("<p>one<a href='x'>two</a></p>", "onetwo"),
        ("<template><p>x</p></template>y", "y"),
        ("<p>never closed", "never closed"),
        ("<!-- x --><p>b</p>", "b"),
    ],
)
def test_html_becomes_its_visible_text(html: str, text: str) -> None:
    assert text_of_html(html) == ("", text)


@pytest.mark.parametrize(
    ("query", "expression"),
    [
        ("longest bridge", '"longest" OR "bridge"'),
        ('the "C++" (AND bridges', '"C" OR "bridges"'),
        ("who was it", '"who" OR "was" OR "it"'),
        ("bridge bridge", '"bridge"'),
        ('"', ""),
        ("", ""),
        ("NEAR(a b) OR col:x*", '"NEAR" OR "b" OR "col" OR "x"'),
    ],
)
def test_a_query_becomes_quoted_terms(query: str, expression: str) -> None:
    assert match_expression(query) == expression


@pytest.mark.asyncio
async def test_search_stems_and_ranks(corpus: LocalCorpus, write: Write) -> None:
    write("a.md", "# Lintholm\nThe bridges of Lintholm were built in 1901.")
    write("b.md", "# Other\nNothing of interest, except one bridge.")
    write("c.md", "# Cats\nThey sleep.")
    hits = await corpus.search("Who built the bridge of Lintholm?")
    assert [(hit.address, hit.title) for hit in hits] == [
        ("local://a.md", "Lintholm"),
        ("local://b.md", "Other"),
    ]
    assert hits[0].snippet == "# Lintholm The bridges of Lintholm were built in 1901."


@pytest.mark.asyncio
async def test_equal_documents_come_in_the_order_of_their_addresses(
    corpus: LocalCorpus, write: Write
) -> None:
    for n in range(N_HITS + 3):
        write(f"{n}.md", "the same bridge")
    hits = await corpus.search("bridge")
    assert [hit.address for hit in hits] == [f"local://{n}.md" for n in range(N_HITS)]


@pytest.mark.asyncio
@pytest.mark.parametrize("query", ["zebra", '"', "C++ (AND", "' OR 1=1 --"])
async def test_a_query_that_matches_nothing_is_no_error(
    corpus: LocalCorpus, write: Write, query: str
) -> None:
    write("a.md", "bridge")
    assert await corpus.search(query) == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "address",
    [
        "local://a/the bridge.md",
        "local://a/the%20bridge.md",
        "local:///a/the bridge.md",
        "LOCAL://a/the bridge.md",
        "a/the bridge.md",
    ],
)
async def test_a_document_is_opened_by_its_address(corpus: LocalCorpus, write: Write, address: str) -> None:
    write("a/the bridge.md", "It is 42 m long.")
    assert await corpus.read(address) == "It is 42 m long."


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "address",
    [
        "local://../secret.md",
        "local://a/../../secret.md",
        "local://%2e%2e/secret.md",
        "local:////etc/passwd",
        "local://",
    ],
)
async def test_no_address_leads_out_of_the_folder(
    corpus: LocalCorpus, tmp_path: Path, write: Write, address: str
) -> None:
    write("a.md", "inside")
    (tmp_path / "secret.md").write_text("outside")
    with pytest.raises(PageUnreadableError, match=r"there is no document .*; search for one first"):
        await corpus.read(address)


@pytest.mark.asyncio
async def test_the_folder_is_read_once(corpus: LocalCorpus, write: Write) -> None:
    write("a.md", "bridge")
    await corpus.search("bridge")
    write("b.md", "bridge")
    assert len(await corpus.search("bridge")) == 1


@pytest.mark.asyncio
async def test_an_empty_folder_stops_the_run(corpus: LocalCorpus) -> None:
    with pytest.raises(ToolRefusedError, match=r"corpus_dir .* holds no .md, .txt, .html or .json document"):
        await corpus.search("bridge")


@pytest.mark.asyncio
async def test_a_folder_that_cannot_be_read_stops_the_run(
    corpus: LocalCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, pattern: str) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rglob", refuse)
    with pytest.raises(ToolRefusedError, match=r"cannot be read \(Permission denied\): name a folder"):
        await corpus.search("bridge")


@pytest.mark.asyncio
async def test_a_corpus_that_was_never_used_closes(folder: Path) -> None:
    await LocalCorpus(folder).aclose()
