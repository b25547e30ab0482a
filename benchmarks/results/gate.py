"""The gate: whether the numbers of a run let CI go on."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Literal

GateStatus = Literal["passed", "missed", "not_measured", "none"]

PASSED = 0
MISSED = 1
NOT_MEASURED = 10

_PRECEDENCE = (NOT_MEASURED, MISSED, PASSED, None)


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """What the gate decided. `exit_code` is ``None`` where no gate was set; `sentence` is public."""

    status: GateStatus
    exit_code: int | None
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """``{"status": "missed", "exit_code": 1, "sentence": "Gate missed: …"}``."""
        return asdict(self)


NO_GATE = GateResult(status="none", exit_code=None, sentence="No gate was set.")


def judge_gates(metrics: Mapping[str, Any], gates: Mapping[str, Any]) -> GateResult:
    """Hold the headline series against the thresholds. Shares are compared exactly: 3 of 5 reaches 0.6.

    Not measured comes before missed. With nothing evaluated, or where the run was stopped, the gate is not
    measured, whatever was asked.

    Args:
        metrics: With `headline`, `series` and `stopped` as in metrics.json.
        gates: ``{"min_accuracy": 0.6, "min_coverage": None, "max_errors": None}``. ``None`` asks for nothing,
            save that coverage must be 1.0 as soon as another gate is set.
    """
    if all(gates.get(name) is None for name in ("min_accuracy", "min_coverage", "max_errors")):
        return NO_GATE
    counts: Mapping[str, int] = metrics["series"][metrics["headline"]]["counts"]
    stopped = metrics.get("stopped")
    trouble = _not_measured(counts, gates) if stopped is None else f"the run was stopped ({stopped})"
    if trouble:
        return GateResult(
            status="not_measured", exit_code=NOT_MEASURED, sentence=f"Gate not measured: {trouble}."
        )
    least = gates.get("min_accuracy")
    accuracy = _share("accuracy", counts["correct"], counts["evaluated"], least)
    if least is not None and Fraction(counts["correct"], counts["evaluated"]) < _exact(least):
        sentence = f"Gate missed: {accuracy} is below --min-accuracy {least}."
        return GateResult(status="missed", exit_code=MISSED, sentence=sentence)
    coverage = _share("coverage", counts["evaluated"], counts["total"], None)
    reached = "" if least is None else f" reaches --min-accuracy {least}"
    sentence = f"Gate passed: {accuracy}{reached}; {coverage}; errors {counts['error']}."
    return GateResult(status="passed", exit_code=PASSED, sentence=sentence)


def strictest(results: Iterable[GateResult]) -> GateResult:
    """The result that decides a session with several runs: not measured, then missed, then passed."""
    return min(results, key=lambda result: _PRECEDENCE.index(result.exit_code), default=NO_GATE)


def exit_code_for(pytest_exit: int, gate: GateResult, *, only_benchmark_failures: bool) -> int:
    """The exit code of a session.

    Args:
        pytest_exit: What pytest would end with; 2 to 6 (interrupted, usage, nothing collected …) stand.
        gate: The gate of the session; without one pytest's own code stands.
        only_benchmark_failures: Whether every item that failed or erred is a benchmark item: only then may a
            passed gate turn pytest's 1 into 0.
    """
    if gate.exit_code is None or pytest_exit not in {0, 1}:
        return pytest_exit
    if gate.exit_code == PASSED and pytest_exit == 1 and not only_benchmark_failures:
        return 1
    return gate.exit_code


def _not_measured(counts: Mapping[str, int], gates: Mapping[str, Any]) -> str | None:
    if counts["evaluated"] == 0:
        return f"none of {counts['total']} planned attempts was evaluated"
    asked = gates.get("min_coverage")
    least = 1.0 if asked is None else asked
    if Fraction(counts["evaluated"], counts["total"]) < _exact(least):
        rule = f"--min-coverage {least}" + (" (its default beside another gate)" if asked is None else "")
        return f"{_share('coverage', counts['evaluated'], counts['total'], least)} is below {rule}"
    most = gates.get("max_errors")
    if most is not None and counts["error"] > most:
        return f"{counts['error']} errors are more than --max-errors {most}"
    return None


def _exact(threshold: float) -> Fraction:
    """The decimal number the user wrote, not the binary one nearest to it."""
    return Fraction(repr(threshold))


def _share(word: str, part: int, whole: int, least: float | None) -> str:
    """The share with three digits, or as many more as it takes to lie on its side of `least`.

    Rounded to three digits, 0.59996 would be shown as the 0.6 that it misses.
    """
    exact = Fraction(part, whole)
    for n_digits in range(3, 12):
        shown = f"{float(exact):.{n_digits}f}"
        if least is None or (Fraction(shown) < _exact(least)) == (exact < _exact(least)):
            return f"{word} {shown} ({part}/{whole})"
    return f"{word} just below {least} ({part}/{whole})"
