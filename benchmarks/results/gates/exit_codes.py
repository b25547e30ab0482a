"""What a gate decided, as an exit code: of a run, and of a session with several."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.results.statuses import EXIT_CODES, GateStatus


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """What the gates of a run decided. `exit_code` is ``None`` where none was set; `sentence` is public.

    `each` has one mapping for every gate that was asked for: ``{"scope": "level1", "kind": "accuracy",
    "threshold": 0.8, "value": 0.75, "interval_95": [0.6, 0.86], "level": None, "status": "missed", "decides":
    True}``.
    """

    status: GateStatus
    exit_code: int | None
    sentence: str
    each: Sequence[Mapping[str, Any]] = ()

    def to_json(self) -> dict[str, Any]:
        """``{"status": "missed", "exit_code": 1, "sentence": "Gate missed: …", "each": […]}``."""
        return {**asdict(self), "each": [dict(one) for one in self.each]}


NO_GATE = GateResult(status="none", exit_code=None, sentence="No gate was set.")


def nothing_planned(key: str) -> GateResult:
    """What the gates of a run come to whose items were all taken away; `key` names it in its session."""
    status: GateStatus = "not_measured"
    return GateResult(
        status=status,
        exit_code=EXIT_CODES[status],
        sentence=f"Gate not measured ({key}): none of its tasks was left to ask.",
    )


def strictest_status(statuses: Iterable[GateStatus]) -> GateStatus:
    """The status that decides among several; "none" of none."""
    present = set(statuses)
    for status in EXIT_CODES:
        if status in present:
            return status
    return "none"


def strictest(results: Iterable[GateResult]) -> GateResult:
    """The result that decides a session with several runs: 10, then 12, 1, 11 and 0."""
    listed = list(results)
    deciding = strictest_status(result.status for result in listed)
    return next((result for result in listed if result.status == deciding), NO_GATE)


def exit_code_for(pytest_exit: int, gate: GateResult, *, only_benchmark_failures: bool) -> int:
    """The exit code of a session.

    Args:
        pytest_exit: What pytest would end with; 2 to 6 (interrupted, usage, nothing collected …) stand.
        gate: The gate of the session; without one pytest's own code stands.
        only_benchmark_failures: Whether every item that failed or erred is a benchmark item. Another one that
            failed is as strict as a missed gate: no milder decision turns pytest's 1 into something else.
    """
    if gate.exit_code is None or pytest_exit not in {0, 1}:
        return pytest_exit
    if pytest_exit == 1 and not only_benchmark_failures:
        return EXIT_CODES[strictest_status((gate.status, "missed"))] or 1
    return gate.exit_code
