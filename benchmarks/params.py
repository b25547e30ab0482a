"""Parameters that every benchmark takes: which tasks, and who grades."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge
from typing_extensions import Doc

from harnesses.endpoint.spec import EndpointSpec

JudgeId = Literal["llm", "sealqa", "gaia_official", "contains"]
Sampling = Literal["first", "random", "stratified"]
Aggregation = Literal["micro_weighted", "category_mean"]


@dataclass(frozen=True, kw_only=True)
class BenchmarkParams:
    """Shared by all benchmarks; each adds its own."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    sample_ids: Annotated[
        list[str] | None, Doc("Exactly these task ids; an unknown one is refused. Null takes all.")
    ] = None
    limit: Annotated[
        Annotated[int, Ge(1)] | None,
        Doc("At most this many tasks, after every other filter. Null takes all."),
    ] = None
    sampling: Annotated[
        Sampling,
        Doc(
            "How `limit` picks: the first ones, random ones, or random ones in proportion to each level or "
            "topic."
        ),
    ] = "first"
    sampling_seed: Annotated[int, Doc("Seed of a random or stratified pick; recorded with the run.")] = 0
    judge: Annotated[JudgeId, Doc("The primary judge: it decides the item.")] = "llm"
    judge_model: Annotated[
        EndpointSpec | None,
        Doc("The judge's own endpoint; required by the judges `llm` and `sealqa`, never borrowed."),
    ] = None
    judge_prompt: Annotated[
        str,
        Doc("`official` (the published prompt, fetched once), `builtin` (our wording) or a file path."),
    ] = "official"
    allow_self_judge: Annotated[
        bool, Doc("Let the model under test grade itself: scores then compare with nothing.")
    ] = False
    aggregation_mode: Annotated[
        Aggregation,
        Doc(
            "How tasks add up: `micro_weighted`, each task weighs the same; `category_mean`, each level or "
            "topic does."
        ),
    ] = "micro_weighted"
    category_hierarchy: Annotated[
        dict[str, Any] | None,
        Doc(
            "A tree of levels or topics with the root `overall`; it decides how tasks add up, in place of "
            "`aggregation_mode`. Null: none."
        ),
    ] = None
