"""The file that GAIA's leaderboard takes: JSON Lines with the answers of a run.

Its form is that of the leaderboard's page: https://huggingface.co/spaces/gaia-benchmark/leaderboard
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results.files import RunFilesError, write_whole
from benchmarks.results.finished import FinishedAttempts
from benchmarks.results.record import Record
from harnesses.endpoint.json_values import as_object, as_objects
from harnesses.endpoint.protocols.openai_chat import content_text
from harnesses.endpoint.valid_text import as_text, without_halves

BENCHMARK = "gaia"
"""The benchmark whose leaderboard this is."""
_ANSWER = "model_answer"


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What is handed in: `text` has a line for each of `n_answered` among `n_planned` tasks.

    A line is ``{"task_id": "…", "model_answer": "42", "reasoning_trace": "…"}``. It holds no ground truth and
    nothing of a judge.
    """

    text: str
    n_answered: int
    n_planned: int

    @property
    def line(self) -> str:
        """How many tasks are in it, in words."""
        n_left_out = self.n_planned - self.n_answered
        told = f"submission: {self.n_answered} of {self.n_planned} tasks have an answer"
        return told if n_left_out == 0 else f"{told}; left out: {n_left_out}"

    def write(self, path: Path) -> None:
        """Write it, whole or not at all; over an earlier one, but over no other file.

        Raises:
            RunFilesError: It cannot be written.
        """
        refuse_other_file(path)
        try:
            write_whole(path, self.text)
        except OSError as error:
            raise RunFilesError(f"{str(path)!r} cannot be written: {error.strerror}; name another") from error


def refuse_other_file(path: Path) -> None:
    """Refuse a file that a submission would be written over: answers that people filled in, say.

    Raises:
        RunFilesError: There is one, and it is neither empty nor a submission.
    """
    with suppress(OSError), path.open("rb") as file:
        beginning = file.readline()
        if beginning.strip() and f'"{_ANSWER}"'.encode() not in beginning:
            raise RunFilesError(f"{str(path)!r} exists and is no submission; name another file")


def submission_of(run_dir: Path, *, attempt: int = 1, mask: Callable[[str], str]) -> Submission:
    """The answers of one attempt at each task of a run, in plan order; those without an answer are left out.

    Args:
        run_dir: The run directory.
        attempt: Which attempt, from 1.
        mask: Takes keys out of a text.

    Raises:
        RunFilesError: The directory is no run directory of GAIA, it is broken, or nobody planned that
            attempt.
    """
    finished = FinishedAttempts(run_dir)
    if finished.description.benchmark != BENCHMARK:
        raise RunFilesError(
            f"{str(run_dir)!r} is a run of {finished.description.benchmark!r}, and the leaderboard is that "
            f"of {BENCHMARK!r}; name a run of it"
        )
    planned = {task_id for task_id, number in finished.description.attempts if number == attempt}
    if not planned:
        raise RunFilesError(
            f"attempt {attempt} was not planned in {str(run_dir)!r}; give 1 to {finished.description.k}"
        )
    lines = [
        json.dumps(_entry(record, mask), ensure_ascii=False)
        for record in finished.records()
        if record.attempt == attempt and record.final_answer is not None
    ]
    return Submission(
        text="".join(f"{line}\n" for line in lines), n_answered=len(lines), n_planned=len(planned)
    )


def _entry(record: Record, mask: Callable[[str], str]) -> dict[str, str]:
    return {
        "task_id": record.task_id,
        _ANSWER: mask(without_halves(record.final_answer or "")),
        "reasoning_trace": mask(without_halves("\n\n".join(_said(record)))),
    }


def _said(record: Record) -> Iterator[str]:
    """What the model said aloud and which tools it called, in its own words; not what they returned."""
    for step in record.trajectory:
        message = as_object(step.get("message"))
        text = content_text(message.get("content")).strip()
        if text:
            yield text
        for call in as_objects(message.get("tool_calls")):
            function = as_object(call.get("function"))
            yield f"{as_text(function.get('name'))}({as_text(function.get('arguments'))})"
