"""When a failed request is sent again, and after how long a wait."""

import random
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from harnesses.endpoint.errors import EndpointError, EndpointUnavailableError

RETRYABLE_STATUSES = frozenset({408, 409, 425, 429})
"""With every 5xx: the server may serve the same request later."""


def is_retryable(status: int) -> bool:
    """Whether a reply with this HTTP status is worth asking again for."""
    return status in RETRYABLE_STATUSES or status >= 500


@dataclass(frozen=True, kw_only=True)
class Retries:
    """How often a failed request is sent again, and how long the waits are.

    `max_retries` is at least 0 (one request is always sent). The first wait is about `interval_s` seconds and
    doubles up to `cap_s`; each is drawn between half of that and the whole, so that many workers do not come
    back at one moment. A server's ``Retry-After`` replaces the wait, up to `retry_after_cap_s`.
    """

    max_retries: int = 10
    interval_s: float = 5.0
    cap_s: float = 60.0
    retry_after_cap_s: float = 300.0

    def wait_s(self, n_failed: int, retry_after_s: float | None = None) -> float:
        """Seconds to wait after the `n_failed`-th failure (from 1)."""
        if retry_after_s is not None and retry_after_s > 0:
            return min(retry_after_s, self.retry_after_cap_s)
        # 2**63 already exceeds any cap; a larger exponent would only overflow the float.
        longest_s = min(self.cap_s, self.interval_s * 2.0 ** min(n_failed - 1, 63))
        return longest_s * random.uniform(0.5, 1.0)


class RetryableError(Exception):
    """A request failed in a way that may pass.

    Args:
        cause: What happened, in a few public words, e.g. "HTTP 503".
        becomes: The error to raise when no retry is left.
        remedy: What a user can do then.
        detail: What the server said; for private records only.
        status: HTTP status of the reply, ``None`` when there was none.
        retry_after_s: The wait the server asked for, in seconds; ``None`` if it named none.
        max_retries: Fewer retries than usual for this cause; ``None`` means as many as the user allows.
    """

    def __init__(
        self,
        cause: str,
        *,
        becomes: type[EndpointError] = EndpointUnavailableError,
        remedy: str = "check the server, or raise max_retry",
        detail: str = "",
        status: int | None = None,
        retry_after_s: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        super().__init__(cause)
        self.cause = cause
        self.becomes = becomes
        self.remedy = remedy
        self.detail = detail
        self.status = status
        self.retry_after_s = retry_after_s
        self.max_retries = max_retries

    def is_spent(self, n_failed: int, retries: Retries) -> bool:
        """Whether the `n_failed`-th failure (from 1) was the last one allowed."""
        limit = (
            retries.max_retries if self.max_retries is None else min(self.max_retries, retries.max_retries)
        )
        return n_failed > limit


def retry_after_s(value: str | None, *, now: datetime | None = None) -> float | None:
    """Seconds a ``Retry-After`` header asks for: a number of seconds or an HTTP date (RFC 9110, 10.2.3).

    ``None`` when there is no header or it cannot be read; a date gone by gives a negative number. `now` is
    the present time; ``None`` takes the clock's.
    """
    if value is None:
        return None
    with suppress(ValueError):
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return (aware - (now or datetime.now(UTC))).total_seconds()
