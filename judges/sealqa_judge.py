"""The SealQA protocol by a model: hedging and style do not matter, and to decline is not to err."""

from typing import ClassVar

from judges.llm_judge import LLMJudge
from judges.verdict import JudgeProtocol


class SealqaJudge(LLMJudge):
    """Grades by SealQA's protocol: A is correct, B contradicts the ground truth, C was not attempted."""

    evaluation_type: ClassVar[str] = "sealqa_official_llm_judge"
    protocol: ClassVar[JudgeProtocol] = "sealqa"
