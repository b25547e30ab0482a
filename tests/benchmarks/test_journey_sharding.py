"""A run in shards, as the jobs of a CI matrix make it, merged: the same as the undivided run."""

from pathlib import Path

from journey import Ended, Suite
from merging_scene import metrics_of, stable

from benchmarks.__main__ import main

ENDS_GREEN = ("--min-accuracy=0", "--min-coverage=0")
"""What a shard is run with, so that wrong answers do not fail its job: the merged run is what is gated."""


def test_shards_by_mark_merged_are_the_undivided_run(suite: Suite, tmp_path: Path) -> None:
    suite.add_right("r-1", "r-2", level=1)
    suite.add_wrong("w-1", level=1)
    suite.add("e-1", answer=500, level=2)
    suite.add_right("r-3", level=3)

    def session(name: str, *more: str) -> Path:
        ended = suite.run(f"--results-dir={name}", *ENDS_GREEN, *more)
        assert ended.code == 0, ended.out
        return Ended(ended.code, ended.out, tmp_path / name).run

    whole = session("whole")
    shards = [session("first", "-m", "level1"), session("second", "-m", "not level1", "-n2")]
    assert [metrics_of(shard)["partial"] for shard in shards] == [["-m level1"], ["-m not level1"]]
    assert main(["merge", *map(str, shards), "--into", str(tmp_path / "merged")]) == 0
    assert stable(metrics_of(tmp_path / "merged")) == stable(metrics_of(whole))
    gated = ["--min-accuracy=0.75", "--max-errors=0"]
    assert main(["merge", *map(str, shards), "--into", str(tmp_path / "gated"), *gated]) == 10
