"""What an attempt prints and logs is its own, whatever runs beside it."""

import asyncio
import io
import logging
import sys
import tracemalloc

import pytest

from benchmarks.output import MAX_CHARACTERS, Output, own_output, routed_output


async def _talk(name: str, turn: asyncio.Event, other: asyncio.Event) -> str:
    with own_output() as pieces:
        sys.stdout.write(f"{name} speaks\n")
        turn.set()
        await other.wait()
        sys.stderr.write(f"{name} errs\n")
        logging.getLogger("harness").warning("%s warns", name)
    return str(pieces)


def streams_of(monkeypatch: pytest.MonkeyPatch) -> tuple[io.StringIO, io.StringIO]:
    """Streams of the test's own. Set in the test's body: pytest sets its own anew for each phase."""
    made = _Stream(), _Stream()
    monkeypatch.setattr(sys, "stdout", made[0])
    monkeypatch.setattr(sys, "stderr", made[1])
    return made


class _Stream(io.StringIO):
    """As pytest's capture: a stream of Python's own, whose `write` can be replaced."""


@pytest.mark.asyncio
async def test_two_attempts_in_one_process_each_have_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    streams = streams_of(monkeypatch)
    one, two = asyncio.Event(), asyncio.Event()
    with routed_output():
        said = await asyncio.gather(_talk("one", one, two), _talk("two", two, one))
    assert list(said) == [
        f"{name} speaks\n{name} errs\nWARNING harness: {name} warns\n" for name in ("one", "two")
    ]
    assert streams[0].getvalue() == streams[1].getvalue() == ""


@pytest.mark.asyncio
async def test_what_belongs_to_no_attempt_goes_where_it_went(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    streams = streams_of(monkeypatch)
    with routed_output():
        sys.stdout.write("between items\n")
        with own_output():
            sys.stdout.write("in an attempt\n")
    sys.stdout.write("afterwards\n")
    assert streams[0].getvalue() == "between items\nafterwards\n"


class _Fixed:
    __slots__ = ("text",)

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)


def test_a_stream_that_cannot_be_routed_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = _Fixed()
    monkeypatch.setattr(sys, "stdout", fixed)
    with routed_output(), own_output() as pieces:
        sys.stdout.write("to the terminal\n")
    assert fixed.text == "to the terminal\n"
    assert str(pieces) == ""


def test_a_log_call_that_cannot_be_formatted_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # pytest's own would raise
    with routed_output(), own_output() as pieces:
        logging.getLogger("harness").warning("%d stones", "no number")
    assert str(pieces) == ""


def test_the_end_of_a_long_output_is_kept_and_the_rest_is_forgotten() -> None:
    output = Output()
    tracemalloc.start()
    for n in range(100_000):
        output.append(f"line {n}\n")
    output.append("the end")
    held_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held_bytes < 400_000
    kept = str(output)
    assert len(kept) == MAX_CHARACTERS and kept.endswith("line 99999\nthe end")


def test_one_long_piece_is_cut() -> None:
    output = Output()
    output.append("a" * (3 * MAX_CHARACTERS))
    output.append("end")
    assert str(output) == "a" * (MAX_CHARACTERS - 3) + "end"
