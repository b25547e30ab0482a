from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from scripted_services import MODEL, OVERFLOW, Reply, ScriptedServices, calls, no_wait, refuses, says

from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.errors import EndpointRefusedError, EndpointUnavailableError
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.retrying import Retries
from harnesses.tools.pages import Pages, PageUnreadableError
from harnesses.tools.tool import BadArgumentsError, ToolContext
from harnesses.tools.visit import VisitTool, as_evidence_and_summary

ARGUMENTS = {"url": "http://a.test/x", "goal": "length of the bridge"}
READ = '{"evidence": "It is 42 m long.", "summary": "42 m"}'


class Shelf:
    """Pages by address."""

    def __init__(self, **pages: str) -> None:
        self._pages = {f"http://{name}.test/x": text for name, text in pages.items()}

    async def read(self, address: str) -> str:
        if "127.0.0.1" in address:
            raise BadArgumentsError("refused")
        if address not in self._pages:
            raise PageUnreadableError(f"{address} could not be opened (HTTP 404)")
        return self._pages[address]


class Visits:
    """A visit tool with a scripted model; `spent` is what its model calls cost."""

    def __init__(self, *model: Reply, page: str = "The bridge is 42 m long.") -> None:
        self.services = ScriptedServices(*model)
        self.client = EndpointClient(
            MODEL, retries=Retries(max_retries=1), transport=self.services.transport, sleep=no_wait
        )
        self.tool = VisitTool(Pages(web=Shelf(a=page, b="A second page."), corpus=None), self.client)
        self.spent = TokenUsage()
        self.context = ToolContext(folder=Path("unused"), spend=self._spend)

    def _spend(self, usage: TokenUsage) -> None:
        self.spent += usage

    def asked(self, n: int = 0) -> str:
        """The text of the `n`-th request to the model."""
        text: str = self.services.bodies()[n]["messages"][0]["content"]
        return text


MakeVisits = Callable[..., Visits]


@pytest_asyncio.fixture(loop_scope="session")
async def make_visits() -> AsyncIterator[MakeVisits]:
    made: list[Visits] = []

    def make(*model: Reply, **more: Any) -> Visits:
        made.append(Visits(*model, **more))
        return made[-1]

    yield make
    for visits in made:
        await visits.client.aclose()


@pytest.mark.asyncio
async def test_a_page_is_read_for_the_goal_by_one_model_call_without_tools(make_visits: MakeVisits) -> None:
    visits = make_visits(says(READ))
    result = await visits.tool.run(ARGUMENTS, visits.context)
    assert result.text == "http://a.test/x\nEvidence: It is 42 m long.\nSummary: 42 m"
    assert not result.failed
    assert "length of the bridge" in visits.asked()
    assert "The bridge is 42 m long." in visits.asked()
    assert "tools" not in visits.services.bodies()[0]


@pytest.mark.asyncio
async def test_the_tokens_of_a_reading_are_handed_over(make_visits: MakeVisits) -> None:
    visits = make_visits(says(READ))
    await visits.tool.run(ARGUMENTS, visits.context)
    assert visits.spent == TokenUsage(input_tokens=10, output_tokens=2, n_requests=1)


@pytest.mark.asyncio
async def test_several_pages_are_visited_in_order(make_visits: MakeVisits) -> None:
    visits = make_visits(says("first"), says("second"))
    addresses = ["http://a.test/x", "http://gone.test", "http://127.0.0.1/", "http://b.test/x"]
    result = await visits.tool.run({**ARGUMENTS, "url": addresses}, visits.context)
    assert result.text.split("\n\n") == [
        "http://a.test/x\nfirst",
        "http://gone.test could not be opened (HTTP 404)",
        "refused",
        "http://b.test/x\nsecond",
    ]
    assert not result.failed


@pytest.mark.asyncio
async def test_a_visit_fails_if_no_page_could_be_read(make_visits: MakeVisits) -> None:
    visits = make_visits()
    assert (await visits.tool.run({**ARGUMENTS, "url": "http://gone.test"}, visits.context)).failed


