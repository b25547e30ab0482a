"""From prompt to record, and ahead of the pointer: with a harness and a judge that do as they are told."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from examiner_scene import (
    ToldHarness,
    ToldJudge,
    attempt_with,
    desk,
    made_tasks,
    one_record,
    pleased,
    raising,
)

from benchmarks import examiner
from benchmarks.examiner import Examiner
from benchmarks.results.record import Outcome, Record
from benchmarks.results.spool import Place
from benchmarks.run import Run
from benchmarks.tries import TimeLimits
from harnesses.attempt import Attempt, AttemptFailedError, Prompt, StopReason
from judges.gaia_official import GaiaOfficial
from judges.judge import Judge, JudgeFailedError, Judgment

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_right_answer_becomes_a_correct_record_with_its_scoring(tmp_path: Path) -> None:
    judges = (ToldJudge(pleased), GaiaOfficial())
    record = await one_record(tmp_path, ToldHarness(lambda _: attempt_with("stone 0")), judges=judges)
    assert record.outcome is Outcome.CORRECT
    assert list(record.scoring) == ["llm_judge", "gaia_official"]
    assert record.scoring["gaia_official"]["correct"] is True
    assert record.usage["judge"]["input_tokens"] == 7


async def test_a_harness_never_sees_the_task_id_or_the_truth(tmp_path: Path) -> None:
    harness = ToldHarness(lambda _: attempt_with("stone 0"))
    await one_record(tmp_path, harness)
    shown = repr(harness.prompts[0])
    assert "t-0" not in shown and "stone 0" not in shown


async def test_attachments_are_staged_into_the_attempts_own_folder_and_removed(tmp_path: Path) -> None:
    source = tmp_path / "list.txt"
    source.write_text("a list")
    harness = ToldHarness(lambda _: attempt_with("x"))
    await one_record(tmp_path, harness, tasks=made_tasks(1, attachments=(str(source),)))
    staged = harness.prompts[0].attachments[0]
    assert harness.files == ["a list"] and staged.parent == harness.prompts[0].folder
    assert not staged.exists() and source.exists()


async def test_no_answer_is_verdict_c_without_asking_the_judge(tmp_path: Path) -> None:
    judge = ToldJudge(pleased)
    record = await one_record(tmp_path, ToldHarness(lambda _: attempt_with("<think>so")), judges=(judge,))
    assert record.outcome is Outcome.NOT_ATTEMPTED and judge.answers == []
    assert record.scoring["llm_judge"]["grade"] == "C"


async def test_a_model_judge_gets_the_whole_text_without_thinking_when_no_format_is_asked(
    tmp_path: Path,
) -> None:
    judge = ToldJudge(pleased)
    text = "<think>hm</think>I looked.\nFINAL ANSWER: stone 0"
    record = await one_record(
        tmp_path, ToldHarness(lambda _: attempt_with(text)), judges=(judge, GaiaOfficial())
    )
    assert judge.answers == ["I looked.\nFINAL ANSWER: stone 0"]
    assert record.scoring["gaia_official"]["model_answer"] == "stone 0" == record.final_answer


async def test_a_model_judge_gets_the_read_answer_under_the_gaia_format(tmp_path: Path) -> None:
    judge = ToldJudge(pleased)
    harness = ToldHarness(lambda _: attempt_with("I looked.\nFINAL ANSWER: stone 0"))
    await one_record(tmp_path, harness, judges=(judge,), params={"answer_format": "gaia"})
    assert judge.answers == ["stone 0"]


async def test_trouble_of_the_harness_is_a_run_error_with_what_was_done(tmp_path: Path) -> None:
    error = AttemptFailedError("the search is down", partial=attempt_with(None), detail="said sk-secret-1")
    record = await one_record(tmp_path, ToldHarness(raising(error)))
    assert (record.outcome, record.cause) == (Outcome.RUN_ERROR, "the search is down")
    assert record.private["server_said"] == "said ***"


async def test_a_cause_that_quotes_the_question_is_hidden_and_kept_in_private(tmp_path: Path) -> None:
    said = "cannot: Which stone is number 0 of the row?"
    error = AttemptFailedError(said, partial=attempt_with(None))
    record = await one_record(tmp_path, ToldHarness(raising(error)))
    assert record.cause is not None and record.cause.startswith("(hidden")
    assert record.private["cause"] == said


async def test_a_bug_in_a_harness_is_a_run_error_with_its_traceback_in_private(tmp_path: Path) -> None:
    record = await one_record(tmp_path, ToldHarness(raising(KeyError("organic"))))
    assert record.outcome is Outcome.RUN_ERROR
    assert record.cause == "unexpected KeyError; the traceback is in this task's file under details/"
    assert "KeyError: 'organic'" in record.private["traceback"]


async def test_trouble_of_the_judge_keeps_the_answer_and_what_scorers_say(tmp_path: Path) -> None:
    error = JudgeFailedError("three replies without a verdict", detail="hm", evidence=({"status": 200},))
    judges = (ToldJudge(raising(error)), GaiaOfficial())
    record = await one_record(tmp_path, ToldHarness(lambda _: attempt_with("stone 0")), judges=judges)
    assert record.scoring["gaia_official"]["correct"] is True
    assert (record.outcome, record.final_answer) == (Outcome.JUDGE_ERROR, "stone 0")
    assert record.private["judge_calls"] == [{"status": 200}]


async def test_a_bug_in_a_judge_is_a_judge_error(tmp_path: Path) -> None:
    record = await one_record(
        tmp_path, ToldHarness(lambda _: attempt_with("x")), judges=(ToldJudge(raising(ValueError("odd"))),)
    )
    assert record.outcome is Outcome.JUDGE_ERROR and "ValueError: odd" in record.private["traceback"]


async def test_a_judgment_over_its_time_is_a_judge_error(tmp_path: Path) -> None:
    class Slow(ToldJudge):
        async def grade(self, question: str, ground_truth: str, answer: str) -> Judgment:
            await asyncio.Event().wait()
            return await super().grade(question, ground_truth, answer)

    limits = TimeLimits(run_s=None, judge_s=0.0)
    record = await one_record(
        tmp_path, ToldHarness(lambda _: attempt_with("x")), judges=(Slow(pleased),), limits=limits
    )
    assert record.cause == "no judgment within 0.0 s; raise evaluation_timeout_seconds"


async def test_an_attempt_that_does_not_heed_its_budget_is_cut_off(tmp_path: Path) -> None:
    harness = ToldHarness(lambda _: attempt_with("x"), gate=asyncio.Event())
    record = await one_record(tmp_path, harness, limits=TimeLimits(run_s=0.0, judge_s=None, run_grace_s=0.0))
    assert record.cause == "the attempt did not end within 0.0 s; raise run_timeout_seconds"


async def test_an_unscored_task_is_recorded_without_a_judge(tmp_path: Path) -> None:
    judge = ToldJudge(pleased)
    work = desk(
        tmp_path, ToldHarness(lambda _: attempt_with("x")), judges=(judge,), tasks=made_tasks(1, scored=False)
    )
    work.start()
    await work.settle()
    await work.examiner.aclose()
    assert [record.outcome for record in work.records] == [Outcome.UNSCORED] and judge.answers == []


async def test_never_more_than_the_share_is_in_flight_and_all_are_done(tmp_path: Path) -> None:
    gate = asyncio.Event()
    harness = ToldHarness(lambda _: attempt_with("x"), gate=gate)
    work = desk(tmp_path, harness, tasks=made_tasks(9), share=3)
    work.start()
    await work.settle()
    assert harness.in_flight == 3
    gate.set()
    assert len(await work.finish()) == 9 and harness.most_in_flight == 3


async def test_a_slow_task_does_not_hold_back_the_others(tmp_path: Path) -> None:
    slow = asyncio.Event()

    class OneSlow(ToldHarness):
        async def run(self, prompt: Prompt) -> Attempt:
            self.gate = slow if "number 0" in prompt.text else None
            return await super().run(prompt)

    work = desk(tmp_path, OneSlow(lambda _: attempt_with("x")), tasks=made_tasks(8), share=2)
    work.start()
    await work.settle()
    assert len(work.records) == 7
    slow.set()
    await work.finish()
    assert len(work.records) == 8


async def test_the_window_is_wider_than_the_share_and_empty_for_one(tmp_path: Path) -> None:
    harness = ToldHarness(lambda _: attempt_with("x"))
    narrow, wide = desk(tmp_path, harness, share=1), desk(tmp_path, harness, share=4)
    assert (narrow.examiner.room, wide.examiner.room) == (0, 64)
    for work in (narrow, wide):
        await work.examiner.aclose()


async def test_what_finished_far_ahead_waits_in_the_spool_and_takes_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner, "_MOST_HELD", 2)
    harness = ToldHarness(lambda prompt: attempt_with(prompt.text.replace("Which", "This")))
    work = desk(tmp_path, harness, tasks=made_tasks(5), share=5)
    work.start()
    await work.settle()
    found = [work.examiner.find(unit) for unit in work.units]
    assert [examination is not None for examination in found] == [True, True, False, False, False]
    assert work.examiner.room == 5 * 16 - 5
    work.start(work.units[4])
    again = work.examiner.find(work.units[4])
    assert again is not None and again.record == work.records[4]
    assert again.attempt.result().stop_reason is StopReason.COMPLETED
    assert again.judgment.result().verdict.letter == "A"
    assert len(harness.prompts) == 5, "nothing is asked again"
    for unit in work.units:
        work.examiner.release(unit)
    assert work.examiner.room == 5 * 16
    await work.examiner.aclose()


async def test_what_was_started_takes_room_until_its_item_is_done(tmp_path: Path) -> None:
    work = desk(tmp_path, ToldHarness(lambda _: attempt_with("x")), tasks=made_tasks(5), share=2)
    work.start()
    await work.settle()
    rooms = [work.examiner.room]
    work.examiner.release(work.units[0])
    rooms.append(work.examiner.room)
    assert rooms == [27, 28]
    await work.examiner.aclose()


@pytest.mark.parametrize("outcome", ["correct", "incorrect", "not_attempted", "run_error", "judge_error"])
async def test_a_record_made_before_stands_in_for_its_attempt(tmp_path: Path, outcome: str) -> None:
    before = await made_before(tmp_path, outcome)
    harness = ToldHarness(lambda _prompt: attempt_with("another answer"))
    work = desk(tmp_path, harness, before=[before])
    work.start()
    found = work.examiner.find(work.units[0])
    assert found is not None and found.record == before
    ended = await asyncio.gather(found.attempt, found.judgment, return_exceptions=True)
    await work.examiner.aclose()
    assert harness.prompts == [] and work.records == [], "nothing is asked, nothing is written twice"
    letters = {"correct": "A", "incorrect": "B", "not_attempted": "C"}
    if outcome in letters:
        assert isinstance(ended[1], Judgment) and ended[1].verdict.letter == letters[outcome]
        assert isinstance(ended[0], Attempt) and ended[0].stop_reason is StopReason.COMPLETED
    else:
        kind = AttemptFailedError if outcome == "run_error" else JudgeFailedError
        assert isinstance(ended[1], kind) and "trouble" in str(ended[1])


def answering(text: str) -> Callable[[Prompt], Attempt]:
    return lambda _prompt: attempt_with(text)


async def made_before(tmp_path: Path, outcome: str) -> Record:
    """A record of the examiner's own, as it comes back from a spool."""
    harness = ToldHarness(lambda _: attempt_with(None if outcome == "not_attempted" else "stone 0"))
    judge: Judge = ToldJudge(pleased)
    if outcome == "incorrect":
        judge = GaiaOfficial()
        harness.answer = answering("stone 1")
    elif outcome == "run_error":
        harness.answer = raising(AttemptFailedError("trouble", partial=attempt_with(None)))
    elif outcome == "judge_error":
        judge = ToldJudge(raising(JudgeFailedError("trouble")))
    record = await one_record(tmp_path, harness, judges=(judge,))
    assert record.outcome == outcome
    return Record.from_json(json.loads(json.dumps(record.to_json())))


