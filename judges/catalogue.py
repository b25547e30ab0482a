"""The judges there are, by their ids in a configuration."""

from collections.abc import Callable, Mapping

from judges.contains import Contains
from judges.gaia_official import GaiaOfficial
from judges.judge import Judge
from judges.llm_judge import LLMJudge
from judges.sealqa_judge import SealqaJudge

MODEL_JUDGES: Mapping[str, type[LLMJudge]] = {"llm": LLMJudge, "sealqa": SealqaJudge}
"""Judges that ask a `judge_model`, e.g. ``MODEL_JUDGES["sealqa"].protocol``; open to every benchmark."""

SCORERS: Mapping[str, Callable[[], Judge]] = {"gaia_official": GaiaOfficial, "contains": Contains}
"""Judges without a model: ``SCORERS["contains"]()`` makes one."""

JUDGE_IDS = (*MODEL_JUDGES, *SCORERS)
"""Every id that `judge` may have."""
