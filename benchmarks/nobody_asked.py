"""The harness of a session that judges the answers of an earlier run again: it asks nobody."""

from typing import ClassVar

from harnesses.attempt import Attempt, AttemptUnavailableError, Prompt


class NobodyAsked:
    """What was not made in that run is not made now either."""

    name: ClassVar[str] = "nobody"
    readable_suffixes: ClassVar[frozenset[str]] = frozenset()
    searches: ClassVar[bool] = False
    asks_model: ClassVar[bool] = False

    async def run(self, prompt: Prompt) -> Attempt:
        """No attempt.

        Raises:
            AttemptUnavailableError: Always.
        """
        raise AttemptUnavailableError(f"attempt {prompt.attempt} is not in the run that is judged again")

    async def aclose(self) -> None:
        """Nothing is open."""
