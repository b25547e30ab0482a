from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnesses.endpoint.errors import EndpointUnavailableError
from harnesses.endpoint.retrying import Retries, RetryableError, is_retryable, retry_after_s

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529, 599])
def test_a_status_that_may_pass_is_worth_asking_again_for(status: int) -> None:
    assert is_retryable(status)


@pytest.mark.parametrize("status", [200, 202, 301, 400, 401, 402, 403, 404, 405, 410, 413, 422, 451, 499])
def test_a_status_that_stays_is_not_worth_asking_again_for(status: int) -> None:
    assert not is_retryable(status)


@pytest.mark.parametrize(
    ("n_failed", "longest_s"),
    [(1, 5.0), (2, 10.0), (3, 20.0), (4, 40.0), (5, 60.0), (11, 60.0), (10_000, 60.0)],
)
def test_waits_double_up_to_the_cap_and_are_drawn_from_the_upper_half(
    n_failed: int, longest_s: float
) -> None:
    waits_s = {Retries().wait_s(n_failed) for _ in range(50)}
    assert len(waits_s) > 1
    assert all(longest_s / 2 <= wait_s <= longest_s for wait_s in waits_s)


@pytest.mark.parametrize(
    ("asked_s", "wait_s"),
    [(1.0, 1.0), (90.0, 90.0), (300.0, 300.0), (301.0, 300.0), (float("inf"), 300.0)],
)
def test_the_wait_a_server_asks_for_replaces_ours_up_to_its_cap(asked_s: float, wait_s: float) -> None:
    assert Retries().wait_s(1, asked_s) == wait_s


@pytest.mark.parametrize("asked_s", [None, 0.0, -30.0, float("nan")])
def test_a_server_that_asks_for_no_wait_gets_ours(asked_s: float | None) -> None:
    assert 2.5 <= Retries().wait_s(1, asked_s) <= 5.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("120", 120.0),
        (" 1 ", 1.0),
        ("1.5", 1.5),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 13:00:30 +0100", 30.0),
        ("Mon, 30 Nov 2026 12:00:30 -0000", 30.0),
        ("Mon, 30 Nov 2026 11:59:00 GMT", -60.0),
        ("Mon, 30 Nov 99999 12:00:00 GMT", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(value, now=NOON) == seconds


@settings(deadline=None, database=None)
@given(st.text())
def test_no_retry_after_header_breaks_the_reader(value: str) -> None:
    wait_s = Retries().wait_s(1, retry_after_s(value))
    assert 0 < wait_s <= 300


@pytest.mark.parametrize(
    ("own_limit", "max_retries", "n_requests"),
    [(None, 0, 1), (None, 3, 4), (1, 3, 2), (0, 3, 1), (9, 3, 4)],
)
def test_a_cause_may_allow_fewer_retries_but_never_more(
    own_limit: int | None, max_retries: int, n_requests: int
) -> None:
    error = RetryableError("HTTP 503", max_retries=own_limit)
    retries = Retries(max_retries=max_retries)
    assert next(n for n in range(1, 11) if error.is_spent(n, retries)) == n_requests


def test_what_stays_retryable_becomes_an_unavailable_endpoint() -> None:
    assert RetryableError("HTTP 503").becomes is EndpointUnavailableError
