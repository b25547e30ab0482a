"""The tries of one unit under `pass`: which are made, which decides, and what is kept of each."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from examiner_scene import Desk, ToldHarness, ToldJudge, attempt_with, desk, made_tasks, pleased

from benchmarks import examiner
from benchmarks.examination import Examination
from benchmarks.output import routed_output
from benchmarks.results.record import Outcome, Record
from benchmarks.results.spool import Place
from benchmarks.run import Run
from harnesses.attempt import Attempt, AttemptFailedError, AttemptUnavailableError, Prompt
from judges.gaia_official import GaiaOfficial
from judges.judge import JudgeFailedError, Judgment

pytestmark = pytest.mark.asyncio(loop_scope="session")

RIGHT, WRONG, ERROR = "right", "wrong", "error"
REFUSED = "refused for good"
MISSING = "not there"


def answering(*acts: str) -> ToldHarness:
    """A harness whose n-th attempt at any task does as the n-th word says."""

    def act(prompt: Prompt) -> Attempt:
        what = acts[prompt.attempt - 1]
        if what in {ERROR, REFUSED}:
            raise AttemptFailedError(
                f"trouble {prompt.attempt}", partial=attempt_with(None), stops_run=what == REFUSED
            )
        if what == MISSING:
            raise AttemptUnavailableError("no answer in answers.csv")
        number = prompt.text.partition("number ")[2].partition(" ")[0]
        return attempt_with(f"stone {number}" if what == RIGHT else f"pebble {prompt.attempt}")

    return ToldHarness(act)


def trying(
    tmp_path: Path, harness: ToldHarness, *, n_tries: int = 3, before: tuple[Record, ...] = ()
) -> Desk:
    return desk(tmp_path, harness, judges=(GaiaOfficial(),), n_tries=n_tries, before=before)


async def ended(work: Desk) -> Examination:
    """The examination of the first unit, at its end."""
    work.start()
    found = work.examiner.find(work.units[0])
    assert found is not None
    await found.ended()
    await work.settle()
    await work.examiner.aclose()
    return found


def outcomes(records: "tuple[Record, ...] | list[Record]") -> list[tuple[int, str]]:
    return [(record.attempt, str(record.outcome)) for record in records]


@pytest.mark.parametrize(
    ("acts", "made", "deciding"),
    [
        ((RIGHT, WRONG, WRONG), [(1, "correct")], 1),
        ((WRONG, RIGHT, WRONG), [(1, "incorrect"), (2, "correct")], 2),
        ((WRONG, WRONG, WRONG), [(1, "incorrect"), (2, "incorrect"), (3, "incorrect")], 3),
        ((ERROR, RIGHT, WRONG), [(1, "run_error"), (2, "correct")], 2),
        ((WRONG, ERROR, WRONG), [(1, "incorrect"), (2, "run_error"), (3, "incorrect")], 2),
        ((ERROR, ERROR, WRONG), [(1, "run_error"), (2, "run_error"), (3, "incorrect")], 1),
        ((WRONG, REFUSED, RIGHT), [(1, "incorrect"), (2, "run_error")], 2),
        ((WRONG, MISSING, RIGHT), [(1, "incorrect"), (2, "unavailable")], 2),
        ((ERROR, MISSING, RIGHT), [(1, "run_error"), (2, "unavailable")], 1),
    ],
    ids=[
        "right at once",
        "right at the second",
        "all wrong",
        "right after an error",
        "an error and no success",
        "the first of two errors",
        "a refusal for good",
        "one that is not there ends the tries",
        "an error before one that is not there",
    ],
)
async def test_tries_are_made_until_one_succeeds_and_one_of_them_decides(
    tmp_path: Path, acts: tuple[str, ...], made: list[tuple[int, str]], deciding: int
) -> None:
    work = trying(tmp_path, answering(*acts))
    found = await ended(work)
    assert outcomes(found.records) == outcomes(work.records) == made
    assert found.record is not None and found.record.attempt == deciding


async def test_attempt_and_judgment_are_those_of_the_first_success(tmp_path: Path) -> None:
    found = await ended(trying(tmp_path, answering(WRONG, RIGHT, WRONG)))
    assert found.attempt.result().final_message == {"role": "assistant", "content": "stone 0"}
    assert found.judgment.result().verdict.is_correct


async def test_an_error_among_wrong_answers_is_told_as_an_error(tmp_path: Path) -> None:
    found = await ended(trying(tmp_path, answering(WRONG, ERROR, WRONG)))
    for future in (found.attempt, found.judgment):
        with pytest.raises(AttemptFailedError, match="trouble 2"):
            future.result()


async def test_a_judge_that_errs_once_does_not_end_the_tries(tmp_path: Path) -> None:
    def judge(answer: str) -> Judgment:
        if answer == "pebble 1":
            raise JudgeFailedError("no verdict")
        return pleased(answer)

    work = desk(tmp_path, answering(WRONG, RIGHT), judges=(ToldJudge(judge),), n_tries=2)
    assert outcomes((await ended(work)).records) == [(1, "judge_error"), (2, "correct")]


async def test_each_try_has_its_number_and_a_folder_of_its_own(tmp_path: Path) -> None:
    class Littering(ToldHarness):
        async def run(self, prompt: Prompt) -> Attempt:
            assert list(prompt.folder.iterdir()) == []
            (prompt.folder / "left.txt").write_text("behind")
            return await super().run(prompt)

    harness = Littering(answering(WRONG, WRONG, WRONG).answer)
    found = await ended(trying(tmp_path, harness))
    assert [prompt.attempt for prompt in harness.prompts] == [1, 2, 3]
    assert len({prompt.folder for prompt in harness.prompts}) == 3
    assert {str(record.outcome) for record in found.records} == {"incorrect"}


async def test_a_try_is_written_before_the_next_one_starts(tmp_path: Path) -> None:
    written: list[int] = []

    class Watching(ToldHarness):
        async def run(self, prompt: Prompt) -> Attempt:
            written.append(len(work.records))
            return await super().run(prompt)

    work = trying(tmp_path, Watching(answering(WRONG, WRONG, WRONG).answer))
    await ended(work)
    assert written == [0, 1, 2]


async def test_the_tries_of_a_task_take_one_slot_and_are_never_side_by_side(tmp_path: Path) -> None:
    harness = answering(WRONG, WRONG)
    tasks = made_tasks(3)
    work = desk(tmp_path, harness, judges=(GaiaOfficial(),), tasks=tasks, n_tries=2, share=2)
    gate = harness.gate = asyncio.Event()
    work.start()
    await work.settle()
    assert [prompt.attempt for prompt in harness.prompts] == [1, 1] and harness.in_flight == 2
    gate.set()
    await work.settle()
    await work.examiner.aclose()
    assert len(work.records) == 6 and harness.most_in_flight == 2


async def test_no_other_try_is_started_once_the_session_stops(tmp_path: Path) -> None:
    work = trying(tmp_path, answering(WRONG, RIGHT))
    work.harness.answer = stopping(work, work.harness.answer)
    found = await ended(work)
    assert outcomes(found.records) == [(1, "incorrect")] == outcomes(work.records)
    assert found.record is None and found.attempt.cancelled() and found.judgment.cancelled()


async def test_an_error_is_told_though_the_session_stopped_before_the_next_try(tmp_path: Path) -> None:
    work = trying(tmp_path, answering(ERROR, RIGHT))
    work.harness.answer = stopping(work, work.harness.answer)
    found = await ended(work)
    assert found.record is not None and found.record.outcome is Outcome.RUN_ERROR
    with pytest.raises(AttemptFailedError, match="trouble 1"):
        found.attempt.result()


def stopping(work: Desk, act: Callable[[Prompt], Attempt]) -> Callable[[Prompt], Attempt]:
    def stop(prompt: Prompt) -> Attempt:
        work.stop_mark.set("stopping after 1 failures")
        return act(prompt)

    return stop


async def test_an_item_that_is_left_between_two_tries_keeps_the_records_of_those_that_ended(
    tmp_path: Path,
) -> None:
    harness = answering(WRONG, WRONG, WRONG)

    class HangingSecond(ToldHarness):
        async def run(self, prompt: Prompt) -> Attempt:
            self.gate = asyncio.Event() if prompt.attempt == 2 else None
            return await super().run(prompt)

    work = trying(tmp_path, HangingSecond(harness.answer))
    work.start()
    await work.settle()
    found = work.examiner.find(work.units[0])
    work.examiner.release(work.units[0])
    await work.settle()
    assert found is not None and found.attempt.cancelled() and found.next_try == 2
    assert outcomes(found.records) == [(1, "incorrect")] == outcomes(work.records)
    await work.examiner.aclose()


async def made(tmp_path: Path, *acts: str) -> tuple[Record, ...]:
    """The records of another process, as they come back from its spool."""
    work = trying(tmp_path / "before", answering(*acts), n_tries=len(acts))
    (tmp_path / "before").mkdir(exist_ok=True)
    return tuple(Record.from_line(record.line) for record in (await ended(work)).records)


async def test_tries_go_on_after_those_that_were_made_before(tmp_path: Path) -> None:
    before = await made(tmp_path, WRONG, ERROR)
    harness = answering("unused", "unused", RIGHT)
    work = trying(tmp_path, harness, before=before)
    found = await ended(work)
    assert [prompt.attempt for prompt in harness.prompts] == [3]
    assert outcomes(work.records) == [(3, "correct")], "what was made before is not written again"
    assert outcomes(found.records) == [(1, "incorrect"), (2, "run_error"), (3, "correct")]


@pytest.mark.parametrize("acts", [(WRONG, RIGHT), (WRONG, WRONG, WRONG)], ids=["a success", "all tries"])
async def test_nothing_is_asked_where_all_that_is_needed_was_made_before(
    tmp_path: Path, acts: tuple[str, ...]
) -> None:
    before = await made(tmp_path, *acts)
    harness = answering()
    found = await ended(trying(tmp_path, harness, before=before))
    assert found.record == before[-1] and found.records == before and harness.prompts == []
    assert found.judgment.result().verdict.is_correct is (acts[-1] == RIGHT)


async def test_a_gap_in_what_was_made_before_is_filled(tmp_path: Path) -> None:
    before = await made(tmp_path, WRONG, WRONG)
    harness = answering(WRONG, "unused", WRONG)
    found = await ended(trying(tmp_path, harness, before=before[1:]))
    assert [prompt.attempt for prompt in harness.prompts] == [1, 3]
    assert [record.attempt for record in found.records] == [1, 2, 3]


async def test_all_tries_of_what_finished_far_ahead_come_back_from_the_spool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner, "_MOST_HELD", 0)
    work = trying(tmp_path, answering(WRONG, ERROR, WRONG))
    work.start()
    await work.settle()
    assert work.examiner.find(work.units[0]) is None and work.examiner.room == 0
    work.start()
    found = work.examiner.find(work.units[0])
    assert found is not None and list(found.records) == work.records
    assert found.record is not None and found.record.outcome is Outcome.RUN_ERROR
    assert len(work.harness.prompts) == 3, "nothing is asked again"
    await work.examiner.aclose()


async def test_what_went_on_after_a_dead_worker_is_never_put_away_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner, "_MOST_HELD", 0)
    before = await made(tmp_path, WRONG, ERROR)
    work = trying(tmp_path, answering("unused", "unused", WRONG), before=before)
    work.start()
    await work.settle()
    found = work.examiner.find(work.units[0])
    assert found is not None and [record.attempt for record in found.records] == [1, 2, 3]
    await work.examiner.aclose()


async def test_a_record_that_cannot_be_written_between_tries_is_an_error_that_keeps_it(
    tmp_path: Path,
) -> None:
    def full(_run: Run, _record: Record) -> Place:
        raise OSError("no space left")

    work = trying(tmp_path, answering(WRONG, RIGHT))
    work.examiner = examiner.Examiner(share=1, stop_mark=work.stop_mark, write=full)
    found = await ended(work)
    assert outcomes(found.records) == [(1, "incorrect")] and found.record is None
    assert isinstance(found.attempt.exception(), AttemptFailedError)


async def test_a_closed_examination_refuses_another_try(tmp_path: Path) -> None:
    found = await ended(trying(tmp_path, answering(RIGHT)))
    with pytest.raises(ValueError, match="the examination of 't-0' is closed: ask `next_try` first"):
        await found.make_try()


async def test_what_each_try_logs_stays_with_it(tmp_path: Path) -> None:
    told = answering(WRONG, WRONG)

    def logging_act(prompt: Prompt) -> Attempt:
        logging.getLogger("stones").warning("try %s", prompt.attempt)
        return told.answer(prompt)

    with routed_output():
        found = await ended(trying(tmp_path, ToldHarness(logging_act), n_tries=2))
    kept = [record.private["output"] for record in found.records]
    assert kept == ["WARNING stones: try 1\n", "WARNING stones: try 2\n"]
