"""What GitHub Actions is told at the end of a session: job summary, annotations, outputs (controller).

Nothing is read but the variables the runner sets, and nothing happens where they are not set. Source of the
formats and limits: GitHub's documentation, "Workflow commands for GitHub Actions".
"""

import os
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_SUMMARY_BYTES = 1024 * 1024
"""What the runner takes of one step; a larger file is thrown away whole."""
MAX_ANNOTATIONS = 10
"""Of each kind, that the runner shows of one step."""
_CUT = "\n\n*(cut here: GitHub takes 1 MiB of one step; the whole page is summary.md in the run directory)*\n"


@dataclass(frozen=True, kw_only=True)
class Told:
    """One run, as far as it is told. `metrics` is the content of metrics.json."""

    key: str
    directory: Path
    metrics: Mapping[str, Any]


def tell_github(
    runs: Sequence[Told], *, exit_code: int, gate: str, environment: Mapping[str, str] | None = None
) -> list[str]:
    """Write summary and outputs; the lines to print: annotations, and what could not be written.

    Args:
        runs: Those of the session, in their order.
        exit_code: That of the session.
        gate: The status of the gate that decides the session, e.g. "passed".
        environment: Variables; ``None`` takes those of this process.
    """
    variables = os.environ if environment is None else environment
    if variables.get("GITHUB_ACTIONS") != "true" or not runs:
        return []
    told = outputs(runs, exit_code=exit_code, gate=gate)
    writers: dict[str, Callable[[Path], None]] = {
        "GITHUB_STEP_SUMMARY": lambda path: _append_summaries(path, runs),
        "GITHUB_OUTPUT": lambda path: _append_outputs(path, told),
    }
    lines = annotations(runs)
    for name, write in writers.items():
        if variables.get(name):
            try:
                write(Path(variables[name]))
            except OSError as error:
                lines.append(_command("warning", "not written", f"{name}: {error}"))
    return lines


def outputs(runs: Sequence[Told], *, exit_code: int, gate: str) -> dict[str, str]:
    """The outputs of the step: ``{"exit_code": "1", "gate": "missed", "accuracy": "0.5", "run": "…/…"}``.

    `gate` and `exit_code` are those of the session. With several runs, each has its own `accuracy_<run>`,
    `gate_<run>` and `run_<run>` instead of one `accuracy` and `run`, e.g. `accuracy_sealqa_longseal`. An
    accuracy that was not measured is empty.
    """
    told = {"exit_code": str(exit_code), "gate": gate}
    for run in runs:
        suffix = "" if len(runs) == 1 else f"_{re.sub('[^A-Za-z0-9_]', '_', run.key)}"
        value = run.metrics["series"][run.metrics["headline"]]["value"]
        told[f"accuracy{suffix}"] = "" if value is None else str(value)
        told[f"run{suffix}"] = str(run.directory)
        if suffix:
            told[f"gate{suffix}"] = run.metrics["gate"]["status"]
    return told


def annotations(runs: Iterable[Told]) -> list[str]:
    """Workflow commands: errors for gates that do not pass and for trouble, warnings for regressed tasks.

    At most ten of each kind; where there are more, the tenth counts the rest.
    """
    errors, warnings = list[str](), list[str]()
    trouble = list[str]()
    for run in runs:
        gate = run.metrics["gate"]
        if gate["exit_code"]:
            status = gate["status"].replace("_", " ")
            errors.append(_command("error", f"{run.key}: gate {status}", gate["sentence"]))
        trouble += [
            _command("error", f"{run.key}: {kind.replace('_', ' ')}", f"{_times(n)}: {cause}")
            for kind, causes in run.metrics["errors"].items()
            for cause, n in sorted(causes.items(), key=lambda item: (-item[1], item[0]))
        ]
        warnings += [
            _command("warning", f"{run.key}: regressed", f"{task_id} is no longer correct")
            for task_id in _regressed(run.metrics)
        ]
    return [
        *_bounded([*errors, *trouble], "error", "further errors, by cause, in summary.md"),
        *_bounded(warnings, "warning", "further regressed tasks in metrics.json"),
    ]


def _regressed(metrics: Mapping[str, Any]) -> list[str]:
    baseline: Mapping[str, Any] = metrics["baseline"] or {}
    paired: Mapping[str, Any] = baseline.get("paired") or {}
    return list(paired.get("regressed", ()))


def _times(n: int) -> str:
    return "1 attempt" if n == 1 else f"{n} attempts"


def _bounded(commands: list[str], kind: str, rest: str) -> list[str]:
    if len(commands) <= MAX_ANNOTATIONS:
        return commands
    shown = commands[: MAX_ANNOTATIONS - 1]
    return [*shown, _command(kind, "and more", f"{len(commands) - len(shown)} {rest}")]


def _command(kind: str, title: str, message: str) -> str:
    return f"::{kind} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _append_summaries(path: Path, runs: Iterable[Told]) -> None:
    """Add each run's summary.md; what another command of the step wrote before takes of the room."""
    page = "\n".join((run.directory / "summary.md").read_text(encoding="utf-8") for run in runs).encode()
    room = MAX_SUMMARY_BYTES - (path.stat().st_size if path.exists() else 0)
    if len(page) > room:
        cut = _CUT.encode()
        page = page[: max(0, room - len(cut))].rpartition(b"\n")[0] + cut
    if len(page) <= room:
        with path.open("ab") as file:
            file.write(page)


def _append_outputs(path: Path, told: Mapping[str, str]) -> None:
    """Add each output between delimiters nobody can guess, so that no value can end its own."""
    with path.open("a", encoding="utf-8") as file:
        for name, value in told.items():
            delimiter = f"end-{secrets.token_hex(16)}"
            file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")
