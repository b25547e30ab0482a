"""What a real browser makes of the pages: hostile text does nothing, filters work, narrow pages fit.

They need Chromium (Debian's package `chromium`); without it they are skipped. A probe is a script put at the
end of a copy of a page, whose findings stand in the DOM that the browser prints.
"""

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from journey import Suite
from report_scene import HOSTILE, call_of, finished, model_step, tool_step
from results_scene import record

from benchmarks.report.viewer import ViewerServer
from benchmarks.report.viewer_runs import WatchedRun

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")

REPORT_PROBE = """
const rows = () => document.querySelectorAll("tr.collapsible").length;
const width = document.documentElement.scrollWidth;
const found = {title: document.title, rows: [rows()], width, fits: innerWidth};
document.querySelector('input[data-test-result="passed"]').click();
found.rows.push(rows());
document.querySelector('th[data-column-type="tokens"]').click();
const enter = new KeyboardEvent("keydown", {key: "Enter", bubbles: true});
document.querySelector("td.col-result").dispatchEvent(enter);
const log = document.querySelector("tr.extras-row:not(.hidden) .log");
found.unfolded = log ? log.textContent : null;
found.made = document.querySelectorAll("#results-table script, #results-table img[onerror], .log b").length;
found.first = document.querySelector("main, .overview").textContent;
"""


def dom_of(address: str, folder: Path, *, width: int = 1200) -> str:
    """The document as it stands when the browser is done with it."""
    assert CHROMIUM is not None
    done = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",  # the tests may run as root, for whom Chromium has no sandbox
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={folder / 'profile'}",
            f"--window-size={width},900",
            "--virtual-time-budget=4000",
            "--dump-dom",
            address,
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def probed(page: Path, probe: str, folder: Path, **more: Any) -> dict[str, Any]:
    """What the probe found in a copy of the page."""
    text = page.read_text(encoding="utf-8")
    script = f"<script>{probe}\ndocument.body.dataset.found = JSON.stringify(found);</script>"
    copy = page.with_name(f"probed-{page.name}")
    copy.write_text(text.replace("</body>", f"{script}</body>"), encoding="utf-8")
    (found,) = re.findall(r'data-found="([^"]*)"', dom_of(copy.as_uri(), folder, **more))
    values: dict[str, Any] = json.loads(unescape(found))
    return values


def test_the_report_filters_and_unfolds_and_hostile_text_does_nothing(suite: Suite) -> None:
    suite.add_right("right-1", "right-2")
    suite.add("hostile-1", answer=HOSTILE[:400])
    suite.run("--html=report.html", "--min-accuracy=0.1")
    found = probed(suite.folder / "report.html", REPORT_PROBE, suite.folder, width=500)
    assert found["title"].startswith("GAIA local, org/model-1: Accuracy 0.667")
    assert found["rows"] == [3, 1]
    assert "<script>document.title='owned'</script>" in found["unfolded"] and found["made"] == 0
    assert found["width"] <= found["fits"], "a narrow page does not scroll sideways"
    assert "Gate passed" in found["first"]


@pytest.fixture
def hostile_run(tmp_path: Path) -> Path:
    steps = (
        model_step(
            HOSTILE, message={"tool_calls": [call_of("search", HOSTILE)], "reasoning_content": HOSTILE}
        ),
        tool_step(HOSTILE),
    )
    hostile = record("t-1", "incorrect", trajectory=steps, final_answer=HOSTILE, issues=(HOSTILE,))
    return finished(tmp_path / "run", [hostile, record("t-2", "correct")])


@pytest.fixture
def viewer(hostile_run: Path) -> Iterator[ViewerServer]:
    server = ViewerServer([hostile_run])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_viewer_shows_hostile_text_as_text(
    viewer: ViewerServer, hostile_run: Path, tmp_path: Path
) -> None:
    address = f"{viewer.url}run/{WatchedRun(path=hostile_run).key}/t-1"
    dom = dom_of(address, tmp_path)
    assert "<title>t-1 · org/model_v1</title>" in dom, "no script of the model's ran"
    assert "<img" not in dom and dom.count("&lt;img src=x onerror=") >= 4
