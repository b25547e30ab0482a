"""The parameters of SealQA."""

from dataclasses import dataclass
from typing import Annotated, Literal

from typing_extensions import Doc

from benchmarks.params import BenchmarkParams, JudgeId

Category = Literal["seal_0", "seal_hard", "longseal"]
DocumentCount = Literal[12, 20, 30, "12", "20", "30"]
"""A variable of the environment is text."""

HUB_REVISION = "267b8197ae75680ee0db180c4c2e96bd4e1001b4"


@dataclass(frozen=True, kw_only=True)
class SealQAParams(BenchmarkParams):
    """Which SealQA tasks are asked, and how."""

    category: Annotated[
        Category,
        Doc(
            "`seal_0` (111 tasks), `seal_hard` (254, those of `seal_0` among them) or `longseal` (254, each "
            "with documents in its prompt). Hyphens and capitals are accepted. A list is one run for each."
        ),
    ] = "seal_0"
    judge: Annotated[
        JudgeId,
        Doc("The primary judge: it decides the item. `sealqa` is the benchmark's own protocol."),
    ] = "sealqa"
    dataset_revision: Annotated[
        str, Doc("Revision of `vtllms/sealqa` on the Hub; another one may hold other tasks.")
    ] = HUB_REVISION
    dataset_path: Annotated[
        str | None,
        Doc(
            "A local Parquet or JSONL file, or a directory with the category's, e.g. `seal-0.parquet`; read "
            "instead of the Hub."
        ),
    ] = None
    longseal_document_count: Annotated[
        DocumentCount,
        Doc("How many documents that do not help a `longseal` prompt holds; one that does is added."),
    ] = 12
    longseal_seed: Annotated[
        int,
        Doc("Decides which helpful document a `longseal` prompt holds, and where; recorded with the run."),
    ] = 0
    allow_search: Annotated[
        bool, Doc("Let a harness that searches ask `longseal`: it then measures more than the documents.")
    ] = False

    def __post_init__(self) -> None:
        """The document count becomes a number, so that what is recorded and compared has one form."""
        object.__setattr__(self, "longseal_document_count", int(self.longseal_document_count))
