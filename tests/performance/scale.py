"""Collecting and reducing many: does time and memory grow in proportion?"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from figures import Figures, Row, scale_figures
from measuring import Spent, watch
from scenarios import SUITE
from scratch import scratch
from serving import MeasurementError
from suite import Checkout, Scene

_REDUCING = Path(__file__).with_name("reducing.py")
_PATIENCE_S = 900.0
_MB = 1_000_000


def collections(checkout: Checkout, counts: Sequence[int]) -> Iterator[Row]:
    """`--collect-only -q` of so many tasks, the smallest first; figures per item count from that one.

    Raises:
        MeasurementError: Another number of tasks was collected.
    """
    one: Spent | None = None
    for n in counts:
        spent = _collect(checkout, n)
        yield _row(f"collect-{n}", scale_figures(spent, n=n, one=one), n)
        one = one or spent


def _collect(checkout: Checkout, n: int) -> Spent:
    with scratch() as folder:
        scene = Scene(folder=folder, checkout=checkout, n_tasks=n)
        scene.lay_out()
        params = json.dumps({"dataset_path": str(folder / "tasks.jsonl")})
        spent = scene.watch("--collect-only", "-q", f"--benchmark-params={params}")
        counted = re.search(r"(\d+) tests? collected", scene.last_output())
        if counted is None or int(counted[1]) != n:
            raise MeasurementError(f"{n} tasks are there, but pytest ends so: {scene.last_output()[-200:]}")
        return spent


def reductions(checkout: Checkout, counts: Sequence[int]) -> Iterator[Row]:
    """Writing so many records through the recorder and reducing them, each in a process of its own.

    Raises:
        MeasurementError: Another number of records was counted.
    """
    for n in counts:
        with scratch() as folder:
            output = folder / "output.json"
            spent = watch(
                [checkout.python, str(_REDUCING), str(n), str(folder / "run")],
                folder=folder,
                environment=checkout.environment,
                output=output,
                patience_s=_PATIENCE_S,
            )
            if spent.exit_code != 0:
                raise MeasurementError(f"exit code {spent.exit_code}: {output.read_text()[-500:]}")
            told = json.loads(output.read_text())
        if told["n_counted"] != n:
            raise MeasurementError(f"{n} records were written, but {told['n_counted']} counted")
        figures: Figures = {
            "write s": told["write_s"],
            "reduce s": told["reduce_s"],
            "CPU s": spent.cpu_s,
            "MB": spent.largest_rss_bytes / _MB,
            "us/record": 1e6 * (told["write_s"] + told["reduce_s"]) / n,
            "bytes/record": (told["rss_after_bytes"] - told["rss_before_bytes"]) / n,
            "disk bytes/record": told["disk_bytes"] / n,
        }
        yield _row(f"reduce-{n}", figures, n)


def _row(name: str, figures: Figures, n: int) -> Row:
    return Row(scenario=name, who=SUITE, rounds=(figures,), facts={"n": n})
