"""Where the ground floor meets pytest: its options, and the `harness` fixture."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from harnesses.harness import Harness
from harnesses.options import add_options

HarnessMaker = Callable[[], Harness]
harness_maker_key = pytest.StashKey[HarnessMaker]()
"""On an item: how to make its harness; the top floor puts it there. One maker makes one harness a process."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that choose a model and the harness that drives it (every process)."""
    add_options(parser)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def harness_of() -> AsyncIterator[Callable[[HarnessMaker], Harness]]:
    """The harness of each maker, made when it is first asked for (session scope, one for each process).

    All of them are closed at the end, also where closing one of them fails.
    """
    made: dict[HarnessMaker, Harness] = {}
    async with AsyncExitStack() as closing:

        def of(maker: HarnessMaker) -> Harness:
            if maker not in made:
                made[maker] = maker()
                closing.push_async_callback(made[maker].aclose)
            return made[maker]

        yield of


@pytest.fixture
def harness(request: pytest.FixtureRequest, harness_of: Callable[[HarnessMaker], Harness]) -> Harness:
    """The harness that drives the model under test: the same for all items of a run (function scope).

    Override it in a `conftest.py` beside a test module to bring a harness of your own.
    """
    return harness_of(request.node.stash[harness_maker_key])
