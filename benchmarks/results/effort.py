"""Effort: what the attempts of a run took, in tokens, time, tool calls and money."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any, TypeVar

from benchmarks.results.facts import AttemptFacts
from benchmarks.results.record import Outcome
from benchmarks.results.run_description import RunDescription

Number = TypeVar("Number", int, float)
Used = Mapping[str, int | None]
"""What one attempt used in one role: ``{"input_tokens": 12, "output_tokens": None, "n_requests": 1}``."""

_TOKEN_FIELDS = ("input_tokens", "output_tokens", "reasoning_tokens", "n_requests")
_PRICED_FIELDS = {
    "input_tokens": "input_usd_per_million_tokens",
    "output_tokens": "output_usd_per_million_tokens",
}
"""What is paid for, and the rate it is paid at; output tokens include reasoning."""


def effort_of(description: RunDescription, rows: Sequence[AttemptFacts], *, n_correct: int) -> dict[str, Any]:
    """The part of `volatile` in metrics.json that tells what was spent; results_format.md names the keys.

    ``{"tokens": {"model": {"input_tokens": 30, …}}, "time": {"run_s": 4.5, …}, "cost_usd": {"total": 1.23,
    "by_role": {"judge": 0.23, "model": 1.0}, "per_correct": 0.4, "rates": {…}}, "tool_calls": {"n": 6, …}}``.
    What is unknown is ``None``, never 0. Search and page services are not in the cost: nobody tells their
    price.

    Args:
        description: The run, with the rates of each role in `prices`.
        rows: The attempts that were made, in any order.
        n_correct: How many correct answers the cost is shared among, 0 or more.
    """
    roles = sorted({role for row in rows for role in row.usage})
    return {
        "tokens": {role: _tokens(role, rows) for role in roles},
        "time": {
            "run_s": math.fsum(_known(row.run_s for row in rows)),
            "judge_s": math.fsum(_known(row.judge_s for row in rows)),
            "wall_s": _wall_s(description.volatile),
        },
        "cost_usd": _cost_usd(
            description.prices,
            rows,
            n_correct=n_correct,
            has_model_judge=description.judge.get("model") is not None,
        ),
        "tool_calls": {
            "n": sum(row.n_tool_calls for row in rows),
            "n_failed": sum(row.n_tool_failures for row in rows),
        },
    }


def cost_of_attempt(usage: Mapping[str, Used], prices: Mapping[str, Any]) -> float | None:
    """What one attempt cost in US dollars; ``None`` where a rate or a number of tokens is unknown.

    Args:
        usage: By role, ``{"model": {"input_tokens": 12, "output_tokens": 3}, "judge": {…}}``.
        prices: The rates of each role, as in a run's description.
    """
    parts = [_cost_of([used], prices.get(role)) for role, used in usage.items() if any(used.values())]
    return _dollars(_total(parts)) if parts else None


def _tokens(role: str, rows: Sequence[AttemptFacts]) -> dict[str, int | None]:
    """Sums of what servers reported; a field that none reported stays unknown."""
    sums: dict[str, int | None] = {}
    for name in _TOKEN_FIELDS:
        reported = list(_known(row.usage.get(role, {}).get(name) for row in rows))
        sums[name] = sum(reported) if reported else None
    return sums


def _known(values: Iterable[Number | None]) -> Iterator[Number]:
    return (value for value in values if value is not None)


def _wall_s(volatile: Mapping[str, Any]) -> float | None:
    started_at, finished_at = volatile.get("started_at"), volatile.get("finished_at")
    if not isinstance(started_at, str) or not isinstance(finished_at, str):
        return None
    return (datetime.fromisoformat(finished_at) - datetime.fromisoformat(started_at)).total_seconds()


def _cost_usd(
    prices: Mapping[str, Any], rows: Sequence[AttemptFacts], *, n_correct: int, has_model_judge: bool
) -> dict[str, Any]:
    silent = [(role, row) for row in rows for role in _silent_roles(row, has_model_judge=has_model_judge)]
    roles = {*prices, *(role for row in rows for role in row.usage), *(role for role, _ in silent)}
    untold: Used = {}
    used = {
        role: [*_uses(role, rows), *(untold for each, _ in silent if each == role)] for role in sorted(roles)
    }
    by_role = {role: _cost_of(uses, prices.get(role)) for role, uses in used.items()}
    total = _total(by_role.values())
    if not any(used.values()) and any(row.run_s is not None for row in rows):
        total = None  # attempts were made, and their harness told nothing of what they used
    return {
        "total": _dollars(total),
        "by_role": {role: _dollars(cost) for role, cost in by_role.items()},
        "per_correct": _dollars(total / n_correct) if total is not None and n_correct else None,
        "rates": dict(prices),
    }


def _silent_roles(row: AttemptFacts, *, has_model_judge: bool) -> Iterator[str]:
    """The roles that worked for an attempt though nobody told what they used.

    A harness that was cut off or broke told nothing; one that asked nobody says so (`n_requests` 0). A judge
    that asked nobody, since there was no answer, has a verdict.
    """
    is_made = row.run_s is not None and row.outcome is not Outcome.UNAVAILABLE
    if is_made and "model" not in row.usage:
        yield "model"
    is_judged = row.judge_s is not None and row.outcome is Outcome.JUDGE_ERROR
    if has_model_judge and is_judged and not any(row.usage.get("judge", {}).values()):
        yield "judge"


def _uses(role: str, rows: Sequence[AttemptFacts]) -> list[Used]:
    """What each attempt used that used the role at all."""
    return [row.usage[role] for row in rows if any(row.usage.get(role, {}).values())]


def _cost_of(uses: Sequence[Used], rates: Mapping[str, Any] | None) -> Fraction | None:
    """What a role cost, exactly; 0 where nothing used it, ``None`` where a rate or a number is unknown."""
    if not uses:
        return Fraction(0)
    if rates is None:
        return None
    return _total(
        _price([each.get(tokens) for each in uses], rates[rate]) for tokens, rate in _PRICED_FIELDS.items()
    )


def _price(counts: Iterable[int | None], usd_per_million: float) -> Fraction | None:
    if usd_per_million == 0:
        return Fraction(0)
    total = _total(counts)
    if total is None or not math.isfinite(usd_per_million):
        return None
    return total * Fraction(usd_per_million) / 1_000_000


def _total(parts: Iterable[Fraction | int | None]) -> Fraction | None:
    """The exact sum, in whatever order; ``None`` as soon as a part is unknown."""
    total = Fraction(0)
    for part in parts:
        if part is None:
            return None
        total += part
    return total


def _dollars(exact: Fraction | None) -> float | None:
    """For JSON, which has no infinite numbers: what no float can hold counts as unknown."""
    try:
        return None if exact is None else float(exact)
    except OverflowError:
        return None
