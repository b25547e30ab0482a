"""Measures the suite against the limit of its models and a floor of raw sockets; see docs/performance.md.

python tests/performance/run.py [--quick] [--only NAME …] [--repeat 3] [--json FILE]
"""

import argparse
import json
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from figures import Figures, Row, run_figures
from load import Load
from machine import machine_facts
from measuring import Spent, watch
from scale import collections, reductions
from scenarios import (
    COLLECTED,
    COLLECTED_QUICKLY,
    FLOOR,
    REDUCED,
    REDUCED_QUICKLY,
    SCENARIOS,
    TARGETS,
    Scenario,
    who_of,
)
from scratch import scratch
from serving import MeasurementError, Served, serving
from suite import ROOT, Checkout, Scene
from table import (
    COLLECTION_COLUMNS,
    REDUCTION_COLUMNS,
    RUN_COLUMNS,
    Reached,
    reached,
    rows_table,
    shown,
    targets_table,
)

_FLOOR = Path(__file__).with_name("floor.py")
_FLOOR_PATIENCE_S = 300.0
_COLLECTING = "collect"
_REDUCING = "reduce"


class Session:
    """One call of this script: what is measured, the rows so far, and what went wrong."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.chosen = chosen
        self.checkout = Checkout(root=chosen.root.absolute(), python=chosen.python)
        self.machine = machine_facts(self.checkout)
        self.runs: list[Row] = []
        self.collections: list[Row] = []
        self.reductions: list[Row] = []
        self.errors: list[str] = []

    def measure(self) -> None:
        """Everything that was chosen, one after another."""
        for scenario in SCENARIOS:
            if self._wants(scenario.name, is_quick=scenario.is_quick):
                self.runs += self._rounds(scenario)
        is_quick: bool = self.chosen.quick
        if self._wants(_COLLECTING, is_quick=True):
            counts = COLLECTED_QUICKLY if is_quick else COLLECTED
            self.collections += self._told(_COLLECTING, collections(self.checkout, counts))
        if self._wants(_REDUCING, is_quick=True):
            counts = REDUCED_QUICKLY if is_quick else REDUCED
            self.reductions += self._told(_REDUCING, reductions(self.checkout, counts))

    def results(self) -> list[Reached]:
        """Each target with what was measured."""
        return reached(TARGETS, [*self.runs, *self.collections, *self.reductions])

    def _wants(self, name: str, *, is_quick: bool) -> bool:
        only: list[str] = self.chosen.only
        return name in only if only else is_quick or not self.chosen.quick

    def _rounds(self, scenario: Scenario) -> Iterator[Row]:
        """Floor and suite in turn, so that a busy minute of the machine meets both."""
        load, by_who = scenario.load, defaultdict[str, list[Figures]](list)
        for _ in range(min(self.chosen.repeat, scenario.n_rounds_at_most)):
            for n_workers in (None, *scenario.workers):
                who = FLOOR if n_workers is None else who_of(n_workers)
                by_who[who] += self._tried(f"{scenario.name} {who}", partial(self._one, load, n_workers))
        for who, rounds in by_who.items():
            if rounds:
                facts = {"load": load.to_json(), "limit_s": load.limit_s}
                yield Row(scenario=scenario.name, who=who, rounds=tuple(rounds), facts=facts)

    def _tried(self, what: str, measured: Callable[[], Figures]) -> list[Figures]:
        """The figures, or none if they are none."""
        try:
            figures = measured()
        except MeasurementError as error:
            self._note(what, error)
            return []
        tell(f"{what}: {shown(figures['wall s'])} s, limit {shown(figures['limit s'])} s")
        return [figures]

    def _one(self, load: Load, n_workers: int | None) -> Figures:
        with scratch() as folder, serving(load) as served:
            if n_workers is None:
                spent = _floor(load, served, folder)
            else:
                scene = Scene(folder=folder, checkout=self.checkout, n_tasks=load.n_tasks)
                scene.lay_out()
                spent = scene.run(load, port=served.port, n_workers=n_workers)
            tally = served.tally()
            tally.check(load)
            return run_figures(load, spent, tally)

    def _told(self, what: str, rows: Iterable[Row]) -> Iterator[Row]:
        try:
            for row in rows:
                tell(f"{row.scenario}: {shown(row.figures['CPU s'])} s of CPU, {shown(row.figures['MB'])} MB")
                yield row
        except MeasurementError as error:
            self._note(what, error)

    def _note(self, what: str, error: MeasurementError) -> None:
        self.errors.append(f"{what}: {error}")
        tell(f"INVALID {self.errors[-1]}")

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "machine": self.machine,
            "runs": [row.to_json() for row in self.runs],
            "collections": [row.to_json() for row in self.collections],
            "reductions": [row.to_json() for row in self.reductions],
            "targets": [result.to_json() for result in self.results()],
            "errors": self.errors,
        }

    def to_text(self) -> str:
        """The tables."""
        parts = [
            json.dumps(self.machine),
            rows_table(self.runs, RUN_COLUMNS),
            rows_table(self.collections, COLLECTION_COLUMNS),
            rows_table(self.reductions, REDUCTION_COLUMNS),
            targets_table(self.results()),
            "\n".join(f"INVALID {error}" for error in self.errors),
        ]
        return "\n\n".join(filter(None, parts))


def _floor(load: Load, served: Served, folder: Path) -> Spent:
    output = folder / "output.txt"
    command = [sys.executable, str(_FLOOR), str(served.port), json.dumps(load.to_json())]
    spent = watch(command, folder=folder, environment={}, output=output, patience_s=_FLOOR_PATIENCE_S)
    if spent.exit_code != 0:
        raise MeasurementError(f"the floor ended with {spent.exit_code}: {output.read_text()[-500:]}")
    return spent


def tell(line: str) -> None:
    """One line of progress."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {line}\n")


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    names = [*(scenario.name for scenario in SCENARIOS), _COLLECTING, _REDUCING]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a part of it, in less than 90 s")
    parser.add_argument(
        "--only", action="append", default=[], choices=names, metavar="NAME", help=", ".join(names)
    )
    parser.add_argument(
        "--repeat", type=int, default=3, metavar="N", help="rounds, of which medians are shown"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there")
    parser.add_argument(
        "--root", type=Path, default=ROOT, metavar="DIR", help="another checkout of the suite"
    )
    parser.add_argument(
        "--python", default=sys.executable, metavar="FILE", help="the interpreter that runs it"
    )
    return parser.parse_args(arguments)


def main() -> int:
    """Measure, print, and say with the exit code whether every measurement held."""
    chosen = parsed()
    if chosen.quick:
        chosen.repeat = 1
    # Stopped from outside, too, the processes we started must end and the scratch folders go.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    session = Session(chosen)
    try:
        session.measure()
    except KeyboardInterrupt:
        session.errors.append("interrupted: what follows was not measured")
    sys.stdout.write(session.to_text() + "\n")
    if chosen.json:
        chosen.json.write_text(json.dumps(session.to_json(), indent=1) + "\n")
    return 1 if session.errors else 0


if __name__ == "__main__":
    sys.exit(main())
