import asyncio
import ssl
from collections.abc import AsyncIterator

import httpx
import pytest
from scripted_endpoint import ScriptedEndpoint, refuses

from harnesses.endpoint.addresses import is_loopback
from harnesses.endpoint.errors import EndpointError, EndpointUnavailableError, OutOfTimeError
from harnesses.endpoint.http import HttpClient
from harnesses.endpoint.masked_headers import MaskedHeaders
from harnesses.endpoint.retrying import Retries

pytestmark = pytest.mark.asyncio
OK = httpx.Response(200, text="fine")


def client_of(
    script: ScriptedEndpoint,
    *,
    max_retries: int = 3,
    timeout_s: float = 2000.0,
    url: str = "http://service.test",
) -> HttpClient:
    return HttpClient(
        base_url=url,
        headers={"X-API-KEY": "k-made-up"},
        retries=Retries(max_retries=max_retries),
        timeout_s=timeout_s,
        transport=script.transport,
        sleep=script.sleep,
    )


@pytest.mark.parametrize("status", [200, 202, 301, 400, 401, 402, 403, 404, 405, 422, 451, 499])
async def test_a_reply_that_stays_is_handed_back_at_once(status: int) -> None:
    script = ScriptedEndpoint(httpx.Response(status, text="said", headers={"X-Kind": "a"}))
    reply = await client_of(script).send("POST", "/search", json={"q": "x"})
    assert (reply.status, reply.text, reply.headers["x-kind"], reply.n_requests) == (status, "said", "a", 1)
    assert script.waits_s == []


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
async def test_a_status_that_may_pass_is_asked_again_for(status: int) -> None:
    script = ScriptedEndpoint(httpx.Response(status), httpx.Response(status), OK)
    reply = await client_of(script).send("GET", "/page")
    assert (reply.status, reply.n_requests, len(script.waits_s)) == (200, 3, 2)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        pytest.param(httpx.ConnectError("refused"), "no connection", id="connect"),
        pytest.param(httpx.ConnectTimeout("slow"), "no connection within 30 s", id="connect-time-out"),
        pytest.param(httpx.ReadTimeout("slow"), "no whole reply within 2000 s", id="read-time-out"),
        pytest.param(httpx.ReadError("reset"), "the connection broke", id="reset"),
        pytest.param(httpx.WriteError("reset"), "the connection broke", id="write"),
        pytest.param(httpx.RemoteProtocolError("cut"), "the connection broke", id="cut-body"),
        pytest.param(httpx.DecodingError("gzip"), "the connection broke", id="cut-gzip"),
    ],
)
async def test_a_transport_fault_is_retried_and_named_when_it_stays(fault: Exception, words: str) -> None:
    passing = await client_of(ScriptedEndpoint(fault, OK)).send("GET", "/")
    assert passing.n_requests == 2
    with pytest.raises(EndpointUnavailableError, match=words) as caught:
        await client_of(ScriptedEndpoint(fault)).send("GET", "/")
    assert (caught.value.n_requests, caught.value.status) == (4, None)
    assert type(fault).__name__ in caught.value.detail


async def test_an_outage_that_stays_says_what_was_seen_and_what_to_do() -> None:
    script = ScriptedEndpoint(httpx.Response(503, text="overloaded"))
    line = r"^http://service.test: HTTP 503, 4 requests; check the server, or raise max_retry$"
    with pytest.raises(EndpointUnavailableError, match=line) as caught:
        await client_of(script).send("GET", "/")
    assert (caught.value.detail, caught.value.status, caught.value.n_requests) == ("overloaded", 503, 4)


async def test_without_retries_one_request_is_sent() -> None:
    script = ScriptedEndpoint(httpx.Response(503))
    with pytest.raises(EndpointUnavailableError, match="HTTP 503, 1 request;"):
        await client_of(script, max_retries=0).send("GET", "/")
    assert (len(script.requests), script.waits_s) == (1, [])


