"""Search through Serper, as far as its documents and other people's threads tell (known faults 60 to 63)."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from scripted_services import SEARCH_URL, Respond, ScriptedServices, always, no_wait, replies

from harnesses.endpoint.masked_headers import MaskedHeaders
from harnesses.endpoint.retrying import Retries
from harnesses.tools.keyed_service import KeyedService, ServiceSpec
from harnesses.tools.search import Hit, SearchTool
from harnesses.tools.serper import SerperSearch
from harnesses.tools.tool import BadArgumentsError, ToolContext, ToolOutageError, ToolRefusedError

CONTEXT = ToolContext(folder=Path("unused"), spend=print)
KEY = "key-SECRET-7"

MakeSearch = Callable[[Respond], SerperSearch]


@pytest_asyncio.fixture(loop_scope="session")
async def open_services() -> AsyncIterator[list[KeyedService]]:
    made: list[KeyedService] = []
    yield made
    for service in made:
        await service.aclose()


@pytest.fixture
def serper(open_services: list[KeyedService]) -> MakeSearch:
    def make(respond: Respond) -> SerperSearch:
        spec = ServiceSpec(
            name="Serper",
            base_url=SEARCH_URL,
            headers=MaskedHeaders({"X-API-KEY": KEY}),
            variable="SERPER_API_KEY",
        )
        services = ScriptedServices(search=respond)
        open_services.append(
            KeyedService(spec, retries=Retries(max_retries=2), transport=services.transport, sleep=no_wait)
        )
        return SerperSearch(open_services[-1])

    return make


@pytest.mark.asyncio
async def test_a_search_is_one_post_with_the_key_and_the_query(serper: MakeSearch) -> None:
    seen: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"organic": []})

    assert await serper(respond).search("longest bridge") == []
    (request,) = seen
    assert (request.method, str(request.url)) == ("POST", "http://search.test/search")
    assert request.headers["x-api-key"] == KEY
    assert request.content == b'{"q": "longest bridge"}'


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param({"searchParameters": {"q": "..."}, "credits": 1}, [], id="no-organic-key"),
        pytest.param({"organic": None}, [], id="null"),
        pytest.param({"organic": "none"}, [], id="no-list"),
        pytest.param({"organic": [None, 4, {"position": 1}]}, [], id="nothing-in-the-hits"),
        pytest.param(
            {"organic": [{"title": "a", "link": "http://a.test"}, {"snippet": "no link"}, None]},
            [Hit(title="a", address="http://a.test"), Hit(snippet="no link")],
            id="incomplete-hits",
        ),
        pytest.param(
            {"organic": [{"title": 7, "link": " http://a.test "}]},
            [Hit(address="http://a.test")],
            id="odd-types",
        ),
        pytest.param(
            {"organic": [{"title": "a"}], "message": "quota soon"},
            [Hit(title="a")],
            id="hits-beside-a-message",
        ),
    ],
)
async def test_what_a_hit_lacks_is_left_out(
    serper: MakeSearch, body: dict[str, Any], expected: list[Hit]
) -> None:
    assert await serper(always(200, **body)).search("x") == expected


REFUSED_KEY = "Serper refused the key .HTTP {status}.: set SERPER_API_KEY to a valid key"
EMPTY_ACCOUNT = (
    "Serper says that the account has no credits left .HTTP {status}.: recharge it, or set SERPER_API_KEY"
)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "body", "line"),
    [
        pytest.param(401, {"message": "Unauthorized."}, REFUSED_KEY, id="401"),
        pytest.param(403, {"message": "Unauthorized.", "statusCode": 403}, REFUSED_KEY, id="403"),
        pytest.param(402, {}, EMPTY_ACCOUNT, id="402"),
        pytest.param(
            400, {"message": "Not enough credits", "statusCode": 400}, EMPTY_ACCOUNT, id="credits-in-a-400"
        ),
        pytest.param(
            400,
            {"error": "upstream (402): You have exceeded your credits limit", "tag": "NO_MORE_CREDITS"},
            EMPTY_ACCOUNT,
            id="402-wrapped-in-a-400",
        ),
        pytest.param(200, {"message": "Quota exceeded"}, EMPTY_ACCOUNT, id="quota-in-a-200"),
        pytest.param(
            404, {}, "no search service answers at 'http://search.test'.*: correct serper_base_url", id="404"
        ),
        pytest.param(301, {}, "no search service answers at 'http://search.test'", id="redirect"),
    ],
)
async def test_a_service_that_will_never_answer_stops_the_run(
    serper: MakeSearch, status: int, body: dict[str, Any], line: str
) -> None:
    with pytest.raises(ToolRefusedError, match=line.format(status=status)) as stopped:
        await serper(always(status, **body)).search("what I asked")
    assert stopped.value.stops_run


@pytest.mark.asyncio
async def test_a_key_refused_after_answers_stops_the_run_too(serper: MakeSearch) -> None:
    search = serper(replies([httpx.Response(200, json={}), httpx.Response(403, json={})]))
    await search.search("x")
    with pytest.raises(ToolRefusedError, match="refused the key"):
        await search.search("x")


@pytest.mark.asyncio
async def test_the_public_line_repeats_neither_query_nor_key(serper: MakeSearch) -> None:
    said = f"Not enough credits for 'what I asked' with {KEY}"
    with pytest.raises(ToolRefusedError) as stopped:
        await serper(always(400, message=said)).search("what I asked")
    assert "what I asked" not in str(stopped.value)
    assert KEY not in str(stopped.value) + stopped.value.detail
    assert "Not enough credits" in stopped.value.detail


@pytest.mark.asyncio
async def test_a_query_about_credits_is_not_read_as_an_empty_account(serper: MakeSearch) -> None:
    query = "who said not enough credits"
    with pytest.raises(BadArgumentsError, match=r"does not take this query \(HTTP 400\)"):
        await serper(always(400, message=f"bad query: {query}")).search(query)


@pytest.mark.asyncio
@pytest.mark.parametrize("text", ["oops", "[" * 5000, "{" * 3])
async def test_an_unreadable_refusal_of_a_query_goes_to_the_model(serper: MakeSearch, text: str) -> None:
    with pytest.raises(BadArgumentsError, match="HTTP 422"):
        await serper(always(422, text=text)).search("x")


@pytest.mark.asyncio
async def test_a_service_that_stays_down_is_an_outage(serper: MakeSearch) -> None:
    line = r"at 'http://search.test' still failed after 3 requests: try later, or use search_backend: local"
    with pytest.raises(ToolOutageError, match=line) as down:
        await serper(always(503, text="gateway says x")).search("x")
    assert not down.value.stops_run
    assert "gateway" in down.value.detail


@pytest.mark.asyncio
async def test_a_service_that_comes_back_is_none(serper: MakeSearch) -> None:
    search = serper(replies([httpx.Response(503), httpx.Response(429), httpx.Response(200, json={})]))
    assert await search.search("x") == []


ODD = (
    "the search service at http://search.test: HTTP 200 with {what}, {n} requests; try later, "
    "or correct serper_base_url"
)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("text", "what", "n_requests"),
    [
        pytest.param("<html>Sign in</html>", "something that is no JSON object", 2, id="html"),
        pytest.param("[]", "something that is no JSON object", 2, id="list"),
        pytest.param("", "JSON that breaks off", 3, id="nothing"),
        pytest.param('{"organic": [', "JSON that breaks off", 3, id="cut"),
        pytest.param("{" * 5000, "JSON that breaks off", 3, id="nested"),
        pytest.param('{"error": "upstream failed"}', "an error without a code", 2, id="error-without-a-code"),
    ],
)
async def test_a_200_without_results_in_it_is_an_outage(
    serper: MakeSearch, text: str, what: str, n_requests: int
) -> None:
    with pytest.raises(ToolOutageError, match=ODD.format(what=what, n=n_requests)) as down:
        await serper(always(200, text=text)).search("x")
    assert not down.value.stops_run
    assert text[:9] in down.value.detail


@pytest.mark.asyncio
async def test_an_odd_reply_of_a_service_that_has_answered_is_a_hiccup(serper: MakeSearch) -> None:
    odd = httpx.Response(200, html="<h1>back soon</h1>")
    search = serper(replies([httpx.Response(200, json={}), odd, odd, httpx.Response(200, json={})]))
    await search.search("x")
    assert await search.search("x") == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"message": "Too many requests", "statusCode": 429}, id="statusCode"),
        pytest.param({"error": {"message": "overloaded", "code": 503}}, id="code-in-the-error"),
        pytest.param({"error": "x", "code": "502"}, id="code-as-text"),
    ],
)
async def test_an_outage_inside_a_200_may_pass(serper: MakeSearch, body: dict[str, Any]) -> None:
    found = httpx.Response(200, json={"organic": [{"title": "a"}]})
    assert await serper(replies([httpx.Response(200, json=body), found])).search("x") == [Hit(title="a")]
    with pytest.raises(ToolOutageError, match="still failed after 3 requests"):
        await serper(always(200, **body)).search("x")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "error", "line"),
    [
        pytest.param(
            {"message": "Unauthorized.", "statusCode": 403},
            ToolRefusedError,
            REFUSED_KEY.format(status=403),
            id="key",
        ),
        pytest.param(
            {"error": "x", "code": 402}, ToolRefusedError, "no credits left .HTTP 402", id="account"
        ),
        pytest.param(
            {"error": "odd query", "code": 400},
            BadArgumentsError,
            "does not take this query .HTTP 400",
            id="query",
        ),
    ],
)
async def test_a_refusal_inside_a_200_is_the_one_it_names(
    serper: MakeSearch, body: dict[str, Any], error: type[Exception], line: str
) -> None:
    with pytest.raises(error, match=line):
        await serper(always(200, **body)).search("x")


@pytest.mark.asyncio
async def test_results_are_numbered(serper: MakeSearch) -> None:
    hits = [
        {"title": "Lintholm", "link": "http://a.test", "snippet": "A bridge.", "date": "2021"},
        {"snippet": "no link"},
    ]
    result = await SearchTool(serper(always(200, organic=hits))).run({"query": "bridge"}, CONTEXT)
    assert result.text == (
        "Results for 'bridge':\n1. Lintholm\n   http://a.test\n   2021. A bridge.\n"
        "2. (no title)\n   (no address)\n   no link"
    )


@pytest.mark.asyncio
async def test_no_results_is_a_normal_result(serper: MakeSearch) -> None:
    result = await SearchTool(serper(always(200))).run({"query": "zebra"}, CONTEXT)
    assert (result.text, result.failed) == ("No results for 'zebra'. Try other words.", False)


@pytest.mark.asyncio
async def test_each_query_of_a_list_is_run(serper: MakeSearch) -> None:
    result = await SearchTool(serper(always(200))).run({"query": ["a", "b"]}, CONTEXT)
    assert result.text == "No results for 'a'. Try other words.\n\nNo results for 'b'. Try other words."


def test_the_key_is_not_in_the_repr_of_a_service() -> None:
    spec = ServiceSpec(name="S", base_url=SEARCH_URL, headers=MaskedHeaders({"X-API-KEY": KEY}), variable="V")
    assert KEY not in repr(spec)
