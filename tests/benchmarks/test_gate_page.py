"""docs/gates.md tells the truth: its examples are decided as it says."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from gate_scene import Part, flipped, judged, series

from benchmarks.configuration.gathering import SINGLE_OPTIONS
from benchmarks.configuration.model import Gates
from benchmarks.configuration.problem import dotted
from benchmarks.configuration.validation import validated
from benchmarks.results.comparing.evidence import Finding
from benchmarks.results.statuses import EXIT_CODES

PAGE = (Path(__file__).parents[2] / "docs" / "gates.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PAGE.splitlines()
    if line.startswith("|")
]


def rows(n_columns: int, first: str) -> list[Any]:
    """The rows of a table whose first cells begin so, without their backticks."""
    found = [row for row in ROWS if len(row) == n_columns and row[0].startswith(first)]
    assert found
    return [pytest.param(*(cell.strip("`") for cell in row), id=" ".join(row[:3])) for row in found]


def gates_in(cell: str) -> dict[str, Any]:
    """Gates as a file says them; they are sound."""
    written = yaml.safe_load(cell)
    least = written.get("min_accuracy")
    if isinstance(least, int | float):
        written["min_accuracy"] = {"overall": float(least)}
    made, problems = validated(Gates, written, at=())
    assert made is not None, problems
    return {**written, "min_accuracy": made.min_accuracy}


def part_in(cell: str) -> Part:
    return tuple(int(number) for number in cell.split("/"))


@pytest.mark.parametrize(("gates", "tasks", "of_level_1", "status", "code"), rows(5, "`{"))
def test_an_example_is_decided_as_it_says(
    gates: str, tasks: str, of_level_1: str, status: str, code: str
) -> None:
    levels = {"1": part_in(of_level_1)} if of_level_1 else None
    correct, evaluated, planned = part_in(tasks)
    result = judged(series(correct, evaluated, planned, levels=levels), **gates_in(gates))
    assert (result.status, str(result.exit_code)) == (status, code)


@pytest.mark.parametrize(("gates", "n_regressed", "status", "code"), rows(4, "`{"))
def test_an_example_of_a_baseline_is_decided_as_it_says(
    gates: str, n_regressed: str, status: str, code: str
) -> None:
    comparison = flipped(0, int(n_regressed), 100 - int(n_regressed))
    result = judged(series(1, 1), comparison=comparison, **gates_in(gates))
    assert (result.status, str(result.exit_code)) == (status, code)


def test_every_exit_code_is_told_with_its_status() -> None:
    told = {status.strip("`"): int(code) for code, status, *_ in ROWS if code.isdigit()}
    assert told == {status: code for status, code in EXIT_CODES.items() if code is not None}


def test_every_finding_is_told_with_what_it_comes_to() -> None:
    told = {
        found: int(code)
        for cell, _, code in (row for row in ROWS if len(row) == 3 and row[2].isdigit())
        for found in re.findall(r"`(\w+)`", cell)
    }
    assert told == {finding.value: finding.exit_code for finding in Finding}


def test_every_option_and_key_of_a_gate_is_told() -> None:
    options = {name: path for name, path in SINGLE_OPTIONS.items() if path[0] == "gates"}
    for name, path in options.items():
        (row,) = [row for row in ROWS if re.match(rf"`--{name.replace('_', '-')}[` ]", row[0])]
        assert row[1] == f"`{dotted(path)}`"
    keys = {f"`gates.{key.name}`" for key in fields(Gates)}
    assert keys == {row[1] for row in ROWS if row[1].startswith("`gates.")}
