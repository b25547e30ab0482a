"""What is done so far, in one line."""

from collections.abc import Sequence
from typing import Any

import pytest
from results_scene import record

from benchmarks.plan import Unit
from benchmarks.report.progress import Progress, RunProgress, duration
from benchmarks.results.record import Record
from benchmarks.task import Task

RATES = {"model": {"input_usd_per_million_tokens": 1000.0, "output_usd_per_million_tokens": 10_000.0}}


def unit(task_id: str, run: str = "gaia") -> Unit:
    return Unit(task=Task(task_id=task_id, question="Which?", ground_truth="x", category="1"), run=run)


def noted(*outcomes: str, n_planned: int = 20, **more: Any) -> Progress:
    progress = Progress([RunProgress(key="gaia", n_planned=n_planned, **more)])
    for n, outcome in enumerate(outcomes):
        progress.note(unit(f"t-{n}"), [record(f"t-{n}", outcome)])
    return progress


def line(progress: Progress, *, elapsed_s: float = 60.0, in_flight: str = "", n_ahead: int = 0) -> str:
    return progress.line(elapsed_s=elapsed_s, in_flight=in_flight, n_ahead=n_ahead)


def test_one_line_tells_everything() -> None:
    progress = noted("correct", "incorrect", "run_error", prices=RATES)
    assert line(progress, in_flight="16") == (
        "gaia 3/20 · 16 in flight · accuracy 0.500 (0.095 to 0.905) · about 6 min left · 1 error · "
        "0.09 USD · 36 tokens"
    )


def test_before_the_first_report_there_is_no_accuracy_and_no_time_left() -> None:
    assert line(noted()) == "gaia 0/20 · accuracy —"


def test_errors_and_what_never_ran_are_not_evaluated() -> None:
    progress = noted("judge_error", "run_error", "unavailable", "unscored")
    said = line(progress)
    assert "accuracy — ·" in said and "· 2 errors ·" in said


def test_a_unit_lost_with_its_worker_is_an_error() -> None:
    progress = noted()
    progress.note(unit("t-1"), [])
    assert line(progress) == "gaia 1/20 · accuracy — · 1 error"


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        (["incorrect", "run_error", "correct"], "accuracy 1.000 (0.207 to 1.000)"),
        (["incorrect", "run_error"], "accuracy — · 1 error"),
        (["incorrect", "not_attempted"], "accuracy 0.000 (0.000 to 0.793)"),
    ],
    ids=["a success decides", "then an error", "then wrong answers"],
)
def test_tries_of_one_task_count_as_one_unit(outcomes: Sequence[str], said: str) -> None:
    progress = noted()
    progress.note(unit("t"), [record("t", each, attempt=n) for n, each in enumerate(outcomes, start=1)])
    assert said in line(progress)


def test_attempts_at_one_task_share_out_its_place_in_the_interval() -> None:
    progress = Progress([RunProgress(key="gaia", n_planned=8, is_clustered=True)])
    for n, outcome in enumerate(["correct", "correct", "correct", "incorrect", "incorrect", "incorrect"]):
        progress.note(unit(f"t-{n // 2}"), [record(f"t-{n // 2}", outcome)])
    assert "accuracy 0.500 (0.000 to 1.000)" in line(progress), "three tasks, not six"


@pytest.mark.parametrize(
    ("prices", "said"),
    [({}, False), ({"model": None}, False), (RATES, True)],
    ids=["no prices", "an unknown price", "known"],
)
def test_a_cost_that_is_not_known_is_not_told(prices: dict[str, Any], said: bool) -> None:
    assert ("USD" in line(noted("correct", prices=prices))) is said


def test_one_attempt_of_unknown_cost_makes_the_sum_unknown() -> None:
    progress = noted("correct", prices=RATES)
    progress.note(unit("t-9"), [record("t-9", usage={"model": {"input_tokens": None, "output_tokens": 4}})])
    assert "USD" not in line(progress) and "16 tokens" in line(progress)


def reused(task_id: str) -> Record:
    return record(task_id, reused=True)


def test_what_an_earlier_run_had_done_says_nothing_about_pace_or_spending() -> None:
    progress = noted()
    for n in range(10):
        progress.note(unit(f"t-{n}"), [reused(f"t-{n}")])
    assert line(progress) == "gaia 10/20 · accuracy 1.000 (0.722 to 1.000)"
    progress.note(unit("a"), [record("a")])
    progress.note(unit("b"), [record("b")])
    assert line(progress).endswith("about 4 min left · 24 tokens")


def test_of_what_is_judged_again_the_judge_alone_is_counted() -> None:
    progress = Progress([RunProgress(key="gaia", n_planned=6, judges_again=True)])
    usage = {
        "model": {"input_tokens": 900, "output_tokens": 90},
        "judge": {"input_tokens": 30, "output_tokens": 5},
    }
    progress.note(unit("a"), [record("a", reused=True, usage=usage)])
    progress.note(unit("b"), [record("b", reused=True, usage=usage)])
    progress.note(unit("c"), [record("c", "run_error", reused=True)])
    assert line(progress).endswith("about 2 min left · 1 error · 70 tokens")


def test_what_is_finished_ahead_of_its_item_counts_for_the_pace() -> None:
    progress = noted("correct", "correct")
    assert "· about 1 min left ·" in line(progress, n_ahead=8)
    assert "left" not in line(progress, n_ahead=18)


def test_of_several_runs_the_latest_is_told_and_the_time_left_is_that_of_all() -> None:
    runs = [RunProgress(key="sealqa seal_0", n_planned=2), RunProgress(key="sealqa longseal", n_planned=4)]
    progress = Progress(runs)
    assert line(progress).startswith("sealqa seal_0 0/2")
    progress.note(unit("a", "sealqa seal_0"), [record("a")])
    progress.note(unit("b", "sealqa longseal"), [record("b", "incorrect")])
    assert line(progress).startswith("sealqa longseal 1/4 · accuracy 0.000")
    assert "· about 2 min left ·" in line(progress)


@pytest.mark.parametrize(
    ("n", "said"), [(999, "999 tokens"), (1_500, "1.5 k tokens"), (2_340_000, "2.3 M tokens")]
)
def test_many_tokens_are_rounded(n: int, said: str) -> None:
    progress = noted()
    progress.note(unit("t"), [record("t", usage={"model": {"input_tokens": n, "output_tokens": None}})])
    assert said in line(progress)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "0 s"), (59.4, "59 s"), (61, "1 min"), (3599, "1 h 00 min"), (7500, "2 h 05 min")],
)
def test_a_length_of_time_is_rough(seconds: float, said: str) -> None:
    assert duration(seconds) == said