async def test_retry_after_is_waited_for() -> None:
    script = ScriptedEndpoint(refuses(429, {}, retry_after="7"), refuses(503, {}, retry_after="1000"), OK)
    await client_of(script).send("GET", "/")
    assert script.waits_s == [7.0, 300.0]


async def test_retry_after_may_be_a_date() -> None:
    script = ScriptedEndpoint(refuses(429, {}, retry_after="Fri, 31 Dec 9999 23:59:59 GMT"), OK)
    await client_of(script).send("GET", "/")
    assert script.waits_s == [300.0]


async def test_an_untrusted_certificate_is_not_asked_for_again() -> None:
    fault = httpx.ConnectError("certificate verify failed")
    fault.__cause__ = ssl.SSLCertVerificationError(1, "self-signed certificate")
    script = ScriptedEndpoint(fault)
    with pytest.raises(
        EndpointUnavailableError, match=r"certificate is not trusted, 1 request; .*SSL_CERT_FILE"
    ):
        await client_of(script).send("GET", "/")


async def test_a_call_whose_time_has_ended_sends_nothing() -> None:
    script = ScriptedEndpoint(OK)
    with pytest.raises(
        OutOfTimeError, match=r"in the time of this call, 0 requests; allow more time"
    ) as caught:
        await client_of(script).send("GET", "/", timeout_s=0)
    assert (script.requests, caught.value.n_requests) == ([], 0)


async def test_a_wait_that_outlasts_the_call_is_not_begun() -> None:
    script = ScriptedEndpoint(refuses(503, {}, retry_after="60"))
    with pytest.raises(OutOfTimeError, match=r"1 request \(the last: HTTP 503\)") as caught:
        await client_of(script).send("GET", "/", timeout_s=30)
    assert (script.waits_s, caught.value.status) == ([], 503)


async def test_a_call_with_time_left_says_that_its_retries_are_spent() -> None:
    script = ScriptedEndpoint(httpx.Response(503))
    with pytest.raises(EndpointUnavailableError) as caught:
        await client_of(script, max_retries=0).send("GET", "/", timeout_s=30)
    assert not isinstance(caught.value, OutOfTimeError)


class NeverAnswers(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError(request)


async def test_a_request_that_outlasts_the_call_ends_it() -> None:
    client = HttpClient(
        base_url="http://service.test", transport=NeverAnswers(), retries=Retries(max_retries=0)
    )
    with pytest.raises(OutOfTimeError, match="1 request"):
        await client.send("GET", "/", timeout_s=0.01)


async def test_a_request_that_outlasts_its_own_time_is_retried() -> None:
    script = ScriptedEndpoint(OK)
    client = HttpClient(
        base_url="http://service.test",
        transport=NeverAnswers(),
        retries=Retries(max_retries=2),
        timeout_s=0.01,
        sleep=script.sleep,
    )
    with pytest.raises(EndpointUnavailableError, match=r"no whole reply within 0.01 s, 3 requests"):
        await client.send("GET", "/")
    assert len(script.waits_s) == 2


async def test_a_cancelled_call_stays_cancelled() -> None:
    client = HttpClient(base_url="http://service.test", transport=NeverAnswers())
    call = asyncio.create_task(client.send("GET", "/"))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


async def test_an_error_of_the_reader_ends_the_call_and_learns_the_count() -> None:
    script = ScriptedEndpoint(httpx.Response(503), OK)
    client = client_of(script)

    def read(reply: object) -> str:
        raise EndpointError("enough")

    with pytest.raises(EndpointError, match="enough") as caught:
        await client.exchange("GET", "/", read=lambda reply: read(client.settled(reply)))
    assert caught.value.n_requests == 2


@pytest.mark.parametrize(
    ("base_url", "path", "url"),
    [
        ("http://s.test", "/search", "http://s.test/search"),
        ("http://s.test/v1/", "search", "http://s.test/v1/search"),
        ("http://s.test/v1", "/https://page.test/a?b=1", "http://s.test/v1/https://page.test/a?b=1"),
        ("http://s.test/v1?version=2", "/search", "http://s.test/v1/search?version=2"),
        ("http://s.test/v1?version=2", "/search?q=1", "http://s.test/v1/search?q=1&version=2"),
    ],
)
async def test_a_path_is_added_to_the_base_address(base_url: str, path: str, url: str) -> None:
    script = ScriptedEndpoint(OK)
    await client_of(script, url=base_url).send("GET", path)
    assert str(script.requests[0].url) == url


@pytest.mark.parametrize("path", ["/a\x00b", "/" + "a" * 70_000], ids=["nul", "too-long"])
async def test_an_address_that_cannot_be_requested_is_no_crash(path: str) -> None:
    script = ScriptedEndpoint(OK)
    with pytest.raises(EndpointUnavailableError, match="the address of this request is invalid") as caught:
        await client_of(script).send("GET", path)
    assert (script.requests, caught.value.n_requests) == ([], 0)


async def test_half_a_character_in_an_address_is_replaced() -> None:
    script = ScriptedEndpoint(OK)
    await client_of(script).send("GET", "/a\ud800")
    assert script.requests[0].url.path == "/a\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("localhost", True),
        ("model.localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("model.test", False),
        ("localhost.test", False),
        ("10.0.0.1", False),
        ("", False),
    ],
)
async def test_loopback_is_known_by_name_and_by_number(host: str, is_own: bool) -> None:
    assert is_loopback(host) is is_own


