"""docs/ci/: files to copy, and what they rest on."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_github import told

from benchmarks.report.github import outputs

FOLDER = Path(__file__).parents[2] / "docs" / "ci"
DESTINATIONS = {"config": "config_files", "junitxml": "xmlpath", "html": "htmlpath"}


def steps() -> list[dict[str, Any]]:
    workflow = yaml.safe_load((FOLDER / "github.yml").read_text())
    found: list[dict[str, Any]] = workflow["jobs"]["gaia"]["steps"]
    return found


def step(name: str) -> dict[str, Any]:
    (found,) = [each for each in steps() if each.get("name") == name]
    return found


def test_actions_are_pinned_to_commits() -> None:
    used = [each["uses"] for each in steps() if "uses" in each]
    assert used and all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", each) for each in used)


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_options_exist(name: str, pytestconfig: pytest.Config) -> None:
    (command,) = re.findall(r"pytest benchmarks/gaia(?:.|\n +--)*", (FOLDER / name).read_text())
    options = re.findall(r"--([a-z-]+)", command)
    known = vars(pytestconfig.option)
    assert options
    assert [each for each in options if DESTINATIONS.get(each, each.replace("-", "_")) not in known] == []


def test_details_are_left_out() -> None:
    assert "!run/**/details/**" in step("Keep the report")["with"]["path"].split()
    job = yaml.safe_load((FOLDER / "gitlab.yml").read_text())["gaia"]
    assert "run/**/details/**/*" in job["artifacts"]["exclude"]


def test_outputs_are_named_in_the_page() -> None:
    page = (FOLDER / "README.md").read_text()
    one = outputs([told()], exit_code=0, gate="none")
    assert [name for name in one if f"| `{name}` |" not in page] == []
    assert set(re.findall(r"steps\.gaia\.outputs\.(\w+)", (FOLDER / "github.yml").read_text())) <= set(one)


def commented(folder: Path, found: str) -> list[str]:
    """What `gh` is asked for by the step that comments, where a comment with id `found` exists, or none."""
    (folder / "gh").write_text(f'#!/bin/sh\necho "$@" >>calls\ncase "$*" in *jq*) printf "{found}";; esac\n')
    (folder / "gh").chmod(0o755)
    (folder / "summary.md").write_text("# Ergebnis é\n" * 10_000)
    variables = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "REPOSITORY": "o/r",
        "PULL_REQUEST": "7",
        "RUN": ".",
    }
    script = step("Comment on the pull request")["run"]
    done = subprocess.run(
        ["/bin/bash", "-e", "-c", script], cwd=folder, env=variables, check=False, timeout=60
    )
    assert done.returncode == 0
    return (folder / "calls").read_text().splitlines()


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        ("", "api --method POST repos/o/r/issues/7/comments --field body=@comment.md --silent"),
        ("11\\n12\\n", "api --method PATCH repos/o/r/issues/comments/11 --field body=@comment.md --silent"),
    ],
    ids=["none yet", "one, and another"],
)
def test_one_comment_is_made_or_written_over(tmp_path: Path, found: str, asked: str) -> None:
    calls = commented(tmp_path, found)
    assert calls[-1] == asked
    comment = (tmp_path / "comment.md").read_text("utf-8")
    assert comment.startswith("<!-- agent-benchmarks: gaia -->\n# Ergebnis")
    assert len(comment) < 65_536


def test_the_linter_has_no_complaint() -> None:
    linter = shutil.which("actionlint")
    if linter is None:
        pytest.skip("actionlint is not installed")
    done = subprocess.run(
        [linter, "-no-color", str(FOLDER / "github.yml")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
