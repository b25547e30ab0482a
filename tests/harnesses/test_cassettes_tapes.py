"""Tapes on the disk: a file for each attempt, whole lines, and what is told where a reply is missing."""

import gc
import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harnesses.endpoint.errors import CassetteMissError, EndpointError
from harnesses.endpoint.exchanges import Asked, Fault, Reply
from harnesses.endpoint.scope import Scope, current_scope
from harnesses.endpoint.tapes import RecordedTapes, ReplayedTapes, exchanges_on, tape_of

ONE = "gaia/t-1-attempt1"


def question(text: str = "why", *, n_messages: int = 1) -> Asked:
    body = {"model": "m-1", "messages": [{"role": "user", "content": text}] * n_messages}
    return Asked(method="POST", path="/chat", body=body)


def says(text: str) -> Reply:
    return Reply(status=200, headers={}, text=text)


@contextmanager
def within(scope: Scope | None) -> Generator[None]:
    token = current_scope.set(scope)
    try:
        yield
    finally:
        current_scope.reset(token)


def record(tapes: RecordedTapes, scope: Scope | None, asked: Asked, *texts: str) -> None:
    with within(scope):
        for text in texts:
            tapes.keep(tapes.place(asked), asked, says(text))


def answer(tapes: ReplayedTapes, scope: Scope | None, asked: Asked) -> str:
    with within(scope):
        return tapes.next(asked).text


def test_each_attempt_has_a_tape_and_what_is_outside_has_one(tmp_path: Path) -> None:
    tapes = RecordedTapes(tmp_path / "made")
    for name in ("gaia/t-1-attempt1", "gaia/t-1-attempt2", "sealqa-longseal/t-9-attempt1"):
        record(tapes, Scope(name=name), question(), "x")
    record(tapes, None, question(), "x")
    found = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.jsonl"))
    assert found == [
        "made/_session.jsonl",
        "made/gaia/t-1-attempt1.jsonl",
        "made/gaia/t-1-attempt2.jsonl",
        "made/sealqa-longseal/t-9-attempt1.jsonl",
    ]


def test_equal_requests_are_answered_in_the_order_they_were_sent(tmp_path: Path) -> None:
    tapes, scope = RecordedTapes(tmp_path), Scope(name=ONE)
    with within(scope):
        first, second = tapes.place(question()), tapes.place(question())
        tapes.keep(second, question(), says("the reply that came first"))
        tapes.keep(first, question(), says("the reply that came last"))
    replayed, again = ReplayedTapes(tmp_path), Scope(name=ONE)
    assert answer(replayed, again, question()) == "the reply that came last"
    assert answer(replayed, again, question()) == "the reply that came first"


def test_attempts_are_counted_apart_and_each_from_its_beginning(tmp_path: Path) -> None:
    tapes = RecordedTapes(tmp_path)
    record(tapes, Scope(name=ONE), question(), "a", "b")
    record(tapes, Scope(name="gaia/t-2-attempt1"), question(), "c")
    record(tapes, None, question(), "d")
    replayed = ReplayedTapes(tmp_path)
    one, again = Scope(name=ONE), Scope(name=ONE)
    assert answer(replayed, one, question()) == "a"
    assert answer(replayed, again, question()) == "a"
    assert answer(replayed, one, question()) == "b"
    assert answer(replayed, Scope(name="gaia/t-2-attempt1"), question()) == "c"
    assert answer(replayed, None, question()) == "d"


def test_an_attempt_made_again_replaces_its_tape(tmp_path: Path) -> None:
    tapes, kept = RecordedTapes(tmp_path), Scope(name="gaia/t-2-attempt1")
    record(tapes, Scope(name=ONE), question(), "old", "older")
    record(tapes, kept, question(), "kept")
    record(tapes, Scope(name=ONE), question(), "new")
    assert [exchange.came.text for exchange in exchanges_on(tape_of(tmp_path, Scope(name=ONE)))] == ["new"]
    assert len(list(exchanges_on(tape_of(tmp_path, kept)))) == 1


def test_an_attempt_made_again_replaces_the_tape_before_any_reply_comes(tmp_path: Path) -> None:
    record(RecordedTapes(tmp_path), Scope(name=ONE), question(), "old")
    with within(Scope(name=ONE)):
        RecordedTapes(tmp_path).place(question())
    assert not tape_of(tmp_path, Scope(name=ONE)).exists()


def test_another_process_adds_to_what_was_kept_outside_of_attempts(tmp_path: Path) -> None:
    record(RecordedTapes(tmp_path), None, question("a"), "1")
    record(RecordedTapes(tmp_path), None, question("b"), "2")
    assert [exchange.came.text for exchange in exchanges_on(tape_of(tmp_path, None))] == ["1", "2"]


def test_a_tape_is_on_the_disk_as_soon_as_a_reply_came(tmp_path: Path) -> None:
    tapes, scope = RecordedTapes(tmp_path), Scope(name=ONE)
    for n in range(1, 4):
        record(tapes, scope, question(str(n)), "x")
        assert len(list(exchanges_on(tape_of(tmp_path, scope)))) == n


