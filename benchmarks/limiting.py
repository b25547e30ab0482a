"""The limits of a session: the paces that its requests keep, in all of its processes together."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.run import Run, Session
from benchmarks.taping import asks_somebody
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.network import Network, Pace, Role
from harnesses.endpoint.scope import current_scope

if TYPE_CHECKING:
    from harnesses.endpoint.lanes import Lane

_MILLION = 1_000_000


def limited(network: Network, session: Session) -> Network:
    """`network` with the limits of the session, also where it sets none: `Retry-After` is kept by all.

    The processes of one machine share a file in the run directory; a worker elsewhere has one of its own. A
    session that writes nothing, or replays a cassette, has no limits: it asks nobody.

    Raises:
        pytest.UsageError: Limits are set, and files cannot be locked here.
    """
    first = next(iter(session.runs.values()))
    if first.directory is None or not asks_somebody(session.cassettes):
        return network
    try:
        # Here: Windows has no such locks, and runs without limits go on there.
        from harnesses.endpoint.shared_numbers import SharedNumbers

        numbers = SharedNumbers(first.files.limits)
    except (ImportError, OSError) as error:
        if not session.configuration.execution.has_limits:
            return network
        raise pytest.UsageError(
            f"the limits under execution need file locks, and {str(first.directory)!r} has none ({error}); "
            "choose another --results-dir, or leave the limits out"
        ) from error
    from harnesses.endpoint.lanes import Lane

    execution = session.configuration.execution

    def lane(name: str, rpm: float | None = None, tpm: float | None = None) -> Lane:
        # time.monotonic is one clock for all processes of a machine, on every system Python runs on.
        return Lane(name, numbers, rpm=rpm, tpm=tpm, clock=time.monotonic, sleep=network.sleep)

    lanes = {
        "model": lane("model", execution.model_rpm, execution.model_tpm),
        "judge": lane("judge", execution.judge_rpm),
        "search": lane("search", execution.search_rpm),
        "pages": lane("pages"),
    }
    return replace(network, paces={**network.paces, **_paces(lanes, session)})


def _paces(lanes: "Mapping[str, Lane]", session: Session) -> Mapping[Role, Pace]:
    from harnesses.endpoint.budgets import Budgets
    from harnesses.endpoint.limits import LimitedPace

    execution, mark = session.configuration.execution, session.stop_mark

    def stop(line: str) -> str:
        mark.set(line)
        # All are told the same: the first line, not what each process had counted by then.
        return (mark.line() or line) if mark.is_budget else line

    budgets: Budgets | None = None
    if execution.budget_tokens is not None or execution.budget_usd is not None:
        budgets = Budgets(
            tokens=execution.budget_tokens,
            usd=execution.budget_usd,
            process=session.process,
            dead=lambda: _dead(session),
        )

    def model_pace(lane: str, role: Role, *, is_refused: bool = True) -> LimitedPace:
        price = _price(role, session.runs.values())
        return LimitedPace(lanes[lane], budgets=budgets, price=price, is_refused=is_refused, stop=stop)

    def service_pace(lane: str) -> LimitedPace:
        return LimitedPace(lanes[lane], budgets=budgets, asks_model=False, stop=stop)

    return {
        "model": model_pace("model", "model"),
        "tools": model_pace("model", "tools"),
        "judge": model_pace("judge", "judge", is_refused=False),
        "search": service_pace("search"),
        "pages": service_pace("pages"),
    }


def _dead(session: Session) -> list[str]:
    """The worker processes of this session that died."""
    path = next(iter(session.runs.values())).files.dead
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def _price(role: Role, runs: Iterable[Run]) -> Callable[[TokenUsage], float]:
    """US dollars for tokens of this role, in the run on whose behalf they are spent.

    Where that is not known, e.g. in a thread of a foreign harness, in the dearest of them.
    """
    known = {run.folder_name: run.prices.get(role) for run in runs}
    rates: dict[str, Mapping[str, Any]] = {
        name: listed for name, listed in known.items() if listed is not None
    }

    def at(listed: Mapping[str, Any], usage: TokenUsage) -> float:
        sent = (usage.input_tokens or 0) * listed["input_usd_per_million_tokens"]
        received = (usage.output_tokens or 0) * listed["output_usd_per_million_tokens"]
        return float(sent + received) / _MILLION

    def price(usage: TokenUsage) -> float:
        scope = current_scope.get()
        own = None if scope is None else rates.get(scope.name.partition("/")[0])
        if own is not None:
            return at(own, usage)
        return max((at(listed, usage) for listed in rates.values()), default=0.0)

    return price
