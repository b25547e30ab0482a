"""Recording and replaying as the clients see them: nothing changes but who answers."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from loopback_endpoint import LoopbackEndpoint, broken_gzip, cut_short, hangs_up, no_http, resets, whole
from scripted_services import no_wait, says

from harnesses.endpoint.cassettes import (
    ReplayingTransport,
    begin_anew,
    recording,
    replaying,
)
from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.errors import (
    CassetteMissError,
    EndpointError,
    RequestRefusedError,
)
from harnesses.endpoint.messages import Completion
from harnesses.endpoint.network import DIRECT, Network
from harnesses.endpoint.retrying import Retries
from harnesses.endpoint.scope import Scope, current_scope
from harnesses.endpoint.spec import EndpointSpec

pytestmark = pytest.mark.asyncio
KEY = "sk-secret-of-a-test"
MODEL = EndpointSpec(id="m-1", base_url="http://model.test/v1", api_key=KEY)
QUESTION = "How long is the bridge?"
REPLY = json.dumps({"choices": [{"finish_reason": "stop", "message": {"content": "42"}}]})


def network_of(transport: httpx.AsyncBaseTransport) -> Network:
    return Network(connect=lambda _: transport, sleep=no_wait)


async def ask(network: Network, text: str = QUESTION, *, spec: EndpointSpec = MODEL) -> Completion:
    client = EndpointClient(spec, retries=Retries(max_retries=2), network=network)
    try:
        return await client.complete([{"role": "user", "content": text}])
    finally:
        await client.aclose()


async def outcome_of(network: Network, spec: EndpointSpec) -> tuple[str, int]:
    """What an attempt would tell: the answer or the error, and how many requests that took."""
    try:
        completion = await ask(network, spec=spec)
    except EndpointError as error:
        return f"{type(error).__name__}: {error} ({error.detail})", error.n_requests
    return completion.text, completion.usage.n_requests


def files_of(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.rglob("*.jsonl"))


async def test_a_replay_gives_what_was_recorded_without_a_connection(tmp_path: Path) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return says("42", reasoning="hm")

    first = await ask(recording(network_of(httpx.MockTransport(answer)), tmp_path))
    again = await ask(replaying(tmp_path))
    assert len(asked) == 1
    assert replace(again, duration_s=0.0) == replace(first, duration_s=0.0)
    assert again.text == "42"


async def test_a_replay_needs_neither_the_address_nor_the_key(tmp_path: Path) -> None:
    await ask(recording(network_of(httpx.MockTransport(lambda _: says("42"))), tmp_path))
    elsewhere = EndpointSpec(id="m-1", base_url="https://elsewhere.test/openai/v1?api-version=2")
    assert (await ask(replaying(tmp_path), spec=elsewhere)).text == "42"


@pytest.mark.parametrize(
    "respond",
    [
        pytest.param(resets, id="reset"),
        pytest.param(hangs_up, id="hang-up"),
        pytest.param(cut_short(REPLY[:20]), id="body-shorter-than-promised"),
        pytest.param(broken_gzip(), id="broken-gzip"),
        pytest.param(no_http(), id="no-http"),
        pytest.param(whole("busy", status="429 Too Many Requests", headers="Retry-After: 7\r\n"), id="429"),
        pytest.param(whole(REPLY[:30]), id="cut JSON"),
        pytest.param(whole('{"error": {"message": "bad ' + KEY + '", "code": 401}}'), id="refused key"),
        pytest.param(whole("überlastet", status="503 x"), id="503"),
    ],
)
@pytest.mark.parametrize("recovers", [True, False], ids=["recovers", "stays"])
async def test_a_recorded_fault_stays_the_same_fault(tmp_path: Path, respond: Any, recovers: bool) -> None:
    script = [respond, whole(REPLY)] if recovers else [respond] * 3
    async with LoopbackEndpoint.serving(*script) as endpoint:
        spec = EndpointSpec(id="m-1", base_url=endpoint.url, api_key=KEY)
        network = replace(DIRECT, sleep=no_wait)
        recorded = await outcome_of(recording(network, tmp_path, secrets=[KEY]), spec)
    assert await outcome_of(replaying(tmp_path), spec) == recorded
    assert KEY not in files_of(tmp_path)


async def test_a_refused_connection_stays_one(tmp_path: Path) -> None:
    async with LoopbackEndpoint.serving() as endpoint:
        spec = EndpointSpec(id="m-1", base_url=endpoint.url)
    recorded = await outcome_of(recording(replace(DIRECT, sleep=no_wait), tmp_path), spec)
    assert "no connection, 3 requests" in recorded[0]
    assert await outcome_of(replaying(tmp_path), spec) == recorded


async def test_keys_and_volatile_headers_are_not_stored(tmp_path: Path) -> None:
    headers = {
        "Set-Cookie": "session=c00kie",
        "Date": "Mon, 01 Jan 2029 00:00:00 GMT",
        "X-Request-Id": "id-4711",
    }

    def repeats_the_key(request: httpx.Request) -> httpx.Response:
        said = f"Your key is {request.headers['authorization']}."
        return httpx.Response(200, headers=headers, content=says(said).content)

    spec = replace(MODEL, params={"user": KEY})
    network = recording(network_of(httpx.MockTransport(repeats_the_key)), tmp_path, secrets=[KEY])
    assert (await ask(network, spec=spec)).text == "Your key is Bearer ***.", "as the replay will say it"
    written = files_of(tmp_path)
    assert not [text for text in (KEY, "c00kie", "2029", "id-4711", "model.test") if text in written]
    unset = replace(MODEL, api_key="", params={"user": "***"})
    assert (await ask(replaying(tmp_path), spec=unset)).text == "Your key is Bearer ***."


async def test_a_replay_waits_for_nothing_and_keeps_no_pace(tmp_path: Path) -> None:
    replies = iter([httpx.Response(429, headers={"Retry-After": "300"}), says("42")])
    await ask(recording(network_of(httpx.MockTransport(lambda _: next(replies))), tmp_path))
    network = replaying(tmp_path)
    async with asyncio.timeout(60):
        assert (await ask(network)).usage.n_requests == 2
    assert not network.paces


async def test_each_service_counts_as_one_that_has_answered(tmp_path: Path) -> None:
    """The first process had an answer before this attempt; the one that replays it first has had none."""
    replies = iter([says("first"), httpx.Response(403, json={"error": {"message": "not this one"}})])
    network = recording(network_of(httpx.MockTransport(lambda _: next(replies))), tmp_path)
    client = EndpointClient(MODEL, network=network)
    await client.complete([{"role": "user", "content": "one"}])
    with pytest.raises(RequestRefusedError):
        await client.complete([{"role": "user", "content": "two"}])
    with pytest.raises(RequestRefusedError):
        await ask(replaying(tmp_path), "two")


async def test_a_miss_is_raised_at_once_and_never_retried(tmp_path: Path) -> None:
    await ask(recording(network_of(httpx.MockTransport(lambda _: says("42"))), tmp_path))
    with pytest.raises(
        CassetteMissError, match=r"holds no reply to POST /chat/completions \(model 'm-1', 1 mess"
    ):
        await ask(replaying(tmp_path), "How wide is the bridge?")


async def test_many_attempts_record_at_once_and_each_is_answered_by_its_own(tmp_path: Path) -> None:
    """All ask the same; the replies come the other way round, and the replay asks the other way round."""
    gates, all_asked = {n: asyncio.Event() for n in range(20)}, asyncio.Event()
    arrived: list[str] = []

    async def answer(_: httpx.Request) -> httpx.Response:
        scope = current_scope.get()
        assert scope is not None
        arrived.append(scope.name)
        if len(arrived) == len(gates):
            all_asked.set()
        await gates[len(arrived) - 1].wait()
        return says(f"for {scope.name}")

    async def attempt(network: Network, n: int) -> str:
        current_scope.set(Scope(name=f"gaia/t-{n}-attempt1"))
        return (await ask(network)).text

    network = recording(network_of(httpx.MockTransport(answer)), tmp_path)
    attempts = [asyncio.create_task(attempt(network, n)) for n in range(20)]
    await all_asked.wait()
    for gate in reversed(gates.values()):
        gate.set()
    recorded = await asyncio.gather(*attempts)
    network = replaying(tmp_path)
    replayed = await asyncio.gather(*(asyncio.create_task(attempt(network, n)) for n in reversed(range(20))))
    assert replayed == recorded[::-1] == [f"for gaia/t-{n}-attempt1" for n in reversed(range(20))]


async def test_what_was_kept_outside_of_attempts_can_be_begun_anew(tmp_path: Path) -> None:
    network = recording(network_of(httpx.MockTransport(lambda _: says("42"))), tmp_path)
    await ask(network)
    begin_anew(tmp_path)
    begin_anew(tmp_path)
    with pytest.raises(CassetteMissError, match="holds no reply"):
        await ask(replaying(tmp_path))


async def test_connections_are_given_back(tmp_path: Path) -> None:
    class Closing(httpx.AsyncBaseTransport):
        n_closed = 0

        async def aclose(self) -> None:
            self.n_closed += 1

    inner = Closing()
    await EndpointClient(MODEL, network=recording(network_of(inner), tmp_path)).aclose()
    assert inner.n_closed == 1


async def test_a_replay_makes_no_connection_even_where_one_could_be_had(tmp_path: Path) -> None:
    network = replaying(tmp_path)
    assert isinstance(network.connect("http://127.0.0.1:1"), ReplayingTransport)
