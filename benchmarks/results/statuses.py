"""How a gate or a comparison stands, and the exit code of each."""

from collections.abc import Mapping
from typing import Literal

GateStatus = Literal["not_measured", "not_comparable", "missed", "inconclusive", "passed", "none"]
"""How a gate stands, the strictest first; "none" where no gate was set."""

EXIT_CODES: Mapping[GateStatus, int | None] = {
    "not_measured": 10,
    "not_comparable": 12,
    "missed": 1,
    "inconclusive": 11,
    "passed": 0,
    "none": None,
}
"""The exit code of each status, the strictest first: of several, the earliest in here decides."""
