"""Start the child process that reads Parquet and the Hub, and read its one line of result."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import benchmarks
from benchmarks.benchmark import DatasetError

_TOKEN = re.compile(r"\bhf_\w{6,}")
_QUIET = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    "PYTHONIOENCODING": "utf-8",
}


def ask_child(*arguments: str) -> dict[str, Any]:
    """Run `child.py` with these arguments until it ends; Ctrl-C ends it too.

    Returns:
        What it said, e.g. ``{"revision": "682dd723ee1e1697e00360edccf2366dc8418dd9"}``.

    Raises:
        DatasetError: It refused, with its own line, or died.
    """
    root = str(Path(benchmarks.__file__).parents[1])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(  # noqa: S603  # the arguments are ours; no shell reads them
        # -P: a file named like a library in the user's folder must not be imported.
        [sys.executable, "-P", "-m", "benchmarks.sources.child", *arguments],
        env={**os.environ, **_QUIET, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        errors="replace",
    )
    try:
        said: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise DatasetError(
            f"the process that reads the dataset died with exit code {done.returncode} "
            f"({_without_token(last)[:300]!r}); run again, or set dataset_path to a JSONL file"
        ) from None
    if "error" in said:
        raise DatasetError(_without_token(said["error"]))
    return said


def _without_token(text: str) -> str:
    """Whatever a library said, a token in it goes no further."""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        if os.environ.get(name):
            text = text.replace(os.environ[name], "***")
    return _TOKEN.sub("hf_***", text)
