"""On what was measured: without it a figure compares with nothing."""

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from suite import Checkout

_PACKAGES = (
    "pytest",
    "pytest-asyncio",
    "pytest-xdist",
    "pytest-html",
    "httpx",
    "httpcore",
    "anyio",
    "pydantic",
)
_ASK_VERSIONS = """
import importlib.metadata, json, platform, sys
def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
versions = {name: version(name) for name in sys.argv[1:]}
print(json.dumps({"python": platform.python_version(), **versions}))
"""


def machine_facts(checkout: Checkout) -> dict[str, Any]:
    """Cores, load, versions, the commit: ``{"cores": 2, "load_average": [0.1, 0.2, 0.3], …}``."""
    return {
        "when": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "cores": len(os.sched_getaffinity(0)),
        "processor": _processor(),
        "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1_000_000,
        "system": f"{platform.system()} {platform.release()}",
        "load_average": [round(value, 2) for value in os.getloadavg()],
        "versions": _versions(checkout.python),
        "commit": _commit(checkout.root),
    }


def _versions(python: str) -> dict[str, str | None]:
    done = subprocess.run(
        [python, "-c", _ASK_VERSIONS, *_PACKAGES], capture_output=True, text=True, check=True
    )
    found: dict[str, str | None] = json.loads(done.stdout)
    return found


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _commit(root: Path) -> str | None:
    """The commit of the checkout, "+" after it where files differ from it; ``None`` outside git."""
    told = [
        subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)  # noqa: S607 - git lies elsewhere on each machine
        for words in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain"))
    ]
    if told[0].returncode != 0:
        return None
    return told[0].stdout.strip() + ("+" if told[1].stdout.strip() else "")
