import json
from typing import Any

import httpx
import pytest

from harnesses.endpoint.masked_headers import MaskedHeaders
from harnesses.endpoint.request_template import RequestTemplate

NONE = MaskedHeaders()


def template(
    base_url: str = "http://s.test/v1", *, headers: MaskedHeaders = NONE, timeout_s: float = 60.0
) -> RequestTemplate:
    return RequestTemplate(base_url=base_url, headers=headers, timeout_s=timeout_s)


def test_a_request_has_what_httpx_sends_by_itself_and_what_the_client_adds() -> None:
    request = template(headers=MaskedHeaders({"X-API-KEY": "k-made-up"})).request(
        "GET", "/page", json=None, headers=NONE
    )
    assert (request.headers["host"], request.headers["accept"]) == ("s.test", "*/*")
    assert "gzip" in request.headers["accept-encoding"]
    assert request.headers["user-agent"].startswith("python-httpx/")
    assert (request.headers["x-api-key"], request.content) == ("k-made-up", b"")
    assert "content-type" not in request.headers


@pytest.mark.parametrize("body", [{}, [], "text", 0, False], ids=repr)
def test_a_json_body_says_that_it_is_one(body: Any) -> None:
    request = template().request("POST", "/page", json=body, headers=NONE)
    assert (request.headers["content-type"], json.loads(request.content)) == ("application/json", body)
    assert request.headers["content-length"] == str(len(request.content))


def test_headers_of_one_request_win_and_stay_with_it() -> None:
    made = template(headers=MaskedHeaders({"Accept": "text/plain"}))
    own = MaskedHeaders({"accept": "text/html", "Content-Type": "text/x"})
    first = made.request("POST", "/", json={}, headers=own)
    second = made.request("POST", "/", json={}, headers=NONE)
    assert first.headers.get_list("accept") == ["text/html"]
    assert first.headers.get_list("content-type") == ["text/x"]
    assert (second.headers["accept"], second.headers["content-type"]) == ("text/plain", "application/json")


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        pytest.param({"q": "münze"}, '{"q": "münze"}', id="whole"),
        pytest.param({"q": ["a\ud800"]}, '{"q": ["a\N{REPLACEMENT CHARACTER}"]}', id="half"),
        pytest.param({"q": "\ud83c\udf09"}, '{"q": "\N{BRIDGE AT NIGHT}"}', id="two-halves"),
        pytest.param({"\udc00": 1}, '{"\N{REPLACEMENT CHARACTER}": 1}', id="half-in-a-key"),
    ],
)
def test_a_body_is_utf8_whatever_halves_of_characters_it_holds(body: Any, sent: str) -> None:
    assert template().request("POST", "/", json=body, headers=NONE).content.decode() == sent


@pytest.mark.parametrize(
    ("base_url", "sign_in"),
    [
        pytest.param("http://s.test/v1", None, id="none"),
        pytest.param("http://u:p@s.test/v1", "Basic dTpw", id="name-and-password"),
        pytest.param("http://u@s.test/v1", "Basic dTo=", id="name-alone"),
        pytest.param("http://u%40h:p%3A@s.test/v1", "Basic dUBoOnA6", id="escaped"),
    ],
)
def test_a_user_name_in_the_address_is_sent_as_a_header(base_url: str, sign_in: str | None) -> None:
    request = template(base_url).request("GET", "/", json=None, headers=NONE)
    assert (request.headers.get("authorization"), request.headers["host"]) == (sign_in, "s.test")


def test_a_user_name_in_the_address_is_sent_instead_of_a_key() -> None:
    made = template("http://u:p@s.test/v1", headers=MaskedHeaders({"Authorization": "Bearer k-made-up"}))
    request = made.request("GET", "/", json=None, headers=NONE)
    assert request.headers.get_list("authorization") == ["Basic dTpw"]


@pytest.mark.parametrize(("timeout_s", "connect_s"), [(2000.0, 30.0), (5.0, 5.0)])
def test_connecting_has_thirty_seconds_of_a_requests_time_at_most(timeout_s: float, connect_s: float) -> None:
    request = template(timeout_s=timeout_s).request("GET", "/", json=None, headers=NONE)
    limits = request.extensions["timeout"]
    assert (limits["connect"], limits["read"]) == (connect_s, timeout_s)


def test_an_address_that_cannot_be_requested_is_an_error() -> None:
    with pytest.raises(httpx.InvalidURL):
        template().request("GET", "/a\0", json=None, headers=NONE)
