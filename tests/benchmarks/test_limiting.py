"""The limits of a session: who shares which pace, and whom a spent budget stops."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from examiner_scene import made_run, made_tasks

from benchmarks.configuration.execution import Execution
from benchmarks.configuration.model import Configuration, Gates, Placement
from benchmarks.handover import pack, unpack
from benchmarks.limiting import limited
from benchmarks.run import Cassettes, Run, Session, stop_mark_of
from harnesses.endpoint.errors import BudgetSpentError
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.network import DIRECT, UNPACED, Network, Role
from harnesses.endpoint.scope import Scope, current_scope
from harnesses.endpoint.spec import EndpointSpec

LINE = "budget: 45 of 40 tokens are spent; raise budget_tokens and go on with --resume"
MODEL = EndpointSpec(id="org/model-1", base_url="https://model.example/v1")
JUDGE = EndpointSpec(id="judge-1", base_url="https://judge.example/v1")
USED = TokenUsage(input_tokens=1_000_000, output_tokens=1_000_000)
NO_LIMITS = Execution()


def configured(execution: Execution) -> Configuration:
    return Configuration(
        model=MODEL,
        choices={"gaia": made_run(made_tasks(1), judge="llm", judge_model=JUDGE).choice},
        execution=execution,
        placement=Placement(),
        gates=Gates(),
    )


def opened(
    folder: Path,
    execution: Execution = NO_LIMITS,
    *,
    process: str = "main",
    prices: Mapping[str, Any] | None = None,
) -> Session:
    run = replace(made_run(made_tasks(1)), directory=folder / "run", prices=prices or {})
    return session_of(run, execution, process=process)


def session_of(run: Run, execution: Execution, *, process: str = "main") -> Session:
    return Session(
        configuration=configured(execution),
        runs={"gaia": run},
        stop_mark=stop_mark_of({"gaia": run}),
        show_ground_truth=False,
        demo=False,
        process=process,
    )


async def send(network: Network, role: Role = "model", used: TokenUsage | None = USED) -> None:
    turn = await network.pace(role).turn(n_bytes=0)
    turn.settle(used)


@pytest.fixture
def slept() -> list[float]:
    """What was slept, in seconds."""
    return []


@pytest.fixture
def network(slept: list[float]) -> Network:
    """A network that notes a sleep, and has no patience for a second one."""

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        raise TimeoutError

    return Network(sleep=sleep)


@pytest.fixture
def scope() -> Iterator[Scope]:
    made = Scope(name="gaia/t-1-attempt1")
    token = current_scope.set(made)
    yield made
    current_scope.reset(token)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("execution", "roles"),
    [
        (Execution(model_rpm=2), ("model", "tools")),
        (Execution(judge_rpm=2), ("judge", "judge")),
        (Execution(search_rpm=2), ("search", "search")),
    ],
    ids=["model", "judge", "search"],
)
async def test_a_rate_is_that_of_its_roles_in_all_processes(
    execution: Execution, roles: tuple[Role, Role], tmp_path: Path, network: Network, slept: list[float]
) -> None:
    here = limited(network, opened(tmp_path, execution, process="gw0"))
    there = limited(network, opened(tmp_path, execution, process="gw1"))
    for role in ("model", "tools", "judge", "search", "pages"):
        if role not in roles:
            await send(here, role)
            await send(there, role)
    await send(here, roles[0])
    with pytest.raises(TimeoutError):
        await send(there, roles[1])
    assert slept == [pytest.approx(30, abs=5)]


@pytest.mark.asyncio
async def test_tokens_a_minute_are_those_of_the_model_alone(
    tmp_path: Path, network: Network, slept: list[float]
) -> None:
    made = limited(network, opened(tmp_path, Execution(model_tpm=4_000_000)))
    await send(made, "judge")
    await send(made, "judge")
    await send(made, "tools")
    with pytest.raises(TimeoutError):
        await send(made, "model")
    assert slept == [pytest.approx(30, abs=5)]


@pytest.mark.asyncio
@pytest.mark.parametrize("role", ["model", "judge", "search", "pages"])
async def test_a_retry_after_is_kept_by_all_processes_without_any_limit(
    role: Role, tmp_path: Path, network: Network, slept: list[float]
) -> None:
    here, there = limited(network, opened(tmp_path)), limited(network, opened(tmp_path, process="gw1"))
    here.pace(role).hold(90)
    with pytest.raises(TimeoutError):
        await send(there, role)
    assert slept == [pytest.approx(90, abs=5)]


@pytest.mark.asyncio
async def test_at_the_budget_the_session_is_stopped_for_all_with_one_line(
    tmp_path: Path, network: Network, scope: Scope
) -> None:
    here, there = (
        opened(tmp_path, Execution(budget_tokens=40)),
        opened(tmp_path, Execution(budget_tokens=40), process="gw1"),
    )
    used = TokenUsage(input_tokens=40, output_tokens=5)
    await send(limited(network, here), "judge", used)
    for role in ("model", "tools", "search", "pages"):
        with pytest.raises(BudgetSpentError, match=r"^budget: 45 of 40 tokens"):
            await send(limited(network, here), role)
    await send(limited(network, there), "judge", used)
    with pytest.raises(BudgetSpentError, match=r"^budget: 45 of 40 tokens"):
        await send(limited(network, there), "model")
    assert (here.stop_mark.line(), there.stop_mark.is_budget) == (LINE, True)
    assert scope.withheld == [LINE] * 5


@pytest.mark.asyncio
async def test_a_session_that_was_stopped_for_something_else_keeps_that_line(
    tmp_path: Path, network: Network
) -> None:
    session = opened(tmp_path, Execution(budget_tokens=1))
    session.stop_mark.set("stopping after 3 failures")
    await send(limited(network, session), "judge")
    with pytest.raises(BudgetSpentError, match="budget: 2,000,000 of 1 tokens"):
        await send(limited(network, session), "model")
    assert (session.stop_mark.line(), session.stop_mark.is_budget) == ("stopping after 3 failures", False)


@pytest.mark.asyncio
async def test_a_budget_in_money_counts_by_the_rates_of_run_and_role(
    tmp_path: Path, network: Network
) -> None:
    def rates(sent: float, received: float) -> dict[str, float]:
        return {"input_usd_per_million_tokens": sent, "output_usd_per_million_tokens": received}

    first = opened(tmp_path, Execution(budget_usd=167), prices={"model": rates(1, 2), "judge": rates(10, 20)})
    choice = replace(first.runs["gaia"].choice, category="seal hard")
    second = replace(first.runs["gaia"], choice=choice, prices={"model": rates(7, 60)})
    session = replace(first, runs={"gaia": first.runs["gaia"], "gaia seal hard": second})
    made = limited(network, session)
    asked: list[tuple[str, Role]] = [
        ("gaia", "model"),
        ("gaia", "judge"),
        ("gaia-seal-hard", "model"),
        ("else", "model"),
    ]
    for name, role in asked:
        token = current_scope.set(Scope(name=f"{name}/t-1-attempt1"))
        await send(made, role)
        current_scope.reset(token)
    with pytest.raises(
        BudgetSpentError, match=r"^budget: 167\.00 of 167\.00 USD are spent; raise budget_usd "
    ):
        await send(made)


def test_a_worker_knows_the_rates_that_the_controller_found(tmp_path: Path) -> None:
    prices = {"model": {"input_usd_per_million_tokens": 0.5}}
    session = opened(tmp_path, prices=prices)
    with ExitStack() as closing:
        worker = unpack(pack(session, share=1, process="gw0", sees_disk=False), closing)
    assert worker.runs["gaia"].prices == prices


def test_a_worker_elsewhere_has_numbers_of_its_own(tmp_path: Path, network: Network) -> None:
    session = opened(tmp_path, Execution(model_rpm=1))
    run = replace(session.runs["gaia"], scratch=tmp_path / "scratch")
    limited(network, replace(session, runs={"gaia": run}))
    assert (tmp_path / "scratch" / "details" / "_plan" / "limits").exists()
    assert not (tmp_path / "run").exists()


def test_a_session_that_writes_nothing_has_no_limits(network: Network) -> None:
    assert limited(network, session_of(made_run(made_tasks(1)), Execution(model_rpm=1))) is network


@pytest.mark.parametrize(("mode", "is_paced"), [("replay", False), ("record", True)])
def test_only_a_replayed_cassette_asks_nobody(mode: Any, is_paced: bool, tmp_path: Path) -> None:
    session = replace(
        opened(tmp_path, Execution(model_rpm=1)), cassettes=Cassettes(folder=tmp_path, mode=mode)
    )
    assert (limited(DIRECT, session).pace("model") is not UNPACED) is is_paced


def test_limits_are_refused_where_files_have_no_locks(
    tmp_path: Path, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: int, _operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("harnesses.endpoint.shared_numbers.fcntl.flock", refuse)
    told = r"^the limits under execution need file locks, and '.*run' has none \(.*not supported\); choose"
    with pytest.raises(pytest.UsageError, match=told):
        limited(network, opened(tmp_path, Execution(judge_rpm=1)))
    assert limited(network, opened(tmp_path)) is network
