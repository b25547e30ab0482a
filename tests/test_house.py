"""The house keeps its rules: imports go down, workers stay light, the README's commands are real."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLUGINS = (
    "harnesses.plugin",
    "judges.plugin",
    "benchmarks.plugin",
    "benchmarks.shares",
    "benchmarks.configuring",
    "benchmarks.scheduling",
    "benchmarks.collecting",
    "benchmarks.running",
    "benchmarks.reporting",
    "benchmarks.finishing",
)
HEAVY = (
    "datasets",
    "genai_prices",
    "pandas",
    "pyarrow",
    "pydantic",
    "huggingface_hub",
    "jinja2",
    "yaml",
    "httpcore",
    "anyio",
)


def python(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )


def test_imports_go_down_only() -> None:
    done = python("-c", "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("heavy", HEAVY)
def test_a_worker_imports_nothing_heavy(heavy: str) -> None:
    done = python("-c", f"import sys, {', '.join(PLUGINS)}; raise SystemExit({heavy!r} in sys.modules)")
    assert done.returncode == 0, f"{heavy} is imported by a plugin: {done.stderr}"


def test_the_conftest_names_the_three_plugins_and_nothing_else() -> None:
    lines = (ROOT / "conftest.py").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith('"""')] == [
        'pytest_plugins = ["harnesses.plugin", "judges.plugin", "benchmarks.plugin"]'
    ]


@pytest.mark.parametrize("marked", ["demo", "tests"])
def test_the_readme_marks_the_commands_that_ci_runs(marked: str) -> None:
    block = (ROOT / "README.md").read_text().partition(f"<!-- {marked} -->\n```bash\n")[2].partition("```")[0]
    assert "pip install" in block
    assert "pytest" in block


def test_every_file_the_rooms_are_told_by_exists() -> None:
    rows = (ROOT / "docs" / "how_it_works.md").read_text().splitlines()
    told = [
        word.strip("`")
        for row in rows
        if row.startswith("|")
        for word in row.split()
        if "/" in word and word.startswith("`")
    ]
    missing = [
        path
        for path in (name.strip("`,") for name in told)
        if "details" not in path and not (ROOT / path).exists()
    ]
    assert missing == []
