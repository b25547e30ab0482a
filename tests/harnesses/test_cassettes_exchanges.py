"""What a cassette keeps of a request and of what came, and what it leaves out."""

import json
import ssl
from typing import Any

import httpx
import pytest

from harnesses.endpoint.addresses import joined
from harnesses.endpoint.exchanges import Asked, Exchange, Fault, Reply, mask_of
from harnesses.endpoint.trusted_certificates import UnreadableCertificatesError

KEY = "sk-secret/1+2"
MASK = mask_of([KEY])


def asked(
    path: str = "/chat", *, json: Any = None, content: bytes | None = None, base: str = "http://h/v1"
) -> Asked:
    url = joined(base, path)
    request = httpx.Request(
        "POST", url, headers={"Authorization": f"Bearer {KEY}"}, json=json, content=content
    )
    return Asked.of(request, base_url=base, mask=MASK)


def test_a_request_is_known_by_what_lies_below_the_base_address_and_by_its_body() -> None:
    here = asked("/chat", json={"a": 1, "b": [2]})
    there = asked("/chat", json={"b": [2], "a": 1}, base="https://other.test:8443/openai/v1/")
    assert (here.path, here.body) == ("/chat", {"a": 1, "b": [2]})
    assert here.digest == asked("/chat", content=b'{"b":[2],  "a":1}').digest
    assert there.path == "/chat", "written with a slash at its end, an address is the same"


@pytest.mark.parametrize(
    "other",
    [
        asked("/other", json={"a": 1}),
        asked("/chat?x=1", json={"a": 1}),
        asked("/chat", json={"a": 1.5}),
        asked("/chat"),
        Asked(method="GET", path="/chat", body={"a": 1}),
    ],
    ids=["path", "query", "body", "no body", "method"],
)
def test_requests_that_differ_are_told_apart(other: Asked) -> None:
    assert asked("/chat", json={"a": 1}).digest != other.digest


def test_the_query_of_the_base_address_is_a_part_of_the_address() -> None:
    base = "http://h/v1?api-version=1&key=abc"
    assert asked("/page?n=2", base=base).path == "/page?n=2"
    assert asked("/page", base=base).path == "/page"


@pytest.mark.parametrize(
    ("content", "body"),
    [(b"", None), (b"plain words", "plain words"), (b"\xff", "\ufffd"), (b"[" * 100_000, "[" * 100_000)],
    ids=["none", "text", "not UTF-8", "nested too deeply"],
)
def test_a_body_that_is_no_json_is_kept_as_text(content: bytes, body: str | None) -> None:
    assert asked(content=content).body == body


def test_keys_are_masked_however_they_are_written() -> None:
    escaped = mask_of(['tok"en\\x'])
    assert asked("/p?k=sk-secret%2F1%2B2", json={"user": KEY}).path == "/p?k=***"
    assert asked(json={"user": KEY}).body == {"user": "***"}
    assert escaped(json.dumps({"t": 'tok"en\\x'})) == '{"t": "***"}'
    assert mask_of([""])("text") == "text"


def test_the_longer_of_two_keys_is_masked_whole() -> None:
    assert mask_of(["abcdefgh", "abcdefgh-2"])("abcdefgh-2") == "***"


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (asked(json={"model": "m-1", "messages": [{}, {}]}), "POST /chat (model 'm-1', 2 messages)"),
        (asked(json={"model": "m-1", "input": [{}]}), "POST /chat (model 'm-1', 1 message)"),
        (asked(json={"model": "m" * 99}), f"POST /chat (model '{'m' * 40}')"),
        (asked("/search", json={"q": "who is the secret person"}), "POST /search"),
        (asked("/https://a.test/who-is-the-secret-person"), "POST /… (a page)"),
        (asked("/page?q=secret"), "POST /page"),
        (asked(content=b"secret words"), "POST /chat"),
    ],
    ids=["chat", "responses", "long name", "search", "page address", "query", "text"],
)
def test_a_request_is_told_without_a_text_of_the_question(request_: Asked, words: str) -> None:
    assert request_.in_words == words
    assert "secret" not in request_.in_words
    assert "secret" not in repr(Asked(method="GET", path="/", body="secret"))


