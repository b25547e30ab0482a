"""Where the middle floor meets pytest: the `judge` fixture."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from judges.judge import Judge

JudgeMaker = Callable[[], Judge]
judge_maker_key = pytest.StashKey[JudgeMaker]()
"""On an item: how to make its judge; the top floor puts it there. One maker makes one judge a process."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def judge_of() -> AsyncIterator[Callable[[JudgeMaker], Judge]]:
    """The primary judge of each maker, made when it is first asked for (session scope, one for each process).

    All of them are closed at the end, also where closing one of them fails.
    """
    made: dict[JudgeMaker, Judge] = {}
    async with AsyncExitStack() as closing:

        def of(maker: JudgeMaker) -> Judge:
            if maker not in made:
                made[maker] = maker()
                closing.push_async_callback(made[maker].aclose)
            return made[maker]

        yield of


@pytest.fixture
def judge(request: pytest.FixtureRequest, judge_of: Callable[[JudgeMaker], Judge]) -> Judge:
    """The primary judge, which decides an item: the same for all items of a run (function scope).

    Override it in a `conftest.py` beside a test module to bring a judge of your own.
    """
    return judge_of(request.node.stash[judge_maker_key])
