"""The harness that takes answers out of a file."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from harnesses.answers_file import AnswersFile, AnswersFileParams
from harnesses.attempt import (
    AttemptFailedError,
    AttemptUnavailableError,
    ModelStep,
    Prompt,
    StopReason,
    prompt_id_of,
)
from harnesses.catalogue import HARNESSES, make_harness
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.spec import EndpointSpec


def answers(folder: Path, *rows: Mapping[str, object]) -> AnswersFileParams:
    path = folder / "answers.json"
    path.write_text(json.dumps(rows))
    return AnswersFileParams(answers_path=str(path))


def lose(params: AnswersFileParams) -> None:
    Path(params.answers_path).unlink()


def prompt(folder: Path, task_id: str, attempt: int = 1) -> Prompt:
    return Prompt(prompt_id=prompt_id_of(task_id), attempt=attempt, text="ask", folder=folder)


@pytest.mark.asyncio
async def test_each_attempt_gets_its_answer_by_an_id_that_tells_nothing(tmp_path: Path) -> None:
    params = answers(tmp_path, *({"task_id": "t", "attempt": n, "answer": f"answer {n}"} for n in (1, 2)))
    model = EndpointSpec(id="m", base_url="http://nobody.invalid")
    harness = make_harness("answers_file", params, model=model)
    second = await harness.run(prompt(tmp_path, "t", 2))
    message = {"role": "assistant", "content": "answer 2"}
    assert second.final_message == message
    assert second.trajectory == (
        ModelStep(message=message, finish_reason="stop", usage=TokenUsage(), duration_s=0.0),
    )
    assert (second.stop_reason, second.usage) == (StopReason.COMPLETED, {})
    await harness.aclose()


@pytest.mark.asyncio
@pytest.mark.parametrize("answer", ["", " \n", None])
async def test_what_is_not_filled_in_is_unavailable(tmp_path: Path, answer: str | None) -> None:
    harness = AnswersFile(answers(tmp_path, {"task_id": "t", "answer": answer}))
    for task_id in ("t", "not there"):
        with pytest.raises(AttemptUnavailableError, match=r"^no answer in answers\.json$"):
            await harness.run(prompt(tmp_path, task_id))


@pytest.mark.asyncio
async def test_without_a_file_nothing_is_answered(tmp_path: Path) -> None:
    assert AnswersFileParams().missing() == []
    assert AnswersFileParams().attempts() == frozenset()
    with pytest.raises(AttemptUnavailableError, match=r"^no answer since no answers_path is given$"):
        await AnswersFile(AnswersFileParams()).run(prompt(tmp_path, "t"))


@pytest.mark.asyncio
async def test_a_file_that_was_broken_meanwhile_stops_the_run(tmp_path: Path) -> None:
    params = answers(tmp_path, {"task_id": "t", "answer": "x"})
    harness = AnswersFile(params)
    lose(params)
    with pytest.raises(AttemptFailedError, match="cannot be read: No such file") as failed:
        await harness.run(prompt(tmp_path, "t"))
    assert failed.value.stops_run


@pytest.mark.asyncio
async def test_the_file_is_read_once(tmp_path: Path) -> None:
    params = answers(tmp_path, {"task_id": "t", "answer": "x"})
    harness = AnswersFile(params)
    first = await harness.run(prompt(tmp_path, "t"))
    lose(params)
    assert await harness.run(prompt(tmp_path, "t")) == first


def test_faults_of_the_file_are_told_before_the_first_attempt(tmp_path: Path) -> None:
    params = answers(tmp_path, {"task_id": "t", "answer": "x"}, {"task_id": "t", "answer": "y"})
    assert params.missing() == ["'answers.json', entry 2: attempt 1 of 't' is already in entry 1; keep one"]
    assert answers(tmp_path, {"task_id": "t", "attempt": 2, "answer": ""}).attempts() == {("t", 2)}


def test_only_this_harness_asks_no_model() -> None:
    assert {name for name, kind in HARNESSES.items() if not kind.asks_model} == {"answers_file"}
