"""The protocol of a tool, what a run of it brings back, and what may go wrong.

ToolTroubleError       the service behind a tool fails us, not the model: the attempt is a run error
├── ToolOutageError    still failing after every retry
└── ToolRefusedError   no request can succeed: a refused key, an empty account, a wrong address; stops the run
BadArgumentsError      the model called a tool wrongly: it is told so, and goes on
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from harnesses.endpoint.messages import TokenUsage, ToolSchema


class ToolTroubleError(Exception):
    """A tool could not do its work, whatever the model had asked.

    Args:
        line: One public line: value, rule, remedy; no key, no text of a query or a page.
        detail: What the service said, clipped and with keys masked; for private records only.
    """

    stops_run: ClassVar[bool] = False

    def __init__(self, line: str, *, detail: str = "") -> None:
        super().__init__(line)
        self.detail = detail


class ToolOutageError(ToolTroubleError):
    """The service is down; the next attempt may find it up again."""


class ToolRefusedError(ToolTroubleError):
    """Nothing sent to this service can succeed until somebody changes the configuration."""

    stops_run: ClassVar[bool] = True


class BadArgumentsError(Exception):
    """The arguments of a call cannot be used; str() is one short line for the model."""


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What goes back to the model. `failed` marks a text that only tells why there is nothing to read."""

    text: str
    failed: bool = False


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """What a tool may know of the attempt it runs for.

    `folder` is the attempt's own working folder. `spend` takes the tokens of each model call a tool makes, at
    once, so that they count even if the tool is cancelled afterwards.
    """

    folder: Path
    spend: Callable[[TokenUsage], None]


class Tool(Protocol):
    """Something a model may call.

    `schema` is what the model is told, e.g. ``{"name": "search", "description": "…", "parameters": {…}}``;
    keep it short, it is sent with each request.
    """

    @property
    def schema(self) -> ToolSchema:
        """Name, description and JSON schema of the arguments."""
        ...

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Do it once.

        Raises:
            BadArgumentsError: The model has to call again with other arguments.
            ToolTroubleError: The service fails; the attempt ends as a run error.
        """
        ...
