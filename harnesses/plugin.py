"""Where the ground floor meets pytest: its options, and the `harness` fixture."""

from collections.abc import AsyncIterator, Callable, Mapping

import pytest
import pytest_asyncio

from harnesses.harness import Harness
from harnesses.options import add_options

harness_makers = pytest.StashKey[Mapping[str, Callable[[], Harness]]]()
"""How to make a harness, by the name of the folder whose tests ask for it; the top floor fills it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that choose a model and the harness that drives it (every process)."""
    add_options(parser)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def harness(request: pytest.FixtureRequest) -> AsyncIterator[Harness]:
    """The harness that drives the model under test (module scope: one for each benchmark and process).

    Override it in a `conftest.py` beside a test module to bring a harness of your own.
    """
    made = request.config.stash[harness_makers][request.path.parent.name]()
    yield made
    await made.aclose()
