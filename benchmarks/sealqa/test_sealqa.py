"""SealQA, one item for each planned attempt: `task` → `attempt` (harness) → `judgment` (judge)."""

from judges.judge import Judgment


def test_sealqa(judgment: Judgment) -> None:
    """The answer to this task is judged correct."""
    judgment.must_be_correct()
