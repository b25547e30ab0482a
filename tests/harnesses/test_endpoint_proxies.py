import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from loopback_endpoint import LoopbackEndpoint, dribbles, hangs_up, whole

from harnesses.endpoint.errors import EndpointUnavailableError
from harnesses.endpoint.http import HttpClient
from harnesses.endpoint.proxies import proxy_for
from harnesses.endpoint.retrying import Retries

pytestmark = pytest.mark.asyncio
MakeClient = Callable[..., HttpClient]


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of these tests names no proxies but those they name themselves."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest_asyncio.fixture
async def make_client(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MakeClient]:
    made: list[HttpClient] = []

    def make(
        proxy: LoopbackEndpoint, url: str = "http://model.test/v1", *, max_retries: int = 0
    ) -> HttpClient:
        monkeypatch.setenv("ALL_PROXY", proxy.url.removesuffix("/v1"))
        made.append(HttpClient(base_url=url, retries=Retries(max_retries=max_retries)))
        return made[-1]

    yield make
    for client in made:
        await client.aclose()


@pytest.mark.parametrize(
    ("variables", "url", "proxy"),
    [
        pytest.param({}, "http://model.test", None, id="none"),
        pytest.param({"HTTP_PROXY": "http://p.test:1"}, "http://model.test", "http://p.test:1", id="http"),
        pytest.param(
            {"http_proxy": "http://p.test:1"}, "http://model.test", "http://p.test:1", id="lower-case"
        ),
        pytest.param({"HTTP_PROXY": "http://p.test:1"}, "https://model.test", None, id="another-scheme"),
        pytest.param({"HTTPS_PROXY": "http://p.test:1"}, "https://model.test", "http://p.test:1", id="https"),
        pytest.param({"ALL_PROXY": "http://p.test:1"}, "https://model.test", "http://p.test:1", id="all"),
        pytest.param({"ALL_PROXY": "p.test:1"}, "http://model.test", "http://p.test:1", id="without-scheme"),
        pytest.param({"ALL_PROXY": "http://p.test:1"}, "http://127.0.0.1:8000", None, id="loopback"),
        pytest.param({"ALL_PROXY": "http://p.test:1"}, "http://[::1]:8000", None, id="loopback-6"),
        pytest.param(
            {"ALL_PROXY": "http://p.test:1", "NO_PROXY": "*"}, "http://model.test", None, id="no-all"
        ),
        pytest.param(
            {"ALL_PROXY": "http://p.test:1", "NO_PROXY": "a.test, model.test"},
            "http://u:p@api.model.test:81/v1",
            None,
            id="no-domain",
        ),
        pytest.param(
            {"ALL_PROXY": "http://p.test:1", "NO_PROXY": "model.test:82"},
            "http://model.test:81/v1",
            "http://p.test:1",
            id="no-other-port",
        ),
    ],
)
async def test_the_environment_says_which_proxy_is_used(
    variables: dict[str, str], url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = proxy_for(url)
    assert (str(found.url) if found else None) == proxy


async def test_a_proxy_that_nobody_speaks_to_is_refused_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://p.test")
    with pytest.raises(ValueError, match="Unknown scheme for proxy"):
        HttpClient(base_url="http://model.test")


async def test_a_connection_through_a_proxy_is_kept_for_the_next_request(make_client: MakeClient) -> None:
    async with LoopbackEndpoint.serving(*[whole("fine")] * 3) as proxy:
        client = make_client(proxy)
        assert {(await client.send("GET", "/page")).text for _ in range(3)} == {"fine"}
    assert (proxy.n_connections, len(proxy.heads)) == (1, 3)


async def test_many_requests_through_a_proxy_need_no_turn(make_client: MakeClient) -> None:
    async with LoopbackEndpoint.serving(*[whole("fine")] * 100) as proxy:
        client = make_client(proxy)
        replies = await asyncio.gather(*(client.send("GET", "/page") for _ in range(100)))
    assert {(reply.text, reply.n_requests) for reply in replies} == {("fine", 1)}


async def test_an_https_address_is_reached_by_a_tunnel_that_never_sees_the_key(
    make_client: MakeClient,
) -> None:
    async with LoopbackEndpoint.serving(whole("no", status="403 Forbidden")) as proxy:
        with pytest.raises(EndpointUnavailableError, match="1 request"):
            await make_client(proxy, "https://model.test/v1").send(
                "GET", "/page", headers={"X-API-KEY": "k-made-up"}
            )
    assert proxy.heads[0].startswith("CONNECT model.test:443 ")
    assert "k-made-up" not in proxy.heads[0]


async def test_a_fault_of_a_proxy_is_retried_over_a_new_connection(make_client: MakeClient) -> None:
    async with LoopbackEndpoint.serving(whole("fine"), hangs_up, whole("fine")) as proxy:
        client = make_client(proxy)
        await client.send("GET", "/page")
        with pytest.raises(EndpointUnavailableError, match="the connection broke"):
            await client.send("GET", "/page")
        assert (await client.send("GET", "/page")).text == "fine"
    assert proxy.n_connections == 2


async def test_a_cancelled_request_through_a_proxy_leaves_its_connection(make_client: MakeClient) -> None:
    has_begun = asyncio.Event()

    async def begins(writer: asyncio.StreamWriter) -> None:
        has_begun.set()
        await dribbles(writer)

    async with LoopbackEndpoint.serving(begins, whole("mine")) as proxy:
        client = make_client(proxy)
        call = asyncio.create_task(client.send("GET", "/first"))
        await has_begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await client.send("GET", "/second")).text == "mine"
    assert proxy.n_connections == 2