def test_of_a_replys_headers_only_those_that_matter_are_kept() -> None:
    headers = {
        "Content-Type": "text/html; charset=latin-1",
        "Retry-After": "12",
        "Set-Cookie": "a=b",
        "Date": "x",
    }
    reply = Reply.of(httpx.Response(429, headers=headers, content="Größe".encode("latin-1")), mask=MASK)
    assert reply.headers == {"content-type": "text/html", "retry-after": "12"}
    assert (reply.status, reply.text) == (429, "Größe")
    again = reply.response()
    assert (again.status_code, again.text, again.headers["retry-after"]) == (429, "Größe", "12")


def test_a_date_to_retry_after_is_kept_as_seconds_from_now() -> None:
    reply = Reply.of(
        httpx.Response(503, headers={"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}, text="down"), mask=MASK
    )
    assert float(reply.headers["retry-after"]) < 0


def test_a_reply_without_headers_has_none() -> None:
    reply = Reply.of(httpx.Response(200, content=b"x", headers={"retry-after": "soon"}), mask=MASK)
    assert reply.headers == {}


def test_a_key_that_a_server_repeats_is_not_kept() -> None:
    assert Reply.of(httpx.Response(401, text=f"bad key {KEY}"), mask=MASK).text == "bad key ***"
    assert Fault.of(httpx.ConnectError(f"no {KEY}"), mask=MASK).text == "no ***"


@pytest.mark.parametrize(
    "error",
    [
        httpx.ConnectError("refused"),
        httpx.ConnectTimeout("slow"),
        httpx.ReadError("reset"),
        httpx.RemoteProtocolError("cut"),
        httpx.DecodingError("gzip"),
        UnreadableCertificatesError("no file"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_fault_comes_back_as_the_same_fault(error: httpx.RequestError) -> None:
    again = Fault.of(error, mask=MASK).error()
    assert (type(again), str(again)) == (type(error), str(error))


def test_a_time_out_that_is_none_of_httpx_comes_back_as_one() -> None:
    assert isinstance(Fault.of(TimeoutError("late"), mask=MASK).error(), httpx.ReadTimeout)


def test_an_untrusted_certificate_comes_back_as_one() -> None:
    error = httpx.ConnectError("self-signed")
    error.__cause__ = ssl.SSLCertVerificationError("self-signed")
    again = Fault.of(error, mask=MASK).error()
    assert isinstance(again, httpx.ConnectError) and isinstance(again.__cause__, ssl.SSLCertVerificationError)


@pytest.mark.parametrize("kind", ["NoSuchError", "Response", "InvalidURL"])
def test_a_fault_of_a_class_nobody_knows_is_a_broken_connection(kind: str) -> None:
    assert type(Fault(kind=kind, text="x").error()) is httpx.ReadError


@pytest.mark.parametrize(
    "came",
    [
        Reply(status=200, headers={"content-type": "a/b"}, text='{"x": "ä\u2028\n"}'),
        Fault(kind="ReadError", text="x"),
    ],
    ids=["reply", "fault"],
)
def test_an_exchange_is_one_line_and_comes_back_from_it(came: Reply | Fault) -> None:
    exchange = Exchange(n=3, asked=asked(json={"q": "zwei\nZeilen"}), came=came)
    line = exchange.to_line()
    assert line.count("\n") == 1 and line.endswith("\n")
    assert Exchange.from_line(line) == exchange


def test_half_of_a_character_can_be_written() -> None:
    line = Exchange(n=1, asked=Asked(method="GET", path="/", body="\ud800"), came=Fault(kind="x")).to_line()
    assert Exchange.from_line(line.encode().decode()).asked.body == "\ufffd"


@pytest.mark.parametrize(
    "line",
    [
        "",
        '{"n": 1, "meth',
        "[]",
        "{}",
        '{"n": 1, "method": "GET", "path": "/", "body": null, "reply": {"a": 1}}',
        "[" * 99999,
    ],
    ids=["empty", "half", "list", "object", "another reply", "nested too deeply"],
)
def test_a_line_that_is_no_exchange_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"no exchange|Expecting|Unterminated"):
        Exchange.from_line(line)
