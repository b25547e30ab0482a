"""What is well-formed and refused all the same, because it could not lead to a run worth its tokens."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.benchmark import Benchmark
from benchmarks.configuration.addresses import Address, address
from benchmarks.configuration.asked import Asked
from benchmarks.configuration.execution import Execution
from benchmarks.configuration.layers import Layer, merged_benchmark
from benchmarks.configuration.model import Gates, Placement
from benchmarks.configuration.placing import placing_problem
from benchmarks.configuration.problem import KeyPath, Problem, dotted
from benchmarks.params import BenchmarkParams
from benchmarks.results.hierarchy import parse_hierarchy
from harnesses.endpoint.json_values import is_list
from harnesses.endpoint.spec import EndpointSpec
from harnesses.harness import HarnessParams
from judges.catalogue import MODEL_JUDGES


def of_missing_judge(at: KeyPath, benchmark: Benchmark, values: Mapping[str, Any]) -> Iterator[Problem]:
    """A model judge without a model; `values` are the params of the run at `at`, not checked yet."""
    judge = values.get("judge", benchmark.params_type.judge)
    is_model = isinstance(judge, str) and judge in MODEL_JUDGES
    if is_model and values.get("judge_model") is None:
        line = (
            f"is missing, and the judge {judge!r} is a model; give "
            '--benchmark-params \'{"judge_model": {"id": "…", "base_url": "…"}}\', or choose the judge '
            f"{benchmark.scorers[0]!r}, which needs none"
        )
        yield Problem((*at, "params", "judge_model"), line)


def of_self_judge(at: KeyPath, params: BenchmarkParams, model: EndpointSpec | None) -> Iterator[Problem]:
    """The model under test as its own judge; `params` are those of the run at `at`."""
    judge = params.judge_model if params.judge in MODEL_JUDGES else None
    if judge is None or model is None or params.allow_self_judge or not judge.is_same_model(model):
        return
    line = (
        f"{judge.id!r} is the model under test at the same address; name another judge, or set "
        "allow_self_judge: true"
    )
    yield Problem((*at, "params", "judge_model"), line)


def of_unscored(
    key: str,
    benchmark: Benchmark,
    params: BenchmarkParams,
    *,
    execution: Execution | None,
    gates: Gates | None,
) -> Iterator[Problem]:
    """What needs ground truths, asked of tasks whose ground truths nobody has; `key` is that of their run."""
    if benchmark.is_scored(params):
        return
    if gates is not None and gates.are_set:
        line = (
            f"cannot be measured, since the tasks asked of {key!r} are unscored; drop "
            f"{', '.join(gates.asked)}, or ask other tasks"
        )
        yield Problem(("gates", gates.asked[0]), line)
    if execution is not None and execution.attempts.strategy == "pass":
        line = (
            f"'pass' is refused; it tries a task until it succeeds, and the tasks asked of {key!r} are "
            "unscored: use avg"
        )
        yield Problem(("execution", "attempts", "strategy"), line)


def of_hierarchy(at: KeyPath, params: BenchmarkParams) -> Iterator[Problem]:
    """A tree of categories that is none; `params` are those of the run at `at`."""
    if params.category_hierarchy is None:
        return
    try:
        root = parse_hierarchy(params.category_hierarchy)
    except ValueError as error:
        yield Problem((*at, "params", "category_hierarchy"), str(error))
        return
    if not root.children:
        line = f"{root.name!r} has no children; give it an aggregation, e.g. unweighted, and categories"
        yield Problem((*at, "params", "category_hierarchy"), line)


def of_gates(gates: Gates, runs: Sequence[Asked]) -> Iterator[Problem]:
    """Gates that lack what they speak of; `runs` are those of the session."""
    if gates.baseline is None:
        if gates.max_regression is not None:
            line = (
                f"{gates.max_regression!r} is a fall below a baseline, and there is none; add --baseline RUN"
            )
            yield Problem(("gates", "max_regression"), line)
        if gates.baseline_anyway:
            line = "true needs a baseline to compare with, and there is none; add --baseline RUN"
            yield Problem(("gates", "baseline_anyway"), line)
    elif not gates.baseline.strip():
        line = f"{gates.baseline!r} names no run; leave it out, or give a run directory or its metrics.json"
        yield Problem(("gates", "baseline"), line)
    elif len(runs) > 1:
        keys = ", ".join(run.key for run in runs)
        line = f"{gates.baseline!r} belongs to one run, and this session has {keys}; ask one run alone"
        yield Problem(("gates", "baseline"), line)
    scopes = gates.min_accuracy or {}
    if gates.policy == "confident" and not scopes and gates.max_regression is None:
        line = "'confident' has nothing to be confident of; add --min-accuracy, or --max-regression"
        yield Problem(("gates", "policy"), line)
    if gates.primary is not None and gates.primary not in scopes:
        line = (
            f"{gates.primary!r} is no scope of min_accuracy; it must be one of: {', '.join(scopes) or 'none'}"
        )
        yield Problem(("gates", "primary"), line)


def of_shared_ids(runs: Sequence[Asked], layers: Sequence[Layer]) -> Iterator[Problem]:
    """Ids of tasks that are given to several runs at once: each run has tasks of its own."""
    given: dict[Address, list[Asked]] = {}
    for run in runs:
        params, _ = merged_benchmark(layers, run.name, category=run.category)
        if is_list(params.get("sample_ids")):
            given.setdefault(address((*run.at, "params", "sample_ids"), layers), []).append(run)
    for sharing in (sharing for sharing in given.values() if len(sharing) > 1):
        keys = ", ".join(dotted((*run.at, "params", "sample_ids")) for run in sharing)
        line = (
            f"a task is in one run, and these ids are given to {len(sharing)}; ask one run alone, or name "
            f"each one's ids in a file as {keys}"
        )
        yield from (Problem((*run.at, "params", "sample_ids"), line) for run in sharing)


def of_unfit_harness(
    at: KeyPath, benchmark: Benchmark, params: BenchmarkParams, *, searches: bool
) -> Iterator[Problem]:
    """A harness that may not ask the tasks of the run at `at`; `searches`: whether it brings a search."""
    fault = benchmark.harness_fault(params, searches=searches)
    if fault is not None:
        yield Problem((*at, "harness", "id"), fault)


def of_harness(at: KeyPath, params: HarnessParams, *, values: Mapping[str, Any]) -> Iterator[Problem]:
    """What the harness lacks before its first request; `values` are its params, which lie at `at`."""
    for key, value in values.items():
        if key.endswith("api_key"):
            yield from _of_key(str(value), (*at, key))
    yield from (Problem(at, line) for line in params.missing())


def of_placement(
    placement: Placement, runs: Sequence[Asked], model: EndpointSpec | None
) -> Iterator[Problem]:
    """A run directory that cannot be had; `runs` are those of the session."""
    if placement.run_dir is not None and len(runs) > 1:
        keys = ", ".join(run.key for run in runs)
        line = f"one directory cannot hold the runs {keys}; name their parent by --results-dir"
        yield Problem(("run", "run_dir"), line)
        return
    for run in runs:
        model_id = "" if model is None else model.id
        problem = placing_problem(placement, run.name, model_id, suffix=run.run_suffix)
        if problem is not None:
            yield problem


def _of_key(key: str, at: KeyPath) -> Iterator[Problem]:
    if not (key.isascii() and key.isprintable() and " " not in key):
        line = "holds a blank, a line end or a non-ASCII character, which no key has; copy it again"
        yield Problem(at, line)
