"""One request at a time, each from a remembered state."""

import threading
from typing import Any

import pytest
from demo_scene import KEY, OVERFLOW, native_stand_in

from harnesses.demo import model_client
from harnesses.demo.model_client import ModelClient

OPENING = [{"role": "system", "content": "Rules."}, {"role": "user", "content": "Example."}]


def said(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def asked(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def body(*turns: dict[str, str]) -> dict[str, Any]:
    return {"messages": [*OPENING, *turns], "max_tokens": 50, "temperature": 0}


def test_each_request_carries_the_key() -> None:
    with native_stand_in() as native:
        ModelClient(native.url, KEY).chat(body())
    assert native.keys == {f"Bearer {KEY}"}


def test_a_single_chat_begins_from_nothing_and_is_not_remembered() -> None:
    with native_stand_in() as native:
        reply = ModelClient(native.url, KEY).chat(body())
    assert (reply.text, reply.finish_reason) == ('{"answer":"42"}', "stop")
    assert native.asked[0]["cache_prompt"] is False
    assert native.slots == []


def test_the_opening_is_worked_through_once_and_each_conversation_begins_from_it() -> None:
    with native_stand_in() as native:
        client = ModelClient(native.url, KEY)
        client.continue_chat(body(asked("one?")), n_opening=2)
        client.continue_chat(body(asked("two?")), n_opening=2)
    warming, first, second = native.asked
    assert (warming["messages"], warming["cache_prompt"]) == (OPENING, False)
    assert (first["cache_prompt"], second["cache_prompt"]) == (True, True)
    (_, opening), *_ = native.slots
    assert [slot for slot in native.slots if slot[1] == opening] == [
        ("save", opening),
        ("restore", opening),
        ("restore", opening),
    ]


def test_a_conversation_goes_on_from_its_own_last_turn_whatever_came_between() -> None:
    with native_stand_in(says=["first", "other", "single", "second"]) as native:
        client = ModelClient(native.url, KEY)
        client.continue_chat(body(asked("one?")), n_opening=2)
        after_first = native.slots[-1]
        client.continue_chat(body(asked("another?")), n_opening=2)
        client.chat(body(asked("a single one?")))
        client.continue_chat(body(asked("one?"), said("first"), asked("and?")), n_opening=2)
    assert after_first[0] == "save"
    assert native.slots[-2] == ("restore", after_first[1])


def test_only_so_many_conversations_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_client, "MAX_STATES", 1)
    with native_stand_in(says=["reply"]) as native:
        client = ModelClient(native.url, KEY)
        client.continue_chat(body(asked("one?")), n_opening=2)
        opening, first = native.slots[0][1], native.slots[-1][1]
        client.continue_chat(body(asked("two?")), n_opening=2)
        client.continue_chat(body(asked("one?"), said("reply"), asked("and?")), n_opening=2)
    assert ("restore", first) not in native.slots
    assert native.slots[-2] == ("restore", opening)


def test_a_model_whose_state_cannot_be_kept_begins_from_nothing_each_time() -> None:
    with native_stand_in(keeps_states=False) as native:
        client = ModelClient(native.url, KEY)
        for _ in range(2):
            assert client.continue_chat(body(asked("one?")), n_opening=2).text == '{"answer":"42"}'
    assert [request["cache_prompt"] for request in native.conversations] == [False, False]
    assert {action for action, _ in native.slots} == {"save"}


def test_a_refused_request_is_not_remembered() -> None:
    with native_stand_in() as native:
        client = ModelClient(native.url, KEY)
        client.continue_chat(body(asked("one?")), n_opening=2)
        native.fails = (400, OVERFLOW)
        reply = client.continue_chat(body(asked("too long?")), n_opening=2)
    assert (reply.status, reply.body) == (400, OVERFLOW)
    assert native.slots[-1][0] == "restore"


def test_requests_at_once_are_served_one_after_another() -> None:
    with native_stand_in() as native:
        client = ModelClient(native.url, KEY)
        threads = [
            threading.Thread(
                target=client.continue_chat, args=(body(asked(f"{n}?")),), kwargs={"n_opening": 2}
            )
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    actions = [action for action, _ in native.slots]
    assert actions == ["save", *["restore", "save"] * 4]