@pytest.mark.asyncio
async def test_a_visit_without_a_goal_reads_the_page_all_the_same(make_visits: MakeVisits) -> None:
    visits = make_visits(says(READ))
    await visits.tool.run({"url": "http://a.test/x"}, visits.context)
    assert "goal: learn what the page says" in visits.asked()


@pytest.mark.asyncio
async def test_a_page_too_long_for_the_model_is_cut_until_it_fits(make_visits: MakeVisits) -> None:
    visits = make_visits(refuses(400, **OVERFLOW), refuses(400, **OVERFLOW), says(READ), page="x" * 1600)
    result = await visits.tool.run(ARGUMENTS, visits.context)
    assert not result.failed
    assert [visits.asked(n).count("x" * 100) for n in range(3)] == [16, 4, 1]
    assert visits.spent.n_requests == 3


@pytest.mark.asyncio
async def test_a_page_that_never_fits_is_a_failed_visit(make_visits: MakeVisits) -> None:
    visits = make_visits(*[refuses(400, **OVERFLOW)] * 4)
    result = await visits.tool.run(ARGUMENTS, visits.context)
    assert (result.text, result.failed) == ("http://a.test/x was opened, but no summary of it came", True)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(refuses(400, error={"message": "bad", "code": "content_filter"}), id="filtered"),
        pytest.param(says("", finish_reason="length", reasoning="hm"), id="cut-while-reasoning"),
        pytest.param(calls(("search", {"query": "x"})), id="calls-a-tool-it-was-not-given"),
    ],
)
async def test_a_reading_that_brings_nothing_is_a_failed_visit(
    make_visits: MakeVisits, reply: httpx.Response
) -> None:
    visits = make_visits(says("first"), reply)
    await visits.tool.run(ARGUMENTS, visits.context)
    assert (await visits.tool.run(ARGUMENTS, visits.context)).failed


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("replies", "error"),
    [([refuses(503)] * 2, EndpointUnavailableError), ([refuses(401)], EndpointRefusedError)],
    ids=["down", "key-refused"],
)
async def test_trouble_with_the_reading_model_is_no_tool_result(
    make_visits: MakeVisits, replies: list[httpx.Response], error: type[Exception]
) -> None:
    visits = make_visits(*replies)
    with pytest.raises(error):
        await visits.tool.run(ARGUMENTS, visits.context)
    assert visits.spent.n_requests == len(replies)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        pytest.param(READ, "Evidence: It is 42 m long.\nSummary: 42 m", id="plain"),
        pytest.param(f"```json\n{READ}\n```", "Evidence: It is 42 m long.\nSummary: 42 m", id="fenced"),
        pytest.param(
            f"Here it is:\n{READ}\nDone.", "Evidence: It is 42 m long.\nSummary: 42 m", id="in-prose"
        ),
        pytest.param(
            f"<think>{{}}</think>{READ}", "Evidence: It is 42 m long.\nSummary: 42 m", id="after-thinking"
        ),
        pytest.param('{"Summary": "42 m"}', "Summary: 42 m", id="one-part-and-capital"),
        pytest.param(
            '{"evidence": ["a", "b"], "summary": {"m": 42}}',
            'Evidence: a … b\nSummary: {"m": 42}',
            id="other-types",
        ),
        pytest.param('{"evidence": "two\nlines"}', "Evidence: two\nlines", id="raw-line-break"),
        pytest.param("It is 42 m long.", "It is 42 m long.", id="no-json"),
        pytest.param('{"evidence": "It is', '{"evidence": "It is', id="cut-json"),
        pytest.param('{"length": "42 m"}', '{"length": "42 m"}', id="other-keys"),
        pytest.param("{" + "[" * 100_000 + "}", "{" + "[" * 100_000 + "}", id="deep-nesting"),
        pytest.param(" ", "", id="blank"),
    ],
)
def test_a_reading_becomes_evidence_and_summary_or_stands_as_it_is(reply: str, expected: str) -> None:
    assert as_evidence_and_summary(reply) == expected
