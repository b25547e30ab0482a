"""Servers that want each id of a call once get it, whatever the server before them sent."""

import copy
from typing import Any

import pytest
from protocol_scene import SERVERS, Said, Server, call, spec_of
from scripted_endpoint import QUESTION

from harnesses.endpoint.messages import Message
from harnesses.endpoint.protocols.translator import TRANSLATORS

strict = pytest.mark.parametrize("server", SERVERS[1:], ids=[server.protocol for server in SERVERS[1:]])


def result(call_id: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def called(*call_ids: str) -> Message:
    calls = [
        {"id": call_id, "type": "function", "function": {"name": "search", "arguments": f'{{"n": {n}}}'}}
        for n, call_id in enumerate(call_ids)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


@strict
def test_each_call_goes_out_under_an_id_of_its_own_with_its_result(server: Server) -> None:
    """Servers send an id twice, in a turn or in the next, and refuse a conversation that repeats it."""
    conversation = [
        QUESTION,
        called("c1", "c1"),
        result("c1", "first"),
        result("c1", "second"),
        called("c1", "c1_2", "lost"),
        result("c1", "third"),
        result("c1_2", "fourth"),
        called("lost"),
        result("lost", "fifth"),
    ]
    before = copy.deepcopy(conversation)
    body = TRANSLATORS[server.protocol].request_body(spec_of(server), conversation)
    heard = server.heard(body)
    calls = [part[1] for part in heard if part[0] == "call"]
    assert calls == ["c1", "c1_2", "c1_3", "c1_2_2", "lost", "lost_2"]
    assert [part for part in heard if part[0] == "tool"] == [
        ("tool", "c1", "first"),
        ("tool", "c1_2", "second"),
        ("tool", "c1_3", "third"),
        ("tool", "c1_2_2", "fourth"),
        ("tool", "lost_2", "fifth"),
    ]
    assert conversation == before


@strict
def test_ids_that_repeat_in_a_turn_kept_part_by_part_differ_too(server: Server) -> None:
    thought_between = Said(thought="hm", calls=(call("c1"), call("c1")), ends="tool_calls")
    payload = server.payload(thought_between)
    parts: list[Any] = payload["output" if server.protocol == "openai-responses" else "content"]
    parts.insert(2, parts[0])
    message = TRANSLATORS[server.protocol].read_completion(payload, n_requests=1).message
    assert "verbatim" in message
    body = TRANSLATORS[server.protocol].request_body(
        spec_of(server), [QUESTION, message, result("c1", "first"), result("c1", "second")]
    )
    ids = [part[1] for part in server.heard(body) if part[0] in {"call", "tool"}]
    assert ids == ["c1", "c1_2", "c1", "c1_2"]
