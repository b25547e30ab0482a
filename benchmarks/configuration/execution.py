"""How a session is executed: attempts, time limits, rate limits and budgets, as values."""

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Gt, Le
from typing_extensions import Doc

_FORBID: dict[str, Any] = {"extra": "forbid"}


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """How often each task is tried."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    k: Annotated[int, Ge(1), Le(100), Doc("Attempts per task, at most 100; costs grow with it.")] = 1
    strategy: Annotated[
        Literal["avg", "pass"],
        Doc("`avg`: one item per attempt, all are made; `pass`: one item per task, tried until it succeeds."),
    ] = "avg"


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How much runs at once, and for how long."""

    __pydantic_config__: ClassVar[Any] = _FORBID

    attempts: Annotated[Attempts, Doc("How often each task is tried.")] = field(default_factory=Attempts)
    task_concurrency: Annotated[
        Annotated[int, Ge(1)] | None,
        Doc(
            "Attempts in flight in all processes together; more are faster until the server answers 429. "
            "Null: 16 without `-n` and with `-n auto`, W with `-n W`."
        ),
    ] = None
    run_timeout_seconds: Annotated[
        Annotated[float, Gt(0)] | None,
        Doc(
            "Seconds an attempt may take before it is asked for its answer; 300 s later it is cut off, and "
            "that is a run error. Null: no limit."
        ),
    ] = 9000.0
    evaluation_timeout_seconds: Annotated[
        Annotated[float, Gt(0)] | None,
        Doc("Seconds a judgment may take; past that it is a judge error. Null: no limit."),
    ] = None
    timeout_multiplier: Annotated[
        float, Gt(0), Doc("Factor on both time limits, e.g. 2 for a slow machine.")
    ] = 1.0
    session_timeout_seconds: Annotated[
        Annotated[float, Gt(0)] | None,
        Doc(
            "Seconds the whole session may take; then it ends as by Ctrl-C, and `--resume` goes on. Null: no "
            "limit."
        ),
    ] = None
    model_rpm: Annotated[
        Annotated[float, Gt(0)] | None,
        Doc(
            "Requests a minute to the model under test (page summaries included), in all processes of the "
            "session together. Null: no limit."
        ),
    ] = None
    model_tpm: Annotated[
        Annotated[float, Gt(0)] | None,
        Doc("Tokens a minute of the same requests, sent and received. Null: no limit."),
    ] = None
    judge_rpm: Annotated[
        Annotated[float, Gt(0)] | None, Doc("Requests a minute to the judge. Null: no limit.")
    ] = None
    search_rpm: Annotated[
        Annotated[float, Gt(0)] | None, Doc("Requests a minute to the search service. Null: no limit.")
    ] = None
    budget_usd: Annotated[
        Annotated[float, Gt(0)] | None,
        Doc(
            "USD the session may spend on model and judge; then nothing more is asked, and what is left is "
            "`unavailable`. Needs the rates of every model (`prices`). Null: no limit."
        ),
    ] = None
    budget_tokens: Annotated[
        Annotated[int, Ge(1)] | None,
        Doc("Tokens the session may spend on model and judge together; as budget_usd. Null: no limit."),
    ] = None

    @property
    def has_limits(self) -> bool:
        """Whether requests are counted: a rate or a budget is set."""
        names = ("model_rpm", "model_tpm", "judge_rpm", "search_rpm", "budget_usd", "budget_tokens")
        return any(getattr(self, name) is not None for name in names)
