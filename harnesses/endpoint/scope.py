"""On whose behalf a request is sent: known to the task that sends it, without being handed through."""

from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, eq=False)
class Scope:
    """One attempt and its judgment. Two scopes are never equal: an attempt made again is another one.

    `name` is a relative path without a suffix, of characters that fit file names, e.g.
    "gaia/t-1-attempt1". `withheld` tells why requests on its behalf were not sent, a line for each: whatever
    came of the attempt, it is not what its harness would have made of it.
    """

    name: str
    withheld: list[str] = field(default_factory=list[str])


current_scope: ContextVar[Scope | None] = ContextVar("current_scope", default=None)
"""The scope of what runs now; ``None`` outside of attempts. A task that an attempt starts inherits it."""
