"""GAIA, one item for each planned attempt: `task` → `attempt` (harness) → `judgment` (judge)."""

import pytest

from judges.judge import Judgment


@pytest.mark.asyncio(loop_scope="session")
async def test_gaia(judgment: Judgment) -> None:
    """The answer to this task is judged correct."""
    judgment.must_be_correct()