async def test_what_a_foreign_harness_left_does_not_keep_a_record_from_standing_in(tmp_path: Path) -> None:
    record = await one_record(tmp_path, ToldHarness(lambda _: attempt_with("stone 0")))
    odd = replace(
        record,
        stop_reason="had enough",
        trajectory=({"kind": "dream", "of": "stones"},),
        usage={"model": {"sheep": 3}, "judge": {"input_tokens": 7, "n_requests": 1}},
    )
    work = desk(tmp_path, ToldHarness(lambda _: attempt_with("x")), before=[odd])
    work.start()
    found = work.examiner.find(work.units[0])
    assert found is not None and found.judgment.result().verdict.letter == "A"
    assert found.attempt.result().trajectory == ()
    await work.examiner.aclose()


async def test_an_attempt_no_record_can_be_made_of_is_a_run_error_and_never_passes(tmp_path: Path) -> None:
    odd = replace(attempt_with("stone 0"), meta=cast("Mapping[str, Any]", None))
    work = desk(tmp_path, ToldHarness(lambda _: odd))
    work.start()
    found = work.examiner.find(work.units[0])
    assert found is not None
    await found.ended()
    await work.settle()
    (record,) = work.records
    assert record.outcome is Outcome.RUN_ERROR and "TypeError" in record.private["traceback"]
    assert found.judgment.exception() is not None and found.attempt.exception() is not None
    await work.examiner.aclose()