def test_half_a_line_is_left_out(tmp_path: Path) -> None:
    tapes = RecordedTapes(tmp_path)
    record(tapes, Scope(name=ONE), question(), "a", "b")
    tape = tape_of(tmp_path, Scope(name=ONE))
    tape.write_bytes(tape.read_bytes()[:-20])
    replayed, scope = ReplayedTapes(tmp_path), Scope(name=ONE)
    assert answer(replayed, scope, question()) == "a"
    with pytest.raises(CassetteMissError, match="the 2nd such request"):
        answer(replayed, scope, question())


def test_a_tape_is_let_go_with_its_attempt(tmp_path: Path) -> None:
    record(RecordedTapes(tmp_path), Scope(name=ONE), question(), "a")
    replayed: Any = ReplayedTapes(tmp_path)
    scope = Scope(name=ONE)
    answer(replayed, scope, question())
    assert len(replayed._read) == 1
    del scope
    gc.collect()
    assert len(replayed._read) == 0


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (1, "messages\\); record"),
        (2, ", the 2nd such request; record"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (21, "21st"),
    ],
)
def test_a_miss_names_tape_and_request_in_one_line(tmp_path: Path, n: int, said: str) -> None:
    asked = question("who is the secret person", n_messages=3)
    folder = tmp_path / "tapes"
    record(RecordedTapes(folder), Scope(name=ONE), asked, *["x"] * (n - 1))
    replayed, scope = ReplayedTapes(folder), Scope(name=ONE)
    for _ in range(n - 1):
        answer(replayed, scope, asked)
    with pytest.raises(CassetteMissError, match=said) as caught:
        answer(replayed, scope, asked)
    line = str(caught.value)
    assert line.startswith(
        "cassette 'tapes/gaia/t-1-attempt1.jsonl' holds no reply to POST /chat (model 'm-1', 3 messages)"
    )
    assert line.endswith("; record it again with --cassette-mode record")
    assert "secret" not in line and str(tmp_path) not in line
    assert caught.value.n_requests == 0


def test_the_private_detail_of_a_miss_shows_where_the_request_differs(tmp_path: Path) -> None:
    tapes = RecordedTapes(tmp_path)
    record(tapes, Scope(name=ONE), question("why is the sky blue"), "x")
    record(tapes, Scope(name=ONE), question("why is the sky blue"), "x")
    with pytest.raises(CassetteMissError) as caught:
        answer(ReplayedTapes(tmp_path), Scope(name=ONE), question("why is the sky grey"))
    now, then = caught.value.detail.split("\n")
    assert now.startswith("asked now: …") and "the sky grey" in now
    assert then.startswith("recorded: …") and "the sky blue" in then


def test_the_private_detail_of_a_miss_says_when_there_is_nothing_to_compare(tmp_path: Path) -> None:
    record(RecordedTapes(tmp_path), Scope(name=ONE), question(), "x")
    replayed, scope = ReplayedTapes(tmp_path), Scope(name=ONE)
    answer(replayed, scope, question())
    with pytest.raises(CassetteMissError) as often:
        answer(replayed, scope, question())
    assert often.value.detail == "it was recorded fewer times than it is asked now"
    with pytest.raises(CassetteMissError, match=r"cassette '.*/_session\.jsonl'") as never:
        answer(replayed, None, question())
    assert never.value.detail == "this tape holds nothing"


@pytest.mark.parametrize("scope", [None, Scope(name=ONE)], ids=["outside", "an attempt"])
def test_a_cassette_that_cannot_be_written_ends_the_attempt_with_a_remedy(
    tmp_path: Path, scope: Scope | None
) -> None:
    (tmp_path / "tapes").write_text("a file")
    tapes = RecordedTapes(tmp_path / "tapes")
    with pytest.raises(EndpointError, match=r"^the cassette 'tapes' cannot be written \(.*\); make room"):
        record(tapes, scope, question(), "x")


def test_a_key_is_on_no_tape(tmp_path: Path) -> None:
    tapes = RecordedTapes(tmp_path, secrets=["sk-secret-1"])
    assert tapes.mask("Bearer sk-secret-1") == "Bearer ***"
    assert ReplayedTapes(tmp_path, secrets=["sk-secret-1"]).mask("sk-secret-1") == "***"


def test_a_line_of_a_tape_can_be_read_by_people(tmp_path: Path) -> None:
    tapes, scope = RecordedTapes(tmp_path), Scope(name=ONE)
    record(tapes, scope, question("wie weit"), "42 m")
    with within(scope):
        tapes.keep(tapes.place(question()), question(), Fault(kind="ReadError", text="reset"))
    reply, fault = map(json.loads, tape_of(tmp_path, scope).read_text().splitlines())
    assert reply == {
        "n": 1,
        "method": "POST",
        "path": "/chat",
        "body": {"model": "m-1", "messages": [{"role": "user", "content": "wie weit"}]},
        "reply": {"status": 200, "headers": {}, "text": "42 m"},
    }
    assert fault["fault"] == {"kind": "ReadError", "text": "reset"}
