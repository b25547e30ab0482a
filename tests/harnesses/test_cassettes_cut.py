"""Requests that did not end by themselves: their own time limit, or whoever sent them was stopped."""

import asyncio
from pathlib import Path

import httpx
import pytest
from scripted_services import no_wait

from harnesses.endpoint.cassettes import CUT_S, RecordingTransport, ReplayingTransport, recording, replaying
from harnesses.endpoint.errors import CassetteMissError, EndpointUnavailableError
from harnesses.endpoint.http import HttpClient
from harnesses.endpoint.network import Network
from harnesses.endpoint.retrying import Retries
from harnesses.endpoint.tapes import RecordedTapes, ReplayedTapes

pytestmark = pytest.mark.asyncio
BASE_URL = "http://model.test/v1"


class Hanging(httpx.AsyncBaseTransport):
    """Never answers; `asked` tells that it was asked."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        del request
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError


def request(*, limit_s: float | None = 100.0) -> httpx.Request:
    extensions = {} if limit_s is None else {"timeout": {"read": limit_s}}
    return httpx.Request("POST", "http://model.test/v1/chat", json={"model": "m-1"}, extensions=extensions)


async def cancelled_after(folder: Path, seconds: float, *, limit_s: float | None = 100.0) -> None:
    """A request that is cancelled when its clock shows that many seconds."""
    hanging, times = Hanging(), iter([0.0, seconds])
    transport = RecordingTransport(
        hanging, RecordedTapes(folder), base_url=BASE_URL, clock=lambda: next(times)
    )
    sending = asyncio.create_task(transport.handle_async_request(request(limit_s=limit_s)))
    await hanging.asked.wait()
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending


async def test_a_request_that_ran_into_its_own_limit_is_a_time_out_when_replayed(tmp_path: Path) -> None:
    await cancelled_after(tmp_path, 99.99)
    with pytest.raises(httpx.ReadTimeout):
        await ReplayingTransport(ReplayedTapes(tmp_path), base_url=BASE_URL).handle_async_request(request())


async def test_a_time_out_of_a_client_is_told_the_same_when_replayed(tmp_path: Path) -> None:
    async def told(network: Network) -> str:
        client = HttpClient(
            base_url="http://h", timeout_s=0.1, retries=Retries(max_retries=1), network=network
        )
        with pytest.raises(
            EndpointUnavailableError, match=r"no whole reply within 0\.1 s, 2 requests"
        ) as caught:
            await client.send("POST", "/chat")
        return str(caught.value)

    recorded = await told(recording(Network(connect=lambda _: Hanging(), sleep=no_wait), tmp_path))
    assert await told(replaying(tmp_path)) == recorded


@pytest.mark.parametrize("limit_s", [100.0, None], ids=["before its limit", "without a limit"])
async def test_a_request_that_was_cut_off_waits_for_what_cuts_it_off_and_then_is_a_miss(
    tmp_path: Path, limit_s: float | None
) -> None:
    await cancelled_after(tmp_path, 50.0, limit_s=limit_s)
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    transport = ReplayingTransport(ReplayedTapes(tmp_path), base_url=BASE_URL, sleep=wait)
    with pytest.raises(
        CassetteMissError,
        match=r"breaks off at POST /chat \(model 'm-1'\), which a stop or a time limit ended; record",
    ):
        await transport.handle_async_request(request())
    assert waited == [CUT_S]


async def test_a_request_that_was_cut_off_is_cut_off_again_by_the_same_cause(tmp_path: Path) -> None:
    await cancelled_after(tmp_path, 50.0)
    waits = asyncio.Event()

    async def wait(_: float) -> None:
        waits.set()
        await asyncio.Event().wait()

    transport = ReplayingTransport(ReplayedTapes(tmp_path), base_url=BASE_URL, sleep=wait)
    sending = asyncio.create_task(transport.handle_async_request(request()))
    await waits.wait()
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending


async def test_a_cassette_that_cannot_be_written_keeps_nobody_from_cancelling(tmp_path: Path) -> None:
    (tmp_path / "tapes").write_text("a file")
    await cancelled_after(tmp_path / "tapes", 1.0)