async def test_an_unscored_record_made_before_has_an_attempt_and_no_judgment(tmp_path: Path) -> None:
    tasks = made_tasks(1, scored=False)
    record = await one_record(tmp_path, ToldHarness(lambda _: attempt_with("x")), tasks=tasks)
    work = desk(tmp_path, ToldHarness(lambda _: attempt_with("y")), tasks=tasks, before=[record])
    work.start()
    found = work.examiner.find(work.units[0])
    assert found is not None
    await found.ended()
    assert not found.attempt.cancelled() and found.judgment.cancelled()
    await work.examiner.aclose()


async def test_a_refused_key_stops_everything_that_has_not_started(tmp_path: Path) -> None:
    error = AttemptFailedError("the key is refused", partial=attempt_with(None), stops_run=True)
    harness = ToldHarness(raising(error))
    work = desk(tmp_path, harness, tasks=made_tasks(5), share=1)
    work.start()
    await work.settle()
    assert len(harness.prompts) == 1 and work.stop_mark.line() == "the key is refused"
    waiting = work.examiner.find(work.units[3])
    assert waiting is not None and waiting.attempt.cancelled()
    await work.examiner.aclose()


async def test_a_judge_whose_key_is_refused_stops_the_run_too(tmp_path: Path) -> None:
    judge = ToldJudge(raising(JudgeFailedError("the judge's key is refused", stops_run=True)))
    work = desk(tmp_path, ToldHarness(lambda _: attempt_with("x")), judges=(judge,))
    await work.finish()
    assert work.stop_mark.line() == "the judge's key is refused"


