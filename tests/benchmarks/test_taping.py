"""What a session does about cassettes: what it refuses, whom it asks, and what it says of it."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from configuration_scene import SOUND, loaded, refused, yaml_file
from gating_scene import a_run, configured, described, session_of
from test_metrics import golden_run

from benchmarks.clients import judge_maker, network_of
from benchmarks.configuration.keyless import Keyless
from benchmarks.configuration.options import Options
from benchmarks.results.metrics import reduce_run
from benchmarks.results.provenance import how_it_was_measured
from benchmarks.run import Cassettes, Session
from benchmarks.taping import asks_somebody, cassettes_of, environment_for, header_line, taped
from harnesses.endpoint.cassettes import RecordingTransport, ReplayingTransport
from harnesses.endpoint.network import DIRECT
from harnesses.endpoint.tapes import tape_of
from harnesses.search_agent_params import NaiveSearchAgentParams
from judges.judge import JudgeFailedError
from judges.prompts.prompt import JudgePrompt


def options(cassette: str | Path | None, mode: str | None) -> Options:
    return Options(cassette=None if cassette is None else str(cassette), cassette_mode=mode)


def a_cassette(folder: Path) -> Path:
    """A folder with a tape, for an eye that does not look into it."""
    (folder / "gaia").mkdir(parents=True)
    (folder / "gaia" / "t-1-attempt1.jsonl").write_text("")
    return folder


def test_without_the_options_there_is_no_cassette() -> None:
    assert cassettes_of(options(None, None)) is None
    assert asks_somebody(None)


def test_a_recording_makes_nothing_before_it_begins(tmp_path: Path) -> None:
    found = cassettes_of(options(tmp_path / "a" / "b", "record"))
    assert found == Cassettes(folder=tmp_path / "a" / "b", mode="record")
    assert asks_somebody(found) and not (tmp_path / "a").exists()


def test_a_folder_is_meant_from_where_pytest_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_cassette(tmp_path / "tapes")
    monkeypatch.chdir(tmp_path)
    found = cassettes_of(options("tapes", "replay"))
    assert found == Cassettes(folder=tmp_path / "tapes", mode="replay")
    assert not asks_somebody(found)


def a_file(folder: Path) -> Path:
    (folder / "file").write_text("")
    return folder / "file"


def an_empty_folder(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def under_a_file(folder: Path) -> Path:
    return a_file(folder) / "tapes"


def nowhere(folder: Path) -> Path:
    return folder / "nowhere"


@pytest.mark.parametrize(
    ("made", "mode", "line"),
    [
        (None, "replay", "--cassette-mode 'replay' needs a folder; add --cassette DIR"),
        (nowhere, None, "needs to know what to do; add --cassette-mode record, or --cassette-mode replay"),
        (nowhere, "reply", "--cassette-mode 'reply' is unknown; did you mean 'replay'\\?"),
        (nowhere, "x", "--cassette-mode 'x' is unknown; it must be one of: record, replay"),
        (
            nowhere,
            "replay",
            "nowhere' does not exist; correct it, or record it first with --cassette-mode record",
        ),
        (an_empty_folder, "replay", "empty' holds no recorded exchange; correct it, or record it first with"),
        (a_file, "replay", "file' is a file; a cassette is a folder: name the folder that was recorded into"),
        (a_file, "record", "file' is a file; a cassette is a folder: name another"),
        (
            under_a_file,
            "record",
            "tapes' lies under 'file', which is a file; a cassette is a folder: name another",
        ),
    ],
    ids=[
        "no folder",
        "no mode",
        "nearest mode",
        "unknown mode",
        "missing",
        "empty",
        "file",
        "record file",
        "under",
    ],
)
def test_what_cannot_work_is_refused_in_one_line(
    tmp_path: Path, made: Callable[[Path], Path] | None, mode: str | None, line: str
) -> None:
    with pytest.raises(pytest.UsageError, match=line) as caught:
        cassettes_of(options(made and made(tmp_path), mode))
    assert "\n" not in str(caught.value)


def test_a_blank_folder_is_refused() -> None:
    with pytest.raises(pytest.UsageError, match="--cassette ' ' names no folder; give one"):
        cassettes_of(options(" ", "record"))


def test_a_folder_of_others_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: str, mode: int) -> bool:
        return False

    monkeypatch.setattr(os, "access", denied)  # tests may run as a user who may write anywhere
    with pytest.raises(pytest.UsageError, match="cannot be written to; name a folder of yours"):
        cassettes_of(options(tmp_path / "tapes", "record"))


def session(folder: Path, mode: str | None, *, process: str = "main") -> Session:
    cassettes = None if mode is None else cassettes_of(options(folder, mode))
    return replace(session_of(), cassettes=cassettes, process=process)


def test_a_session_without_a_cassette_keeps_its_network(tmp_path: Path) -> None:
    assert taped(DIRECT, session(tmp_path, None)) is DIRECT
    assert network_of(session(tmp_path, None)) is DIRECT


def test_a_recording_goes_over_the_network_of_the_session(tmp_path: Path) -> None:
    network = network_of(session(tmp_path, "record"))
    assert isinstance(network.connect("http://h"), RecordingTransport)
    assert network.sleep is DIRECT.sleep


def test_a_replay_connects_to_nobody(tmp_path: Path) -> None:
    network = network_of(session(a_cassette(tmp_path / "tapes"), "replay"))
    assert isinstance(network.connect("http://h"), ReplayingTransport)


@pytest.mark.parametrize(("process", "is_kept"), [("main", False), ("gw1", True)])
def test_the_first_process_forgets_what_an_older_session_asked_outside_of_attempts(
    tmp_path: Path, process: str, is_kept: bool
) -> None:
    tape_of(tmp_path, None).write_text("")
    taped(DIRECT, session(tmp_path, "record", process=process))
    assert tape_of(tmp_path, None).exists() == is_kept


def test_a_replay_forgets_nothing(tmp_path: Path) -> None:
    tape_of(tmp_path, None).write_text("")
    taped(DIRECT, session(tmp_path, "replay"))
    assert tape_of(tmp_path, None).exists()


def test_the_header_says_what_is_done(tmp_path: Path) -> None:
    assert header_line(Cassettes(folder=tmp_path, mode="record")) == (
        f"cassette: recording into {tmp_path}; private, it holds questions and ground truths: do not publish "
        "it"
    )
    assert header_line(Cassettes(folder=tmp_path, mode="replay")) == (
        f"cassette: replaying {tmp_path}; no model, tool or judge is asked"
    )


@pytest.mark.parametrize("mode", [None, "record", "replay"])
def test_a_description_tells_the_mode(tmp_path: Path, mode: str | None) -> None:
    assert described(session(a_cassette(tmp_path / "tapes"), mode)).volatile["cassette"] == mode


def test_a_description_tells_of_no_key_of_the_harness() -> None:
    """A replay has none, and yet it is the same run."""
    configuration = configured(names=("gaia",), harness="naive_search_agent")
    of_session = replace(
        session_of(), configuration=configuration, runs={"gaia": a_run(configuration, "gaia", ("1",))}
    )
    names = set(described(of_session).harness["params"])
    assert names == {field.name for field in fields(NaiveSearchAgentParams)} - {
        "serper_api_key",
        "jina_api_key",
    }


@pytest.mark.parametrize(
    ("mode", "n_lines"), [(None, 0), ("record", 0), ("replay", 1)], ids=["none", "record", "replay"]
)
def test_the_summary_of_a_replay_says_that_nobody_was_asked(mode: str | None, n_lines: int) -> None:
    description, _ = golden_run()
    volatile = {**description.volatile, "cassette": mode}
    lines = how_it_was_measured(reduce_run(replace(description, volatile=volatile), []))
    said = "- Replayed from a cassette: no model, tool or judge was asked; their replies are recorded ones"
    assert lines.count(said) == n_lines
    assert any("cassette" in line for line in lines) == bool(n_lines)


def test_a_replay_needs_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_API_KEY", "set-all-the-same")
    file = yaml_file(tmp_path, "benchmark: {params: {judge_model: {api_key: '${TOKEN_OF_THE_JUDGE}'}}}")
    wanted: dict[str, Any] = {**SOUND, "harness": "naive_search_agent"}
    assert len(refused(file, **wanted)) == 3, "the judge's, Serper's, Jina's"
    environ = environment_for(Cassettes(folder=tmp_path, mode="replay"))
    made = loaded(file, environ=environ, **wanted)
    assert made.model is not None and made.model.api_key == "set-all-the-same"
    assert environment_for(None) is os.environ


def test_only_variables_named_like_keys_need_not_be_set() -> None:
    environ = Keyless({"HOME": "/h", "EMPTY_TOKEN": "", "MODEL_API_KEY": "k"})
    assert (environ["HOME"], environ["MODEL_API_KEY"]) == ("/h", "k")
    assert environ["SERPER_API_KEY"] == environ["EMPTY_TOKEN"] == environ.get("MY_TOKEN") == "***"
    assert environ.get("EDITOR") is None
    assert (list(environ), len(environ)) == (["HOME", "EMPTY_TOKEN", "MODEL_API_KEY"], 3)


def test_a_miss_of_the_judge_is_a_judge_error(tmp_path: Path) -> None:
    prompt = JudgePrompt(text="{question}", protocol="gaia", source="x", digest="d")
    of_session = session(a_cassette(tmp_path / "tapes"), "replay")
    run = replace(of_session.runs["gaia"], judge_prompt=prompt)
    judge = judge_maker(run, network_of(of_session))()
    told = r"^judge 'judge-1': cassette 'tapes/_session.jsonl' holds no reply to POST /chat/completions \("
    with pytest.raises(JudgeFailedError, match=told):
        asyncio.run(judge.grade("why", "so", "so"))