async def test_only_headers_that_hold_keys_are_masked_in_details() -> None:
    headers = MaskedHeaders({"Accept": "text/plain", "X-API-KEY": "k-made-up", "Cookie": ""})
    assert headers.without_secrets("text/plain k-made-up") == "text/plain ***"


async def test_headers_of_the_client_and_of_the_request_are_sent() -> None:
    script = ScriptedEndpoint(OK)
    await client_of(script).send("POST", "/", json={"q": "münze \ud800"}, headers={"X-With": "links"})
    request = script.requests[0]
    assert (request.headers["x-api-key"], request.headers["x-with"]) == ("k-made-up", "links")
    assert request.headers["content-type"] == "application/json"
    assert script.bodies == [{"q": "münze \N{REPLACEMENT CHARACTER}"}]


async def test_a_cookie_of_one_reply_is_not_sent_with_the_next_request() -> None:
    script = ScriptedEndpoint(httpx.Response(200, headers={"Set-Cookie": "seat=1; Path=/"}))
    client = client_of(script)
    await client.send("GET", "/")
    await client.send("GET", "/")
    assert [request.headers.get("cookie") for request in script.requests] == [None, None]


class Dribbles(httpx.AsyncByteStream):
    def __init__(self) -> None:
        self.is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"half"
        raise httpx.ReadError("cut")

    async def aclose(self) -> None:
        self.is_closed = True


async def test_a_reply_that_breaks_off_is_closed() -> None:
    body = Dribbles()
    client = HttpClient(
        base_url="http://service.test",
        retries=Retries(max_retries=0),
        transport=httpx.MockTransport(lambda _: httpx.Response(200, stream=body)),
    )
    with pytest.raises(EndpointUnavailableError, match="the connection broke"):
        await client.send("GET", "/")
    assert body.is_closed


async def test_a_service_is_called_by_its_name_in_errors() -> None:
    script = ScriptedEndpoint(httpx.Response(500))
    client = HttpClient(
        base_url="http://u:p@s.test/v1/?k=1",
        name="the search",
        transport=script.transport,
        sleep=script.sleep,
    )
    assert client.address == "http://s.test/v1"
    with pytest.raises(EndpointUnavailableError, match=r"^the search: HTTP 500"):
        await client.send("GET", "/")