async def test_leaving_an_item_cancels_an_attempt_that_still_runs(tmp_path: Path) -> None:
    work = desk(tmp_path, ToldHarness(lambda _: attempt_with("x"), gate=asyncio.Event()))
    work.start()
    await work.settle()
    found = work.examiner.find(work.units[0])
    work.examiner.release(work.units[0])
    await work.settle()
    assert found is not None and found.attempt.cancelled() and work.harness.in_flight == 0
    assert work.records == []
    await work.examiner.aclose()


async def test_nothing_is_written_after_the_examiner_stopped(tmp_path: Path) -> None:
    gate = asyncio.Event()
    work = desk(tmp_path, ToldHarness(lambda _: attempt_with("x"), gate=gate))
    work.start()
    await work.settle()
    work.examiner.stop()
    gate.set()
    await work.examiner.aclose()
    assert work.records == []


ODD_ENDS = {
    "a CancelledError of its own": asyncio.CancelledError(),
    "pytest.skip": pytest.skip.Exception("no mood"),
    "pytest.fail": pytest.fail.Exception("no"),
    "SystemExit": SystemExit(3),
    "a group": BaseExceptionGroup("two", [SystemExit(1), ValueError()]),
    "a foreign time-out": TimeoutError("socket"),
}


@pytest.mark.parametrize("error", ODD_ENDS.values(), ids=ODD_ENDS.keys())
async def test_however_a_harness_ends_it_is_a_run_error_and_the_next_attempt_goes_on(
    tmp_path: Path, error: BaseException
) -> None:
    def act(prompt: Prompt) -> Attempt:
        if "number 0" in prompt.text:
            raise error
        return attempt_with("stone 1")

    work = desk(tmp_path, ToldHarness(act), tasks=made_tasks(2))
    records = await work.finish()
    assert [record.outcome for record in records] == [Outcome.RUN_ERROR, Outcome.CORRECT]
    assert records[0].cause is not None
    assert records[0].cause.startswith(f"unexpected {type(error).__name__}")


async def test_an_item_of_an_odd_end_errs_and_is_never_taken_for_a_skip(tmp_path: Path) -> None:
    work = desk(tmp_path, ToldHarness(raising(pytest.skip.Exception("no mood"))))
    work.start()
    await work.settle()
    found = work.examiner.find(work.units[0])
    assert found is not None
    assert isinstance(found.attempt.exception(), AttemptFailedError)
    await work.examiner.aclose()


async def test_a_harness_that_returns_nothing_is_a_run_error(tmp_path: Path) -> None:
    def nothing(_: Prompt) -> Any:
        return None

    record = await one_record(tmp_path, ToldHarness(nothing))
    assert record.outcome is Outcome.RUN_ERROR
    assert "AttributeError" in record.private["traceback"]


async def test_a_record_that_cannot_be_written_does_not_hang_the_item(tmp_path: Path) -> None:
    def full(_run: Run, _record: Record) -> Place:
        raise OSError("no space left")

    work = desk(tmp_path, ToldHarness(lambda _: attempt_with("stone 0")))
    examiner = Examiner(share=1, stop_mark=work.stop_mark, write=full)
    examiner.start(work.units, work.bench)
    await work.settle()
    found = examiner.find(work.units[0])
    assert found is not None
    assert found.record is not None
    assert found.judgment.result().verdict.is_correct
    await examiner.aclose()


async def test_a_stop_line_that_quotes_the_question_is_hidden_for_every_process(tmp_path: Path) -> None:
    said = "refused: Which stone is number 0 of the row?"
    error = AttemptFailedError(said, partial=attempt_with(None), stops_run=True)
    work = desk(tmp_path, ToldHarness(raising(error)))
    await work.finish()
    line = work.stop_mark.line()
    assert line is not None
    assert line.startswith("(hidden")
