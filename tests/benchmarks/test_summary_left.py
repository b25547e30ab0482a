"""summary.md names what was not run and what erred, and says how to go on."""

from typing import Any

from results_scene import record, run

from benchmarks.results.details import entry_of
from benchmarks.results.facts import facts_of
from benchmarks.results.metrics import reduce_run
from benchmarks.results.record import Record
from benchmarks.results.run_description import RunDescription
from benchmarks.results.summary import MAX_IDS, render_summary

GOES_ON = "--resume RUN` goes on with these, RUN being this directory; all that was finished is taken over."


def left(description: RunDescription, *records: Record) -> list[str]:
    """The lines of the section, without blank ones; none where there is no section."""
    facts = [facts_of(each.task_id, each.attempt, entry_of(each)) for each in records]
    text = render_summary(reduce_run(description, facts))
    _, _, behind = text.partition("\n## What is left\n")
    return [line for line in behind.partition("\n## ")[0].splitlines() if line]


def several(strategy: str) -> dict[str, Any]:
    first = [("t-1", 1, "1"), ("t-2", 1, "1")]
    planned = first if strategy == "pass" else [(t, n, c) for t, _, c in first for n in (1, 2)]
    return {"k": 2, "strategy": strategy, "planned": tuple(planned)}


def test_what_was_not_run_and_what_erred_are_named_apart() -> None:
    records = [record("t-1"), record("t-2", "run_error"), record("t-3", "judge_error")]
    assert left(run(["t-1", "t-2", "t-3", "t-4"]), *records) == [
        "- Not run (1): t-4",
        "- Ended in an error (2): t-2, t-3",
        f"`pytest benchmarks/gaia {GOES_ON}",
    ]


def test_a_whole_run_has_nothing_left() -> None:
    assert left(run(["t-1", "t-2"]), record("t-1"), record("t-2", "not_attempted")) == []


def test_only_so_many_are_named() -> None:
    line, _ = left(run([f"t-{n:03}" for n in range(MAX_IDS + 5)]))
    assert line.startswith(f"- Not run ({MAX_IDS + 5}): t-000, t-001, ")
    assert line.endswith(f"t-{MAX_IDS - 1:03}, and 5 more")


def test_of_several_attempts_each_is_named() -> None:
    records = [record("t-1"), record("t-1", "run_error", attempt=2), record("t-2")]
    assert left(run(**several("avg")), *records)[:2] == [
        "- Not run (1): t-2 attempt 2",
        "- Ended in an error (1): t-1 attempt 2",
    ]


def test_of_tries_until_a_success_the_task_is_named_once() -> None:
    assert left(run(**several("pass")), record("t-1", "run_error")) == [
        "- Not run (1): t-2",
        "- Ended in an error (1): t-1",
        f"`pytest benchmarks/gaia {GOES_ON}",
    ]


def test_a_success_makes_up_for_an_error_before_it() -> None:
    records = [record("t-1", "run_error"), record("t-1", attempt=2), record("t-2")]
    assert left(run(**several("pass")), *records) == []


def test_a_demo_goes_on_as_a_demo() -> None:
    assert left(run(["t-1"], demo=True))[-1] == f"`pytest benchmarks/gaia --demo {GOES_ON}"


def test_answers_that_are_judged_again_are_judged_again_from_the_same_run() -> None:
    parent = {"how": "rejudge", "run": "first", "path": "../first", "n_attempts": 1, "n_to_judge": 1}
    assert left(run(["t-1"], volatile={"parent": parent}), record("t-1", "judge_error")) == [
        "- Ended in an error (1): t-1",
        "`pytest benchmarks/gaia --rejudge RUN` judges them again, RUN being first.",
    ]
