"""`python -m benchmarks compare BASE NEW …`: runs in, a page or JSON and an exit code out."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from comparison_scene import outcomes
from results_scene import ANSWER, KEY, QUESTION, TRUTH, files_of, noon, record, run

from benchmarks.__main__ import main
from benchmarks.results.recorder import Recorder
from benchmarks.results.run_description import RunDescription

Made = Callable[..., Path]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Makes a run directory from letters as `outcomes` reads them: ``made("base", "ccir")``."""

    def make(name: str, letters: str, *, finish: bool = True, **changes: Any) -> Path:
        recorder = Recorder(tmp_path / name, described(letters, run=name, **changes), now=noon)
        for task_id, outcomes_of_task in outcomes(letters).items():
            for attempt, outcome in enumerate(outcomes_of_task, start=1):
                if outcome is not None:
                    recorder.add(record(task_id, outcome, attempt=attempt))
        if finish:
            recorder.finish()
        return tmp_path / name

    return make


def described(letters: str, **changes: Any) -> RunDescription:
    """The run whose attempts end so, planned attempt by attempt under `avg`."""
    ends = outcomes(letters)
    k = max((len(of_task) for of_task in ends.values()), default=1)
    n_units = 1 if changes.get("strategy") == "pass" else k
    planned = tuple((task_id, n, "1") for task_id in ends for n in range(1, n_units + 1))
    return run(tuple(ends), **{"planned": planned, "k": k, **changes})


def compare(*words: object) -> int:
    return main(["compare", *map(str, words)])


HEADS = {0: "# No difference shown: ", 1: "# Regression: ", 11: "# Too few flips to tell: "}


@pytest.mark.parametrize(
    ("new", "code"),
    [
        pytest.param("cccccccc", 0, id="same"),
        pytest.param("iiiiiicc", 1, id="regressed"),
        pytest.param("iiiccccc", 11, id="too-few"),
        pytest.param("rrrjjjcc", 1, id="errors"),
        pytest.param("cc------", 1, id="missing"),
    ],
)
def test_the_exit_code_and_the_first_line_tell_the_finding(
    made: Made, capsys: pytest.CaptureFixture[str], new: str, code: int
) -> None:
    assert compare(made("base", "cccccccc"), made("new", new)) == code
    assert capsys.readouterr().out.startswith(HEADS[code])


