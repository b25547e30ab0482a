"""Faults of the endpoint of the model under test."""

from fault import (
    BUSY,
    CHECK_SERVER,
    CUT,
    DOWN,
    FILTERED,
    RESET,
    UPSTREAM,
    Fault,
    failed,
    malformed,
    silent,
    unavailable,
    well,
)
from faulty_server import WELL, Reply, refuses, says, sends

OVERFLOW = (
    "{model} refused the request (HTTP 400): prompt and reply do not fit into the model's context; lower "
    "max_tokens in its params, or ask a model with a longer one"
)
FILTER = "{model} refused the request (HTTP 400): its content filter objects to the prompt"
HIDDEN = (
    "model 'org/model-1' put its whole reply into the reasoning field and left the content empty: a server "
    "setting; match the reasoning parser to the model, or switch its thinking on"
)
BROKE = "the connection broke before the whole reply came"
TOO_MANY_TOKENS = sends(
    {"message": "'max_tokens' or 'max_completion_tokens' is too large: 32768", "code": 400}, status=400
)
UNSUPPORTED = refuses(
    400,
    "Unsupported parameter: 'seed' is not supported with this model.",
    param="seed",
    code="unsupported_parameter",
)
MARKUP = '<tool_call>\n{"name": "search", "arguments": {"q": "x"}}\n</tool_call>'

MODEL: tuple[Fault, ...] = (
    failed(
        "38-answer-in-reasoning",
        "content null, the answer in `reasoning_content`",
        says(None, reasoning_content="FINAL ANSWER: stone"),
        HIDDEN,
    ),
    well(
        "39-thinking-in-content",
        "`<think>…</think>` before the answer",
        says("<think>pebble? no</think>stone 39-thinking-in-content"),
    ),
    silent("39-unclosed-thinking", "`<think>` that never closes", says("<think>stone?"), "truncated"),
    well(
        "40-orphan-tag",
        "only the closing `</think>`",
        says("Okay, a pebble?\n</think>\nstone 40-orphan-tag"),
    ),
    silent("40-tags-alone", "nothing but closing tags", says("</think> </think> </think>"), "empty"),
    silent(
        "41-cut-thinking",
        "`<think>` cut at the token limit",
        says("<think>A, B, A, B", finish_reason="length"),
        "truncated",
        stop_reason="truncated",
    ),
    well(
        "42-reasoning-beside",
        "thoughts in `reasoning` beside the answer",
        says("stone 42-reasoning-beside", reasoning="pebble?"),
    ),
    failed(
        "46-too-many-tokens",
        "400, max_tokens is too large",
        TOO_MANY_TOKENS,
        "{model} refused the request (HTTP 400); the record's details hold what it said",
    ),
    failed(
        "46-context-overflow",
        "400, the prompt is too long",
        refuses(400, "maximum context length is 4096 tokens", code="context_length_exceeded"),
        OVERFLOW,
    ),
    silent(
        "47-empty-tool-calls",
        'finish_reason "tool_calls", no call, markup in the content',
        says(MARKUP, finish_reason="tool_calls", tool_calls=[]),
        "leaked_tool_call",
    ),
    silent(
        "48-leaked-markup",
        'tool markup in the content, finish_reason "stop"',
        says("<\N{FULLWIDTH VERTICAL LINE}DSML\N{FULLWIDTH VERTICAL LINE}function_calls>…"),
        "leaked_tool_call",
    ),
    silent(
        "49-cut-to-nothing",
        'empty content, finish_reason "length"',
        says("", finish_reason="length", tool_calls=None),
        "truncated",
        stop_reason="truncated",
    ),
    well("53-error-in-a-200", "200 with error 502, then well", UPSTREAM, WELL, n_requests=2),
    failed(
        "53-error-in-a-200-stays",
        "200 with error 502, each time",
        UPSTREAM,
        unavailable("HTTP 502"),
        n_requests=2,
    ),
    failed(
        "53-error-without-a-code",
        "200 with an error and no code",
        sends({"error": "upstream failed"}),
        malformed("an error without a code"),
        n_requests=2,
    ),
    failed(
        "53-no-choices",
        "200 without choices",
        sends({"id": "c"}),
        malformed("no choices"),
        n_requests=2,
    ),
    failed(
        "53-empty-choices",
        "200 with an empty list of choices",
        sends({"choices": []}),
        malformed("an empty list of choices"),
        n_requests=2,
    ),
    failed("54-content-filter", "400 of a content filter", FILTERED, FILTER),
    silent(
        "55-filtered-silently",
        'content null, finish_reason "content_filter"',
        says(None, finish_reason="content_filter"),
        "empty",
        stop_reason="content_filter",
    ),
    failed(
        "56-unsupported-parameter",
        "400, a parameter it does not take",
        UNSUPPORTED,
        "{model} refused the request (HTTP 400): it does not take 'seed' (null in params removes it): "
        "Unsupported parameter: 'seed' is not supported with this model.",
    ),
    well(
        "57-content-in-parts",
        "content as parts, thinking among them",
        says(
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "pebble?"}]},
                {"type": "text", "text": "stone 57-content-in-parts"},
            ]
        ),
    ),
    well("59-wait-in-seconds", "429 with Retry-After in seconds, then well", BUSY, WELL, n_requests=2),
    well(
        "59-wait-until-a-date",
        "429 with Retry-After as a date, then well",
        refuses(429, headers=(("Retry-After", "in a second"),)),
        WELL,
        n_requests=2,
    ),
    failed("59-stays", "429 each time", BUSY, unavailable("HTTP 429"), n_requests=2),
    well("x-5xx", "503, then well", DOWN, WELL, n_requests=2),
    failed("x-5xx-stays", "500 each time", refuses(500), unavailable("HTTP 500"), n_requests=2),
    well("x-reset", "resets the connection, then well", RESET, WELL, n_requests=2),
    failed("x-reset-stays", "resets the connection each time", RESET, unavailable(BROKE), n_requests=2),
    well(
        "x-hang-up", "ends the connection without a byte, then well", Reply(how="hang up"), WELL, n_requests=2
    ),
    well(
        "x-cut-short",
        "sends fewer bytes than promised, then well",
        Reply(text='{"choices"', how="cut short"),
        WELL,
        n_requests=2,
    ),
    well("x-cut-json", "JSON that breaks off, then well", CUT, WELL, n_requests=2),
    failed(
        "x-cut-json-stays",
        "JSON that breaks off each time",
        CUT,
        f"{{model}}: JSON that breaks off (HTTP 200), 2 requests; {CHECK_SERVER}",
        n_requests=2,
    ),
    failed(
        "x-html",
        "200 with a page of HTML",
        Reply(text="<html>Sign in</html>"),
        malformed("HTML instead of JSON"),
        n_requests=2,
    ),
    silent("x-null-content", "content null, nothing beside it", says(None), "empty"),
    failed(
        "x-dribbles",
        "a body that never ends",
        Reply(text="{", how="dribble"),
        unavailable("no whole reply within 0.3 s"),
        n_requests=2,
        in_time=False,
    ),
)
