"""Faults of the judge's endpoint."""

from fault import BUSY, CUT, DOWN, FILTERED, RESET, UPSTREAM, Fault, unavailable, unjudged, well
from faulty_server import RIGHT, WELL, refuses, says

N_JUDGE = 11
"""Requests of a judge whose server stays broken: its retries are the client's own."""
UNREADABLE = "no verdict in 3 replies; the last: "
JUDGE: tuple[Fault, ...] = (
    well(
        "53-judge-error-in-a-200",
        "judge: 200 with error 502, then well",
        UPSTREAM,
        WELL,
        role="judge",
        n_requests=2,
    ),
    unjudged(
        "17-judge-cut",
        "judge: cut at the token limit before a verdict",
        says("The answer covers ", finish_reason="length"),
        UNREADABLE + "truncation at the server's own limit before a verdict; set a larger max_tokens in "
        "judge_model.params",
        n_requests=3,
    ),
    unjudged(
        "38-judge-in-reasoning",
        "judge: content null, the verdict in `reasoning_content`",
        says(None, reasoning_content=RIGHT),
        UNREADABLE + "empty content beside reasoning; check the reasoning parser of the judge's server",
        n_requests=3,
    ),
    unjudged(
        "54-judge-filter",
        "judge: 400 of a content filter",
        FILTERED,
        "{judge} refused the request (HTTP 400): its content filter objects to the prompt",
    ),
    unjudged(
        "55-judge-filtered-silently",
        'judge: content null, finish_reason "content_filter"',
        says(None, finish_reason="content_filter"),
        UNREADABLE + "withheld by its content filter; try another judge_model",
        n_requests=3,
    ),
    well("59-judge-busy", "judge: 429 with Retry-After, then well", BUSY, WELL, role="judge", n_requests=2),
    unjudged(
        "59-judge-busy-stays",
        "judge: 429 each time",
        refuses(429, headers=(("Retry-After", "0.001"),)),
        unavailable("HTTP 429", n=N_JUDGE, who="judge"),
        n_requests=N_JUDGE,
    ),
    well("x-judge-reset", "judge: resets the connection, then well", RESET, WELL, role="judge", n_requests=2),
    well("x-judge-cut-json", "judge: JSON that breaks off, then well", CUT, WELL, role="judge", n_requests=2),
    unjudged(
        "x-judge-5xx-stays",
        "judge: 503 each time",
        DOWN,
        unavailable("HTTP 503", n=N_JUDGE, who="judge"),
        n_requests=N_JUDGE,
    ),
)