def test_an_improvement_is_exit_0(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(made("base", "iiiiiicc"), made("new", "cccccccc")) == 0
    assert capsys.readouterr().out.startswith("# Improvement: ")


def test_another_answer_format_is_exit_12_and_anyway_compares(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    base, new = made("base", "ccc"), made("new", "ccc", answer_format="gaia")
    assert compare(base, new) == 12
    assert "- answer\\_format: 'none' in BASE, 'gaia' in NEW\n" in capsys.readouterr().out
    assert compare(base, new, "--anyway") == 0
    assert "Compared all the same (`--anyway`)" in capsys.readouterr().out


def test_the_strictest_of_several_decides(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    base, same = made("base", "c" * 10), made("same", "c" * 10)
    lost, other = made("lost", "i" * 9 + "c"), made("other", "c" * 10, answer_format="gaia")
    assert compare(base, same, lost) == 1
    assert compare(base, same, lost, other) == 12
    assert "# Not comparable: NEW 3 (of 3 runs held against BASE)\n" in capsys.readouterr().out


def test_alpha_decides_what_is_enough(made: Made) -> None:
    base, new = made("base", "c" * 6), made("new", "i" * 6)
    assert compare(base, new, "--alpha", "0.04") == 1
    assert compare(base, new, "--alpha", "0.03") == 11


@pytest.mark.parametrize("text", ["0", "1", "-0.1", "nan", "inf", "few"])
def test_an_alpha_that_is_no_level_is_refused(
    made: Made, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        compare(made("base", "c"), made("new", "c"), f"--alpha={text}")
    assert ended.value.code == 2
    assert f"{text!r} is no level: give a number above 0, below 1, e.g. 0.05" in capsys.readouterr().err


def test_json_is_asked_for_by_format(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(made("base", "cc"), made("new", "ci"), "--format", "json") == 11
    values = json.loads(capsys.readouterr().out)
    assert (values["finding"], values["exit_code"]) == ("too_few_flips", 11)
    assert values["comparisons"][0]["paired"]["regressed"] == ["t-01"]


def test_output_goes_to_a_file_and_the_finding_to_the_terminal(
    made: Made, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    base, new, file = made("base", "cc"), made("new", "ci"), tmp_path / "deep" / "page.md"
    compare(base, new)
    page = capsys.readouterr().out
    assert compare(base, new, "--output", file) == 11
    assert file.read_text("utf-8") == page
    assert capsys.readouterr().out == f"{page.partition(chr(10))[0].removeprefix('# ')}\n{file}\n"


def test_an_output_never_replaces_what_is_compared(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    base, new = made("base", "cc"), made("new", "ci")
    assert compare(base, new, "--output", new / "metrics.json") == 4
    assert "is a file of a run; name another --output" in capsys.readouterr().err
    assert compare(base, new) == 11


def test_an_output_that_cannot_be_written_is_one_line_and_exit_4(
    made: Made, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "page.md").mkdir()
    assert compare(made("base", "c"), made("new", "i"), "--output", tmp_path / "page.md") == 4
    assert capsys.readouterr().err == f"{str(tmp_path / 'page.md')!r} cannot be written: Is a directory\n"


def test_the_runs_are_left_as_they_were(made: Made) -> None:
    base, new = made("base", "ccir"), made("new", "icju")
    before = files_of(base), files_of(new)
    compare(base, new)
    assert (files_of(base), files_of(new)) == before


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_nothing_private_is_told(made: Made, capsys: pytest.CaptureFixture[str], form: str) -> None:
    compare(made("base", "ccirjnu"), made("new", "iccnrc-"), "--format", form)
    told = "".join(capsys.readouterr())
    assert [secret for secret in (TRUTH, ANSWER, QUESTION, KEY) if secret in told] == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        pytest.param("nowhere", "is no folder: name a run directory, the one that holds run.json", id="none"),
        pytest.param("base/run.json", "is no metrics.json of a run: name a run directory", id="run.json"),
        pytest.param("base/details", "is missing: name a run directory that holds it", id="details"),
    ],
)
def test_what_is_no_run_is_one_line_and_exit_4(
    made: Made, capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, line: str
) -> None:
    assert compare(made("base", "c"), tmp_path / name) == 4
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert line in told.err


def test_a_public_metrics_file_compares_as_its_run_directory_does(
    made: Made, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    base, new = made("base", "ccir"), made("new", "icju")
    compare(base, new)
    page = capsys.readouterr().out
    public = shutil.copy(base / "metrics.json", tmp_path / "main.json")
    shutil.rmtree(base)
    shutil.rmtree(new / "details")
    assert compare(public, new) == 11
    assert capsys.readouterr().out == page


def test_a_base_without_a_verdict_is_one_line_and_exit_4(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(made("base", "ru"), made("new", "cc")) == 4
    assert capsys.readouterr().err.startswith("BASE has no task with a verdict on every attempt, so that")


def test_a_run_that_has_not_ended_is_one_line_and_exit_4(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    new = made("new", "cc", finish=False)
    assert compare(made("base", "cc"), new) == 4
    assert capsys.readouterr().err == (
        f"{str(new)!r} has not ended: wait for it or, if its session was killed, run "
        f"`python -m benchmarks summary {new}` first\n"
    )


def test_a_killed_run_is_compared_once_it_has_its_summary(made: Made) -> None:
    base, new = made("base", "cc"), made("new", "cc", finish=False)
    assert main(["summary", str(new)]) == 0
    assert compare(base, new) == 0


@pytest.mark.parametrize(
    ("strategy", "new", "code"),
    [
        pytest.param("avg", "ccc cci ccc", 11, id="avg"),
        pytest.param("pass", "ccc iic c..", 0, id="pass"),
    ],
)
def test_several_attempts_per_task_are_compared_by_their_task(
    made: Made, strategy: str, new: str, code: int
) -> None:
    runs = made("base", "ccc ccc ccc", strategy=strategy), made("new", new, strategy=strategy)
    assert compare(*runs) == code


def test_another_k_is_exit_12_and_can_be_overridden(made: Made) -> None:
    base, new = made("base", "cc"), made("new", "ccc ccc")
    assert compare(base, new) == 12
    assert compare(base, new, "--anyway") == 0


def test_without_a_new_the_usage_is_shown_and_exit_2(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        compare(made("base", "c"))
    assert ended.value.code == 2
    assert "the following arguments are required: NEW" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("new", "words", "code"),
    [
        pytest.param("iiiiiiic", {}, 1, id="1"),
        pytest.param("cccccccc", {"answer_format": "gaia"}, 12, id="12"),
        pytest.param("", {}, 4, id="4"),
    ],
)
def test_the_module_runs_as_a_program(made: Made, new: str, words: dict[str, Any], code: int) -> None:
    base = made("base", "cccccccc")
    other = made("new", new, **words) if new else base / "nowhere"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "compare", str(base), str(other)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert bool(done.stderr) is (code == 4)
    assert done.stdout.startswith("# ") is (code != 4)
