"""Where the middle floor meets pytest: the `judge` fixture."""

from collections.abc import AsyncIterator, Callable, Mapping

import pytest
import pytest_asyncio

from judges.judge import Judge

judge_makers = pytest.StashKey[Mapping[str, Callable[[], Judge]]]()
"""How to make the primary judge, by the name of the folder whose tests ask for it; the top floor fills it."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def judge(request: pytest.FixtureRequest) -> AsyncIterator[Judge]:
    """The primary judge, which decides an item (module scope: one for each benchmark and process).

    Override it in a `conftest.py` beside a test module to bring a judge of your own.
    """
    made = request.config.stash[judge_makers][request.path.parent.name]()
    yield made
    await made.aclose()
