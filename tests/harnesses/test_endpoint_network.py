import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from loopback_endpoint import (
    LoopbackEndpoint,
    Respond,
    broken_chunks,
    broken_gzip,
    cut_short,
    dribbles,
    hangs_up,
    no_http,
    resets,
    whole,
)

from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.errors import EndpointUnavailableError, MalformedReplyError, OutOfTimeError
from harnesses.endpoint.retrying import Retries
from harnesses.endpoint.spec import EndpointSpec

pytestmark = pytest.mark.asyncio
ASKED = [{"role": "user", "content": "How long is the bridge?"}]
COMPLETION = json.dumps({"choices": [{"finish_reason": "stop", "message": {"content": "42"}}]})
MakeClient = Callable[..., EndpointClient]


async def no_wait(seconds: float) -> None:
    """Stands in for the waits between retries."""


@pytest_asyncio.fixture
async def make_client() -> AsyncIterator[MakeClient]:
    made: list[EndpointClient] = []

    def make(base_url: str, *, max_retries: int = 3, request_timeout_s: float = 60.0) -> EndpointClient:
        client = EndpointClient(
            EndpointSpec(id="m-1", base_url=base_url),
            retries=Retries(max_retries=max_retries),
            request_timeout_s=request_timeout_s,
            sleep=no_wait,
        )
        made.append(client)
        return client

    yield make
    for client in made:
        await client.aclose()


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(resets, id="reset"),
        pytest.param(hangs_up, id="hang-up"),
        pytest.param(cut_short(COMPLETION[:20]), id="body-shorter-than-promised"),
        pytest.param(broken_chunks(), id="chunk-cut"),
        pytest.param(broken_gzip(), id="gzip-broken"),
        pytest.param(no_http(), id="no-http"),
        pytest.param(whole(COMPLETION[:20]), id="json-cut-by-a-proxy"),
        pytest.param(whole(""), id="empty-body"),
        pytest.param(whole("busy", status="503 Service Unavailable"), id="503"),
        pytest.param(
            whole("slow down", status="429 Too Many Requests", headers="Retry-After: 1\r\n"), id="429"
        ),
    ],
)
async def test_a_fault_on_the_wire_is_asked_again_after(fault: Respond, make_client: MakeClient) -> None:
    async with LoopbackEndpoint.serving(fault, whole(COMPLETION)) as server:
        completion = await make_client(server.url).complete(ASKED)
    assert (completion.text, completion.usage.n_requests) == ("42", 2)


async def test_a_connection_is_kept_for_the_next_request(make_client: MakeClient) -> None:
    async with LoopbackEndpoint.serving(whole(COMPLETION), whole(COMPLETION)) as server:
        client = make_client(server.url)
        await client.complete(ASKED)
        await client.complete(ASKED)
    assert server.n_connections == 1


async def test_many_requests_at_once_need_no_turn(make_client: MakeClient) -> None:
    async with LoopbackEndpoint.serving(*[whole(COMPLETION)] * 120) as server:
        client = make_client(server.url)
        replies = await asyncio.gather(*(client.complete(ASKED) for _ in range(120)))
    assert {reply.usage.n_requests for reply in replies} == {1}


async def test_a_body_that_never_ends_is_given_up_and_retried(make_client: MakeClient) -> None:
    async with LoopbackEndpoint.serving(*[dribbles] * 4) as server:
        with pytest.raises(EndpointUnavailableError, match=r"within 0.05 s, 4 requests"):
            await make_client(server.url, request_timeout_s=0.05).complete(ASKED)


async def test_a_body_that_outlasts_the_call_ends_it(make_client: MakeClient) -> None:
    async with LoopbackEndpoint.serving(dribbles) as server:
        with pytest.raises(OutOfTimeError, match="1 request") as caught:
            await make_client(server.url).complete(ASKED, timeout_s=0.2)
    assert caught.value.n_requests == 1


async def test_json_that_stays_cut_is_a_malformed_reply(make_client: MakeClient) -> None:
    async with LoopbackEndpoint.serving(*[whole(COMPLETION[:20])] * 4) as server:
        with pytest.raises(MalformedReplyError, match=r"JSON that breaks off .*4 requests") as caught:
            await make_client(server.url).complete(ASKED)
    assert caught.value.detail == COMPLETION[:20]


async def test_a_port_where_nobody_listens_is_an_unavailable_endpoint(make_client: MakeClient) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(
            EndpointUnavailableError, match="no connection, 4 requests; check the server"
        ) as caught:
            await make_client(url).complete(ASKED)
    assert caught.value.n_requests == 4


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of this test names no proxy and no exception from one."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_proxy_of_the_environment_is_not_used_for_loopback(
    variable: str, host: str, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    async with LoopbackEndpoint.serving(whole(COMPLETION)) as server:
        url = server.url.replace("127.0.0.1", host)
        completion = await make_client(url, max_retries=0).complete(ASKED)
    assert completion.text == "42"


@pytest.mark.usefixtures("no_proxies")
async def test_a_proxy_of_the_environment_is_used_for_other_addresses(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LoopbackEndpoint.serving(whole(COMPLETION)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        completion = await make_client("http://model.test/v1", max_retries=0).complete(ASKED)
    assert completion.text == "42"
    assert proxy.heads[0].startswith("POST http://model.test/v1/chat/completions ")


async def test_no_authorization_header_is_sent_without_a_key(make_client: MakeClient) -> None:
    async with LoopbackEndpoint.serving(whole(COMPLETION)) as server:
        await make_client(server.url).complete(ASKED)
    assert "authorization" not in server.heads[0].lower()
