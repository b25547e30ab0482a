"""The options that say what is asked, what counts and where it is written, as the user typed them."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

DEFAULT_DEMO_MODEL = "smollm2"


@dataclass(frozen=True, kw_only=True)
class Options:
    """What was typed on the command line; ``None`` (or an empty tuple) is what was not given.

    The `*_params` are JSON texts, not read yet: whatever is wrong with them is reported with everything
    else. The same holds for the shares among the gates; `min_accuracy` has every text that was given, e.g.
    ``("0.6", "level1=0.8")``. `resume` has every parent that was named. Texts that may hold a key are not in
    the repr.
    """

    config_files: tuple[str, ...] = ()
    model: str | None = None
    model_base_url: str | None = field(default=None, repr=False)
    model_api_key: str | None = field(default=None, repr=False)
    model_api_protocol: str | None = None
    model_params: str | None = field(default=None, repr=False)
    harness: str | None = None
    harness_params: str | None = field(default=None, repr=False)
    benchmark_params: str | None = field(default=None, repr=False)
    execution_params: str | None = field(default=None, repr=False)
    k: int | None = None
    attempt_strategy: str | None = None
    task_concurrency: int | None = None
    run_timeout: str | None = None
    resume: tuple[str, ...] = ()
    resume_anyway: bool = False
    rejudge: str | None = None
    cassette: str | None = None
    cassette_mode: str | None = None
    env: str | None = None
    results_dir: str | None = None
    run_dir: str | None = None
    run_name: str | None = None
    min_accuracy: tuple[str, ...] = ()
    min_coverage: str | None = None
    max_errors: int | None = None
    baseline: str | None = None
    max_regression: str | None = None
    baseline_anyway: bool | None = None
    gate_policy: str | None = None
    demo: bool = False
    demo_model: str | None = None
    show_ground_truth: bool = False

    @classmethod
    def from_pytest(cls, config: pytest.Config) -> "Options":
        """What `add_options` of this floor and of the ground floor put on `config`."""
        typed = vars(config.option)
        given: dict[str, Any] = {name: typed[name] for name in cls.__dataclass_fields__}
        for repeatable in ("config_files", "min_accuracy", "resume"):
            given[repeatable] = tuple(given[repeatable])
        return cls(**given)


def whole_number(lowest: int) -> Callable[[str], int]:
    """An argparse type for whole numbers of `lowest` or more.

    Raises:
        argparse.ArgumentTypeError: From the type, for any other text.
    """

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and int(text) >= lowest):
            raise argparse.ArgumentTypeError(
                f"{text!r} is refused: give a whole number of {lowest} or more, e.g. {max(lowest, 1)}"
            )
        return int(text)

    return read


def add_options(parser: pytest.Parser) -> None:
    """Add the group `benchmarks`."""
    group = parser.getgroup("benchmarks", "benchmarks: what is asked, what counts, what is written")
    _add_what_is_asked(group)
    _add_how_it_runs(group)
    _add_what_is_made_before(group)
    _add_where_it_is_written(group)
    _add_gates(group)
    _add_demo(group)


def _add_what_is_asked(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--config",
        metavar="FILE",
        action="append",
        default=[],
        dest="config_files",
        help="YAML file with any of these options; repeatable, a later file wins and the command line wins "
        "over all (default: none). Write it as --config=FILE.",
    )
    group.addoption(
        "--benchmark-params",
        metavar="JSON",
        help="Object with the parameters of every benchmark asked for: tasks, judge, e.g. "
        '\'{"category": 1, "judge": "gaia_official"}\' (default: {}). Where each category is a run, a list '
        "asks for several; settings of one category are written in a file, under by_category.",
    )


def _add_how_it_runs(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--execution-params",
        metavar="JSON",
        help="Object with time limits in seconds and attempts, e.g. '{\"run_timeout_seconds\": 600}' "
        "(default: {}).",
    )
    group.addoption("--k", metavar="N", type=whole_number(1), help="Attempts per task (default: 1).")
    group.addoption(
        "--attempt-strategy",
        metavar="avg|pass",
        help="avg makes an item of each attempt; pass tries a task until its first success (default: avg).",
    )
    group.addoption(
        "--task-concurrency",
        metavar="N",
        type=whole_number(1),
        help="Attempts in flight in all (default: 16 without -n and with -n auto, W with -n W).",
    )
    group.addoption(
        "--run-timeout",
        metavar="SECONDS",
        help="Seconds the whole session may take; then it ends as by Ctrl-C (default: no limit).",
    )
    group.addoption(
        "--env",
        metavar="host_process",
        help="Taken for AgentCompass users: host_process, what is done anyway (default: host_process).",
    )


def _add_what_is_made_before(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--resume",
        metavar="RUN",
        action="append",
        default=[],
        help="Run directory, or latest: what was evaluated there is taken over into a new run and not asked "
        "again (default: none). Repeatable, one for each run of the session.",
    )
    group.addoption(
        "--resume-anyway",
        action="store_true",
        help="Resume a run of another model, prompt, harness or judge all the same, and say so (default: "
        "that is refused).",
    )
    group.addoption(
        "--rejudge",
        metavar="RUN",
        help="Run directory whose answers are judged again, by the judge of this configuration; nothing else "
        "is asked (default: none).",
    )
    group.addoption(
        "--cassette",
        metavar="DIR",
        help="Folder of recorded exchanges with model, tools and judge. Private: it holds questions and "
        "ground truths (default: none).",
    )
    group.addoption(
        "--cassette-mode",
        metavar="record|replay",
        help="record: ask, and keep every exchange; replay: ask nobody, and answer from the folder (default: "
        "none; required with --cassette).",
    )


def _add_where_it_is_written(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--results-dir", metavar="DIR", help="Holds <benchmark>/<model>/<run>/ (default: results)."
    )
    group.addoption(
        "--run-dir",
        metavar="DIR",
        help="The run directory itself; it must not exist yet (default: made under --results-dir).",
    )
    group.addoption(
        "--run-name",
        metavar="NAME",
        help="Last part of the run directory; several runs of one "
        "benchmark get -<category> at its end (default: date and time, UTC).",
    )
    group.addoption(
        "--html-links",
        metavar="local|none",
        choices=("local", "none"),
        help="Whether the rows of --html link to trajectory pages, made under details/ and private: local or "
        "none (default: local; none where the variable CI is set, since reports are published there).",
    )
    group.addoption(
        "--gaia-submission",
        metavar="FILE",
        help="Write the answers as GAIA's leaderboard takes them: task_id, model_answer, reasoning_trace, no "
        "ground truth (default: none).",
    )
    group.addoption(
        "--show-ground-truth",
        action="store_true",
        help="Show the questions and ground truths of failed items, and answers that give them away, in "
        "terminal and reports (default: hidden, since published ones spoil the benchmark).",
    )


def _add_gates(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--min-accuracy",
        metavar="[SCOPE=]SHARE",
        action="append",
        default=[],
        help="Least accuracy over what was evaluated, 0 to 1; a lower one ends with exit code 1 (default: no "
        "gate). Repeatable: level1=0.8 asks it of a level, other scopes are a topic, a benchmark, a run.",
    )
    group.addoption(
        "--min-coverage",
        metavar="SHARE",
        help="Evaluated over planned, 0 to 1; a lower one ends with exit code 10 (default: 1.0 as soon as "
        "another gate is set).",
    )
    group.addoption(
        "--max-errors",
        metavar="N",
        type=whole_number(0),
        help="More run and judge errors than this end with exit code 10 (default: no gate).",
    )
    group.addoption(
        "--baseline",
        metavar="RUN",
        help="Run directory or metrics.json that the run is held against, task by task: exit code 1 for a "
        "regression, 11 for too few flips to tell, 12 for runs that do not compare (default: none).",
    )
    group.addoption(
        "--max-regression",
        metavar="SHARE",
        help="How far below the baseline the accuracy may fall, 0 to 1 (default: any significant regression "
        "ends with exit code 1, however small).",
    )
    group.addoption(
        "--baseline-anyway",
        action="store_true",
        default=None,
        help="Compare with a baseline of another dataset, judge, prompt or k all the same, and say so "
        "(default: such runs end with exit code 12 before anything is asked).",
    )
    group.addoption(
        "--gate-policy",
        metavar="point|confident",
        help="point: the value decides; confident: its interval at 95 percent does, and a "
        "threshold that lies in it ends with exit code 11 (default: point).",
    )


def _add_demo(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--demo",
        action="store_true",
        help="Shipped tasks, local search and a small real model on this machine; needs no key (default: "
        "off).",
    )
    group.addoption(
        "--demo-model",
        metavar="NAME|PATH",
        help="smollm2 (98 MB, fetched once), qwen2.5-coder-0.5b (491 MB) or a .gguf file (default: "
        f"{DEFAULT_DEMO_MODEL}).",
    )
