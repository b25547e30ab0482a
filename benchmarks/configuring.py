"""The configure moment: open the session in the controller, unpack it in a worker, say what will run."""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from benchmarks.clients import harness_maker, judge_maker, network_of
from benchmarks.configuration.model import Configuration, Prices
from benchmarks.elsewhere import listen, sees_our_disk, watch_over
from benchmarks.handover import pack, unpack
from benchmarks.redaction import Redactor
from benchmarks.run import Session, redactor_key, session_key
from benchmarks.shares import share_of_node
from benchmarks.stopping import hear_stops
from harnesses.harness import Harness
from judges.judge import Judge

_HANDOVER = "agent_benchmarks"
harness_makers_key = pytest.StashKey[Mapping[str, Callable[[], Harness]]]()
"""How the harness of each run is made in this process, by the run's key."""
judge_makers_key = pytest.StashKey[Mapping[str, Callable[[], Judge]]]()
"""How the primary judge of each run is made in this process, by the run's key."""
closing_key = pytest.StashKey[ExitStack]()
"""What this process closes at the very end."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Make the session of this process and put it where fixtures and later moments find it.

    Raises:
        pytest.UsageError: Anything the user should change, before a token is spent.
    """
    for level in (1, 2, 3):
        config.addinivalue_line("markers", f"level{level}: GAIA tasks of level {level}")
    session = _session(config)
    if session is None:
        return
    config.stash[session_key] = session
    config.stash[redactor_key] = Redactor(
        session.configuration.secrets, show_ground_truth=session.show_ground_truth
    )
    network, runs = network_of(session), session.runs
    config.stash[harness_makers_key] = {
        key: harness_maker(run, session, network) for key, run in runs.items()
    }
    config.stash[judge_makers_key] = {key: judge_maker(run, network) for key, run in runs.items()}
    for mark in sorted({mark for run in session.runs.values() for task in run.tasks for mark in task.marks}):
        config.addinivalue_line("markers", f"{mark}: tasks of this kind")


def _session(config: pytest.Config) -> Session | None:
    worker_input = getattr(config, "workerinput", None)
    if worker_input is not None:
        return _handed(config, worker_input[_HANDOVER]) if _HANDOVER in worker_input else None
    if config.option.help or config.option.markers:
        return None
    # A worker opens nothing: it need not load what reads datasets, configurations and baselines.
    from benchmarks.opening import open_session

    closing = config.stash[closing_key] = ExitStack()
    try:
        session = open_session(config, closing, tell=_teller(config))
    except BaseException:
        closing.close()
        raise
    if session is not None:
        hear_stops(config, session, closing)
    return session


def _handed(config: pytest.Config, packed: bytes) -> Session:
    closing = config.stash[closing_key] = ExitStack()
    session = unpack(packed, closing)
    hear_stops(config, session, closing)
    if any(run.scratch is not None for run in session.runs.values()):
        listen(config, session)
    return session


def _teller(config: pytest.Config) -> Callable[[str], None]:
    capture: Any = config.pluginmanager.getplugin("capturemanager")

    def tell(line: str) -> None:
        with capture.global_and_fixture_disabled():
            print(line, flush=True)  # noqa: T201 - progress before pytest's own terminal exists

    return tell


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hand the session to a worker (controller, once for each worker, a replacement included)."""
    session = node.config.stash.get(session_key, None)
    if session is None:
        return
    share = share_of_node(node, session.configuration.execution.task_concurrency)
    sees_disk = sees_our_disk(node.gateway.spec)
    node.workerinput[_HANDOVER] = pack(
        session, share=share, process=str(node.gateway.id), sees_disk=sees_disk
    )
    if not sees_disk:
        watch_over(node, session)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """What is about to run, keys masked (controller)."""
    session = config.stash.get(session_key, None)
    if session is None:
        return []
    lines: list[str] = []
    if session.demo:
        from benchmarks.demo import FIRST_LINE

        lines.append(FIRST_LINE)
    if session.cassettes is not None:
        from benchmarks.taping import header_line

        lines.append(header_line(session.cassettes))
    if session.alone is not None:
        tasks = (task for run in session.runs.values() for task in run.tasks)
        is_task = any(task.task_id == session.alone for task in tasks)
        found = ("a task id", "task") if is_task else ("an attempt's id", "attempt")
        lines.append(f"-k {session.alone}: {found[0]}, so this {found[1]} alone is selected")
    for key, run in session.runs.items():
        where = "" if run.directory is None else f", into {run.directory}"
        lines.append(f"{key}: {len(run.tasks)} of {run.n_dataset_tasks} tasks{where}")
        if run.parent is not None:
            from benchmarks.taking_over import in_words

            lines.append(f"{key} {in_words(run.parent)}")
    lines += _effective_lines(session.configuration)
    return [config.stash[redactor_key].mask_keys(line) for line in lines]


def _effective_lines(configuration: Configuration) -> list[str]:
    """The effective configuration, one line a section; what is null, that is not set, is left out."""
    sections: dict[str, Mapping[str, Any]] = {}
    is_said = {"gates": configuration.gates.are_set, "prices": configuration.prices != Prices()}
    for name, values in configuration.effective.items():
        if not is_said.get(name, True):
            continue
        if name != "benchmarks":
            sections[name] = values or {}
            continue
        for key, choice in configuration.choices.items():
            params, harness = choice.effective["params"], choice.effective["harness"]
            sections[f"{key} params"] = params
            sections[f"{key} harness"] = {"id": harness["id"], **harness["params"]}
    told = {name: {k: v for k, v in values.items() if v is not None} for name, values in sections.items()}
    return [f"{name}: {json.dumps(values, ensure_ascii=False)}" for name, values in told.items() if values]


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Close what this process opened."""
    closing = config.stash.get(closing_key, None)
    if closing is not None:
        closing.close()
