"""What is well-formed and refused all the same, because it could not lead to a run worth its tokens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from benchmarks.configuration.model import Execution, Gates, Placement
from benchmarks.configuration.placing import placing_problem
from benchmarks.configuration.problem import KeyPath, Problem
from benchmarks.params import BenchmarkParams
from harnesses.endpoint.spec import EndpointSpec
from harnesses.harness import HarnessParams


def of_execution(execution: Execution) -> Iterator[Problem]:
    """Attempts that cannot be made yet."""
    if execution.attempts.k > 1:
        line = f"{execution.attempts.k} is refused; repeated attempts are not built yet: k must be 1"
        yield Problem(("execution", "attempts", "k"), line)


def of_missing_judge(name: str, values: Mapping[str, Any]) -> Iterator[Problem]:
    """A model judge without a model; `values` are the params of the benchmark `name`, not checked yet.

    An unscored subset (`test`) asks no judge.
    """
    judge = values.get("judge", BenchmarkParams.judge)
    if judge == "llm" and values.get("judge_model") is None and values.get("subset") != "test":
        line = (
            f"is missing, and the judge {judge!r} is a model; give "
            '--benchmark-params \'{"judge_model": {"id": "…", "base_url": "…"}}\', or choose the judge '
            "'gaia_official', which needs none"
        )
        yield Problem(("benchmarks", name, "params", "judge_model"), line)


def of_self_judge(name: str, params: BenchmarkParams, model: EndpointSpec | None) -> Iterator[Problem]:
    """The model under test as its own judge; `name` is the benchmark's."""
    judge = params.judge_model if params.judge == "llm" else None
    if judge is None or model is None or params.allow_self_judge or not judge.is_same_model(model):
        return
    line = (
        f"{judge.id!r} is the model under test at the same address; name another judge, or set "
        "allow_self_judge: true"
    )
    yield Problem(("benchmarks", name, "params", "judge_model"), line)


def of_gates(name: str, params: BenchmarkParams, gates: Gates) -> Iterator[Problem]:
    """A gate on tasks whose ground truths nobody has; `name` is the benchmark's."""
    # Only some benchmarks have an unscored subset; where there is one, it goes by this name.
    if gates.are_set and getattr(params, "subset", None) == "test":
        asked = [gate.name for gate in fields(gates) if getattr(gates, gate.name) is not None]
        line = (
            f"'test' is unscored, so no gate can be measured; drop {', '.join(asked)}, or ask another subset"
        )
        yield Problem(("benchmarks", name, "params", "subset"), line)


def of_harness(name: str, params: HarnessParams, *, values: Mapping[str, Any]) -> Iterator[Problem]:
    """What the harness lacks before its first request; `name` is the benchmark's, `values` are the params."""
    at: KeyPath = ("benchmarks", name, "harness", "params")
    for key, value in values.items():
        if key.endswith("api_key"):
            yield from _of_key(str(value), (*at, key))
    yield from (Problem(at, line) for line in params.missing())


def of_placement(placement: Placement, names: Sequence[str], model: EndpointSpec | None) -> Iterator[Problem]:
    """A run directory that cannot be had; `names` are the benchmarks of the session."""
    if placement.run_dir is not None and len(names) > 1:
        line = f"one directory cannot hold the runs of {', '.join(names)}; name their parent by --results-dir"
        yield Problem(("run", "run_dir"), line)
        return
    for name in names:
        problem = placing_problem(placement, name, "" if model is None else model.id)
        if problem is not None:
            yield problem


def _of_key(key: str, at: KeyPath) -> Iterator[Problem]:
    if not (key.isascii() and key.isprintable() and " " not in key):
        line = "holds a blank, a line end or a non-ASCII character, which no key has; copy it again"
        yield Problem(at, line)
