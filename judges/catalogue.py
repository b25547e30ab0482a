"""The judges there are, by their ids in a configuration."""

from collections.abc import Callable, Mapping

from judges.contains import Contains
from judges.gaia_official import GaiaOfficial
from judges.judge import Judge

SCORERS: Mapping[str, Callable[[], Judge]] = {"gaia_official": GaiaOfficial, "contains": Contains}
"""Judges without a model: ``SCORERS["contains"]()`` makes one."""

JUDGE_IDS = ("llm", *SCORERS)
"""Every id that `judge` may have; `llm` also needs a `judge_model`."""
