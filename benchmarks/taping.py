"""Cassettes of a session: what the user asks for, refused or understood, and the network made of it."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest

from benchmarks.configuration.options import Options
from benchmarks.run import Cassettes, Session
from harnesses.endpoint.network import Network

_MODES: Mapping[str, Literal["record", "replay"]] = {"record": "record", "replay": "replay"}


def cassettes_of(options: Options) -> Cassettes | None:
    """What `--cassette` and `--cassette-mode` ask for, ``None`` if neither was given; nothing is written.

    Raises:
        pytest.UsageError: One without the other, an unknown mode, a folder that will not do.
    """
    given, mode = options.cassette, options.cassette_mode
    if given is None and mode is None:
        return None
    if given is None:
        raise pytest.UsageError(f"--cassette-mode {mode!r} needs a folder; add --cassette DIR")
    if not given.strip():
        raise pytest.UsageError(f"--cassette {given!r} names no folder; give one, e.g. --cassette tapes")
    if mode is None:
        raise pytest.UsageError(
            f"--cassette {given!r} needs to know what to do; add --cassette-mode record, or --cassette-mode "
            "replay"
        )
    if mode not in _MODES:
        raise pytest.UsageError(f"--cassette-mode {mode!r} is unknown; {_meant(mode)}")
    folder = Path(given).expanduser().absolute()
    fault = _unfit_to_record(folder) if mode == "record" else _unfit_to_replay(folder)
    if fault is not None:
        raise pytest.UsageError(f"--cassette {given!r} {fault}")
    return Cassettes(folder=folder, mode=_MODES[mode])


def make_ready(cassettes: Cassettes | None) -> None:
    """Make the folder that is recorded into, before anything is asked.

    Raises:
        pytest.UsageError: It cannot be made or written.
    """
    if cassettes is None or cassettes.mode == "replay":
        return
    try:
        cassettes.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cassettes.folder):
            pass
    except OSError as error:
        raise pytest.UsageError(
            f"--cassette {str(cassettes.folder)!r} cannot be written to ({error.strerror}); name another"
        ) from error


def asks_somebody(cassettes: Cassettes | None) -> bool:
    """Whether models and services are asked at all."""
    return cassettes is None or cassettes.mode == "record"


def environment_for(cassettes: Cassettes | None) -> Mapping[str, str]:
    """The environment of the session; where it asks nobody, no key is missing in it."""
    if asks_somebody(cassettes):
        return os.environ
    from benchmarks.configuration.keyless import Keyless

    return Keyless(os.environ)


def taped(network: Network, session: Session) -> Network:
    """`network`, recorded or replayed as the session asks; as it is where it does not."""
    if session.cassettes is None:
        return network
    # Most sessions have no cassette and load none of it.
    from harnesses.endpoint.cassettes import begin_anew, recording, replaying

    folder, secrets = session.cassettes.folder, session.configuration.secrets
    if session.cassettes.mode == "replay":
        return replaying(folder, secrets=secrets)
    if session.process == "main":
        begin_anew(folder)
    return recording(network, folder, secrets=secrets)


def header_line(cassettes: Cassettes) -> str:
    """What the top of the terminal output says of it."""
    if cassettes.mode == "replay":
        return f"cassette: replaying {cassettes.folder}; no model, tool or judge is asked"
    return (
        f"cassette: recording into {cassettes.folder}; private, it holds questions and ground truths: do not "
        "publish it"
    )


def _meant(mode: str) -> str:
    from benchmarks.configuration.validation import nearest

    near = nearest(mode, _MODES)
    return f"did you mean {near!r}?" if near else f"it must be one of: {', '.join(_MODES)}"


def _unfit_to_record(folder: Path) -> str | None:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir():
        what = "is a file" if existing == folder else f"lies under {existing.name!r}, which is a file"
        return f"{what}; a cassette is a folder: name another"
    if not os.access(existing, os.W_OK | os.X_OK):
        return "cannot be written to; name a folder of yours"
    return None


def _unfit_to_replay(folder: Path) -> str | None:
    if not folder.exists():
        return "does not exist; correct it, or record it first with --cassette-mode record"
    if not folder.is_dir():
        return "is a file; a cassette is a folder: name the folder that was recorded into"
    from harnesses.endpoint.tapes import SUFFIX

    if next(folder.rglob(f"*{SUFFIX}"), None) is None:
        return "holds no recorded exchange; correct it, or record it first with --cassette-mode record"
    return None
