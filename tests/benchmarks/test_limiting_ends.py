"""What a spent budget makes of attempts: no error, no wrong answer, and what had finished counts."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from examiner_scene import ToldHarness, attempt_with, desk, one_record, raising

from benchmarks.results.record import Outcome
from benchmarks.stop_mark import StopMark
from harnesses.attempt import Attempt, AttemptFailedError, AttemptUnavailableError, Prompt
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.scope import current_scope

LINE = "budget: 45 of 40 tokens are spent; raise budget_tokens and go on with --resume"
USED = TokenUsage(input_tokens=1_000_000, output_tokens=1_000_000)


def withheld() -> None:
    scope = current_scope.get()
    assert scope is not None
    scope.withheld.append(LINE)


def wraps(_: Prompt) -> Attempt:
    withheld()
    raise RuntimeError("my own words")


def says_so(_: Prompt) -> Attempt:
    withheld()
    raise AttemptFailedError("no luck", partial=replace(attempt_with(None), usage={"model": USED}))


def swallows(_: Prompt) -> Attempt:
    withheld()
    return attempt_with("something all the same")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "answer", [wraps, says_so, swallows], ids=["wraps it", "fails with it", "swallows it"]
)
async def test_an_attempt_that_was_not_allowed_to_go_on_is_unavailable(answer: Any, tmp_path: Path) -> None:
    record = await one_record(tmp_path, ToldHarness(answer))
    assert (record.outcome, record.cause, record.primary) == (Outcome.UNAVAILABLE, LINE, None)


@pytest.mark.asyncio
async def test_it_is_so_too_where_its_record_had_to_wait_for_its_item(tmp_path: Path) -> None:
    harness = ToldHarness(wraps)
    record = await one_record(tmp_path, harness)
    here = desk(tmp_path, harness, before=[record])
    here.start()
    found = here.examiner.find(here.units[0])
    assert found is not None
    for future in (found.attempt, found.judgment):
        with pytest.raises(AttemptUnavailableError, match=r"^budget: 45 of 40"):
            await future
    await here.examiner.aclose()


@pytest.mark.asyncio
async def test_what_it_had_used_until_then_is_kept(tmp_path: Path) -> None:
    record = await one_record(tmp_path, ToldHarness(says_so))
    assert record.usage["model"]["input_tokens"] == 1_000_000


@pytest.mark.asyncio
async def test_another_attempt_that_fails_is_still_a_run_error(tmp_path: Path) -> None:
    record = await one_record(tmp_path, ToldHarness(raising(RuntimeError("x"))))
    assert record.outcome is Outcome.RUN_ERROR


@pytest.mark.asyncio
async def test_what_finished_before_the_session_stopped_is_found_all_the_same(tmp_path: Path) -> None:
    harness = ToldHarness(lambda _: attempt_with("x"))
    first = await one_record(tmp_path, harness)
    here = desk(tmp_path, harness, before=[first])
    here.stop_mark.set(LINE)
    here.start()
    found = here.examiner.find(here.units[0])
    assert found is not None and found.record == first
    await here.examiner.aclose()


@pytest.mark.asyncio
async def test_after_the_session_stopped_no_other_try_is_made_of_what_had_begun(tmp_path: Path) -> None:
    harness = ToldHarness(lambda _: attempt_with("x"))
    first = replace(await one_record(tmp_path, harness), outcome=Outcome.INCORRECT)
    here = desk(tmp_path, harness, before=[first], n_tries=3)
    here.stop_mark.set(LINE)
    here.start()
    found = here.examiner.find(here.units[0])
    assert found is not None and found.attempt.cancelled()
    assert (found.records, found.next_try, len(harness.prompts)) == ((first,), 2, 1)
    await here.examiner.aclose()


def test_all_processes_stop_with_the_first_line(tmp_path: Path) -> None:
    here, there = StopMark(tmp_path / "stop"), StopMark(tmp_path / "stop")
    here.set("budget: the first")
    there.set("budget: the second")
    assert (there.line(), there.is_budget) == ("budget: the first", True)


def test_a_line_that_another_process_sets_in_the_same_moment_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = StopMark(tmp_path / "stop"), StopMark(tmp_path / "stop")
    here.set("budget: the first")
    found = iter([False, True])

    def exists(_: Path) -> bool:
        return next(found)

    monkeypatch.setattr(Path, "exists", exists)
    there.set("budget: the second")
    assert there.line() == "budget: the first"


def test_a_mark_that_another_process_is_just_making_is_none_yet(tmp_path: Path) -> None:
    mark = StopMark(tmp_path / "stop")
    (tmp_path / "stop").write_text("")
    assert (mark.line(), mark.is_budget) == (None, False)
    (tmp_path / "stop").write_text(LINE)
    assert (mark.line(), mark.is_budget) == (LINE, True)
