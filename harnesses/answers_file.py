"""Answers out of a file, for a model that cannot be called."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar

from typing_extensions import Doc

from harnesses.answers import AnswersError, read_answers
from harnesses.attempt import (
    Attempt,
    AttemptFailedError,
    AttemptUnavailableError,
    ModelStep,
    Prompt,
    StopReason,
    prompt_id_of,
)
from harnesses.endpoint.messages import TokenUsage
from harnesses.endpoint.network import DIRECT, Network
from harnesses.endpoint.spec import EndpointSpec

_NOTHING = Attempt(final_message=None, finish_reason=None, stop_reason=StopReason.ERROR)


@dataclass(frozen=True, kw_only=True)
class AnswersFileParams:
    """Where the answers are."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    answers_path: Annotated[
        str,
        Doc(
            "File with `task_id`, `attempt` and `answer`, as `.json`, `.jsonl`, `.csv` or `.xml`; `python -m "
            "benchmarks template` writes one to fill. Empty: nothing is answered yet."
        ),
    ] = ""

    def missing(self) -> list[str]:
        """What is wrong with the file, a line for each fault."""
        try:
            self.attempts()
        except AnswersError as error:
            return list(error.lines)
        return []

    def attempts(self) -> frozenset[tuple[str, int]]:
        """The attempts that the file has entries for: ``{("t-1", 1), ("t-1", 2)}``; none without a file.

        Raises:
            AnswersError: It cannot be taken.
        """
        if not self.answers_path:
            return frozenset()
        entries = read_answers(Path(self.answers_path).expanduser())
        return frozenset((entry.task_id, entry.attempt) for entry in entries)


class AnswersFile:
    """Gives each attempt its answer from the file; one without is unavailable, neither wrong nor an error.

    A harness never sees a task id: entries are found by the id that the prompt has in its place.

    Args:
        params: Where the answers are.
        model: What answered; it is not asked.
        network: Not used.
    """

    name: ClassVar[str] = "answers_file"
    readable_suffixes: ClassVar[frozenset[str]] = frozenset()
    searches: ClassVar[bool] = False
    asks_model: ClassVar[bool] = False
    Params: ClassVar[type[AnswersFileParams]] = AnswersFileParams

    def __init__(
        self, params: AnswersFileParams, *, model: EndpointSpec | None = None, network: Network = DIRECT
    ) -> None:
        del model, network
        self._path = Path(params.answers_path).expanduser() if params.answers_path else None

    async def run(self, prompt: Prompt) -> Attempt:
        """The answer to this attempt, as if a model had just given it.

        Raises:
            AttemptUnavailableError: There is none, or a blank one.
            AttemptFailedError: The file was changed since the session began, and cannot be taken any more.
        """
        try:
            answer = self._answers.get((prompt.prompt_id, prompt.attempt), "")
        except AnswersError as error:
            raise AttemptFailedError(error.lines[0], partial=_NOTHING, stops_run=True) from None
        if not answer.strip():
            where = "since no answers_path is given" if self._path is None else f"in {self._path.name}"
            raise AttemptUnavailableError(f"no answer {where}")
        message = {"role": "assistant", "content": answer}
        step = ModelStep(message=message, finish_reason="stop", usage=TokenUsage(), duration_s=0.0)
        return Attempt(
            final_message=message, finish_reason="stop", stop_reason=StopReason.COMPLETED, trajectory=(step,)
        )

    async def aclose(self) -> None:
        """Nothing is open."""

    @cached_property
    def _answers(self) -> dict[tuple[str, int], str]:
        entries = () if self._path is None else read_answers(self._path)
        return {(prompt_id_of(entry.task_id), entry.attempt): entry.answer for entry in entries}
