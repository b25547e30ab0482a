"""Pages through Jina Reader (known faults 65 to 67), and `browse`."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from scripted_services import PAGES_URL, Respond, ScriptedServices, always, no_wait, replies

from harnesses.endpoint.masked_headers import MaskedHeaders
from harnesses.endpoint.retrying import Retries
from harnesses.tools.browse import BrowseTool
from harnesses.tools.jina import JinaReader
from harnesses.tools.keyed_service import KeyedService, ServiceSpec
from harnesses.tools.pages import PAGE_CHARACTERS, Pages, PageUnreadableError
from harnesses.tools.tool import BadArgumentsError, ToolContext, ToolRefusedError

CONTEXT = ToolContext(folder=Path("unused"), spend=print)
KEY = "key-SECRET-7"

MakeReader = Callable[[Respond], JinaReader]


@pytest_asyncio.fixture(loop_scope="session")
async def open_services() -> AsyncIterator[list[KeyedService]]:
    made: list[KeyedService] = []
    yield made
    for service in made:
        await service.aclose()


@pytest.fixture
def jina(open_services: list[KeyedService]) -> MakeReader:
    def make(respond: Respond) -> JinaReader:
        spec = ServiceSpec(
            name="Jina Reader",
            base_url=PAGES_URL,
            headers=MaskedHeaders({"Authorization": f"Bearer {KEY}"}),
            variable="JINA_API_KEY",
            relays_pages=True,
        )
        services = ScriptedServices(page=respond)
        open_services.append(
            KeyedService(spec, retries=Retries(max_retries=2), transport=services.transport, sleep=no_wait)
        )
        return JinaReader(open_services[-1], allow_private=False)

    return make


@pytest.mark.asyncio
async def test_a_page_is_one_get_with_the_bearer_key(jina: MakeReader) -> None:
    seen: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, text="words")

    assert await jina(respond).read("https://a.test/b?c=d e&f=1") == "words"
    (request,) = seen
    assert (request.method, str(request.url)) == ("GET", "http://pages.test/https://a.test/b?c=d%20e&f=1")
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("respond", "reason"),
    [
        pytest.param(
            always(422, data=None, code=422, name="AssertionFailureError", message="net::ERR_ABORTED"),
            r"could not be opened \(HTTP 422\)",
            id="422-for-a-download",
        ),
        pytest.param(always(499, text="Pay for usage"), r"could not be opened \(HTTP 499\)", id="pay-wall"),
        pytest.param(always(451), r"could not be opened \(HTTP 451\)", id="blocked"),
        pytest.param(always(404), r"could not be opened \(HTTP 404\)", id="404"),
        pytest.param(always(302), r"could not be opened \(HTTP 302\)", id="redirect"),
        pytest.param(always(202, text=""), "holds no text", id="202-and-empty"),
        pytest.param(always(200, text=" \n"), "holds no text", id="blank"),
        pytest.param(
            always(200, text="Title: \n\nURL Source: http://a.test/x\n\nMarkdown Content:\n \n"),
            "holds no text",
            id="shell-of-a-page",
        ),
        pytest.param(always(503, text="x"), r"could not be opened \(HTTP 503\)", id="503-after-retries"),
    ],
)
async def test_a_page_that_fails_is_told_to_the_model(
    jina: MakeReader, respond: Respond, reason: str
) -> None:
    with pytest.raises(PageUnreadableError, match=f"http://a.test/x {reason}"):
        await jina(respond).read("http://a.test/x")


@pytest.mark.asyncio
async def test_a_page_that_never_comes_is_told_to_the_model(jina: MakeReader) -> None:
    def respond(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("slow", request=request)

    with pytest.raises(PageUnreadableError, match=r"could not be opened \(no answer\)"):
        await jina(respond).read("http://a.test/x")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, {}),
        (402, {"code": 402, "name": "InsufficientBalanceError", "message": "Account balance not enough"}),
        (403, {}),
    ],
)
async def test_a_reader_that_refuses_the_key_stops_the_run(
    jina: MakeReader, status: int, body: dict[str, Any]
) -> None:
    with pytest.raises(ToolRefusedError, match=r"Jina Reader .*JINA_API_KEY"):
        await jina(always(status, **body)).read("http://a.test/x")


@pytest.mark.asyncio
async def test_a_403_of_a_reader_that_has_answered_is_the_pages_own(jina: MakeReader) -> None:
    reader = jina(replies([httpx.Response(200, text="words"), httpx.Response(403)]))
    await reader.read("http://a.test/x")
    with pytest.raises(PageUnreadableError, match=r"HTTP 403"):
        await reader.read("http://a.test/y")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "page",
    ['{"message": "not enough credits"}', '{"name": "quota", "rows": []}', "not enough credits"],
)
async def test_a_page_about_credits_is_a_page(jina: MakeReader, page: str) -> None:
    assert await jina(always(200, text=page)).read("http://a.test/x") == page


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "page",
    ["Title: A\n\nMarkdown Content:\nwords", "words\nMarkdown Content:\n", "Title: words and no more"],
)
async def test_a_page_with_words_of_its_own_is_a_page(jina: MakeReader, page: str) -> None:
    assert await jina(always(200, text=page)).read("http://a.test/x") == page


@pytest.mark.asyncio
async def test_a_page_that_fails_over_its_own_quota_is_a_failed_page(jina: MakeReader) -> None:
    with pytest.raises(PageUnreadableError, match="HTTP 422"):
        await jina(always(422, name="AssertionFailureError", message="site: quota exceeded")).read(
            "http://a.test"
        )


@pytest.mark.asyncio
async def test_an_empty_account_behind_another_status_stops_the_run(jina: MakeReader) -> None:
    with pytest.raises(ToolRefusedError, match="no credits left"):
        await jina(always(422, name="InsufficientBalanceError")).read("http://a.test")


@pytest.mark.asyncio
async def test_a_private_address_never_reaches_the_reader(jina: MakeReader) -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise AssertionError("asked")

    with pytest.raises(BadArgumentsError, match="does not lead to the public internet"):
        await jina(fail).read("http://169.254.169.254/latest")


@pytest.mark.asyncio
async def test_browse_returns_the_page_itself_cut_to_what_is_read_of_any_page(jina: MakeReader) -> None:
    pages = Pages(web=jina(always(200, text="x" * (PAGE_CHARACTERS + 1))), corpus=None)
    result = await BrowseTool(pages).run({"url": "http://a.test/x"}, CONTEXT)
    assert (result.text, result.failed) == ("x" * PAGE_CHARACTERS, False)


@pytest.mark.asyncio
async def test_browse_opens_one_page_and_says_so(jina: MakeReader) -> None:
    pages = Pages(web=jina(always(200, text="words")), corpus=None)
    result = await BrowseTool(pages).run({"url": ["http://a.test/x", "http://b.test"]}, CONTEXT)
    assert result.text == "(Only the first of 2 addresses was opened.)\nwords"


@pytest.mark.asyncio
async def test_browse_tells_that_a_page_failed(jina: MakeReader) -> None:
    result = await BrowseTool(Pages(web=jina(always(404)), corpus=None)).run(
        {"url": "http://a.test/x"}, CONTEXT
    )
    assert (result.text, result.failed) == ("http://a.test/x could not be opened (HTTP 404)", True)


@pytest.mark.asyncio
async def test_a_local_address_without_a_corpus_cannot_be_opened(jina: MakeReader) -> None:
    with pytest.raises(PageUnreadableError, match=r"'local://a.md' cannot be opened here"):
        await Pages(web=jina(always(200)), corpus=None).read("local://a.md")
