"""What may go wrong between us and a model.

EndpointError                    everything below; str() is one public line, `.detail` is for records only
├── EndpointUnavailableError     still failing after every retry: 408, 409, 425, 429, 5xx, transport, time-out
│   └── OutOfTimeError           the time given to the call ended first
├── MalformedReplyError          a 200 that is no completion: HTML, cut JSON, an error body, empty choices
├── RequestRefusedError          this request can never succeed: 400, 403, 404, 422
│   ├── ContextOverflowError     the prompt is longer than the model's context
│   └── ContentFilteredError     refused by a content filter
├── BudgetSpentError             not sent: the budget of the session is spent
├── CassetteMissError            not sent: the cassette that is replayed holds no reply to it
└── EndpointRefusedError         no request can succeed here: 401, 402, a first 403 or 404, no tools served;
                                 stops the run
"""

from typing import ClassVar


class EndpointError(Exception):
    """A request that did not lead to a completion.

    Args:
        line: One public line: value, rule, remedy; no key, no text of a prompt or a reply.
        detail: What the server said, clipped; for private records only.
        status: HTTP status of the last reply, ``None`` when there was none.
        n_requests: HTTP requests sent, at least 0.
    """

    stops_run: ClassVar[bool] = False

    def __init__(
        self, line: str, *, detail: str = "", status: int | None = None, n_requests: int = 0
    ) -> None:
        super().__init__(line)
        self.detail = detail
        self.status = status
        self.n_requests = n_requests


class EndpointUnavailableError(EndpointError):
    """Every retry failed: an outage, a rate limit that stays, or a time-out."""


class OutOfTimeError(EndpointUnavailableError):
    """The time given to the whole call, retries included, ended before a reply came."""


class MalformedReplyError(EndpointError):
    """The server said 200, but what it sent is no completion; or its model broke the server's own format."""


class RequestRefusedError(EndpointError):
    """The server refused this request for good; the next task may still work."""


class ContextOverflowError(RequestRefusedError):
    """The prompt does not fit into the model's context."""


class ContentFilteredError(RequestRefusedError):
    """A content filter refused the prompt or withheld the reply."""


class BudgetSpentError(EndpointError):
    """The request was not sent: the tokens or the money that the session may spend are spent."""


class CassetteMissError(EndpointError):
    """The request was not sent: a cassette is replayed, and it holds no reply to this request."""


class EndpointRefusedError(EndpointError):
    """Nothing sent to this endpoint can succeed: a refused key, an empty account, a wrong address."""

    stops_run: ClassVar[bool] = True
