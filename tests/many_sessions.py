"""Several pytest sessions in one process, one after the other: what takes time is to start one."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from journey import ROOT

_SESSIONS = """
import json, os, sys
import pytest
from harnesses.endpoint.client import EndpointClient

# A judge's retries are the client's own: ten, after waits that a test has no time for.
object.__setattr__(EndpointClient.__init__.__kwdefaults__["retries"], "interval_s", 0.0)
codes = {}
for name, arguments in json.load(sys.stdin).items():
    out = os.open(f"{name}.out", os.O_WRONLY | os.O_CREAT)
    os.dup2(out, 1)
    os.dup2(out, 2)
    codes[name] = int(pytest.main(["-p", "no:cacheprovider", "-p", "no:hypothesispytest", *arguments]))
    sys.stdout.flush()
with open("codes.json", "w") as file:
    json.dump(codes, file)
"""


def run_sessions(commands: Mapping[str, Sequence[str]], folder: Path) -> dict[str, int]:
    """The exit code of each session by its name; what it printed is in `<name>.out` of `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-c", _SESSIONS],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), "AGENT_BENCHMARKS_CACHE": str(folder / "cache")},
        input=json.dumps(commands),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    codes: dict[str, int] = json.loads((folder / "codes.json").read_text())
    return codes
