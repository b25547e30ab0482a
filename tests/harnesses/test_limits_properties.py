"""Whatever is asked, and whatever comes of it: never more in a minute than is allowed."""

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from limits_scene import Desk, most_in_a_minute

from harnesses.endpoint.lanes import Lane
from harnesses.endpoint.limits import LimitedPace
from harnesses.endpoint.messages import TokenUsage


@dataclass(frozen=True)
class Asked:
    """A request: when somebody wants to send it, in which process, and what comes of it."""

    at_s: float
    process: int
    lasts_s: float
    output_tokens: int | None
    retry_after_s: float


asked = st.builds(
    Asked,
    at_s=st.floats(0, 200),
    process=st.integers(0, 2),
    lasts_s=st.floats(0, 90),
    output_tokens=st.none() | st.integers(0, 3000),
    retry_after_s=st.just(0.0) | st.floats(0.5, 70),
)


async def lived(desk: Desk, lanes: list[Lane], requests: list[Asked]) -> list[float]:
    """When each was sent."""
    paces = [LimitedPace(lane) for lane in lanes]

    async def live(request: Asked) -> float:
        pace = paces[request.process]
        await desk.time.sleep(request.at_s)
        turn = await pace.turn(n_bytes=100)
        at = desk.time.now
        await desk.time.sleep(request.lasts_s)
        if request.retry_after_s:
            pace.hold(request.retry_after_s)
        tokens = request.output_tokens
        turn.settle(None if tokens is None else TokenUsage(input_tokens=25, output_tokens=tokens))
        return at

    return await desk.time.live(*map(live, requests))


@settings(max_examples=60, deadline=None)
@given(
    requests=st.lists(asked, min_size=2, max_size=24),
    rpm=st.integers(1, 40),
    tpm=st.none() | st.integers(200, 20000),
)
def test_never_more_than_rpm_requests_in_any_minute(requests: list[Asked], rpm: int, tpm: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        lanes = [desk.lane(rpm=rpm, tpm=tpm) for _ in range(3)]
        moments = asyncio.run(lived(desk, lanes, requests))
        desk.close()
    assert len(moments) == len(requests)
    assert most_in_a_minute(moments) <= rpm
