"""The parameters of GAIA."""

from dataclasses import dataclass
from typing import Annotated, Literal

from typing_extensions import Doc

from benchmarks.params import BenchmarkParams

Subset = Literal["text-103", "validation", "text", "test"]
Level = Literal[1, 2, 3, "1", "2", "3"]
AnswerFormat = Literal["auto", "none", "gaia"]

ARCHIVE_URL = "http://opencompass.oss-cn-shanghai.aliyuncs.com/datasets/agentcompass/gaia.zip"
HUB_REVISION = "682dd723ee1e1697e00360edccf2366dc8418dd9"


@dataclass(frozen=True, kw_only=True)
class GaiaParams(BenchmarkParams):
    """Which GAIA tasks are asked, and how."""

    subset: Annotated[
        Subset,
        Doc(
            "`text-103` (39/52/12 by level, the AgentCompass archive), `validation` (165 = 53/86/26), `text` "
            "(validation without attachments), `test` (301, ground truths withheld: unscored)."
        ),
    ] = "text-103"
    category: Annotated[
        Literal["all"] | Level | list[Level], Doc("Levels to ask: `all`, one of 1, 2, 3, or a list of them.")
    ] = "all"
    dataset_revision: Annotated[
        str, Doc("Revision of `gaia-benchmark/GAIA` on the Hub; another one may hold other tasks.")
    ] = HUB_REVISION
    dataset_path: Annotated[
        str | None,
        Doc(
            "A local directory, Parquet or JSONL file, read instead of Hub and archive. `subset` then only "
            "says this: `text` leaves out tasks with attachments, `test` takes the test split, unscored."
        ),
    ] = None
    archive_url: Annotated[str, Doc("Where the `text-103` archive lies.")] = ARCHIVE_URL
    archive_sha256: Annotated[
        str | None, Doc("Digest the archive must have. Null: not verified, and the summary says so.")
    ] = None
    answer_format: Annotated[
        AnswerFormat,
        Doc(
            "`none` asks the question alone (as AgentCompass); `gaia` adds the answer rules and the "
            "`FINAL ANSWER:` line; `auto` is `gaia` when `gaia_official` is the judge, else `none`."
        ),
    ] = "auto"

    def resolved_answer_format(self) -> Literal["none", "gaia"]:
        """`answer_format` with `auto` decided."""
        if self.answer_format == "auto":
            return "gaia" if self.judge == "gaia_official" else "none"
        return self.answer_format
